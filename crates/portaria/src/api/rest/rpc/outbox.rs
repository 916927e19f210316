//! The outbox for staff: sending a mail again, canceling it, and the function `mail_status`.

use std::sync::Arc;

use jiff::Timestamp;
use sea_query::{Condition, Expr, ExprTrait, Order, Query, Value as Sql};
use serde_json::Value;

use crate::{accounts::authenticate::Credential, app::App, db::Tx, notifications::outbox};
use crate::{
    api::rest::{RestError, rpc},
    schema::write::Row,
};

/// `mail_status`: reports the state of mail delivery to staff.
///
/// # Errors
/// PGRST202 for other callers.
pub(crate) fn status(
    tx: &mut Tx<'_>,
    app: &Arc<App>,
    credential: &Credential,
    _: &rpc::NoArgs,
) -> Result<Option<Value>, RestError> {
    rpc::require_staff(tx, app, credential, "mail_status")?;
    Ok(Some(outbox::status(tx, app)?))
}

/// Changes the state of mails, all of them or none, and returns their ids. Failed and canceled mails can be queued
/// again, queued mails can be canceled.
///
/// # Errors
/// `mail_state` for any other change, `mail_gone` for a mail whose text was removed from the outbox.
pub(crate) fn change_state(
    tx: &mut Tx<'_>,
    app: &App,
    condition: Condition,
    changes: &Row,
    now: Timestamp,
) -> Result<Vec<String>, RestError> {
    let new_state = match changes.iter().collect::<Vec<_>>()[..] {
        [(&"state", Some(Sql::String(Some(state))))] => state.as_str(),
        _ => return Err(RestError::invalid_mail_state()),
    };
    let allowed_states: &[&str] = match new_state {
        "queued" => &["failed", "cancelled"],
        "cancelled" => &["queued"],
        _ => return Err(RestError::invalid_mail_state()),
    };
    let mut query = Query::select();
    query.columns(["id", "state"].map(|name| ("outbox", name)));
    query.expr(Expr::cust("html = ''")).from("outbox").cond_where(condition);
    query.order_by(("outbox", "id"), Order::Asc).lock_exclusive();
    let mut ids = Vec::new();
    for row in tx.rows(&query)?.iter() {
        if !allowed_states.contains(&row.text(1)?) {
            return Err(RestError::invalid_mail_state());
        }
        if new_state == "queued" && row.bool(2)? {
            return Err(RestError::mail_text_purged());
        }
        ids.push(row.text(0)?.to_owned());
    }
    let mut statement = Query::update();
    if new_state == "queued" {
        statement = outbox::requeue(now);
        statement.value("attempts", 0_i64).value("last_error", Option::<String>::None);
        outbox::notify_worker(tx, app);
    } else {
        statement.table("outbox").value("state", new_state);
    }
    for ids in ids.chunks(500) {
        let mut statement = statement.clone();
        let selection = Expr::col("id").is_in(ids.iter().map(String::as_str));
        tx.execute(statement.and_where(selection))?;
    }
    Ok(ids)
}
