//! Documents that are about to expire, or did: which of them their clients are yet to be told of.
//!
//! A document is told of as expiring from so many days before on (`expiring_soon_days`), days of the portal's zone, and
//! as expired for a week after: what expired before that is no news, whether the notice was just turned on or the
//! document just moved in. A due date is told of once in each way; another date is told of anew.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp, ToSpan, civil::Date, tz::TimeZone};
use sea_query::{Condition, Expr, ExprTrait, Order, Query, SelectStatement};

use crate::{
    app::App,
    clock::format_timestamp,
    db::{Error, Tx},
    notifications::catalog::{self, NotificationType},
};
use crate::{
    documents::notify::{self, DocumentSummary},
    notifications::notifier::{Notifier, Recipient, Topic, dedupe_key},
};

/// For so long an expiry is news.
const NEWS: SignedDuration = SignedDuration::from_hours(7 * 24);
/// When notices are sent, in the portal's zone.
const HOUR: i8 = 8;
/// Documents in one page.
const PAGE: u64 = 500;

/// Which notices are on, by their settings.
pub(crate) type Settings = BTreeMap<String, bool>;

/// Where a page ends: a due date and a document.
pub(crate) type PageCursor = (String, String);

/// Documents whose clients are yet to be told.
#[derive(Debug)]
pub struct DuePage {
    /// Their ids.
    pub due: Vec<String>,
    /// Where the next page begins; nothing after the last.
    pub next: Option<PageCursor>,
}

/// A notice that is due.
#[derive(Debug)]
pub(crate) struct DueNotice {
    pub(crate) document: DocumentSummary,
    pub(crate) notice: &'static NotificationType,
    pub(crate) reader: Recipient,
    version: String,
}

/// When notices are sent next.
#[must_use]
pub fn next_run(now: Timestamp, zone: &TimeZone) -> Timestamp {
    let today = now.to_zoned(zone.clone()).date();
    let morning = |day: Date| {
        let moment = day.at(HOUR, 0, 0, 0).to_zoned(zone.clone());
        moment.expect("the clock is nowhere near the end of the calendar").timestamp()
    };
    if now < morning(today) { morning(today) } else { morning(today + 1.day()) }
}

/// A page of the documents that are to be told of at a moment.
pub fn due(
    tx: &mut Tx<'_>,
    app: &App,
    at: Timestamp,
    after: Option<&PageCursor>,
) -> Result<DuePage, Error> {
    let settings = settings(tx)?;
    let (due, next) = page(tx, app, at, &settings, after)?;
    Ok(DuePage { due: due.into_iter().map(|due| due.document.id).collect(), next })
}

/// Tells a document's client, if there still is something to tell.
pub fn send(tx: &mut Tx<'_>, app: &App, at: Timestamp, document: &str) -> Result<bool, Error> {
    let settings = settings(tx)?;
    let mut query = select(app, at);
    query.and_where(Expr::col(("documents", "id")).eq(document));
    let (found, _) = find_due(tx, app, at, &settings, &query)?;
    let mut desk = Notifier::new(app);
    let Some(DueNotice { document, notice, reader, version }) = found.into_iter().next() else {
        return Ok(false);
    };
    let subject = (Topic::Document(&document.id), &*version);
    desk.send(tx, notice, &reader, subject, document.values(app))
}

/// A page of the notices that are due at a moment, were these the settings.
pub(crate) fn page(
    tx: &mut Tx<'_>,
    app: &App,
    at: Timestamp,
    settings: &Settings,
    after: Option<&PageCursor>,
) -> Result<(Vec<DueNotice>, Option<PageCursor>), Error> {
    let mut query = select(app, at);
    if let Some((expires_at, id)) = after {
        let same = Condition::all()
            .add(Expr::col(("documents", "expires_at")).eq(expires_at.as_str()))
            .add(Expr::col(("documents", "id")).gt(id.as_str()));
        let later = Expr::col(("documents", "expires_at")).gt(expires_at.as_str());
        query.cond_where(Condition::any().add(later).add(same));
    }
    query.order_by(("documents", "expires_at"), Order::Asc);
    query.order_by(("documents", "id"), Order::Asc).limit(PAGE);
    find_due(tx, app, at, settings, &query)
}

