//! The notification center: rows of `notifications`, which a person reads in the header of the portal
//! (docs/decisions/0129-the-notification-center-has-a-row-per-person.md).
//!
//! A row is written in the transaction of its cause, and contains no text: the center shows the name of the record as
//! far as the reader may read it. An unread row of the same person, kind and record becomes new again instead of a second
//! one.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use sea_query::{Condition, Expr, ExprTrait, Query};

use crate::{
    app::App,
    clock::format_timestamp,
    db::{Error, Tx},
    notifications::{notifier::NotificationSubject, push, staff_mail},
    policy::{
        self, FolderReach,
        members::{self, Colleague},
    },
    security::{
        caller::Caller,
        ids::{DocumentId, TicketId, UserId},
        keys,
    },
};

/// Age after which a notification is deleted.
const RETENTION: SignedDuration = SignedDuration::from_hours(90 * 24);
/// Maximum number of rows in one statement.
pub(super) const MAX_ROWS: usize = 500;
/// Maximum number of old rows that one transaction deletes.
const BATCH: u64 = 2_000;

/// The kind of an event, which determines text and link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CenterEvent {
    /// A document became visible to its client.
    DocumentNew,
    /// The office withdrew documents. The row names none, because the client may not know them any more.
    DocumentWithdrawn,
    /// A visible document asks its client for an answer.
    ApprovalAsked,
    /// A ticket was opened by the other side.
    TicketNew,
    /// The other side wrote a message.
    TicketReply,
    /// The office asks for an item.
    RequestNew,
    /// The office refused the answer to an item.
    RequestRefused,
    /// A client answered an item.
    RequestAnswered,
    /// A client sent files without an item.
    FilesReceived,
    /// A client answered a document.
    ApprovalAnswered,
    /// A client reported a payment.
    PaymentReported,
    /// A client did not open documents whose due date is as near as a rule for reminders says. Reminds the client or the
    /// staff. The row names none.
    DocumentsUnopened,
    /// A client did not answer items of requests whose due date is as near as a rule says. Reminds the client or the
    /// staff. The row names none.
    RequestsUnanswered,
}

impl CenterEvent {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::DocumentNew => "document_new",
            Self::DocumentWithdrawn => "document_withdrawn",
            Self::ApprovalAsked => "approval_asked",
            Self::TicketNew => "ticket_new",
            Self::TicketReply => "ticket_reply",
            Self::RequestNew => "request_new",
            Self::RequestRefused => "request_refused",
            Self::RequestAnswered => "request_answered",
            Self::FilesReceived => "files_received",
            Self::ApprovalAnswered => "approval_answered",
            Self::PaymentReported => "payment_reported",
            Self::DocumentsUnopened => "documents_unopened",
            Self::RequestsUnanswered => "requests_unanswered",
        }
    }
}

/// The client and the record of an event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CenterEntry {
    pub(crate) client: UserId,
    /// `None` for events without a record. All entries of one call have the same kind of record.
    pub(crate) subject: Option<NotificationSubject>,
    /// Whether this transaction created the record, so that no earlier row is about it.
    pub(crate) is_new: bool,
}

/// Adds notifications for the people of the clients: their own accounts, and their members who may read the record.
pub(crate) fn notify_clients(
    tx: &mut Tx<'_>,
    app: &App,
    event: CenterEvent,
    entries: &[CenterEntry],
) -> Result<(), Error> {
    if entries.is_empty() {
        return Ok(());
    }
    let clients: BTreeSet<UserId> = entries.iter().map(|entry| entry.client).collect();
    let people = members::people_of_all(tx, clients)?;
    let is_limited = |colleague: &Colleague| colleague.folders != FolderReach::All;
    let folders = if people.values().flatten().any(is_limited) {
        folders_of(tx, entries)?
    } else {
        BTreeMap::new()
    };
    let mut rows = Vec::new();
    for entry in entries {
        let folder = match entry.subject {
            Some(NotificationSubject::Document(id)) => folders.get(&id),
            _ => None,
        };
        let colleagues = people.get(&entry.client).into_iter().flatten();
        let members = colleagues
            .filter(|colleague| folder.is_none_or(|folder| colleague.folders.contains(folder)))
            .map(|colleague| colleague.id);
        rows.extend([entry.client].into_iter().chain(members).map(|person| (person, *entry)));
    }
    add(tx, app, event, &rows).map(drop)
}

