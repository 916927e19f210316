//! Automatic reminders of items that their clients did not answer, by the office's rules for reminders.

use std::collections::BTreeSet;

use jiff::civil::Date;
use sea_query::{Condition, Expr, ExprTrait, Order};

use crate::{
    app::App,
    db::{Error, Tx},
    documents::reminder_rules::{MAX_CALENDAR_DAYS, RuleRecipient, Rules, SentPage},
    notifications::{catalog, center::CenterEvent, reminders},
    requests::notify::{ItemSummary, Mailer, select_waiting},
    security::ids::RequestItemId,
};

/// The category of rules that apply to items only.
const CATEGORY: &str = "request";
/// Maximum number of items in one transaction.
const PAGE_SIZE: u64 = 100;

/// Due date and id of an item.
pub type PageCursor = (Date, RequestItemId);

/// Reminds clients, or the staff who care for them, of a page of the items that rules select on `today`. An item is
/// reminded of once a day.
///
/// # Errors
/// A database error.
pub fn send_page(
    tx: &mut Tx<'_>,
    app: &App,
    today: Date,
    after: Option<&PageCursor>,
) -> Result<SentPage<PageCursor>, Error> {
    let rules = Rules::read(tx)?;
    let mut done = SentPage { sent: 0, next: None };
    if rules.is_empty() {
        return Ok(done);
    }
    let mailer = Mailer::begin(tx, app, catalog::REQUEST_REMINDER)?;
    let mut mailer = mailer.map(Mailer::collecting);
    let office = app.office_in(tx)?;
    let due_on = || Expr::col(("request_items", "due_on"));
    let day = |days: i64| today.saturating_add(jiff::Span::new().days(days)).to_string();
    let mut query = select_waiting();
    query.and_where(due_on().gt(day(-MAX_CALENDAR_DAYS)).and(due_on().lt(day(MAX_CALENDAR_DAYS))));
    if let Some((last, id)) = after {
        let same_day = Condition::all()
            .add(due_on().eq(last.to_string()))
            .add(Expr::col(("request_items", "id")).gt(*id));
        query.cond_where(Condition::any().add(due_on().gt(last.to_string())).add(same_day));
    }
    query.order_by(("request_items", "due_on"), Order::Asc);
    query.order_by(("request_items", "id"), Order::Asc).limit(PAGE_SIZE);
    let rows = tx.rows(&query)?;
    let (mut for_clients, mut for_staff) = (BTreeSet::new(), BTreeSet::new());
    for row in rows.iter() {
        let item = ItemSummary::from_row(row)?;
        let Some(due) = item.due_on else { continue };
        done.next = Some((due, item.id));
        let days = office.calendar.business_days_until(today, due);
        if let Some(mailer) = &mut mailer
            && rules.selects(RuleRecipient::Client, days, CATEGORY)
            && mailer.send(tx, &item, &today.to_string())?
        {
            done.sent += 1;
        }
        if rules.selects(RuleRecipient::ClientNotification, days, CATEGORY) {
            for_clients.insert((item.client, None));
        }
        if rules.selects(RuleRecipient::Staff, days, CATEGORY) {
            for_staff.insert((item.client, None));
        }
    }
    done.sent += reminders::remind_clients(tx, app, CenterEvent::RequestsUnanswered, &for_clients)?;
    done.sent += reminders::remind_staff(tx, app, CenterEvent::RequestsUnanswered, &for_staff)?;
    if (rows.len() as u64) < PAGE_SIZE {
        done.next = None;
    }
    Ok(done)
}
