//! Who may touch which rows: the only place that says so.
//!
//! [`Access`] cannot be built outside of this file, and no statement born of a caller's query reaches
//! the database without one: it becomes the WHERE of reads and changes, and the check on new rows.

use jiff::{SignedDuration, Timestamp};
use sea_query::{Alias, Condition, Expr, ExprTrait, Query, SelectStatement};
use uuid::Uuid;

use crate::{
    clock::format_timestamp,
    schema::{ATTACHMENTS_BUCKET, DOCUMENTS_BUCKET, TableId},
};

/// Whoever was not seen writing for so long is not writing any more.
pub const PRESENCE_TTL: SignedDuration = SignedDuration::from_secs(30);

/// For so long a reply opens a closed ticket again.
const REOPEN_WINDOW: SignedDuration = SignedDuration::from_hours(7 * 24);

/// Who asks, as the database knows them at this moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// Nobody that we know: the public key, or a session that ended.
    Anon,
    /// A client of the office.
    Client(Uuid),
    /// Somebody of the staff, with the role admin.
    Admin(Uuid),
    /// Somebody of the staff who looks at the portal as a client sees it: reads what the client may, changes nothing.
    Viewer {
        /// Whose portal it is.
        client: Uuid,
        /// Who looks.
        admin: Uuid,
    },
    /// A program of the office that holds the service key.
    Service,
}

/// What is to be done with rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Action {
    Select,
    Insert,
    Update,
    Delete,
}

/// Leave to do one thing with one table: with which of its rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Access(RowScope);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowScope {
    All,
    Own { column: &'static str, owner: Uuid },
}

/// No leave at all. The rows' existence is not told either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Denied;

impl Caller {
    /// Whether columns that clients do not know of exist for this caller.
    #[must_use]
    pub fn is_staff(self) -> bool {
        matches!(self, Self::Admin(_) | Self::Service)
    }

    /// The person behind the call.
    #[must_use]
    pub fn user(self) -> Option<Uuid> {
        match self {
            Self::Client(id) | Self::Admin(id) => Some(id),
            // Nothing is done in the name of either.
            Self::Anon | Self::Service | Self::Viewer { .. } => None,
        }
    }
}

/// The access matrix.
///
/// # Errors
/// [`Denied`] when the caller may do nothing of the kind with any row.
pub fn access(caller: Caller, table: TableId, action: Action) -> Result<Access, Denied> {
    use TableId as T;
    // Sessions begin with a sign-in and are kept alive by refresh tokens, never by rows that somebody writes.
    if table == T::Sessions && matches!(action, Action::Insert | Action::Update) {
        return Err(Denied);
    }
    // What happened is written down by the server alone, and stands.
    if table == T::Activity && action != Action::Select {
        return Err(Denied);
    }
    // So are mails; one is only sent again, or not at all (`rest/outbox.rs`).
    if table == T::Outbox && matches!(action, Action::Insert | Action::Delete) {
        return Err(Denied);
    }
    let client = match caller {
        Caller::Anon => return Err(Denied),
        Caller::Admin(_) | Caller::Service => return Ok(Access(RowScope::All)),
        Caller::Viewer { .. } if action != Action::Select => return Err(Denied),
        Caller::Client(id) | Caller::Viewer { client: id, .. } => id,
    };
    let own = |column| Ok(Access(RowScope::Own { column, owner: client }));
    match (table, action) {
        (T::Folders, Action::Select) => Ok(Access(RowScope::All)),
        (T::Documents | T::TicketHistory, Action::Select)
        | (T::MutedTopics, Action::Select | Action::Insert | Action::Delete)
        | (
            T::TicketMessages | T::TicketAttachments | T::DocumentReceipts,
            Action::Select | Action::Insert,
        ) => own("client_id"),
        (T::Tickets, Action::Select | Action::Insert | Action::Update)
        | (T::Sessions, Action::Select | Action::Delete) => own("user_id"),
        (T::Clients, Action::Select) => own("id"),
        (
            T::Folders
            | T::Documents
            | T::Clients
            | T::EmailNotificationSettings
            | T::EmailTemplates
            | T::SavedReplies
            | T::Staff
            | T::TicketPresence
            | T::TicketHistory
            | T::Activity
            | T::Outbox,
            _,
        )
        | (T::Tickets, Action::Delete)
        | (T::MutedTopics, Action::Update)
        | (T::Sessions, Action::Insert | Action::Update)
        | (
            T::TicketMessages | T::TicketAttachments | T::DocumentReceipts,
            Action::Update | Action::Delete,
        ) => Err(Denied),
    }
}

