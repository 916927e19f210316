//! The rules of the table `documents`, and the consequences of changes: notifications and released files.

use sea_query::{Condition, Expr, ExprTrait, Func, Query, Value as Sql};

use crate::table_write::{
    NewRow, Row, TableHooks, WriteContext, WriteError, parse, parse_keys, text,
};
use crate::{
    audit::{EventName, RowNaming},
    clock::format_timestamp,
    db::{self, MAX_KEYS_PER_STATEMENT, Tx},
    display_name,
    documents::{
        folder_change, model::DocumentStatus, notify, payment, payments, replace_file, trash,
        versions,
    },
    schema::DOCUMENTS_BUCKET,
    stored_files::object,
};

/// Columns that only the server writes.
const SERVER_COLUMNS: [&str; 7] = [
    "was_opened",
    "approval_outcome",
    "retention_expired_at",
    "erased_client_id",
    "published_at",
    "withdrawn_at",
    "withdrawn_client_id",
];

/// The hooks of `documents`.
pub(crate) struct DocumentHooks;

impl TableHooks for DocumentHooks {
    fn before_insert(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        row: &mut Row,
    ) -> Result<(), WriteError> {
        set_search_key(row);
        let is_server_column = |name: &str| SERVER_COLUMNS.contains(&name);
        for column in ctx.table.columns.iter().filter(|column| is_server_column(column.name)) {
            row.insert(column.name, ctx.default(column));
        }
        payment::normalize(row)?;
        payment::set_amount(row)?;
        ctx.check_reference(tx, row, "responsible_id", "staff")?;
        derive_client(ctx, tx, row, true)?;
        set_published_at(ctx, row);
        Ok(())
    }

    fn after_inserts(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        created: &[NewRow<'_>],
    ) -> Result<(), WriteError> {
        let with_client = created.iter().filter(|new| text(new.values, "client_id").is_some());
        let keys: Vec<&str> = with_client.map(|new| new.key).collect();
        Ok(notify::notify_visible(tx, ctx.app, &parse_keys(&keys)?, &[])?)
    }

    fn before_update(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        changes: &mut Row,
    ) -> Result<(), WriteError> {
        set_search_key(changes);
        changes.retain(|name, _| !SERVER_COLUMNS.contains(name));
        payment::normalize(changes)?;
        ctx.check_reference(tx, changes, "responsible_id", "staff")?;
        derive_client(ctx, tx, changes, false)
    }

    fn around_update(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        which: &Condition,
        changes: &Row,
    ) -> Result<Vec<String>, WriteError> {
        let selection = || Query::select().cond_where(which.clone()).take();
        if let Some(folder) = text(changes, "folder_id_supabase") {
            folder_change::check(tx, which, folder)?;
        }
        let replaced = if changes.contains_key("file_url") {
            let owner = parse(changes, "client_id");
            let mut current = replace_file::lock_current_files(tx, selection(), owner)?;
            current.retain(|file| text(changes, "file_url") != Some(file.file_url.as_str()));
            versions::keep::keep(tx, &current, ctx.caller.user(), ctx.now)?;
            current
        } else {
            Vec::new()
        };
        let affects_visibility =
            ["status", "client_id"].iter().any(|name| changes.contains_key(name));
        let before =
            if affects_visibility { notify::snapshot(tx, selection())? } else { Vec::new() };
        let reported = if payment::affects_amount(changes) {
            payments::reported(tx, selection())?
        } else {
            Vec::new()
        };
        let keys = ctx.update_rows(tx, which, changes, None)?;
        replace_file::release_unreferenced(tx, &replaced, ctx.now)?;
        if payment::affects_amount(changes) {
            payment::derive_amounts(tx, &keys)?;
            payments::withdraw_changed(ctx, tx, &reported)?;
        }
        if affects_visibility {
            mark_published(ctx, tx, &keys)?;
            // Canceled first: a mail that waits for another client does not prevent a new one.
            notify::cancel_obsolete(tx, ctx.app, &keys)?;
            notify::notify_visible(tx, ctx.app, &parse_keys(&keys)?, &before)?;
        } else if changes.contains_key("folder_id_supabase") {
            // People who are limited to folders may not reach the new one.
            notify::cancel_obsolete(tx, ctx.app, &keys)?;
        }
        if ["approval_request", "file_url"].iter().any(|name| changes.contains_key(name)) {
            notify::notify_asked(tx, ctx.app, &parse_keys(&keys)?)?;
        }
        Ok(keys)
    }

    /// Locks the documents.
    ///
    /// # Errors
    /// `document_held` for a document on legal hold.
    fn before_delete(
        &self,
        _ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        which: &Condition,
    ) -> Result<(), WriteError> {
        let selection = Query::select().cond_where(which.clone()).take();
        replace_file::lock_current_files(tx, selection, None).map(drop)
    }

    /// Moves the documents to the trash. A file becomes unreachable under its name, unless another document refers to it.
    /// Cancels the mails about the documents that have not left.
    fn around_delete(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        keys: &[String],
    ) -> Result<(), WriteError> {
        let these = Expr::col("id").is_in(keys.iter().map(String::as_str));
        trash::add::add(ctx, tx, keys)?;
        object::release(tx, &object::only_referenced_by(&these), ctx.now)?;
        ctx.delete_rows(tx, keys)?;
        Ok(notify::cancel_obsolete(tx, ctx.app, keys)?)
    }

    fn min_text_lengths(&self) -> &'static [(&'static str, usize)] {
        &[("legal_hold_reason", 1)]
    }

    fn audit(&self) -> Option<RowNaming> {
        let events =
            [EventName::DocumentCreated, EventName::DocumentChanged, EventName::DocumentDeleted];
        let naming = RowNaming::of_columns("documents", "name", Some("client_id"), events);
        // A withdrawn document still belongs to the client it was withdrawn from, whose erasure finds the event.
        let client =
            ["client_id", "withdrawn_client_id"].map(|name| Expr::col(("documents", name)));
        Some(naming.with_person(("documents", "name"), Func::coalesce(client)))
    }

    fn export(&self) -> Option<&'static str> {
        Some("documentos.json")
    }
}

