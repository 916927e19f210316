//! Items that repeat every month. The newest item of a series carries the mark; when its month is over, the item of the
//! next month takes the mark over.

use jiff::{ToSpan, civil::Date};
use sea_query::{Expr, ExprTrait, OnConflict, Order, Query};
use serde_json::json;

use crate::{
    app::App,
    audit::{self, AuditEvent, EventName},
    clock::format_timestamp,
    db::{Error, Tx},
    notifications::catalog,
    requests::{notify, parse_month},
    security::{caller::Caller, keys},
};

/// Maximum number of items in one transaction.
const BATCH: u64 = 200;

/// Asks for a batch of items again whose month is over. Returns whether there were any.
///
/// # Errors
/// Database errors.
pub fn continue_batch(tx: &mut Tx<'_>, app: &App) -> Result<bool, Error> {
    let today = app.clock.now().to_zoned(app.config.time_zone.clone()).date();
    let mut query = Query::select();
    query.columns(["id", "client_id", "name", "hint", "month", "due_on"]).from("request_items");
    query.and_where(Expr::col("repeats_monthly").eq(true));
    query.and_where(Expr::col("month").lt(month_text(today)));
    query.order_by("month", Order::Asc).order_by("id", Order::Asc).limit(BATCH).lock_exclusive();
    let rows = tx.rows(&query)?;
    let now = format_timestamp(app.clock.now());
    let mut asked = Vec::new();
    for row in rows.iter() {
        let (id, client, name) = (row.text(0)?, row.text(1)?, row.text(2)?);
        let month = parse_month(row.text(4)?);
        let month = month.ok_or_else(|| Error::Internal("a month is no month".into()))?;
        let due_on: Option<Date> = row.opt_parse(5)?;
        let next_due = match due_on {
            Some(day) => Some(next_due(tx, client, name, month, day)?),
            None => None,
        };
        let next_month = month_text(month.saturating_add(1.month()));
        let new_id = keys::new_id(app.clock.now()).to_string();
        let mut insert = Query::insert();
        insert.into_table("request_items").columns([
            "id",
            "client_id",
            "name",
            "hint",
            "month",
            "due_on",
            "repeats_monthly",
            "created_at",
            "updated_at",
        ]);
        insert.values_panic([
            new_id.as_str().into(),
            client.into(),
            name.into(),
            row.opt_text(3)?.into(),
            next_month.as_str().into(),
            next_due.map(|day| day.to_string()).into(),
            true.into(),
            now.as_str().into(),
            now.as_str().into(),
        ]);
        let mut existing = OnConflict::columns(["client_id", "month", "name"]);
        let is_new = tx.execute(insert.on_conflict(existing.do_nothing().to_owned()))? > 0;
        let mut update = Query::update();
        update.table("request_items").value("repeats_monthly", false);
        tx.execute(update.and_where(Expr::col("id").eq(id)))?;
        if !is_new {
            // Staff asked for the item of the next month already. It takes the mark over.
            let mut update = Query::update();
            update.table("request_items").value("repeats_monthly", true);
            update
                .and_where(Expr::col("client_id").eq(client))
                .and_where(Expr::col("name").eq(name));
            tx.execute(update.and_where(Expr::col("month").eq(next_month)))?;
            continue;
        }
        let event = AuditEvent::new(EventName::RequestCreated)
            .person(client.parse().ok())
            .subject(Some(new_id.clone()), Some(name.to_owned()))
            .detail(json!({"repeats": id}));
        audit::record(tx, app, Caller::Service, [event]);
        asked.push(new_id);
    }
    notify::notify(tx, app, catalog::REQUEST_NEW, &asked, "")?;
    Ok(!rows.is_empty())
}

/// Returns the day one month after `due_on`. The 31st becomes the last day of a shorter month, after which the item of the
/// month before has the day.
fn next_due(
    tx: &mut Tx<'_>,
    client: &str,
    name: &str,
    month: Date,
    due_on: Date,
) -> Result<Date, Error> {
    if due_on == due_on.last_of_month() {
        let mut query = Query::select();
        query.column("due_on").from("request_items").and_where(Expr::col("client_id").eq(client));
        query.and_where(Expr::col("name").eq(name));
        query.and_where(Expr::col("month").eq(month_text(month.saturating_sub(1.month()))));
        let rows = tx.rows(&query)?;
        let before: Option<Date> = rows.first().map(|row| row.opt_parse(0)).transpose()?.flatten();
        if let Some(before) = before.filter(|day| day.saturating_add(1.month()) == due_on) {
            return Ok(before.saturating_add(2.months()));
        }
    }
    Ok(due_on.saturating_add(1.month()))
}

/// Returns the month of a day, `YYYY-MM`.
fn month_text(day: Date) -> String {
    day.strftime("%Y-%m").to_string()
}
