//! The rules of the table `ticket_attachments`: a file under its ticket, at a message of the caller's side.

use jiff::Timestamp;
use sea_query::{Condition, Expr, ExprTrait, Query};

use crate::table_write::{DuplicateKey, Row, TableHooks, WriteContext, WriteError, text};
use crate::{
    db::{Error, Tx},
    schema::{ATTACHMENTS_BUCKET, STAFF_PREFIX},
    stored_files::{given_names, object},
};

/// Maximum number of attachments of one message.
const MAX_FILES_PER_MESSAGE: i64 = 20;

/// The hooks of `ticket_attachments`.
pub(crate) struct AttachmentHooks;

impl TableHooks for AttachmentHooks {
    /// Checks that an attachment refers to a file under its ticket and to a message of the caller's side.
    ///
    /// # Errors
    /// 42501 for clients and 23503 for staff, equally for rows that do not exist and for rows of others.
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
        let given = |name| {
            let text = text(row, name).map(str::to_owned);
            text.ok_or_else(|| WriteError::not_null(ctx.table, name))
        };
        let (message, path) = (given("message_id")?, given("file_url")?);
        let mut query = Query::select();
        query.columns([("tickets", "id"), ("ticket_messages", "client_id")]);
        query.from("ticket_messages").inner_join(
            "tickets",
            Expr::col(("tickets", "id")).equals(("ticket_messages", "ticket_id")),
        );
        query.and_where(Expr::col(("ticket_messages", "id")).eq(message));
        query.and_where(match ctx.access.owner() {
            Some(_) => Expr::col(("ticket_messages", "author_id")).eq(ctx.caller.user()),
            None => Expr::col(("ticket_messages", "from_staff")).eq(true),
        });
        let rows = tx.rows(&query)?;
        let found = rows.first().ok_or_else(denied)?;
        let client = ctx.access.owner().map(|(_, client)| client);
        let sender = client.map_or_else(|| STAFF_PREFIX.to_owned(), |client| client.to_string());
        let prefix = format!("{sender}/{}/", found.text(0)?);
        let object = object::lock(tx, object::by_name(ATTACHMENTS_BUCKET, &[&path]))?.pop();
        let object = object.filter(|object| object.name.starts_with(&prefix)).ok_or_else(denied)?;
        let client_id = found.opt_text(1)?.map(Into::into);
        if !ctx.access.is_unrestricted() && object.owner_id != ctx.caller.user() {
            return Err(denied());
        }
        row.insert("client_id", client_id);
        let name = text(row, "name").map(|name| given_names::with_extension(name, &object.name));
        row.insert("name", name.map(Into::into));
        row.insert("size", Some(i64::try_from(object.size).unwrap_or(i64::MAX).into()));
        Ok(())
    }

    /// Checks the number of attachments of the message.
    fn after_insert(
        &self,
        _ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        row: &Row,
    ) -> Result<(), WriteError> {
        let Some(message) = text(row, "message_id") else { return Ok(()) };
        let mut query = Query::select();
        query.expr(Expr::cust("count(*)")).from("ticket_attachments");
        let rows = tx.rows(query.and_where(Expr::col("message_id").eq(message)))?;
        let files = rows.first().map(|row| row.int(0)).transpose()?.unwrap_or(0);
        if files <= MAX_FILES_PER_MESSAGE {
            return Ok(());
        }
        let message = format!("A message holds at most {MAX_FILES_PER_MESSAGE} files");
        Err(WriteError::invalid("23514", message))
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
        release(tx, Expr::col("id").is_in(keys.iter().map(String::as_str)), ctx.now)?;
        ctx.delete_rows(tx, keys)
    }

    /// The same file at the same message is one attachment.
    fn duplicate_key(&self, _ctx: &WriteContext<'_>, _row: &Row) -> Option<DuplicateKey> {
        Some(DuplicateKey { columns: &["message_id", "file_url"], within: None })
    }

    /// An attachment stays with its message; only its name can change.
    fn updatable_columns(&self) -> Option<&'static [&'static str]> {
        Some(&["name"])
    }

    fn export(&self) -> Option<&'static str> {
        Some("anexos.json")
    }
}

/// Releases the files of the attachments that meet a condition. The caller deletes the rows.
pub(crate) fn release(tx: &mut Tx<'_>, attachments: Expr, now: Timestamp) -> Result<(), Error> {
    let files =
        Query::select().column("file_url").from("ticket_attachments").and_where(attachments).take();
    object::release(tx, &object::of_attachments(files), now)?;
    Ok(())
}
