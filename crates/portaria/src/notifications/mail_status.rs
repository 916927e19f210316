//! The status of mail delivery: the outage marker, and the counts for the administrators' screens.

use sea_query::{Expr, ExprTrait, Order, Query, SelectStatement};
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
    let text = |tx: &mut Tx<'_>, query: &SelectStatement| {
        let rows = tx.rows(query)?;
        let text = rows.first().map(|row| row.opt_text(0)).transpose()?.flatten();
        Ok::<_, Error>(text.map(str::to_owned))
    };
    let why = Query::select()
        .column("value")
        .from("system_state")
        .and_where(Expr::col("name").eq(OUTAGE_NAME))
        .take();
    let why = text(tx, &why)?;
    // The states are part of the text, so that PostgreSQL plans for the few mails that were not sent.
    let mut waiting = Query::select();
    for expression in [
        "count(*) FILTER (WHERE state <> 'failed')",
        "count(*) FILTER (WHERE state = 'queued' AND attempts > 0)",
        "count(*) FILTER (WHERE state = 'failed')",
        "min(CASE WHEN state <> 'failed' AND hold_reason IS NULL THEN created_at END)",
        "min(CASE WHEN state = 'queued' THEN next_attempt_at END)",
    ] {
        waiting.expr(Expr::cust(expression));
    }
    waiting.from("outbox").and_where(Expr::cust("state IN ('queued', 'sending', 'failed')"));
    let waiting = tx.rows(waiting.cond_where(scope.clone()))?;
    let waiting = waiting.first().ok_or_else(|| Error::Internal("a count without a row".into()))?;
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
        "waiting": waiting.int(0)?,
        "retrying": waiting.int(1)?,
        "waiting_since": waiting.opt_text(3)?,
        "next_attempt_at": waiting.opt_text(4)?,
        "failed": waiting.int(2)?,
        "last_error": why,
        "last_sent_at": text(tx, &last)?,
    })))
}
