//! Access control: the rows and files that each caller may use. No other module decides this.
//!
//! [`Access`] can be built only in this module, and no statement from a caller's query reaches the database without
//! one. It becomes the WHERE clause of reads and changes, and the check on new rows.

pub(crate) mod assignments;
mod employees;
pub(crate) mod folder_limits;
pub(crate) mod members;
mod objects;
mod reach;
mod topics;

use jiff::{SignedDuration, Timestamp};
use sea_query::{Alias, Condition, Expr, ExprTrait, Query, Value};

use crate::{
    clock::format_timestamp,
    db::{Error, Tx, dialect::in_rows},
    policy::{assignments::TicketReference, folder_limits::LimitedRows},
    schema::TableId,
    security::{
        caller::{Caller, FolderLimit},
        ids::UserId,
    },
};

pub use crate::policy::objects::{
    check_manage_buckets, check_write_objects, listed_objects, readable_objects, visible_buckets,
};
pub use crate::policy::reach::{
    NamedRows, Ownership, Reach, document_column, file_column, folder_column, listening,
    owner_column,
};
pub use crate::policy::topics::{TopicAccess, ticket_topic, topic};
pub(crate) use crate::policy::{
    assignments::{is_limited, reaches_all, reaches_clients, staff_reaches},
    folder_limits::{FolderReach, membership_reaches},
    objects::{changeable_objects, inbox_token_may_add, may_write_object},
};

/// Time after which a typing indicator expires.
pub const PRESENCE_TTL: SignedDuration = SignedDuration::from_secs(30);

/// Time after its closing during which a reply reopens a ticket.
const REOPEN_WINDOW: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Operation on the rows of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub enum Action {
    Select,
    Insert,
    Update,
    Delete,
}

/// Permission for one operation on one table, limited to a set of its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access(RowScope);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowScope {
    All,
    Own {
        column: &'static str,
        owner: UserId,
    },
    /// Rows of clients who are assigned to a member of the staff. A row is within the scope if one of the columns holds
    /// such a client.
    Assigned {
        columns: &'static [&'static str],
        staff: UserId,
    },
    /// Rows of tickets of clients who are assigned to a member of the staff.
    OfAssignedTickets {
        reference: TicketReference,
        staff: UserId,
    },
    /// Rows about assigned clients that belong to a member of the staff.
    OwnOfAssigned {
        staff: UserId,
    },
    /// Mails about clients who are assigned to a member of the staff, and mails to them that are about no record.
    MailsOfAssigned {
        staff: UserId,
    },
    /// Files of the inbox that a member of the staff added, until they are those of a client who is not assigned to the
    /// person.
    AddedToInbox {
        staff: UserId,
    },
    /// Rows about a client that belong to one of the people who act for it.
    Personal {
        person: UserId,
        client: UserId,
    },
    /// Rows that a member reaches who is limited to folders of the client.
    InFolders {
        rows: LimitedRows,
        limit: FolderLimit,
    },
}

/// The operation is forbidden on all rows. The error does not reveal whether rows exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Denied;

