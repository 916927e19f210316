//! The rules of the table `request_items`: who may set which status, and the files of refused and deleted items.

use jiff::civil::Date;
use sea_query::{Condition, Expr, ExprTrait, Order, Query};

use crate::table_write::{DuplicateKey, NewRow, Row, TableHooks, WriteContext, WriteError, text};
use crate::{
    audit::{EventName, RowNaming},
    clock::format_timestamp,
    db::{Error, Tx},
    notifications::catalog,
    requests::{files, notify, parse_month, wrong_state},
};

/// Columns that staff may change.
const UPDATABLE_COLUMNS: [&str; 6] =
    ["name", "hint", "due_on", "repeats_monthly", "status", "refusal_reason"];

/// The hooks of `request_items`.
pub(crate) struct ItemHooks;

impl TableHooks for ItemHooks {
    /// # Errors
    /// 23514 for an invalid month or day, 23503 for a person who is no client.
    fn before_insert(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        row: &mut Row,
    ) -> Result<(), WriteError> {
        if text(row, "month").is_some_and(|month| parse_month(month).is_none()) {
            return Err(WriteError::invalid("23514", "O mês tem a forma 2026-10."));
        }
        check_due_on(row)?;
        ctx.check_reference(tx, row, "client_id", "clients")?;
        row.insert("status", Some("open".into()));
        row.insert("refusal_reason", None);
        row.insert("answered_at", None);
        Ok(())
    }

    fn after_inserts(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        created: &[NewRow<'_>],
    ) -> Result<(), WriteError> {
        let keys: Vec<String> = created.iter().map(|new| new.key.to_owned()).collect();
        Ok(notify::notify(tx, ctx.app, catalog::REQUEST_NEW, &keys, "")?)
    }

    /// A client can only answer that there is nothing to send, and take that back. Staff refuse with a reason.
    fn before_update(
        &self,
        ctx: &WriteContext<'_>,
        _tx: &mut Tx<'_>,
        changes: &mut Row,
    ) -> Result<(), WriteError> {
        let status = text(changes, "status").map(str::to_owned);
        let is_allowed = match status.as_deref() {
            None | Some("refused") => ctx.caller.is_staff(),
            Some("nothing" | "open") => !ctx.caller.is_staff() && changes.len() == 1,
            Some(_) => false,
        };
        if !is_allowed {
            return Err(WriteError::row_denied(ctx.caller, ctx.table));
        }
        check_due_on(changes)?;
        match status.as_deref() {
            Some("refused") if text(changes, "refusal_reason").is_none() => {
                return Err(WriteError::invalid("23514", "Diga por que o item foi recusado."));
            }
            Some("nothing" | "open") => {
                let answered = status.as_deref() == Some("nothing");
                let at = answered.then(|| format_timestamp(ctx.now).into());
                changes.insert("answered_at", at);
                changes.insert("refusal_reason", None);
            }
            _ => {}
        }
        Ok(())
    }

    /// # Errors
    /// `request_state` if an item is not in a state from which the new one follows.
    fn around_update(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        which: &Condition,
        changes: &Row,
    ) -> Result<Vec<String>, WriteError> {
        if let Some(status) = text(changes, "status") {
            let mut query = Query::select();
            query.column(("request_items", "status")).from("request_items");
            let rows = tx.rows(query.cond_where(which.clone()).lock_exclusive())?;
            let before: &[&str] = match status {
                "refused" => &["answered", "nothing", "refused"],
                "nothing" => &["open", "refused"],
                _ => &["nothing"],
            };
            for row in rows.iter() {
                if !before.contains(&row.text(0)?) {
                    return Err(wrong_state());
                }
            }
        }
        let keys = ctx.update_rows(tx, which, changes, None)?;
        if text(changes, "status") == Some("nothing") {
            notify_staff(ctx, tx, &keys)?;
        }
        if text(changes, "status") == Some("refused") {
            files::mark_refused(tx, &keys, ctx.now)?;
            let version = format_timestamp(ctx.now);
            notify::notify(tx, ctx.app, catalog::REQUEST_REFUSED, &keys, &version)?;
        }
        Ok(keys)
    }

    fn around_delete(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        keys: &[String],
    ) -> Result<(), WriteError> {
        files::release(tx, Expr::col("item_id").is_in(keys.iter().map(String::as_str)), ctx.now)?;
        ctx.delete_rows(tx, keys)
    }

    /// The same item of a month is asked for once.
    fn duplicate_key(&self, _ctx: &WriteContext<'_>, _row: &Row) -> Option<DuplicateKey> {
        Some(DuplicateKey { columns: &["client_id", "month", "name"], within: None })
    }

    fn min_text_lengths(&self) -> &'static [(&'static str, usize)] {
        &[("name", 1), ("refusal_reason", 1)]
    }

    fn updatable_columns(&self) -> Option<&'static [&'static str]> {
        Some(&UPDATABLE_COLUMNS)
    }

    fn audit(&self) -> Option<RowNaming> {
        let events =
            [EventName::RequestCreated, EventName::RequestChanged, EventName::RequestDeleted];
        Some(RowNaming::of_columns("request_items", "name", Some("client_id"), events))
    }

    fn export(&self) -> Option<&'static str> {
        Some("solicitacoes.json")
    }
}

