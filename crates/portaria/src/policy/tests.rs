//! The access matrix, repeated by hand.

use uuid::Uuid;

use crate::schema::TableId;
use crate::schema::tables::TABLES;
use crate::security::ids::{MembershipId, UserId};
use crate::{
    policy::{
        Access, Action, Denied, LimitedRows, RowScope, access, check_manage_buckets,
        check_write_objects,
    },
    security::caller::Caller,
};

const ACTIONS: [Action; 4] = [Action::Select, Action::Insert, Action::Update, Action::Delete];

/// Repeats the matrix by hand, independently of the implementation.
#[test]
fn client_access_matches_documented_matrix() {
    let owner = UserId(Uuid::from_u128(7));
    let own = |column| Ok(Access(RowScope::Own { column, owner }));
    for table in TABLES {
        let expected: [Result<Access, Denied>; 4] = match table.id {
            TableId::Folders => [Ok(Access(RowScope::All)), Err(Denied), Err(Denied), Err(Denied)],
            TableId::Documents
            | TableId::TicketHistory
            | TableId::DocumentContacts
            | TableId::ClientMembers => [own("client_id"), Err(Denied), Err(Denied), Err(Denied)],
            TableId::Tickets => [own("user_id"), own("user_id"), own("user_id"), Err(Denied)],
            TableId::Clients => [own("id"), Err(Denied), Err(Denied), Err(Denied)],
            TableId::TicketMessages
            | TableId::TicketAttachments
            | TableId::DocumentApprovals
            | TableId::DocumentReceipts => {
                [own("client_id"), own("client_id"), Err(Denied), Err(Denied)]
            }
            TableId::RequestItems => [own("client_id"), Err(Denied), own("client_id"), Err(Denied)],
            TableId::MutedTopics | TableId::DocumentPayments | TableId::ReceivedFiles => {
                [own("client_id"), own("client_id"), Err(Denied), own("client_id")]
            }
            TableId::Sessions => [own("user_id"), Err(Denied), Err(Denied), own("user_id")],
            TableId::Notifications => {
                let own = Ok(Access(RowScope::Personal { person: owner, client: owner }));
                [own, Err(Denied), own, Err(Denied)]
            }
            TableId::EmailNotificationSettings
            | TableId::EmailTemplates
            | TableId::SavedReplies
            | TableId::Staff
            | TableId::TicketPresence
            | TableId::DeletedDocuments
            | TableId::DocumentVersions
            | TableId::Activity
            | TableId::Outbox
            | TableId::InboxFiles
            | TableId::InboxRules
            | TableId::RecognitionRules
            | TableId::ReminderRules
            | TableId::RequestTemplates
            | TableId::OfficeSettings
            | TableId::ClientAssignments
            | TableId::StaffMailChoices
            | TableId::SavedViews => [Err(Denied); 4],
        };
        for (action, expected) in ACTIONS.into_iter().zip(expected) {
            assert_eq!(
                access(Caller::own_account(owner), table.id, action),
                expected,
                "{} {action:?}",
                table.name
            );
            assert_eq!(
                access(Caller::Anon, table.id, action),
                Err(Denied),
                "{} {action:?}",
                table.name
            );
            let viewer = Caller::Viewer { client: owner, admin: UserId(Uuid::from_u128(8)) };
            let client_access = access(Caller::own_account(owner), table.id, action);
            assert_eq!(
                access(viewer, table.id, action),
                if action == Action::Select { client_access } else { Err(Denied) },
                "{} {action:?}",
                table.name
            );
            let is_server_managed = match table.id {
                TableId::Sessions => matches!(action, Action::Insert | Action::Update),
                TableId::Activity => action != Action::Select,
                TableId::Outbox | TableId::OfficeSettings | TableId::Notifications => {
                    matches!(action, Action::Insert | Action::Delete)
                }
                TableId::InboxFiles => action == Action::Insert,
                TableId::StaffMailChoices => {
                    matches!(action, Action::Update | Action::Delete)
                }
                TableId::DocumentContacts => action == Action::Update,
                TableId::DocumentApprovals
                | TableId::DeletedDocuments
                | TableId::DocumentVersions => {
                    matches!(action, Action::Insert | Action::Update)
                }
                _ => false,
            };
            let expected = if is_server_managed { Err(Denied) } else { Ok(Access(RowScope::All)) };
            assert_eq!(access(Caller::Service, table.id, action), expected);
            let is_personal = matches!(
                table.id,
                TableId::Notifications | TableId::StaffMailChoices | TableId::SavedViews
            );
            let expected = if is_personal { expected.and(own("person_id")) } else { expected };
            assert_eq!(access(Caller::Admin(owner), table.id, action), expected);
        }
    }
}

#[test]
fn member_reads_rows_of_client_and_keeps_own_sessions_and_topics() {
    let [person, client] = [7, 8].map(|id| UserId(Uuid::from_u128(id)));
    for table in TABLES {
        let Ok(access) =
            access(Caller::Client { person, client, limited_by: None }, table.id, Action::Select)
        else {
            continue;
        };
        if table.id == TableId::Notifications {
            assert_eq!(access, Access(RowScope::Personal { person, client }));
            continue;
        }
        let is_personal = matches!(table.id, TableId::Sessions | TableId::MutedTopics);
        let expected = if is_personal { person } else { client };
        if let Some((_, owner)) = access.owner() {
            assert_eq!(owner, expected, "{}", table.name);
        }
    }
}

#[test]
fn limited_member_reaches_rows_about_documents_of_folders_only() {
    let [person, client, membership] = [7, 8, 9].map(Uuid::from_u128);
    let (person, client) = (UserId(person), UserId(client));
    let limited_by = Some(MembershipId(membership));
    let limited = Caller::Client { person, client, limited_by };
    let unlimited = Caller::Client { person, client, limited_by: None };
    let limit = limited.folder_limit().unwrap();
    for table in TABLES {
        let rows = match table.id {
            TableId::Folders => Some(LimitedRows::Folders),
            TableId::Documents => Some(LimitedRows::Documents),
            TableId::DocumentReceipts
            | TableId::DocumentPayments
            | TableId::DocumentApprovals
            | TableId::DocumentContacts => Some(LimitedRows::AboutDocuments),
            TableId::ReceivedFiles => Some(LimitedRows::ReceivedFiles),
            TableId::Notifications => Some(LimitedRows::Notifications),
            _ => None,
        };
        for action in ACTIONS {
            // A limit takes rows away, never a whole table, and adds nothing.
            let all = access(unlimited, table.id, action);
            let expected = match rows {
                Some(rows) => all.map(|_| Access(RowScope::InFolders { rows, limit })),
                None => all,
            };
            assert_eq!(access(limited, table.id, action), expected, "{} {action:?}", table.name);
        }
    }
    assert!(Caller::own_account(client).folder_limit().is_none());
}

#[test]
fn only_staff_writes_objects_and_sees_staff_columns() {
    let [client, admin] = [7, 8].map(|id| UserId(Uuid::from_u128(id)));
    for (caller, expects_staff, user) in [
        (Caller::Anon, false, None),
        (Caller::own_account(client), false, Some(client)),
        (Caller::Viewer { client, admin }, false, None),
        (Caller::Admin(admin), true, Some(admin)),
        (Caller::Service, true, None),
    ] {
        assert_eq!((caller.is_staff(), caller.user()), (expects_staff, user), "{caller:?}");
        let may = if expects_staff { Ok(()) } else { Err(Denied) };
        assert_eq!(
            (check_write_objects(caller), check_manage_buckets(caller)),
            (may, may),
            "{caller:?}"
        );
    }
}
