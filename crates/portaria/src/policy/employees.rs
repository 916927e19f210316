//! The rows that members of the staff with limited rights may use (`docs/decisions/0125-staff-roles.md`).

use crate::{
    policy::{Action, Denied, RowScope, assignments::TicketReference},
    schema::TableId,
    security::{caller::EmployeeRights, ids::UserId},
};

/// The access matrix of employees and readers. Administrators alone change the office itself: folders, templates,
/// settings and rules of mails, people, and assignments.
pub(super) fn access(
    person: UserId,
    rights: EmployeeRights,
    table: TableId,
    action: Action,
) -> Result<RowScope, Denied> {
    use TableId as T;
    let is_read = action == Action::Select;
    let own = |column| Ok(RowScope::Own { column, owner: person });
    let of_tickets = |reference| {
        Ok(if rights.assigned_clients_only {
            RowScope::OfAssignedTickets { reference, staff: person }
        } else {
            RowScope::All
        })
    };
    let within = |columns| {
        Ok(if rights.assigned_clients_only {
            RowScope::Assigned { columns, staff: person }
        } else {
            RowScope::All
        })
    };
    match table {
        // The role does not limit what belongs to the person.
        T::Sessions => return own("user_id"),
        T::MutedTopics if action != Action::Update => return own("client_id"),
        T::Notifications if rights.assigned_clients_only => {
            return Ok(RowScope::OwnOfAssigned { staff: person });
        }
        T::Notifications | T::StaffMailChoices | T::SavedViews => return own("person_id"),
        _ if !is_read && !rights.may_write => return Err(Denied),
        _ => {}
    }
    match table {
        T::Folders
        | T::EmailNotificationSettings
        | T::EmailTemplates
        | T::ReminderRules
        | T::RecognitionRules
        | T::OfficeSettings
        | T::Staff
            if is_read =>
        {
            Ok(RowScope::All)
        }
        T::Clients if is_read => within(&["id"]),
        T::ClientMembers | T::ClientAssignments if is_read => within(&["client_id"]),
        T::Folders
        | T::EmailNotificationSettings
        | T::EmailTemplates
        | T::ReminderRules
        | T::RecognitionRules
        | T::OfficeSettings
        | T::Staff
        | T::Clients
        | T::ClientMembers
        | T::ClientAssignments
        | T::Activity
        | T::Notifications
        | T::StaffMailChoices
        | T::SavedViews
        | T::Sessions
        | T::MutedTopics => Err(Denied),
        T::TicketPresence | T::TicketMessages => of_tickets(TicketReference::Ticket),
        T::TicketAttachments => of_tickets(TicketReference::Message),
        T::InboxFiles if rights.assigned_clients_only => {
            Ok(RowScope::AddedToInbox { staff: person })
        }
        T::InboxRules if rights.assigned_clients_only && !is_read => Err(Denied),
        T::Documents => within(&["client_id", "withdrawn_client_id"]),
        T::Tickets => within(&["user_id"]),
        T::Outbox if rights.assigned_clients_only => {
            Ok(RowScope::MailsOfAssigned { staff: person })
        }
        T::SavedReplies | T::RequestTemplates | T::InboxFiles | T::Outbox => Ok(RowScope::All),
        T::TicketHistory
        | T::DocumentReceipts
        | T::DocumentPayments
        | T::DocumentApprovals
        | T::DocumentContacts
        | T::RequestItems
        | T::ReceivedFiles
        | T::DeletedDocuments
        | T::DocumentVersions
        | T::InboxRules => within(&["client_id"]),
    }
}
