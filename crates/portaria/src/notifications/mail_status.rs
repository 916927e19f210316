//! The status of mail delivery: the outage marker, and the counts for the administrators' screens.

use sea_query::{Expr, ExprTrait, Order, Query};
use serde_json::{Value, json};

use crate::{
    app::App,
    db::{Error, Tx},
    lease,
    policy::{self, Action},
    schema::TableId,
    security::caller::Caller,
};

/// Name of the row of `system_state` that holds the cause of a current outage of the mail server.
const OUTAGE_NAME: &str = "mail trouble";

/// Records the cause of an outage of the mail server, or the end of it with `None`.
pub fn record_outage(tx: &mut Tx<'_>, why: Option<&str>) -> Result<(), Error> {
    let Some(why) = why else {
        let mut statement = Query::delete();
        statement.from_table("system_state").and_where(Expr::col("name").eq(OUTAGE_NAME));
        return tx.execute(&statement).map(drop);
    };
    lease::set_state(tx, OUTAGE_NAME, why)
}

/// Returns the status of mail delivery for the administrators' screens: the outage of the server, if any, the numbers
/// of waiting and failed mails, and the time of the next attempt. `retrying` mails wait after a failed attempt; those
/// that are held on purpose do not count for `waiting_since`. The numbers are those of the mails that the caller may read;
/// `None` for a caller who reads none.
pub fn load(tx: &mut Tx<'_>, app: &App, caller: Caller) -> Result<Option<Value>, Error> {
    let Ok(access) = policy::access(caller, TableId::Outbox, Action::Select) else {
        return Ok(None);
    };
    let scope = access.condition("outbox");
    let count = |tx: &mut Tx<'_>, states: &[&str]| {
        let mut query = Query::select();
        query.expr(Expr::cust("count(*)")).from("outbox").cond_where(scope.clone());
        query.and_where(Expr::col("state").is_in(states.iter().copied()));
        let rows = tx.rows(&query)?;
        rows.first().map_or(Ok(0), |row| row.int(0))
    };
    let text = |tx: &mut Tx<'_>, query: &sea_query::SelectStatement| {
        let rows = tx.rows(query)?;
        let text = rows.first().map(|row| row.opt_text(0)).transpose()?.flatten();
        Ok::<_, Error>(text.map(str::to_owned))
    };
    let why = Query::select()
        .column("value")
        .from("system_state")
        .and_where(Expr::col("name").eq(OUTAGE_NAME))
        .take();
    let waiting = |column: &'static str, state: &[&str]| {
        let mut query = Query::select();
        query.expr(Expr::col(column).min()).from("outbox").cond_where(scope.clone());
        query.and_where(Expr::col("state").is_in(state.iter().copied())).take()
    };
    let since = waiting("created_at", &["queued", "sending"])
        .and_where(Expr::col("hold_reason").is_null())
        .take();
    let retrying = Query::select()
        .expr(Expr::cust("count(*)"))
        .from("outbox")
        .and_where(Expr::col("state").eq("queued"))
        .and_where(Expr::col("attempts").gt(0))
        .cond_where(scope.clone())
        .take();
    let retrying = tx.rows(&retrying)?.first().map_or(Ok(0), |row| row.int(0))?;
    // The first row in the order of the index. A maximum over a scope with subqueries would read all mails.
    let last = Query::select()
        .column("sent_at")
        .from("outbox")
        .and_where(Expr::col("sent_at").is_not_null())
        .cond_where(scope.clone())
        .order_by("sent_at", Order::Desc)
        .limit(1)
        .take();
    let server = app.config.mail_server.as_ref();
    Ok(Some(json!({
        "configured": server.is_some(),
        "sender": app.config.mail_from.as_ref().map(ToString::to_string),
        "server": server.map(|server| format!("{}:{}", server.host, server.port)),
        "waiting": count(tx, &["queued", "sending"])?,
        "retrying": retrying,
        "waiting_since": text(tx, &since)?,
        "next_attempt_at": text(tx, &waiting("next_attempt_at", &["queued"]))?,
        "failed": count(tx, &["failed"])?,
        "last_error": text(tx, &why)?,
        "last_sent_at": text(tx, &last)?,
    })))
}