/// The hooks of new documents of which the client is not notified: those of the table, without the notifications.
pub(crate) struct SilentDocumentHooks;

impl TableHooks for SilentDocumentHooks {
    fn before_insert(
        &self,
        ctx: &WriteContext<'_>,
        tx: &mut Tx<'_>,
        row: &mut Row,
    ) -> Result<(), WriteError> {
        DocumentHooks.before_insert(ctx, tx, row)
    }

    fn min_text_lengths(&self) -> &'static [(&'static str, usize)] {
        DocumentHooks.min_text_lengths()
    }

    fn audit(&self) -> Option<RowNaming> {
        DocumentHooks.audit()
    }
}

/// Sets the time at which the client of a new document could first open it, unless the document waits for its release.
fn set_published_at(ctx: &WriteContext<'_>, row: &mut Row) {
    let is_pending = text(row, "status") == Some(DocumentStatus::PENDING);
    if !is_pending && text(row, "client_id").is_some() {
        row.insert("published_at", Some(format_timestamp(ctx.now).into()));
    }
}

/// Sets the time at which the clients of changed documents could first open them.
fn mark_published(
    ctx: &WriteContext<'_>,
    tx: &mut Tx<'_>,
    keys: &[String],
) -> Result<(), WriteError> {
    for keys in keys.chunks(MAX_KEYS_PER_STATEMENT) {
        let mut update = Query::update();
        update.table("documents").value("published_at", format_timestamp(ctx.now));
        update.and_where(Expr::col("id").is_in(keys.iter().map(String::as_str)));
        update.and_where(Expr::col("published_at").is_null());
        update.and_where(Expr::col("client_id").is_not_null());
        update.and_where(Expr::col("status").ne(DocumentStatus::PENDING));
        tx.execute(&update)?;
    }
    Ok(())
}

