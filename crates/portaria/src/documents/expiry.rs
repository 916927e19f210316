//! Expiry notifications: finds documents that expire soon or have expired, and whose clients were not notified yet.
//!
//! Clients are notified before the due date at the intervals of `expiring_soon_days`, counted in days of the portal's
//! zone, and once within a week after it: a document that may be paid on a later day, because the due date is a day off,
//! after that day. A document that expired earlier causes no notification, also if notifications
//! were turned on or the document was imported only now. Each notification is sent once per due date; a new due date
//! starts over.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp, ToSpan};
use sea_query::{Condition, Expr, ExprTrait, Order, Query, SelectStatement};

use crate::{
    app::App,
    clock::format_timestamp,
    db::{Error, Tx},
    notifications::catalog::{self, NotificationType},
    office::OfficeProfile,
    policy::members,
    security::ids::{DocumentId, UserId},
};
use crate::{
    documents::{model::DocumentSummary, notify},
    notifications::notifier::{Audience, NotificationSubject, Notifier, Subscriber, dedupe_key},
};

/// Time after the due date within which a client is notified that a document has expired.
const NOTIFY_EXPIRED_FOR: SignedDuration = SignedDuration::from_hours(7 * 24);
/// Maximum number of documents in one page.
const PAGE_SIZE: u64 = 500;

/// Whether notifications are enabled, by the key of their setting.
pub(crate) type NotificationSettings = BTreeMap<String, bool>;

/// The end of a page: due date and id of its last document.
pub(crate) type PageCursor = (String, DocumentId);

/// A page of documents whose clients have to be notified.
#[derive(Debug)]
pub struct DuePage {
    /// The ids of the documents.
    pub due: Vec<DocumentId>,
    /// The cursor of the next page; `None` after the last page.
    pub next: Option<PageCursor>,
}

/// A notification that is due. `version` distinguishes it from other notifications of the same kind and document.
#[derive(Debug)]
pub(crate) struct DueNotice {
    pub(crate) document: DocumentSummary,
    pub(crate) notice: &'static NotificationType,
    pub(crate) recipient: Subscriber,
    version: String,
}

/// A notification that is due to a person unless it is in the outbox already.
struct Candidate {
    document: DocumentSummary,
    client: UserId,
    person: UserId,
    notice: &'static NotificationType,
    version: String,
}

impl Candidate {
    /// The deduplication key in the outbox.
    fn key(&self) -> String {
        let document = self.document.id.to_string();
        format!("{}|{}", self.notice.trigger, dedupe_key(&document, &self.version, self.person))
    }
}

/// Returns a page of the documents whose clients have to be notified at `at`.
pub fn due_page(
    tx: &mut Tx<'_>,
    app: &App,
    at: Timestamp,
    after: Option<&PageCursor>,
) -> Result<DuePage, Error> {
    let settings = settings(tx)?;
    let (due, next) = due_notices(tx, app, at, &settings, after)?;
    let mut due: Vec<DocumentId> = due.into_iter().map(|due| due.document.id).collect();
    due.dedup();
    Ok(DuePage { due, next })
}

/// Notifies the people of a document's client to whom a notification is still due. Returns whether a mail was queued.
pub fn send(
    tx: &mut Tx<'_>,
    app: &App,
    at: Timestamp,
    document: DocumentId,
) -> Result<bool, Error> {
    let settings = settings(tx)?;
    let mut query = select(app, at);
    query.and_where(Expr::col(("documents", "id")).eq(document));
    let (found, _) = find_due(tx, app, at, &settings, &query)?;
    let mut notifier = Notifier::new(app);
    let mut is_queued = false;
    for DueNotice { document, notice, recipient, version } in found {
        let subject = NotificationSubject::Document(document.id);
        let variables = document.template_variables(app);
        is_queued |= notifier.send(tx, notice, &recipient, subject, &version, variables)?;
    }
    Ok(is_queued)
}

/// Returns a page of the notifications that are due at `at` under the given settings.
pub(crate) fn due_notices(
    tx: &mut Tx<'_>,
    app: &App,
    at: Timestamp,
    settings: &NotificationSettings,
    after: Option<&PageCursor>,
) -> Result<(Vec<DueNotice>, Option<PageCursor>), Error> {
    let mut query = select(app, at);
    if let Some((expires_at, id)) = after {
        let same_date = Condition::all()
            .add(Expr::col(("documents", "expires_at")).eq(expires_at.as_str()))
            .add(Expr::col(("documents", "id")).gt(*id));
        let later = Expr::col(("documents", "expires_at")).gt(expires_at.as_str());
        query.cond_where(Condition::any().add(later).add(same_date));
    }
    query.order_by(("documents", "expires_at"), Order::Asc);
    query.order_by(("documents", "id"), Order::Asc).limit(PAGE_SIZE);
    find_due(tx, app, at, settings, &query)
}

