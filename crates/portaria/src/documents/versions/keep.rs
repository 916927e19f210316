//! Keeps the files of documents as versions, before they are replaced.

use jiff::Timestamp;
use sea_query::{Expr, ExprTrait, Func, Order, Query};
use serde_json::json;
use uuid::Uuid;

use crate::{
    clock::format_timestamp,
    db::{Error, Tx},
    documents::{
        replace_file::CurrentFile,
        versions::{self, MAX_VERSIONS},
    },
    schema::{DOCUMENTS_BUCKET, VERSIONS_BUCKET},
    security::{ids::UserId, keys},
    stored_files::object::{self, NewObject, Object},
};

/// First segment of the name of a file whose document has no client.
const NO_CLIENT: &str = "none";

/// Keeps the files of documents that the caller of this function has locked. `by` is the person who replaces them; `None`
/// for a program.
pub(crate) fn keep(
    tx: &mut Tx<'_>,
    files: &[CurrentFile],
    by: Option<UserId>,
    now: Timestamp,
) -> Result<(), Error> {
    for file in files {
        let object = object::lock(tx, object::by_name(DOCUMENTS_BUCKET, &[&file.file_url]))?.pop();
        let Some(object) = object else { continue };
        insert(tx, file, &object, by, now)?;
        remove_oldest(tx, file, now)?;
    }
    Ok(())
}

/// Keeps the content of a file that the storage API overwrites, for each document that refers to it.
pub(crate) fn keep_overwritten(
    tx: &mut Tx<'_>,
    name: &str,
    by: Option<UserId>,
    now: Timestamp,
) -> Result<(), Error> {
    // A withdrawn document still belongs to the client it was withdrawn from.
    let client = Func::coalesce([Expr::col("client_id"), Expr::col("withdrawn_client_id")]);
    let mut query = Query::select();
    query.column("id").expr(client).column("file_url").from("documents");
    query.and_where(Expr::col("file_url").eq(name)).order_by("id", Order::Asc).lock_exclusive();
    let rows = tx.rows(&query)?;
    let read = |row: crate::db::Row<'_>| {
        let file_url = row.text(2)?.to_owned();
        Ok::<_, Error>(CurrentFile { document: row.parse(0)?, client: row.opt_parse(1)?, file_url })
    };
    let files = rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    keep(tx, &files, by, now)
}

fn insert(
    tx: &mut Tx<'_>,
    file: &CurrentFile,
    object: &Object,
    by: Option<UserId>,
    now: Timestamp,
) -> Result<(), Error> {
    let (id, name) = (keys::new_id(now).to_string(), file_name(&object.name));
    let client = file.client.map_or_else(|| NO_CLIENT.to_owned(), |client| client.to_string());
    let copy = NewObject {
        bucket_id: VERSIONS_BUCKET.into(),
        name: format!("{client}/{}/{}", file.document, object::unique_file_name(&id, name)),
        ..object.properties()
    };
    object::insert(tx, &copy, &object.blob(), false, now)?;
    let size = i64::try_from(object.size).unwrap_or(i64::MAX);
    let values = values_of_file(tx, file)?;
    tx.insert(
        "document_versions",
        [
            ("id", id.into()),
            ("document_id", file.document.into()),
            ("client_id", file.client.into()),
            ("name", name.into()),
            ("file_url", copy.name.into()),
            ("size", size.into()),
            ("sha256", object.sha256.as_str().into()),
            ("uploaded_at", object.updated_at.as_str().into()),
            ("replaced_at", format_timestamp(now).into()),
            ("replaced_by_id", by.into()),
            ("document_values", values.into()),
        ],
    )
}

/// Returns the values of a document that are about its present file, as JSON: what it asks to pay, until when, and for which
/// month.
fn values_of_file(tx: &mut Tx<'_>, file: &CurrentFile) -> Result<Option<String>, Error> {
    let mut query = Query::select();
    query.columns(["amount_cents", "payment_line", "pix_code", "expires_at", "reference_month"]);
    query.from("documents").and_where(Expr::col("id").eq(file.document));
    let rows = tx.rows(&query)?;
    let Some(row) = rows.first() else { return Ok(None) };
    let values = json!({
        "amount_cents": row.opt_int(0)?,
        "payment_line": row.opt_text(1)?,
        "pix_code": row.opt_text(2)?,
        "expires_at": row.opt_text(3)?,
        "reference_month": row.opt_text(4)?,
    });
    Ok(Some(values.to_string()))
}

/// Removes the oldest versions of a document beyond the maximum number.
fn remove_oldest(tx: &mut Tx<'_>, file: &CurrentFile, now: Timestamp) -> Result<(), Error> {
    let mut kept = Query::select();
    kept.column("id").from("document_versions");
    kept.and_where(Expr::col("document_id").eq(file.document));
    kept.order_by("replaced_at", Order::Desc).order_by("id", Order::Desc).limit(MAX_VERSIONS);
    let mut ids = Vec::new();
    for row in tx.rows(&kept)?.iter() {
        ids.push(row.text(0)?.to_owned());
    }
    if (ids.len() as u64) < MAX_VERSIONS {
        return Ok(());
    }
    let is_old = Expr::col("document_id").eq(file.document).and(Expr::col("id").is_not_in(ids));
    versions::remove(tx, &is_old, now)
}

/// Returns the last segment of an object's name without the time or the id that makes it unique.
fn file_name(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    let after_id = name.get(36..).and_then(|rest| rest.strip_prefix('-'));
    if let (Some(id), Some(rest)) = (name.get(..36), after_id)
        && Uuid::parse_str(id).is_ok()
        && !rest.is_empty()
    {
        return rest;
    }
    match name.split_once('-') {
        Some((time, rest))
            if time.len() >= 10 && time.bytes().all(|b| b.is_ascii_digit()) && !rest.is_empty() =>
        {
            rest
        }
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use crate::documents::versions::keep::file_name;

    #[test]
    fn file_name_has_no_time_and_no_id() {
        for (path, expected) in [
            ("public/a/b/1764200000000-Guia de novembro.pdf", "Guia de novembro.pdf"),
            ("public/a/b/0198c0de-0000-7000-8000-000000000001-guia.pdf", "guia.pdf"),
            ("public/a/b/12-2026 guia.pdf", "12-2026 guia.pdf"),
            ("public/a/b/1764200000000-", "1764200000000-"),
            ("guia.pdf", "guia.pdf"),
        ] {
            assert_eq!(file_name(path), expected);
        }
    }
}