/// Notifies the people who could read withdrawn documents.
pub(crate) fn notify_withdrawn(
    tx: &mut Tx<'_>,
    app: &App,
    withdrawn: &BTreeSet<FolderOfClient>,
) -> Result<(), Error> {
    let entry = |client| CenterEntry { client, subject: None, is_new: false };
    let people = people_who_read(tx, withdrawn)?;
    let rows: Vec<_> = people.into_iter().map(|(person, client)| (person, entry(client))).collect();
    add(tx, app, CenterEvent::DocumentWithdrawn, &rows).map(drop)
}

/// A client, and the folder of one of the client's documents; `None` for a record that is in no folder.
pub(crate) type FolderOfClient = (UserId, Option<String>);

/// Returns the people of the clients who may read records in these folders, each with the client.
pub(super) fn people_who_read(
    tx: &mut Tx<'_>,
    folders: &BTreeSet<FolderOfClient>,
) -> Result<BTreeSet<(UserId, UserId)>, Error> {
    let clients: BTreeSet<UserId> = folders.iter().map(|(client, _)| *client).collect();
    let people = members::people_of_all(tx, clients)?;
    let mut rows = BTreeSet::new();
    for (client, folder) in folders {
        let colleagues = people.get(client).into_iter().flatten();
        let members = colleagues.filter(|colleague| {
            folder.as_ref().is_none_or(|folder| colleague.folders.contains(folder))
        });
        rows.extend(members.map(|colleague| (colleague.id, *client)));
        rows.insert((*client, *client));
    }
    Ok(rows)
}

/// Returns the folders of the documents of entries.
fn folders_of(
    tx: &mut Tx<'_>,
    entries: &[CenterEntry],
) -> Result<BTreeMap<DocumentId, String>, Error> {
    let documents = entries.iter().filter_map(|entry| match entry.subject {
        Some(NotificationSubject::Document(id)) => Some(id),
        _ => None,
    });
    let documents: Vec<DocumentId> = documents.collect();
    let mut folders = BTreeMap::new();
    for documents in documents.chunks(MAX_ROWS) {
        let mut query = Query::select();
        query.columns(["id", "folder_id_supabase"]).from("documents");
        query.and_where(Expr::col("id").is_in(documents.iter().copied()));
        for row in tx.rows(&query)?.iter() {
            folders.insert(row.parse(0)?, row.text(1)?.to_owned());
        }
    }
    Ok(folders)
}

/// Adds a notification about what a client did for the staff: for `assignee` if that is a member of the staff, otherwise
/// for all. Mails those who chose so. Does nothing for what staff did themselves.
pub(crate) fn notify_staff(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    event: CenterEvent,
    entry: CenterEntry,
    assignee: Option<UserId>,
) -> Result<(), Error> {
    if caller.is_staff() {
        return Ok(());
    }
    let staff = active_staff(tx, entry.client, app.clock.now())?;
    let assignee = assignee.filter(|assignee| staff.contains(assignee));
    let recipients = assignee.map_or(staff, |assignee| vec![assignee]);
    let rows: Vec<_> = recipients.into_iter().map(|person| (person, entry)).collect();
    let added = add(tx, app, event, &rows)?;
    if added.is_empty() {
        return Ok(());
    }
    staff_mail::send_at_once(tx, app, event, &added)
}

/// Marks the notifications of a person about a ticket as read.
pub(crate) fn mark_read(
    tx: &mut Tx<'_>,
    app: &App,
    person: UserId,
    ticket: TicketId,
) -> Result<(), Error> {
    let mut update = Query::update();
    update.table("notifications").value("read_at", format_timestamp(app.clock.now()));
    update.and_where(Expr::col("person_id").eq(person)).and_where(Expr::col("read_at").is_null());
    tx.execute(update.and_where(Expr::col("ticket_id").eq(ticket))).map(drop)
}

