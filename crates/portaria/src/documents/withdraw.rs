//! Withdrawal of published documents ("Recolher"): the document loses its client, which hides it and its file from all
//! clients by the rules that hold for every document, and cancels the mails about it that have not left. The former
//! client is kept, so that the document can be published again, and is erased with the client.

use std::collections::BTreeSet;

use sea_query::{Expr, ExprTrait, Query};

use crate::{
    app::App,
    audit::{self, AuditEvent, EventName},
    clock::format_timestamp,
    db::{Error, Tx},
    documents::{MAX_CHOSEN, model::DocumentStatus, notify},
    notifications::center,
    security::{caller::Caller, ids::UserId},
    table_write::{RejectionKind, WriteError, check_choice, parse_keys},
};

/// Withdraws documents from their clients. Documents that are withdrawn already stay so.
///
/// # Errors
/// PT404 for an unknown document, 22023 for too many.
pub(crate) fn withdraw(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    ids: &[String],
) -> Result<(), WriteError> {
    let before = notify::snapshot(tx, selection(ids))?;
    move_client(tx, app, caller, ids, EventName::DocumentWithdrawn)?;
    notify::cancel_obsolete(tx, app, ids)?;
    let visible = before.iter().filter(|document| document.status != DocumentStatus::Pending);
    let visible =
        visible.filter_map(|document| Some((document.client?, Some(document.folder.clone()))));
    Ok(center::notify_withdrawn(tx, app, &visible.collect())?)
}

/// Publishes withdrawn documents again, to the client they had. The client is notified as of a new document.
///
/// # Errors
/// As [`withdraw`].
pub(crate) fn republish(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    ids: &[String],
) -> Result<(), WriteError> {
    let before = notify::snapshot(tx, selection(ids))?;
    move_client(tx, app, caller, ids, EventName::DocumentRepublished)?;
    Ok(notify::notify_visible(tx, app, &parse_keys(ids)?, &before)?)
}

/// Gives the withdrawn documents of a person back to them, so that they are erased with the account.
pub(crate) fn return_to_client(tx: &mut Tx<'_>, client: UserId) -> Result<(), Error> {
    let mut update = Query::update();
    update.table("documents").value("client_id", client);
    update.value("withdrawn_client_id", Option::<String>::None);
    tx.execute(update.and_where(Expr::col("withdrawn_client_id").eq(client))).map(drop)
}

fn selection(ids: &[String]) -> sea_query::SelectStatement {
    let is_selected = Expr::col(("documents", "id")).is_in(ids.iter().map(String::as_str));
    Query::select().and_where(is_selected).take()
}

/// Moves the client of locked documents from one column to the other.
fn move_client(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    ids: &[String],
    event: EventName,
) -> Result<(), WriteError> {
    check_choice(ids.len(), MAX_CHOSEN, "documentos")?;
    let is_withdrawal = event == EventName::DocumentWithdrawn;
    let (from, to) = if is_withdrawal {
        ("client_id", "withdrawn_client_id")
    } else {
        ("withdrawn_client_id", "client_id")
    };
    let mut known = selection(ids);
    known.columns(["id", "name", from]).from("documents");
    let rows = tx.rows(&known)?;
    let unique: BTreeSet<&String> = ids.iter().collect();
    if rows.iter().count() < unique.len() {
        let message = "Um dos documentos não existe mais.";
        return Err(WriteError::new(RejectionKind::NotFound, "PT404", message));
    }
    let mut events = Vec::new();
    for row in rows.iter() {
        let client: Option<UserId> = row.opt_parse(2)?;
        if client.is_none() {
            continue;
        }
        let subject = (Some(row.text(0)?.to_owned()), Some(row.text(1)?.to_owned()));
        events.push(AuditEvent::new(event).person(client).subject(subject.0, subject.1));
    }
    audit::record(tx, app, caller, events);
    let now = format_timestamp(app.clock.now());
    let mut update = Query::update();
    update.table("documents").value(to, Expr::col(from)).value(from, Option::<String>::None);
    update.value("withdrawn_at", is_withdrawal.then(|| now.clone())).value("updated_at", now);
    update.and_where(Expr::col("id").is_in(ids.iter().map(String::as_str)));
    tx.execute(update.and_where(Expr::col(from).is_not_null()))?;
    Ok(())
}
