//! Reminders of items that their clients did not answer ("Lembrar"), by mail and in the notification center. An item is
//! reminded of once a day by mail, a client once a day by a notification, counting the reminders of rules.

use std::collections::BTreeSet;

use sea_query::{Expr, ExprTrait, Order};

use crate::{
    app::App,
    audit::{self, AuditEvent, EventName},
    db::Tx,
    documents::{contacts, remind::Reminders},
    notifications::{catalog, center::CenterEvent, reminders},
    requests::notify::{ItemSummary, Mailer, select_waiting},
    security::caller::Caller,
    table_write::WriteError,
};

/// Maximum number of items of a call.
const MAX_ITEMS: usize = 500;

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
    let ids: BTreeSet<&str> = ids.iter().map(String::as_str).collect();
    if ids.is_empty() || ids.len() > MAX_ITEMS {
        let message = format!("Escolha de 1 a {MAX_ITEMS} itens.");
        return Err(WriteError::invalid("22023", message));
    }
    let Some(mut mailer) = Mailer::begin(tx, app, catalog::REQUEST_REMINDER)? else {
        return Err(WriteError::conflict(
            "reminders_off",
            "Os lembretes por e-mail estão desligados.",
        ));
    };
    let mut query = select_waiting();
    query.and_where(Expr::col(("request_items", "id")).is_in(ids.iter().copied()));
    query.order_by(("request_items", "id"), Order::Asc);
    let rows = tx.rows(&query)?;
    let items = rows.iter().map(ItemSummary::from_row).collect::<Result<Vec<_>, _>>()?;
    let mut done = Reminders { settled: ids.len() - items.len(), ..Reminders::default() };
    let about = items.iter().map(|item| (item.client, None)).collect();
    reminders::remind_clients(tx, app, CenterEvent::RequestsUnanswered, &about)?;
    let today = contacts::today(app);
    for item in &items {
        let count = if !mailer.reaches(tx, item.client)? {
            &mut done.unreachable
        } else if mailer.send(tx, item, &today)? {
            let event = AuditEvent::new(EventName::RequestReminded)
                .person(Some(item.client))
                .subject(Some(item.id.to_string()), Some(item.name.clone()));
            audit::record(tx, app, caller, [event]);
            &mut done.reminded
        } else {
            &mut done.repeated
        };
        *count += 1;
    }
    Ok(done)
}
