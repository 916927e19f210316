//! The rules of the table `received_files`: a file below its item, or without one, of the client.

use jiff::Timestamp;
use sea_query::{Condition, Expr, ExprTrait, Query};

use crate::table_write::{
    DuplicateKey, Parent, RateLimit, Row, TableHooks, WriteContext, WriteError, parse, text,
};
use crate::{
    audit::{EventName, RowNaming},
    clock::format_timestamp,
    db::{Error, Tx},
    requests::{ITEMS, UNREQUESTED, items, notify, wrong_state},
    schema::RECEIVED_BUCKET,
    stored_files::{given_names, object},
};

/// Maximum number of files of one item.
const MAX_FILES_PER_ITEM: i64 = 20;
/// Maximum number of files that a client may send per minute.
const MAX_PER_MINUTE: u64 = 60;

/// The item of a file. The lock serializes answers to one item.
const ITEM: Parent =
    Parent { table: ITEMS, reference: "item_id", owner: "client_id", is_locked: true };

/// The hooks of `received_files`.
pub(crate) struct ReceivedFileHooks;

impl TableHooks for ReceivedFileHooks {
    /// Checks that the row refers to a file of the client below its item.
    ///
    /// # Errors
    /// 42501 for clients and 23503 for staff, equally for rows that do not exist and for rows of others;
    /// `request_state` for an accepted item.
    fn before_insert(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        row: &mut Row,
    ) -> Result<(), WriteError> {
        let denied = || match ctx.access.owner() {
            Some(_) => WriteError::row_denied(ctx.caller, ctx.table),
            None => WriteError::foreign_key(ctx.table.name),
        };
        let path = text(row, "file_url").map(str::to_owned);
        let path = path.ok_or_else(|| WriteError::not_null(ctx.table, "file_url"))?;
        let item = text(row, "item_id").map(str::to_owned);
        if item.is_some() {
            let client = ctx.parent_owner(tx, row, ITEM)?;
            row.insert("client_id", client);
        } else {
            ctx.check_reference(tx, row, "client_id", "clients")?;
        }
        let client = text(row, "client_id").ok_or_else(denied)?;
        let prefix = format!("{client}/{}/", item.as_deref().unwrap_or(UNREQUESTED));
        let object = object::lock(tx, object::by_name(RECEIVED_BUCKET, &[&path]))?.pop();
        let object = object.filter(|object| object.name.starts_with(&prefix)).ok_or_else(denied)?;
        if !ctx.access.is_unrestricted() && object.owner_id != ctx.caller.user() {
            return Err(denied());
        }
        if let Some(item) = &item {
            require_open(tx, item)?;
        }
        let name = text(row, "name").map(|name| given_names::with_extension(name, &object.name));
        row.insert("name", name.map(Into::into));
        row.insert("size", Some(i64::try_from(object.size).unwrap_or(i64::MAX).into()));
        for column in ["refused_at", "filed_at", "document_id"] {
            row.insert(column, None);
        }
        Ok(())
    }

    /// Answers the item, and notifies the staff.
    ///
    /// # Errors
    /// 23514 for more files than an item holds.
    fn after_insert(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        row: &Row,
    ) -> Result<(), WriteError> {
        if let Some(client) = parse(row, "client_id") {
            notify::notify_staff(ctx, tx, client, parse(row, "item_id"))?;
        }
        let Some(item) = text(row, "item_id") else { return Ok(()) };
        let mut query = Query::select();
        query.expr(Expr::cust("count(*)")).from("received_files");
        let rows = tx.rows(query.and_where(Expr::col("item_id").eq(item)))?;
        let files = rows.first().map(|row| row.int(0)).transpose()?.unwrap_or(0);
        if files > MAX_FILES_PER_ITEM {
            let message = format!("Um item tem no máximo {MAX_FILES_PER_ITEM} arquivos.");
            return Err(WriteError::invalid("23514", message));
        }
        let now = format_timestamp(ctx.now);
        let mut update = Query::update();
        update.table("request_items").values([
            ("status", "answered".into()),
            ("refusal_reason", Option::<String>::None.into()),
            ("answered_at", now.as_str().into()),
            ("updated_at", now.as_str().into()),
        ]);
        tx.execute(update.and_where(Expr::col("id").eq(item)))?;
        Ok(())
    }