/// Returns the notification that a document requires at `at`, and its version.
pub(crate) fn notice_for(
    app: &App,
    office: &OfficeProfile,
    document: &DocumentSummary,
    at: Timestamp,
) -> Option<(&'static NotificationType, String)> {
    let zone = &app.config.time_zone;
    let expires: Timestamp = document.expires_at.as_deref()?.parse().ok()?;
    let day = expires.to_zoned(zone.clone()).date();
    let today = at.to_zoned(zone.clone()).date();
    if expires <= at {
        let last_day = office.later_payment_date(day, &document.category);
        let is_payable = last_day.is_some_and(|last_day| today <= last_day);
        let is_reason = expires > at - NOTIFY_EXPIRED_FOR && !is_payable;
        let notice = catalog::of_document(document.kind?, "expired").filter(|_| is_reason)?;
        return Some((notice, day.to_string()));
    }
    let left = today.until(day).ok()?.get_days();
    // The version of the longest interval is the date alone, so that it remains when shorter intervals are added.
    let step = app.config.expiring_soon_days.iter().rposition(|days| left <= *days)?;
    let notice = catalog::of_document(document.kind?, "expiring_soon")?;
    Some((notice, if step == 0 { day.to_string() } else { format!("{day}#{step}") }))
}

/// Reads the stored settings.
fn settings(tx: &mut Tx<'_>) -> Result<NotificationSettings, Error> {
    let mut query = Query::select();
    query.columns(["document_type_event", "enabled"]).from("email_notification_settings");
    tx.rows(&query)?.iter().map(|row| Ok((row.text(0)?.to_owned(), row.bool(1)?))).collect()
}

/// Builds the query for documents whose due date is within the range of notifications.
fn select(app: &App, at: Timestamp) -> SelectStatement {
    let zone = &app.config.time_zone;
    let max_days = app.config.expiring_soon_days.first().copied().unwrap_or(0);
    let after = at.to_zoned(zone.clone()).date() + (max_days + 1).days();
    let after = after.to_zoned(zone.clone()).map_or(at, |midnight| midnight.timestamp());
    let mut query = notify::select_active();
    query.and_where(
        Expr::col(("documents", "expires_at")).gt(format_timestamp(at - NOTIFY_EXPIRED_FOR)),
    );
    query.and_where(Expr::col(("documents", "expires_at")).lt(format_timestamp(after)));
    query
}

/// Returns the notifications that are due for the documents of a query, and a cursor if there may be more documents.
fn find_due(
    tx: &mut Tx<'_>,
    app: &App,
    at: Timestamp,
    settings: &NotificationSettings,
    query: &SelectStatement,
) -> Result<(Vec<DueNotice>, Option<PageCursor>), Error> {
    let rows = tx.rows(query)?;
    let is_full = rows.len() as u64 == PAGE_SIZE;
    let documents = rows.iter().map(DocumentSummary::from_row).collect::<Result<Vec<_>, _>>()?;
    let last = documents.last();
    let next = last.and_then(|last| Some((last.expires_at.clone()?, last.id)));
    let clients: BTreeSet<UserId> =
        documents.iter().filter_map(|document| document.client).collect();
    let people = members::people_of_all(tx, clients)?;
    let office = app.office_in(tx)?;

    let mut candidates = Vec::new();
    for document in documents {
        let Some(client) = document.client else { continue };
        let Some((notice, version)) = notice_for(app, &office, &document, at) else { continue };
        if !settings.get(notice.setting).copied().unwrap_or(notice.on_by_default) {
            continue;
        }
        let colleagues = people.get(&client).map_or(&[][..], Vec::as_slice);
        let colleagues = colleagues
            .iter()
            .filter(|colleague| colleague.folders.contains(&document.folder_id))
            .map(|colleague| colleague.id);
        for person in colleagues.chain([client]) {
            let (document, version) = (document.clone(), version.clone());
            candidates.push(Candidate { document, client, person, notice, version });
        }
    }
    let keys: Vec<String> = candidates.iter().map(Candidate::key).collect();
    let sent = already_sent(tx, keys.iter().map(String::as_str))?;
    let mut notifier = Notifier::new(app);
    let mut due = Vec::new();
    for candidate in candidates.into_iter().filter(|candidate| !sent.contains(&candidate.key())) {
        let Candidate { document, client, person, notice, version } = candidate;
        let audience = Audience { client, folder: Some(&document.folder_id) };
        let recipients = notifier.recipients(tx, audience)?;
        let recipient = recipients.into_iter().find(|recipient| recipient.id == person);
        if let Some(recipient) = recipient.filter(|recipient| recipient.wants(notice.topic)) {
            due.push(DueNotice { document, notice, recipient, version });
        }
    }
    Ok((due, next.filter(|_| is_full)))
}

/// Returns the deduplication keys that are in the outbox already.
fn already_sent<'a>(
    tx: &mut Tx<'_>,
    keys: impl ExactSizeIterator<Item = &'a str>,
) -> Result<BTreeSet<String>, Error> {
    if keys.len() == 0 {
        return Ok(BTreeSet::new());
    }
    let mut query = Query::select();
    query.column("dedupe_key").from("outbox").and_where(Expr::col("dedupe_key").is_in(keys));
    tx.rows(&query)?.iter().map(|row| row.text(0).map(str::to_owned)).collect()
}