/// # Errors
/// 23514.
fn check_due_on(row: &Row) -> Result<(), WriteError> {
    let is_day = |day: &str| day.len() == "YYYY-MM-DD".len() && day.parse::<Date>().is_ok();
    if text(row, "due_on").is_some_and(|day| !is_day(day)) {
        return Err(WriteError::invalid("23514", "O prazo é um dia, como 2026-10-20."));
    }
    Ok(())
}

/// Notifies the staff of items for which their clients have nothing to send.
fn notify_staff(ctx: &WriteContext<'_>, tx: &mut Tx<'_>, keys: &[String]) -> Result<(), Error> {
    if keys.is_empty() {
        return Ok(());
    }
    let mut query = Query::select();
    query.columns(["client_id", "id"]).from("request_items");
    query.and_where(Expr::col("id").is_in(keys.iter().map(String::as_str)));
    for row in tx.rows(&query)?.iter() {
        notify::notify_staff(ctx, tx, row.parse(0)?, Some(row.parse(1)?))?;
    }
    Ok(())
}

/// Derives the status of answered items after files were filed or deleted: with a file that waits an item is answered,
/// without one it is accepted if a file was filed, and otherwise open again.
pub(crate) fn derive_status(tx: &mut Tx<'_>, items: &[String]) -> Result<(), Error> {
    if items.is_empty() {
        return Ok(());
    }
    // Locked by a separate statement, because on PostgreSQL an update that waits for a concurrent change of an item then
    // counts the files as they were before it.
    let mut lock = Query::select();
    lock.column("id").from("request_items");
    lock.and_where(Expr::col("id").is_in(items.iter().map(String::as_str)));
    tx.rows(lock.order_by("id", Order::Asc).lock_exclusive())?;
    let exists = |condition: Expr| {
        let mut files = Query::select();
        files.expr(Expr::cust("1")).from("received_files");
        files.and_where(Expr::col(("received_files", "item_id")).equals(("request_items", "id")));
        Expr::exists(files.and_where(condition).take())
    };
    let file = |column| Expr::col(("received_files", column));
    let waits = file("filed_at").is_null().and(file("refused_at").is_null());
    let status = Expr::case(exists(waits), "answered")
        .case(exists(file("filed_at").is_not_null()), "accepted")
        .finally("open");
    let mut update = Query::update();
    update.table("request_items").value("status", status);
    update.and_where(Expr::col("id").is_in(items.iter().map(String::as_str)));
    tx.execute(update.and_where(Expr::col("status").eq("answered"))).map(drop)
}