    /// A client cannot take back a file that became a document.
    ///
    /// # Errors
    /// `file_filed`.
    fn before_delete(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        which: &Condition,
    ) -> Result<(), WriteError> {
        let mut query = Query::select();
        query.column(("received_files", "filed_at")).from("received_files");
        let rows = tx.rows(query.cond_where(which.clone()).lock_exclusive())?;
        for row in rows.iter() {
            if row.opt_text(0)?.is_some() && !ctx.caller.is_staff() {
                return Err(already_filed());
            }
        }
        Ok(())
    }

    /// # Errors
    /// 23514 for a name with another extension than the file's.
    fn around_update(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        which: &Condition,
        changes: &Row,
    ) -> Result<Vec<String>, WriteError> {
        given_names::require_extensions(ctx, tx, which, changes)?;
        ctx.update_rows(tx, which, changes, None)
    }

    fn around_delete(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        keys: &[String],
    ) -> Result<(), WriteError> {
        let these = || Expr::col("id").is_in(keys.iter().map(String::as_str));
        let mut query = Query::select();
        query.column("item_id").from("received_files").and_where(these());
        let rows = tx.rows(query.and_where(Expr::col("item_id").is_not_null()))?;
        let answered: Vec<String> =
            rows.iter().map(|row| row.text(0).map(str::to_owned)).collect::<Result<_, _>>()?;
        release(tx, these(), ctx.now)?;
        ctx.delete_rows(tx, keys)?;
        Ok(items::derive_status(tx, &answered)?)
    }

    /// The same file is one row.
    fn duplicate_key(&self, _ctx: &WriteContext<'_>, _row: &Row) -> Option<DuplicateKey> {
        Some(DuplicateKey { columns: &["client_id", "file_url"], within: None })
    }

    fn rate_limit(&self) -> Option<RateLimit> {
        Some(RateLimit { per_minute: MAX_PER_MINUTE, counted: Condition::all() })
    }

    /// A file stays with its item; only its name can change.
    fn updatable_columns(&self) -> Option<&'static [&'static str]> {
        Some(&["name"])
    }

    fn audit(&self) -> Option<RowNaming> {
        let events = [
            EventName::ReceivedFileCreated,
            EventName::ReceivedFileChanged,
            EventName::ReceivedFileDeleted,
        ];
        Some(RowNaming::of_columns("received_files", "name", Some("client_id"), events))
    }

    fn export(&self) -> Option<&'static str> {
        Some("arquivos-enviados.json")
    }
}

/// The rejection of a change to a file that became a document.
pub(crate) fn already_filed() -> WriteError {
    WriteError::conflict("file_filed", "O escritório já arquivou este arquivo.")
}

/// # Errors
/// `request_state` for an accepted item.
fn require_open(tx: &mut Tx<'_>, item: &str) -> Result<(), WriteError> {
    let mut query = Query::select();
    query.column("id").from("request_items").and_where(Expr::col("id").eq(item));
    let rows = tx.rows(query.and_where(Expr::col("status").eq("accepted")))?;
    if rows.is_empty() { Ok(()) } else { Err(wrong_state()) }
}

/// Marks the files of refused items that are not filed.
pub(crate) fn mark_refused(tx: &mut Tx<'_>, items: &[String], now: Timestamp) -> Result<(), Error> {
    let mut update = Query::update();
    update.table("received_files").value("refused_at", format_timestamp(now));
    update.and_where(Expr::col("item_id").is_in(items.iter().map(String::as_str)));
    update.and_where(Expr::col("filed_at").is_null());
    tx.execute(update.and_where(Expr::col("refused_at").is_null())).map(drop)
}

/// Deletes the objects of the files that meet a condition. The caller deletes the rows.
pub(crate) fn release(tx: &mut Tx<'_>, files: Expr, now: Timestamp) -> Result<(), Error> {
    let mut names = Query::select();
    names.column("file_url").from("received_files").and_where(files);
    names.and_where(Expr::col("file_url").is_not_null());
    object::release(tx, &object::of_received_files(names.take()), now).map(drop)
}
