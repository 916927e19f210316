//! One level of the tree that names with slashes make, as a statement.

use sea_query::{Alias, Condition, Expr, ExprTrait, Func, Query, SelectStatement};

use crate::{
    db::{Error, Row, Tx, dialect::Dialect},
    stored_files::object::{COLUMNS, Object},
};

/// The name under which [`level`] stands in the statement around it. Its columns: `label`, which is the name behind
/// the directory's and, of a folder, ends with a slash; `file`, the id of the object, NULL for a folder; and the
/// `created_at` and `updated_at` of the object, or of the folder's oldest one.
pub(crate) const DIRECTORY_ALIAS: &str = "level";

/// What stands right under a directory, given as its name's length, among the objects that meet `condition`.
pub(crate) fn directory_query(
    dialect: Dialect,
    condition: Condition,
    directory: &str,
) -> SelectStatement {
    let behind = i64::try_from(directory.chars().count()).unwrap_or(i64::MAX).saturating_add(1);
    let behind = Expr::val(behind).cast_as("integer");
    let tail = Func::cust("substr").args([Expr::col(("objects", "name")), behind]);
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
            // To add to a folder changes no file that was in it before.
            Expr::case(Expr::col("file").is_null(), oldest("created_at"))
                .finally(oldest("updated_at")),
            "updated_at",
        )
        .from_subquery(labelled, "labelled")
        .add_group_by([Expr::col("label"), Expr::col("file")])
        .take()
}

/// An entry of a level.
#[derive(Debug)]
pub(crate) enum DirectoryEntry {
    /// Its name with the slash.
    Folder(String),
    /// Its name, and what it is.
    File(String, Box<Object>),
}

/// Runs a statement whose first columns are `label` and `file`, and finds the files. Beside each entry stands what
/// the statement gave as third column, if it did.
pub(crate) fn entries(
    tx: &mut Tx<'_>,
    statement: &SelectStatement,
) -> Result<Vec<(DirectoryEntry, Option<String>)>, Error> {
    let rows = tx.rows(statement)?;
    let files = rows.iter().map(|row| row.opt_text(1)).collect::<Result<Vec<_>, _>>()?;
    let ids: Vec<&str> = files.into_iter().flatten().collect();
    let mut objects = std::collections::HashMap::new();
    for ids in ids.chunks(200) {
        let mut query = Query::select();
        query.columns(COLUMNS).from("objects");
        query.and_where(Expr::col("id").is_in(ids.iter().copied()));
        for row in tx.rows(&query)?.iter() {
            let object = Object::read(row)?;
            objects.insert(object.id.clone(), object);
        }
    }
    let entry = |row: Row<'_>| {
        let label = row.text(0)?.to_owned();
        let beside = row.opt_text(2)?.map(str::to_owned);
        let entry = match row.opt_text(1)? {
            None => DirectoryEntry::Folder(label),
            Some(id) => {
                let object = objects
                    .remove(id)
                    .ok_or_else(|| Error::Internal("a listed object is not there".into()))?;
                DirectoryEntry::File(label, Box::new(object))
            }
        };
        Ok((entry, beside))
    };
    rows.iter().map(entry).collect()
}

/// A column of [`LEVEL`].
pub(crate) fn column(name: &'static str) -> Expr {
    Expr::col((Alias::new(DIRECTORY_ALIAS), Alias::new(name)))
}