/// Deletes the notifications of clients who may not open these documents any more. Staff keep theirs.
pub(crate) fn forget_documents(tx: &mut Tx<'_>, documents: &[String]) -> Result<(), Error> {
    let document = |column| Expr::col(("documents", column));
    let notification = |column| ("notifications", column);
    let mut visible = Query::select();
    visible.expr(Expr::cust("1")).from("documents");
    visible.and_where(document("id").equals(notification("document_id")));
    visible.and_where(document("client_id").equals(notification("client_id")));
    visible.and_where(document("status").ne("pending"));
    let kinds = [CenterEvent::DocumentNew, CenterEvent::ApprovalAsked].map(CenterEvent::as_str);
    let mut delete = Query::delete();
    delete.from_table("notifications").and_where(Expr::col("kind").is_in(kinds));
    delete.and_where(Expr::col("document_id").is_in(documents.iter().map(String::as_str)));
    tx.execute(delete.and_where(Expr::exists(visible).not())).map(drop)
}

/// Deletes the notifications of a person about a client for whom the person does not act any more.
pub(crate) fn forget_client(tx: &mut Tx<'_>, person: UserId, client: UserId) -> Result<(), Error> {
    let mut delete = Query::delete();
    delete.from_table("notifications").and_where(Expr::col("person_id").eq(person));
    tx.execute(delete.and_where(Expr::col("client_id").eq(client))).map(drop)
}

/// Moves the staff's notifications about tickets to the tickets' new owner, and deletes those of the previous owner.
pub(crate) fn move_tickets(
    tx: &mut Tx<'_>,
    tickets: &[TicketId],
    owner: Option<UserId>,
) -> Result<(), Error> {
    let about = || Expr::col("ticket_id").is_in(tickets.iter().copied());
    let mut staff = Query::select();
    staff.column("id").from("users").and_where(Expr::cust("is_admin"));
    let mut delete = Query::delete();
    delete.from_table("notifications").and_where(about());
    tx.execute(delete.and_where(Expr::col("person_id").not_in_subquery(staff)))?;
    let Some(owner) = owner else { return Ok(()) };
    let mut update = Query::update();
    update.table("notifications").value("client_id", owner).and_where(about());
    tx.execute(&update).map(drop)
}

/// Deletes a batch of old notifications. Returns whether there were any.
///
/// # Errors
/// Database errors.
pub(crate) fn delete_expired(tx: &mut Tx<'_>, app: &App) -> Result<bool, Error> {
    let cutoff = format_timestamp(app.clock.now() - RETENTION);
    let mut old = Query::select();
    old.column("id").from("notifications").and_where(Expr::col("created_at").lt(cutoff));
    old.order_by("created_at", sea_query::Order::Asc).limit(BATCH);
    let mut delete = Query::delete();
    delete.from_table("notifications").and_where(Expr::col("id").in_subquery(old));
    Ok(tx.execute(&delete)? > 0)
}

/// Returns the members of the staff who reach a client and whose accounts are not suspended.
pub(super) fn active_staff(
    tx: &mut Tx<'_>,
    client: UserId,
    now: Timestamp,
) -> Result<Vec<UserId>, Error> {
    let mut query = Query::select();
    // The same text as in the partial index.
    query.column("id").from("users").and_where(Expr::cust("is_admin"));
    query.cond_where(
        Condition::any()
            .add(Expr::col("banned_until").is_null())
            .add(Expr::col("banned_until").lte(format_timestamp(now))),
    );
    query.cond_where(policy::staff_reaches(&Expr::col(("users", "id")), &client.into()));
    query.order_by("email", sea_query::Order::Asc);
    tx.rows(&query)?.iter().map(|row| row.parse(0)).collect()
}