impl Access {
    /// The condition on a row of the table that stands under `alias` in the statement.
    #[must_use]
    pub fn condition(self, alias: &str) -> Condition {
        match self.0 {
            RowScope::All => Condition::all(),
            RowScope::Own { column, owner } => Condition::all()
                .add(Expr::col((Alias::new(alias), Alias::new(column))).eq(owner.to_string())),
        }
    }

    /// The column that a new row must hold the caller's id in, if the caller may only add rows of their own.
    #[must_use]
    pub fn owner(self) -> Option<(&'static str, Uuid)> {
        match self.0 {
            RowScope::All => None,
            RowScope::Own { column, owner } => Some((column, owner)),
        }
    }
}

/// The rows of a table that still stand, whoever asks: that somebody is writing is true for moments.
#[must_use]
pub fn not_expired(table: TableId, alias: &str, now: Timestamp) -> Condition {
    match table {
        TableId::TicketPresence => Condition::all().add(
            Expr::col((Alias::new(alias), Alias::new("touched_at")))
                .gt(format_timestamp(now - PRESENCE_TTL)),
        ),
        _ => Condition::all(),
    }
}

/// Which buckets exist for a caller: for the office all, for others the portal's own and those open to everybody.
#[must_use]
pub fn known_buckets(caller: Caller) -> Condition {
    match caller {
        Caller::Admin(_) | Caller::Service => Condition::all(),
        Caller::Anon | Caller::Client(_) | Caller::Viewer { .. } => Condition::any()
            .add(Expr::col(("buckets", "id")).is_in([DOCUMENTS_BUCKET, ATTACHMENTS_BUCKET]))
            .add(Expr::col(("buckets", "public")).eq(true)),
    }
}

/// Which stored files a caller may read by name: everybody those of public buckets, a client those of their own
/// documents, once released, and those that came with messages of their own threads.
#[must_use]
pub fn readable_objects(caller: Caller) -> Condition {
    let public = Query::select()
        .expr(Expr::cust("1"))
        .from("buckets")
        .and_where(Expr::col(("buckets", "id")).equals(("objects", "bucket_id")))
        .and_where(Expr::col(("buckets", "public")).eq(true))
        .take();
    let client = match caller {
        Caller::Anon => return Condition::all().add(Expr::exists(public)),
        Caller::Admin(_) | Caller::Service => return Condition::all(),
        Caller::Client(id) | Caller::Viewer { client: id, .. } => id,
    };
    let shown = released_documents(client)
        .expr(Expr::cust("1"))
        .and_where(Expr::col(("documents", "file_url")).equals(("objects", "name")))
        .take();
    let attached = visible_attachments(client)
        .expr(Expr::cust("1"))
        .and_where(Expr::col(("ticket_attachments", "file_url")).equals(("objects", "name")))
        .take();
    let readable = Condition::any()
        .add(Expr::exists(public))
        .add(in_bucket(DOCUMENTS_BUCKET, Expr::exists(shown)))
        .add(in_bucket(ATTACHMENTS_BUCKET, Expr::exists(attached)));
    // Whoever adds to it narrows it.
    Condition::all().add(readable)
}

/// Which stored files a caller is told of in lists: a client of those of their own documents and threads. That a file can be read
/// by everybody who knows its name does not tell its name to everybody.
///
/// Documents and attachments are asked for first, because a client has few of them and the office has many files.
///
/// # Errors
/// [`Denied`] when the caller is told of none.
pub fn listed_objects(caller: Caller) -> Result<Condition, Denied> {
    let client = match caller {
        Caller::Anon => return Err(Denied),
        Caller::Admin(_) | Caller::Service => return Ok(Condition::all()),
        Caller::Client(id) | Caller::Viewer { client: id, .. } => id,
    };
    let shown = released_documents(client).column(("documents", "file_url")).take();
    let attached = visible_attachments(client).column(("ticket_attachments", "file_url")).take();
    let named = |names| Expr::col(("objects", "name")).in_subquery(names);
    let told = Condition::any()
        .add(in_bucket(DOCUMENTS_BUCKET, named(shown)))
        .add(in_bucket(ATTACHMENTS_BUCKET, named(attached)));
    // Whoever adds to it narrows it.
    Ok(Condition::all().add(told))
}

fn in_bucket(bucket: &str, condition: Expr) -> Condition {
    Condition::all().add(Expr::col(("objects", "bucket_id")).eq(bucket)).add(condition)
}

/// A client's documents whose files they may have.
fn released_documents(client: Uuid) -> SelectStatement {
    Query::select()
        .from("documents")
        .and_where(Expr::col(("documents", "client_id")).eq(client.to_string()))
        .and_where(Expr::col(("documents", "status")).ne("pending"))
        .take()
}

