//! Reminders of items that their clients did not answer ("Lembrar"), by mail and in the notification center. An item is
//! reminded of once a day by mail, a client once a day by a notification, counting the reminders of rules.

use sea_query::{Expr, ExprTrait, Order};

use crate::{
    app::App,
    audit::{self, AuditEvent, EventName},
    db::Tx,
    documents::contacts,
    notifications::{
        catalog,
        center::CenterEvent,
        reminders::{self, Outcome, Reminders},
    },
    requests::notify::{ItemSummary, Mailer, select_waiting},
    security::caller::Caller,
    table_write::WriteError,
};

/// Reminds the clients of items that they did not answer.
///
/// # Errors
/// 22023 for no or too many items, `reminders_off` if the office turned these mails off.
pub(crate) fn remind(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    ids: &[String],
) -> Result<Reminders, WriteError> {
    let ids = reminders::requested_ids(ids, "itens")?;
    let mailer = Mailer::begin(tx, app, catalog::REQUEST_REMINDER)?;
    let mut mailer = mailer.ok_or_else(reminders::turned_off)?;
    let mut query = select_waiting();
    query.and_where(Expr::col(("request_items", "id")).is_in(ids.iter().copied()));
    query.order_by(("request_items", "id"), Order::Asc);
    let rows = tx.rows(&query)?;
    let items = rows.iter().map(ItemSummary::from_row).collect::<Result<Vec<_>, _>>()?;
    let mut done = Reminders::of(ids.len(), items.len());
    let about = items.iter().map(|item| (item.client, None)).collect();
    reminders::remind_clients(tx, app, CenterEvent::RequestsUnanswered, &about)?;
    let today = contacts::today(app);
    for item in &items {
        let outcome = if !mailer.reaches(tx, item.client)? {
            Outcome::Unreachable
        } else if mailer.send(tx, item, &today)? {
            let event = AuditEvent::new(EventName::RequestReminded)
                .person(Some(item.client))
                .subject(Some(item.id.to_string()), Some(item.name.clone()));
            audit::record(tx, app, caller, [event]);
            Outcome::Reminded
        } else {
            Outcome::Repeated
        };
        done.count(outcome);
    }
    Ok(done)
}
