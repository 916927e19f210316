//! Automatic reminders: rules of the office that name days before and after the due date, in business days, on which
//! clients are mailed about documents that they did not open.
//!
//! A due date on a day off counts as the business day before it: "on the day" is then the last business day on which
//! the client can act.

use std::collections::BTreeSet;

use jiff::{ToSpan, civil::Date};
use sea_query::{Condition, Expr, ExprTrait, Order, Query};

use crate::{
    app::App,
    audit::{EventName, RowEvents, RowNaming},
    clock::format_timestamp,
    db::{Error, Tx},
    documents::{
        expiry::PageCursor,
        model::DocumentSummary,
        remind::{Outcome, Reminder, select_unopened},
    },
    security::caller::Caller,
    table_write::{Row, TableHooks, WriteContext, WriteError},
};

/// Maximum number of documents in one transaction.
const PAGE_SIZE: u64 = 100;
/// The largest number of days of a rule, and of days off among as many business days: weekends, national holidays, and
/// a hundred holidays of the office's own.
pub(crate) const MAX_CALENDAR_DAYS: i64 = 220;

/// The hooks of `reminder_rules`.
pub(crate) struct ReminderRuleHooks;

impl TableHooks for ReminderRuleHooks {
    /// A rule for all documents has an empty category.
    fn before_insert(
        &self,
        _ctx: &WriteContext<'_>,
        _tx: &mut Tx<'_>,
        row: &mut Row,
    ) -> Result<(), WriteError> {
        if row.get("category").is_none_or(Option::is_none) {
            row.insert("category", Some("".into()));
        }
        Ok(())
    }

    /// Names a rule after its days.
    fn audit(&self) -> Option<RowNaming> {
        let mut labels = Query::select();
        labels.column(("reminder_rules", "id")).from("reminder_rules");
        labels.expr(Expr::cust("CAST(reminder_rules.days AS TEXT)"));
        labels.exprs([Expr::cust("NULL"), Expr::cust("NULL")]);
        let events = RowEvents::ByChange([
            EventName::ReminderRuleCreated,
            EventName::ReminderRuleChanged,
            EventName::ReminderRuleDeleted,
        ]);
        Some(RowNaming::of_query(("reminder_rules", "id"), labels, events))
    }
}

/// A page of reminders that were sent.
#[derive(Debug)]
pub struct SentPage<Cursor> {
    /// Number of mails.
    pub sent: u64,
    /// The cursor of the next page; `None` after the last page.
    pub next: Option<Cursor>,
}

/// Reminds clients of a page of the documents that rules select on `today`.
///
/// # Errors
/// A database error.
pub fn send_page(
    tx: &mut Tx<'_>,
    app: &App,
    today: Date,
    after: Option<&PageCursor>,
) -> Result<SentPage<PageCursor>, Error> {
    let rules = read_rules(tx)?;
    let mut done = SentPage { sent: 0, next: None };
    let Some(mut reminder) = Reminder::begin(tx, app, Caller::Service)? else { return Ok(done) };
    if rules.is_empty() {
        return Ok(done);
    }
    let office = app.office_in(tx)?;
    let zone = &app.config.time_zone;
    let end = |days: i64| {
        let moment = (today + days.days()).to_zoned(zone.clone());
        moment.map_or_else(|_| app.clock.now(), |midnight| midnight.timestamp())
    };
    let expires_at = || Expr::col(("documents", "expires_at"));
    let mut query = select_unopened();
    query.column(("documents", "category"));
    query.and_where(expires_at().gt(format_timestamp(end(-MAX_CALENDAR_DAYS))));
    query.and_where(expires_at().lt(format_timestamp(end(MAX_CALENDAR_DAYS))));
    if let Some((last, id)) = after {
        let same_date = Condition::all()
            .add(expires_at().eq(last.as_str()))
            .add(Expr::col(("documents", "id")).gt(*id));
        query.cond_where(Condition::any().add(expires_at().gt(last.as_str())).add(same_date));
    }
    query.order_by(("documents", "expires_at"), Order::Asc);
    query.order_by(("documents", "id"), Order::Asc).limit(PAGE_SIZE);
    let rows = tx.rows(&query)?;
    for row in rows.iter() {
        let document = DocumentSummary::from_row(row)?;
        let category = row.opt_text(DocumentSummary::COLUMNS.len())?.unwrap_or_default();
        let Some(expires_at) = &document.expires_at else { continue };
        done.next = Some((expires_at.clone(), document.id));
        let Ok(due) = expires_at.parse::<jiff::Timestamp>() else { continue };
        let days = office.calendar.business_days_until(today, due.to_zoned(zone.clone()).date());
        let is_selected =
            ["", category].iter().any(|name| rules.contains(&(days, (*name).to_owned())));
        if is_selected && reminder.send(tx, &document)? == Outcome::Reminded {
            done.sent += 1;
        }
    }
    if (rows.len() as u64) < PAGE_SIZE {
        done.next = None;
    }
    Ok(done)
}

/// Returns days and category of all rules.
pub(crate) fn read_rules(tx: &mut Tx<'_>) -> Result<BTreeSet<(i64, String)>, Error> {
    let mut query = Query::select();
    query.columns(["days", "category"]).from("reminder_rules");
    tx.rows(&query)?.iter().map(|row| Ok((row.int(0)?, row.text(1)?.to_owned()))).collect()
}
