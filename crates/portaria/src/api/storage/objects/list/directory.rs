//! SQL for one directory level of object names, whose segments are separated by slashes.

use sea_query::{Alias, Condition, Expr, ExprTrait, Func, Query, SelectStatement};

use crate::{
    db::{Error, Row, Tx, dialect::Dialect},
    security::ids::ObjectId,
    stored_files::object::{COLUMNS, Object},
};

/// Alias of [`directory_query`] as a subquery. Its columns are:
///
/// - `label`: the name relative to the directory; the label of a folder ends with a slash,
/// - `file`: the object's id, NULL for a folder,
/// - `created_at` and `updated_at`: of the object, or of the oldest object in the folder.
pub(crate) const DIRECTORY_ALIAS: &str = "level";

/// Selects the direct children of `directory` among the objects that meet `condition`. The condition must restrict
/// names to that directory, because the statement only cuts off as many characters as the directory's name has.
pub(crate) fn directory_query(
    dialect: Dialect,
    condition: Condition,
    directory: &str,
) -> SelectStatement {
    let start = i64::try_from(directory.chars().count()).unwrap_or(i64::MAX).saturating_add(1);
    let start = Expr::val(start).cast_as("integer");
    let tail = Func::cust("substr").args([Expr::col(("objects", "name")), start]);
    let inside = Query::select()
        .columns(["id", "created_at", "updated_at"])
        .expr_as(tail, "tail")
        .from("objects")
        .cond_where(condition)
        .take();

    let slash = || dialect.position(Expr::col("tail"), "/");
    let is_folder = || slash().gt(Expr::cust("0"));
    let folder = Func::cust("substr").args([Expr::col("tail"), Expr::cust("1"), slash()]);
    let labelled = Query::select()
        .columns(["created_at", "updated_at"])
        .expr_as(Expr::case(is_folder(), folder).finally(Expr::col("tail")), "label")
        .expr_as(Expr::case(is_folder().not(), Expr::col("id")), "file")
        .from_subquery(inside, "inside")
        .take();

    let oldest = |column: &'static str| Expr::from(Func::min(Expr::col(column)));
    Query::select()
        .columns(["label", "file"])
        .expr_as(oldest("created_at"), "created_at")
        .expr_as(
            // The oldest object keeps a folder's position stable when files are added.
            Expr::case(Expr::col("file").is_null(), oldest("created_at"))
                .finally(oldest("updated_at")),
            "updated_at",
        )
        .from_subquery(labelled, "labelled")
        .add_group_by([Expr::col("label"), Expr::col("file")])
        .take()
}

/// A child of a directory.
#[derive(Debug)]
pub(crate) enum DirectoryEntry {
    /// Label with a trailing slash.
    Folder(String),
    /// Label and object.
    File(String, Box<Object>),
}

/// Runs a statement with the columns `label`, `file` and a nullable third one, and loads the objects. Returns each
/// entry with the value of the third column.
pub(crate) fn entries(
    tx: &mut Tx<'_>,
    statement: &SelectStatement,
) -> Result<Vec<(DirectoryEntry, Option<String>)>, Error> {
    let rows = tx.rows(statement)?;
    let files = rows.iter().map(|row| row.opt_parse(1)).collect::<Result<Vec<_>, _>>()?;
    let ids: Vec<ObjectId> = files.into_iter().flatten().collect();
    let mut objects = std::collections::HashMap::new();
    for ids in ids.chunks(200) {
        let mut query = Query::select();
        query.columns(COLUMNS).from("objects");
        query.and_where(Expr::col("id").is_in(ids.iter().copied()));
        for row in tx.rows(&query)?.iter() {
            let object = Object::read(row)?;
            objects.insert(object.id, object);
        }
    }
    let entry = |row: Row<'_>| {
        let label = row.text(0)?.to_owned();
        let third = row.opt_text(2)?.map(str::to_owned);
        let entry = match row.opt_parse(1)? {
            None => DirectoryEntry::Folder(label),
            Some(id) => {
                let object = objects
                    .remove(&id)
                    .ok_or_else(|| Error::Internal("listed object not found".into()))?;
                DirectoryEntry::File(label, Box::new(object))
            }
        };
        Ok((entry, third))
    };
    rows.iter().map(entry).collect()
}

/// A column of [`DIRECTORY_ALIAS`].
pub(crate) fn column(name: &'static str) -> Expr {
    Expr::col((Alias::new(DIRECTORY_ALIAS), Alias::new(name)))
}