/// The access matrix. A client's rows are selected by the column that holds the client's id, and the few that belong to
/// a person by the column that holds the person's. A member who is limited to folders reaches fewer of them.
///
/// # Errors
/// [`Denied`] if the caller may perform the operation on no row.
pub fn access(caller: Caller, table: TableId, action: Action) -> Result<Access, Denied> {
    use TableId as T;
    match (table, action) {
        // Only the routes of `/auth/v1` create and change sessions. A document enters the trash when it is deleted, and
        // leaves it by `restore_documents`; a replacement adds a version.
        (T::Sessions | T::DeletedDocuments | T::DocumentVersions, Action::Insert | Action::Update)
        // Only uploads add files to the inbox.
        | (T::InboxFiles, Action::Insert)
        // A contact and an answer are facts and never change.
        | (T::DocumentContacts | T::DocumentApprovals, Action::Update)
        // A new choice replaces the earlier one.
        | (T::StaffMailChoices, Action::Update | Action::Delete)
        // Only the server adds mails and notifications, and deletes old ones. Callers may requeue or cancel a mail
        // (`notifications/hooks.rs`). The office has one row.
        | (T::Outbox | T::OfficeSettings | T::Notifications, Action::Insert | Action::Delete)
        // Only the server writes the audit log.
        | (T::Activity, Action::Insert | Action::Update | Action::Delete) => return Err(Denied),
        _ => {}
    }
    let client = match caller {
        Caller::Anon => return Err(Denied),
        // A client answers in person.
        Caller::Admin(_) | Caller::Employee { .. } | Caller::Service
            if (table, action) == (T::DocumentApprovals, Action::Insert) =>
        {
            return Err(Denied);
        }
        // Colleagues have notifications and views of their own, and choose their mails.
        Caller::Admin(owner)
            if matches!(table, T::Notifications | T::StaffMailChoices | T::SavedViews) =>
        {
            return Ok(Access(RowScope::Own { column: "person_id", owner }));
        }
        Caller::Admin(_) | Caller::Service => return Ok(Access(RowScope::All)),
        Caller::Employee { person, rights } => {
            return employees::access(person, rights, table, action).map(Access);
        }
        Caller::Viewer { .. } if action != Action::Select => return Err(Denied),
        Caller::Client { client, .. } | Caller::Viewer { client, .. } => client,
    };
    let access = client_access(caller, client, table, action)?;
    Ok(match (caller.folder_limit(), folder_limits::limited_rows(table)) {
        (Some(limit), Some(rows)) => Access(RowScope::InFolders { rows, limit }),
        _ => access,
    })
}

/// The access matrix of clients.
fn client_access(
    caller: Caller,
    client: UserId,
    table: TableId,
    action: Action,
) -> Result<Access, Denied> {
    use TableId as T;
    let own = |column| Ok(Access(RowScope::Own { column, owner: client }));
    let personal =
        |column| Ok(Access(RowScope::Own { column, owner: caller.user().unwrap_or(client) }));
    match (table, action) {
        (T::Folders, Action::Select) => Ok(Access(RowScope::All)),
        (
            T::Documents | T::TicketHistory | T::DocumentContacts | T::ClientMembers,
            Action::Select,
        )
        // `requests/items.rs` limits the changes of clients.
        | (T::RequestItems, Action::Select | Action::Update)
        | (
            T::DocumentPayments | T::ReceivedFiles,
            Action::Select | Action::Insert | Action::Delete,
        )
        | (
            T::TicketMessages
            | T::TicketAttachments
            | T::DocumentReceipts
            | T::DocumentApprovals,
            Action::Select | Action::Insert,
        ) => own("client_id"),
        (T::Tickets, Action::Select | Action::Insert | Action::Update) => own("user_id"),
        (T::Sessions, Action::Select | Action::Delete) => personal("user_id"),
        (T::MutedTopics, Action::Select | Action::Insert | Action::Delete) => personal("client_id"),
        (T::Notifications, Action::Select | Action::Update) => {
            let person = caller.user().unwrap_or(client);
            Ok(Access(RowScope::Personal { person, client }))
        }
        (T::Clients, Action::Select) => own("id"),
        (
            T::Folders
            | T::Documents
            | T::Clients
            | T::ClientMembers
            | T::EmailNotificationSettings
            | T::EmailTemplates
            | T::SavedReplies
            | T::Staff
            | T::TicketPresence
            | T::TicketHistory
            | T::DocumentContacts
            | T::DeletedDocuments
            | T::DocumentVersions
            | T::Activity
            | T::Outbox
            | T::InboxFiles
            | T::InboxRules
            | T::RecognitionRules
            | T::ReminderRules
            | T::RequestTemplates
            | T::OfficeSettings
            | T::ClientAssignments
            | T::StaffMailChoices
            | T::SavedViews,
            _,
        )
        | (T::RequestItems | T::Notifications, Action::Insert | Action::Delete)
        | (T::Tickets, Action::Delete)
        | (T::MutedTopics | T::DocumentPayments | T::ReceivedFiles, Action::Update)
        | (T::Sessions, Action::Insert | Action::Update)
        | (
            T::TicketMessages
            | T::TicketAttachments
            | T::DocumentReceipts
            | T::DocumentApprovals,
            Action::Update | Action::Delete,
        ) => Err(Denied),
    }
}