/// Adds a row for each person and entry, or makes the unread row of the same record new again, and queues push messages
/// about the rows. Returns the ids of the rows with their people.
pub(super) fn add(
    tx: &mut Tx<'_>,
    app: &App,
    event: CenterEvent,
    rows: &[(UserId, CenterEntry)],
) -> Result<Vec<(UserId, String)>, Error> {
    let now = app.clock.now();
    let mut added = Vec::new();
    for rows in rows.chunks(MAX_ROWS) {
        let unread = renew_unread(tx, event, rows, now)?;
        let mut insert = Query::insert();
        insert.into_table("notifications").columns([
            "id",
            "person_id",
            "client_id",
            "kind",
            "document_id",
            "ticket_id",
            "request_item_id",
            "created_at",
        ]);
        let mut is_empty = true;
        for (person, entry) in rows {
            let [document, ticket, item] = subject_columns(entry).map(|(_, id)| id);
            let key = (*person, entry.client, [document, ticket, item]);
            if let Some(id) = unread.get(&key) {
                added.push((*person, id.clone()));
                continue;
            }
            let [document, ticket, item] = key.2;
            let id = keys::new_id(now).to_string();
            insert.values_panic([
                id.as_str().into(),
                (*person).into(),
                entry.client.into(),
                event.as_str().into(),
                document.into(),
                ticket.into(),
                item.into(),
                format_timestamp(now).into(),
            ]);
            added.push((*person, id));
            is_empty = false;
        }
        if !is_empty {
            // The next statement follows in any case.
            tx.execute_deferred(&insert)?;
        }
    }
    push::enqueue(tx, app, event, &added)?;
    Ok(added)
}

/// Person, client, and the record in one of three columns.
type RowKey = (UserId, UserId, [Option<String>; 3]);

/// Gives the unread rows of the same people and records the present time, and returns their ids.
fn renew_unread(
    tx: &mut Tx<'_>,
    event: CenterEvent,
    rows: &[(UserId, CenterEntry)],
    now: Timestamp,
) -> Result<BTreeMap<RowKey, String>, Error> {
    if rows.iter().all(|(_, entry)| entry.is_new) {
        return Ok(BTreeMap::new());
    }
    let people: BTreeSet<UserId> = rows.iter().map(|(person, _)| *person).collect();
    let clients: BTreeSet<UserId> = rows.iter().map(|(_, entry)| entry.client).collect();
    let mut update = Query::update();
    update.table("notifications").value("created_at", format_timestamp(now));
    update.and_where(Expr::col("read_at").is_null());
    update.and_where(Expr::col("person_id").is_in(people));
    update.and_where(Expr::col("client_id").is_in(clients));
    update.and_where(Expr::col("kind").eq(event.as_str()));
    for column in ["document_id", "ticket_id", "request_item_id"] {
        let ids: BTreeSet<String> = rows
            .iter()
            .flat_map(|(_, entry)| subject_columns(entry))
            .filter_map(|(name, id)| id.filter(|_| name == column))
            .collect();
        if !ids.is_empty() {
            update.and_where(Expr::col(column).is_in(ids));
        }
    }
    update.returning(Query::returning().columns([
        "person_id",
        "client_id",
        "document_id",
        "ticket_id",
        "request_item_id",
        "id",
    ]));
    let mut renewed = BTreeMap::new();
    for row in tx.rows(&update)?.iter() {
        let record = |cell| row.opt_text(cell).map(|id| id.map(str::to_owned));
        let key = (row.parse(0)?, row.parse(1)?, [record(2)?, record(3)?, record(4)?]);
        renewed.insert(key, row.text(5)?.to_owned());
    }
    Ok(renewed)
}

/// Returns the columns of the record, with the id in one of them.
fn subject_columns(entry: &CenterEntry) -> [(&'static str, Option<String>); 3] {
    let (mut document, mut ticket, mut item) = (None, None, None);
    match entry.subject {
        Some(NotificationSubject::Document(id)) => document = Some(id.to_string()),
        Some(NotificationSubject::Ticket(id)) => ticket = Some(id.to_string()),
        Some(NotificationSubject::RequestItem(id)) => item = Some(id.to_string()),
        None => {}
    }
    [("document_id", document), ("ticket_id", ticket), ("request_item_id", item)]
}