/// Derives `search_name`, the column for search, from the name. A value from the caller is discarded.
fn set_search_key(row: &mut Row) {
    row.remove("search_name");
    if let Some(name) = text(row, "name") {
        let key = display_name::search_key(name);
        row.insert("search_name", Some(key.into()));
    }
}

/// Client and folder, as a document with a new file needs them.
struct Place {
    /// The member of the staff who is responsible for the client.
    responsible: Option<String>,
    /// Whether the folder is archived.
    is_archived: bool,
}

/// Returns the client with an id, and the state of a folder.
fn find_place(tx: &mut Tx<'_>, client: &str, folder: &str) -> Result<Option<Place>, db::Error> {
    let mut responsible = Query::select();
    responsible.column("staff_id").from("client_assignments");
    responsible.and_where(Expr::col(("client_assignments", "client_id")).equals(("clients", "id")));
    responsible.and_where(Expr::col("is_responsible").eq(true));
    let mut query = Query::select();
    query.expr(Expr::SubQuery(None, Box::new(responsible.into())));
    let mut archived_at = Query::select();
    archived_at.column("archived_at").from("folders");
    archived_at.and_where(Expr::col("id_supabase").eq(folder));
    query.expr(Expr::SubQuery(None, Box::new(archived_at.into())));
    query.from("clients").and_where(Expr::col(("clients", "id")).eq(client));
    let rows = tx.rows(&query)?;
    let Some(row) = rows.first() else { return Ok(None) };
    let responsible = row.opt_text(0)?.map(str::to_owned);
    Ok(Some(Place { responsible, is_archived: row.opt_text(1)?.is_some() }))
}

/// Derives the client of a document from the path of its file, `public/{client}/{folder}/{file}`
/// (docs/protocol/rest.md, section 6.4). Without another person, the one who is responsible for the client is responsible
/// for a new document.
///
/// # Errors
/// 23503 if file, folder or client do not exist, if the folder of a new document is archived, or if the payload names
/// another client.
fn derive_client(
    ctx: &WriteContext<'_>,
    tx: &mut Tx<'_>,
    row: &mut Row,
    is_new: bool,
) -> Result<(), WriteError> {
    let missing = || WriteError::foreign_key(ctx.table.name);
    let Some(path) = row.get("file_url").cloned() else {
        // Without a new file the document would disclose its file to another client.
        return if row.contains_key("client_id") { Err(missing()) } else { Ok(()) };
    };
    let Some(Sql::String(Some(path))) = path else { return Ok(()) };
    let mut segments = path.split('/');
    let (Some("public"), Some(client), Some(folder), Some(_), None) =
        (segments.next(), segments.next(), segments.next(), segments.next(), segments.next())
    else {
        return Err(missing());
    };
    let folder_matches = text(row, "folder_id_supabase") == Some(folder);
    // The lock prevents a concurrent deletion of the file before the document refers to it.
    let object = object::lock(tx, object::by_name(DOCUMENTS_BUCKET, &[&path]))?.pop();
    let object = object.ok_or_else(missing)?;
    let place = find_place(tx, client, folder)?.ok_or_else(missing)?;
    // A document may move to another folder later; its file stays where it is.
    if is_new && (!folder_matches || place.is_archived) {
        return Err(missing());
    }
    if is_new && row.get("responsible_id").is_none_or(Option::is_none) {
        row.insert("responsible_id", place.responsible.map(Into::into));
    }
    if row.get("client_id").cloned().flatten().is_some_and(|given| given != client.into()) {
        return Err(missing());
    }
    if !is_new {
        // A new file publishes a withdrawn document again.
        row.insert("withdrawn_at", None);
        row.insert("withdrawn_client_id", None);
    }
    // The answer was about the former file.
    row.insert("approval_outcome", None);
    row.insert("client_id", Some(client.into()));
    row.insert("size", Some(i64::try_from(object.size).unwrap_or(i64::MAX).into()));
    Ok(())
}