/// The files of messages that a client may read.
fn visible_attachments(client: Uuid) -> SelectStatement {
    Query::select()
        .from("ticket_attachments")
        .and_where(Expr::col(("ticket_attachments", "client_id")).eq(client.to_string()))
        .take()
}

/// The tickets that take what a caller has to say: for the office all, for a client their own, unless they were
/// closed too long ago to be opened again (behaviour C2).
///
/// # Errors
/// [`Denied`] for whoever has no tickets.
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

/// Whether a caller may add, replace and remove stored files.
///
/// # Errors
/// [`Denied`] for everybody but the office.
pub fn write_objects(caller: Caller) -> Result<(), Denied> {
    match caller {
        Caller::Admin(_) | Caller::Service => Ok(()),
        Caller::Anon | Caller::Client(_) | Caller::Viewer { .. } => Err(Denied),
    }
}

/// Whether a caller may list, make, change, empty and remove buckets.
///
/// # Errors
/// [`Denied`] for everybody but the office.
pub fn manage_buckets(caller: Caller) -> Result<(), Denied> {
    write_objects(caller)
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use crate::policy::{
        Access, Action, Caller, Denied, RowScope, access, manage_buckets, write_objects,
    };
    use crate::schema::TableId;
    use crate::schema::tables::TABLES;

    const ACTIONS: [Action; 4] = [Action::Select, Action::Insert, Action::Update, Action::Delete];

    /// The matrix of what is promised, written out once more and by hand.
    #[test]
    fn a_client_has_exactly_the_promised_access() {
        let owner = Uuid::from_u128(7);
        let own = |column| Ok(Access(RowScope::Own { column, owner }));
        for table in TABLES {
            let expected: [Result<Access, Denied>; 4] = match table.id {
                TableId::Folders => {
                    [Ok(Access(RowScope::All)), Err(Denied), Err(Denied), Err(Denied)]
                }
                TableId::Documents | TableId::TicketHistory => {
                    [own("client_id"), Err(Denied), Err(Denied), Err(Denied)]
                }
                TableId::Tickets => [own("user_id"), own("user_id"), own("user_id"), Err(Denied)],
                TableId::Clients => [own("id"), Err(Denied), Err(Denied), Err(Denied)],
                TableId::TicketMessages
                | TableId::TicketAttachments
                | TableId::DocumentReceipts => {
                    [own("client_id"), own("client_id"), Err(Denied), Err(Denied)]
                }
                TableId::MutedTopics => {
                    [own("client_id"), own("client_id"), Err(Denied), own("client_id")]
                }
                TableId::Sessions => [own("user_id"), Err(Denied), Err(Denied), own("user_id")],
                TableId::EmailNotificationSettings
                | TableId::EmailTemplates
                | TableId::SavedReplies
                | TableId::Staff
                | TableId::TicketPresence
                | TableId::Activity
                | TableId::Outbox => [Err(Denied); 4],
            };
            for (action, expected) in ACTIONS.into_iter().zip(expected) {
                assert_eq!(
                    access(Caller::Client(owner), table.id, action),
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
                let viewer = Caller::Viewer { client: owner, admin: Uuid::from_u128(8) };
                let seen = access(Caller::Client(owner), table.id, action);
                assert_eq!(
                    access(viewer, table.id, action),
                    if action == Action::Select { seen } else { Err(Denied) },
                    "{} {action:?}",
                    table.name
                );
                let is_kept_by_us = match table.id {
                    TableId::Sessions => matches!(action, Action::Insert | Action::Update),
                    TableId::Activity => action != Action::Select,
                    TableId::Outbox => matches!(action, Action::Insert | Action::Delete),
                    _ => false,
                };
                let expected = if is_kept_by_us { Err(Denied) } else { Ok(Access(RowScope::All)) };
                assert_eq!(access(Caller::Service, table.id, action), expected);
                assert_eq!(access(Caller::Admin(owner), table.id, action), expected);
            }
        }
    }

    #[test]
    fn the_office_alone_keeps_files_and_sees_hidden_columns() {
        let [client, admin] = [7, 8].map(Uuid::from_u128);
        for (caller, is_office, user) in [
            (Caller::Anon, false, None),
            (Caller::Client(client), false, Some(client)),
            (Caller::Viewer { client, admin }, false, None),
            (Caller::Admin(admin), true, Some(admin)),
            (Caller::Service, true, None),
        ] {
            assert_eq!((caller.is_staff(), caller.user()), (is_office, user), "{caller:?}");
            let may = if is_office { Ok(()) } else { Err(Denied) };
            assert_eq!((write_objects(caller), manage_buckets(caller)), (may, may), "{caller:?}");
        }
    }
}