impl Access {
    /// Condition on a row of the table with this alias in the statement.
    #[must_use]
    pub fn condition(self, alias: &str) -> Condition {
        match self.0 {
            RowScope::All => Condition::all(),
            RowScope::Own { column, owner } => {
                Condition::all().add(Expr::col((Alias::new(alias), Alias::new(column))).eq(owner))
            }
            RowScope::Assigned { columns, staff } => {
                let is_assigned = |column: &&'static str| {
                    let column = Expr::col((Alias::new(alias), Alias::new(*column)));
                    in_rows(column, assignments::clients_of(staff))
                };
                let any = Condition::any();
                Condition::all().add(columns.iter().map(is_assigned).fold(any, Condition::add))
            }
            RowScope::OfAssignedTickets { reference, staff } => {
                let [column] = *reference.column();
                let key = Expr::col((Alias::new(alias), Alias::new(column)));
                Condition::all().add(key.in_subquery(reference.keys_of(staff)))
            }
            RowScope::OwnOfAssigned { staff } => {
                let column = |name| Expr::col((Alias::new(alias), Alias::new(name)));
                Condition::all()
                    .add(column("person_id").eq(staff))
                    .add(in_rows(column("client_id"), assignments::clients_of(staff)))
            }
            RowScope::MailsOfAssigned { staff } => assignments::mails_of(staff, alias),
            RowScope::AddedToInbox { staff } => {
                let column = |name| Expr::col((Alias::new(alias), Alias::new(name)));
                let is_assigned = in_rows(column("client_id"), assignments::clients_of(staff));
                Condition::all()
                    .add(column("uploaded_by_id").eq(staff))
                    .add(Condition::any().add(column("client_id").is_null()).add(is_assigned))
            }
            RowScope::Personal { person, client } => Condition::all()
                .add(Expr::col((Alias::new(alias), Alias::new("person_id"))).eq(person))
                .add(Expr::col((Alias::new(alias), Alias::new("client_id"))).eq(client)),
            RowScope::InFolders { rows, limit } => rows.condition(limit, alias),
        }
    }

    /// Condition on rows that were just written, where the values of the caller decide whether the row is among the
    /// permitted ones. `None` if the write itself sets the owner.
    ///
    /// Stricter than [`Self::condition`]: every column that names a client names an assigned one.
    #[must_use]
    pub fn written_rows(self, alias: &str) -> Option<Condition> {
        match self.0 {
            RowScope::All | RowScope::Own { .. } | RowScope::Personal { .. } => None,
            RowScope::OfAssignedTickets { .. }
            | RowScope::OwnOfAssigned { .. }
            | RowScope::MailsOfAssigned { .. }
            | RowScope::AddedToInbox { .. }
            | RowScope::InFolders { .. } => Some(self.condition(alias)),
            RowScope::Assigned { columns, staff } => {
                let mut condition = self.condition(alias);
                for column in columns {
                    let column = || Expr::col((Alias::new(alias), Alias::new(*column)));
                    condition = condition.add(
                        Condition::any()
                            .add(column().is_null())
                            .add(in_rows(column(), assignments::clients_of(staff))),
                    );
                }
                Some(condition)
            }
        }
    }

    /// Whether a row may be written with these values. `value` returns that of a column, `None` for NULL and for a column
    /// that keeps its value. A client, ticket or message out of reach is like one that does not exist, so this is
    /// decided before the database reports a violated constraint, which could reveal it.
    ///
    /// # Errors
    /// Of the database.
    pub(crate) fn permits_values(
        self,
        tx: &mut Tx<'_>,
        value: impl Fn(&'static str) -> Option<Value>,
    ) -> Result<bool, Error> {
        let (columns, reached): (&'static [&'static str], _) = match self.0 {
            RowScope::All
            | RowScope::Own { .. }
            | RowScope::Personal { .. }
            // No caller adds mails or changes what they are about.
            | RowScope::MailsOfAssigned { .. }
            | RowScope::InFolders { .. } => return Ok(true),
            RowScope::Assigned { columns, staff } => (columns, assignments::clients_of(staff)),
            RowScope::OfAssignedTickets { reference, staff } => {
                (reference.column(), reference.keys_of(staff))
            }
            RowScope::OwnOfAssigned { staff } | RowScope::AddedToInbox { staff } => {
                (&["client_id"], assignments::clients_of(staff))
            }
        };
        for value in columns.iter().filter_map(|column| value(column)) {
            let is_reached = Expr::val(value).in_subquery(reached.clone());
            let query = Query::select().expr(Expr::cust("1")).and_where(is_reached).take();
            if tx.rows(&query)?.is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the caller may perform the operation on all rows.
    #[must_use]
    pub fn is_unrestricted(self) -> bool {
        self.0 == RowScope::All
    }

    /// Column of new rows that must contain the caller's id, if the caller may add only rows of their own.
    #[must_use]
    pub fn owner(self) -> Option<(&'static str, UserId)> {
        match self.0 {
            RowScope::Own { column, owner } => Some((column, owner)),
            RowScope::Personal { person, .. } => Some(("person_id", person)),
            RowScope::InFolders { rows, limit } => rows.owner(limit),
            RowScope::All
            | RowScope::Assigned { .. }
            | RowScope::OfAssignedTickets { .. }
            | RowScope::OwnOfAssigned { .. }
            | RowScope::MailsOfAssigned { .. }
            | RowScope::AddedToInbox { .. } => None,
        }
    }
}

/// Whether a caller with this access to new rows may choose their keys, and so name an existing row. For others a key
/// that is taken would reveal a row out of reach. The key of presence is a random one of a screen.
#[must_use]
pub fn may_choose_keys(access: Access, table: TableId) -> bool {
    access.is_unrestricted() || table == TableId::TicketPresence
}

/// Condition on the rows of a table to which new rows and files of a caller may refer: those that the caller may read.
/// For a client, a document that is not published is like one that does not exist.
///
/// # Errors
/// [`Denied`] if the caller may read no row.
pub(crate) fn referable_rows(caller: Caller, table: TableId) -> Result<Condition, Denied> {
    let name = table.table().name;
    let rows = access(caller, table, Action::Select)?.condition(name);
    Ok(if table == TableId::Documents && !caller.is_staff() {
        rows.add(Expr::col((Alias::new(name), Alias::new("status"))).ne("pending"))
    } else {
        rows
    })
}

/// Condition for rows that have not expired, for every caller. Only typing indicators expire.
#[must_use]
pub fn not_expired(table: TableId, alias: &str, now: Timestamp) -> Condition {
    match table {
        TableId::TicketPresence => Condition::all().add(
            Expr::col((Alias::new(alias), Alias::new("last_seen_at")))
                .gt(format_timestamp(now - PRESENCE_TTL)),
        ),
        _ => Condition::all(),
    }
}

/// Condition on the tickets to which a caller may reply: all for staff; for a client their own, unless they were closed
/// more than seven days ago.
///
/// # Errors
/// [`Denied`] for callers without tickets.
pub fn accepts_replies(caller: Caller, now: Timestamp) -> Result<Condition, Denied> {
    let access = access(caller, TableId::Tickets, Action::Update)?;
    let own = access.condition("tickets");
    Ok(if access.owner().is_none() {
        own
    } else {
        let closed_at = || Expr::col(("tickets", "closed_at"));
        own.add(
            Condition::any()
                .add(closed_at().is_null())
                .add(closed_at().gte(format_timestamp(now - REOPEN_WINDOW))),
        )
    })
}

#[cfg(test)]
mod tests;
