//! Automatic reminders: rules of the office that name days before and after the due date, in business days, on which
//! clients are mailed or notified about documents that they did not open, or the staff who care for them are notified.
//!
//! A due date on a day off counts as the last day to pay ([`BusinessCalendar::payment_date`]): "on the day" is then the
//! last business day on which the client can act.
//!
//! [`BusinessCalendar::payment_date`]: crate::office::business_calendar::BusinessCalendar::payment_date

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
        remind::{Reminder, select_unopened},
    },
    notifications::{
        center::CenterEvent,
        reminders::{self, Outcome},
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

/// The people whom a rule reminds, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum RuleRecipient {
    /// The client, by mail.
    Client,
    /// The client, in the notification center and so on subscribed devices.
    ClientNotification,
    /// The member of the staff who is responsible for the client, in the notification center.
    Staff,
}

impl RuleRecipient {
    fn from_column(text: &str) -> Self {
        match text {
            "client" => Self::Client,
            "client_notification" => Self::ClientNotification,
            _ => Self::Staff,
        }
    }
}

/// The rules of the office: recipient, business days until the due date, and category.
#[derive(Debug)]
pub(crate) struct Rules(BTreeSet<(RuleRecipient, i64, String)>);

impl Rules {
    pub(crate) fn read(tx: &mut Tx<'_>) -> Result<Self, Error> {
        let mut query = Query::select();
        query.columns(["recipient", "days", "category"]).from("reminder_rules");
        let rules = tx.rows(&query)?;
        let rules = rules.iter().map(|row| {
            let recipient = RuleRecipient::from_column(row.text(0)?);
            Ok((recipient, row.int(1)?, row.text(2)?.to_owned()))
        });
        rules.collect::<Result<_, Error>>().map(Self)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether a rule for everything, or one for the category, is about this number of days.
    pub(crate) fn selects(&self, recipient: RuleRecipient, days: i64, category: &str) -> bool {
        ["", category].iter().any(|name| self.0.contains(&(recipient, days, (*name).to_owned())))
    }
}

/// A page of reminders that were sent.
#[derive(Debug)]
pub struct SentPage<Cursor> {
    /// Number of mails and of notifications.
    pub sent: u64,
    /// The cursor of the next page; `None` after the last page.
    pub next: Option<Cursor>,
}

/// Reminds clients, or the staff who care for them, of a page of the documents that rules select on `today`.
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
    let mut reminder = Reminder::begin(tx, app, Caller::Service)?.map(Reminder::collecting);
    let office = app.office_in(tx)?;
    let zone = &app.config.time_zone;
    let end = |days: i64| {
        let moment = (today + days.days()).to_zoned(zone.clone());
        moment.map_or_else(|_| app.clock.now(), |midnight| midnight.timestamp())
    };
    let expires_at = || Expr::col(("documents", "expires_at"));
    let mut query = select_unopened();
    query.column(("documents", "responsible_id"));
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
    let (mut for_clients, mut for_staff) = (BTreeSet::new(), BTreeSet::new());
    for row in rows.iter() {
        let document = DocumentSummary::from_row(row)?;
        let category = document.category.as_str();
        let responsible = row.opt_parse(DocumentSummary::COLUMNS.len())?;
        let Some(expires_at) = &document.expires_at else { continue };
        done.next = Some((expires_at.clone(), document.id));
        let Ok(due) = expires_at.parse::<jiff::Timestamp>() else { continue };
        let due = due.to_zoned(zone.clone()).date();
        let last_day = office.calendar.payment_date(due, office.day_off_rules.of(category));
        let days = office.calendar.business_days_until(today, last_day);
        if let Some(reminder) = &mut reminder
            && rules.selects(RuleRecipient::Client, days, category)
            && reminder.send(tx, &document)? == Outcome::Reminded
        {
            done.sent += 1;
        }
        if rules.selects(RuleRecipient::ClientNotification, days, category) {
            for_clients.extend(document.folder_of_client());
        }
        if rules.selects(RuleRecipient::Staff, days, category) {
            for_staff.extend(document.client.map(|client| (client, responsible)));
        }
    }
    done.sent += reminders::remind_clients(tx, app, CenterEvent::DocumentsUnopened, &for_clients)?;
    done.sent += reminders::remind_staff(tx, app, CenterEvent::DocumentsUnopened, &for_staff)?;
    if (rows.len() as u64) < PAGE_SIZE {
        done.next = None;
    }
    Ok(done)
}
