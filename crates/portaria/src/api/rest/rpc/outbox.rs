//! Mails in the hands of the office: sent again after all, or not at all; and how their delivery stands.

use std::sync::Arc;

use jiff::Timestamp;
use sea_query::{Condition, Expr, ExprTrait, Order, Query, Value as Sql};
use serde_json::Value;

use crate::{accounts::authenticate::Credential, app::App, db::Tx, notifications::outbox};
use crate::{
    api::rest::{RestError, rpc},
    schema::write::Row,
};

/// Tells the office how delivery stands. For others there is no such function.
pub(crate) fn status(
    tx: &mut Tx<'_>,
    app: &Arc<App>,
    credential: &Credential,
    _: &rpc::NoArgs,
) -> Result<Option<Value>, RestError> {
    rpc::require_staff(tx, app, credential, "mail_status")?;
    Ok(Some(outbox::status(tx, app)?))
}

/// Sets the state of mails: those that failed or were cancelled wait again, those that wait are cancelled. All of them or
/// none; returns their ids.
pub(crate) fn change(
    tx: &mut Tx<'_>,
    app: &App,
    which: Condition,
    changes: &Row,
    now: Timestamp,
) -> Result<Vec<String>, RestError> {
    let wanted = match changes.iter().collect::<Vec<_>>()[..] {
        [(&"state", Some(Sql::String(Some(state))))] => state.as_str(),
        _ => return Err(RestError::mail_state()),
    };
    let from: &[&str] = match wanted {
        "queued" => &["failed", "cancelled"],
        "cancelled" => &["queued"],
        _ => return Err(RestError::mail_state()),
    };
    let mut query = Query::select();
    query.columns(["id", "state"].map(|name| ("outbox", name)));
    query.expr(Expr::cust("html = ''")).from("outbox").cond_where(which);
    query.order_by(("outbox", "id"), Order::Asc).lock_exclusive();
    let mut ids = Vec::new();
    for row in tx.rows(&query)?.iter() {
        if !from.contains(&row.text(1)?) {
            return Err(RestError::mail_state());
        }
        if wanted == "queued" && row.bool(2)? {
            return Err(RestError::mail_not_found());
        }
        ids.push(row.text(0)?.to_owned());
    }
    let mut statement = Query::update();
    if wanted == "queued" {
        statement = outbox::requeue(now);
        statement.value("attempts", 0_i64).value("last_error", Option::<String>::None);
        outbox::notify_worker(tx, app);
    } else {
        statement.table("outbox").value("state", wanted);
    }
    for ids in ids.chunks(500) {
        let mut statement = statement.clone();
        let these = Expr::col("id").is_in(ids.iter().map(String::as_str));
        tx.execute(statement.and_where(these))?;
    }
    Ok(ids)
}