/// The notice that a document calls for at a moment, and which one of its kind it is.
pub(crate) fn notice_for(
    app: &App,
    document: &DocumentSummary,
    at: Timestamp,
) -> Option<(&'static NotificationType, String)> {
    let zone = &app.config.time_zone;
    let expires: Timestamp = document.expires_at.as_deref()?.parse().ok()?;
    let day = expires.to_zoned(zone.clone()).date();
    if expires <= at {
        let is_news = expires > at - NEWS;
        let notice = catalog::of_document(document.kind?, "expired").filter(|_| is_news)?;
        return Some((notice, day.to_string()));
    }
    let left = at.to_zoned(zone.clone()).date().until(day).ok()?.get_days();
    // The longest notice is told by the date alone, so that it stays the same when shorter ones are added.
    let step = app.config.expiring_soon_days.iter().rposition(|days| left <= *days)?;
    let notice = catalog::of_document(document.kind?, "expiring_soon")?;
    Some((notice, if step == 0 { day.to_string() } else { format!("{day}#{step}") }))
}

/// The settings in force.
fn settings(tx: &mut Tx<'_>) -> Result<Settings, Error> {
    let mut query = Query::select();
    query.columns(["document_type_event", "enabled"]).from("email_notification_settings");
    tx.rows(&query)?.iter().map(|row| Ok((row.text(0)?.to_owned(), row.bool(1)?))).collect()
}

/// The documents whose due dates are near enough to be told of.
fn select(app: &App, at: Timestamp) -> SelectStatement {
    let zone = &app.config.time_zone;
    let most = app.config.expiring_soon_days.first().copied().unwrap_or(0);
    let after = at.to_zoned(zone.clone()).date() + (most + 1).days();
    let after = after.to_zoned(zone.clone()).map_or(at, |midnight| midnight.timestamp());
    let mut query = notify::select();
    query.and_where(Expr::col(("documents", "expires_at")).gt(format_timestamp(at - NEWS)));
    query.and_where(Expr::col(("documents", "expires_at")).lt(format_timestamp(after)));
    query
}

/// What is due among the documents that a query finds, and the last that it found if there may be more.
fn find_due(
    tx: &mut Tx<'_>,
    app: &App,
    at: Timestamp,
    settings: &Settings,
    query: &SelectStatement,
) -> Result<(Vec<DueNotice>, Option<PageCursor>), Error> {
    let rows = tx.rows(query)?;
    let is_full = rows.len() as u64 == PAGE;
    let mut next = None;
    let mut called = Vec::new();
    for row in rows.iter() {
        let document = notify::read(row)?;
        next = document.expires_at.clone().map(|expires_at| (expires_at, document.id.clone()));
        if let Some((notice, version)) = notice_for(app, &document, at)
            && settings.get(notice.setting).copied().unwrap_or(notice.on_by_default)
        {
            let key = format!(
                "{}|{}",
                notice.trigger,
                dedupe_key(&document.id, &version, &document.client)
            );
            called.push((document, notice, version, key));
        }
    }
    let told = already_sent(tx, called.iter().map(|(.., key)| key.as_str()))?;
    let mut desk = Notifier::new(app);
    let mut due = Vec::new();
    for (document, notice, version, _) in called.into_iter().filter(|(.., key)| !told.contains(key))
    {
        let reader = desk.recipient(tx, &document.client)?;
        if let Some(reader) = reader.filter(|reader| reader.wants(notice.topic)) {
            due.push(DueNotice { document, notice, reader, version });
        }
    }
    Ok((due, next.filter(|_| is_full)))
}

/// Which of these notices were queued before.
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

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use crate::documents::expiry::next_run;

    #[test]
    fn notices_are_sent_at_eight_in_the_portals_zone() {
        let zone = TimeZone::get("America/Sao_Paulo").unwrap();
        for (now, expected) in [
            ("2026-11-21T10:59:59Z", "2026-11-21T11:00:00Z"),
            ("2026-11-21T11:00:00Z", "2026-11-22T11:00:00Z"),
            // Still the day before in São Paulo.
            ("2026-11-22T02:00:00Z", "2026-11-22T11:00:00Z"),
            ("2026-11-22T03:00:00Z", "2026-11-22T11:00:00Z"),
        ] {
            assert_eq!(next_run(now.parse().unwrap(), &zone), expected.parse().unwrap(), "{now}");
        }
    }
}
