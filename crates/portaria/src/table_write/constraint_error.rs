//! Maps constraint violations to rejections: unique and foreign keys, `NOT NULL`, `CHECK`.
//!
//! The two databases report different details. Where one reports less, a query finds the violated constraint, so that
//! a client receives the same error from both.

use sea_query::{Alias, Expr, ExprTrait, Query, Value as Sql};

use crate::table_write::{Row, WriteError};
use crate::{
    db::{Error, Tx},
    schema::{Relation, Table, tables::RELATIONS},
};

/// Maps a failed insert or update of `row` to an error with PostgreSQL's code and message.
pub(crate) fn explain_row(tx: &mut Tx<'_>, table: &Table, row: &Row, error: Error) -> WriteError {
    let name = table.name;
    match error {
        Error::Unique(constraint) => {
            let constraint = first_violated(tx, table, row, constraint);
            let column = key_column(table, &constraint);
            let error = WriteError::conflict(
                "23505",
                format!("duplicate key value violates unique constraint \"{constraint}\""),
            );
            match column.and_then(|column| key_detail(row, column)) {
                Some(pair) => error.details(format!("Key {pair} already exists.")),
                None => error,
            }
        }
        Error::ForeignKey(constraint) => {
            match missing_parent(tx, table, row, constraint.as_deref()) {
                Some(relation) => {
                    let pair = key_detail(row, relation.column).unwrap_or_default();
                    WriteError::conflict(
                        "23503",
                        format!("insert or update on table \"{name}\" violates foreign key constraint \"{}\"", relation.name),
                    )
                    .details(format!("Key {pair} is not present in table \"{}\".", relation.parent.table().name))
                }
                None => still_referenced(table, constraint.as_deref()),
            }
        }
        Error::NotNull(column) => WriteError::not_null(table, &column),
        Error::Check(constraint) => WriteError::check_violation(table, &constraint),
        other => other.into(),
    }
}

/// Names the constraint to report when a row violates several.
///
/// The databases check unique keys in different orders. PostgreSQL reports the primary key first; after its failed
/// statement the query finds nothing, and its own answer stays.
fn first_violated(tx: &mut Tx<'_>, table: &Table, row: &Row, reported: String) -> String {
    let Some(key) = row.get(table.key).cloned().flatten() else { return reported };
    let mut taken = Query::select();
    taken.column(Alias::new(table.key)).from(Alias::new(table.name));
    taken.and_where(Expr::col(Alias::new(table.key)).eq(key)).limit(1);
    let is_taken = tx.rows(&taken).is_ok_and(|rows| !rows.is_empty());
    if is_taken { format!("{}_pkey", table.name) } else { reported }
}

/// Maps a failed deletion of the selected rows to an error that names the table that still refers to them.
pub(crate) fn explain_deletion(
    tx: &mut Tx<'_>,
    table: &Table,
    selection: &Expr,
    error: Error,
) -> WriteError {
    let Error::ForeignKey(constraint) = error else { return error.into() };
    // SQLite does not name the violated foreign key, so a query finds it. PostgreSQL names it, and its failed
    // transaction could not run a query.
    let is_referenced = |tx: &mut Tx<'_>, relation: &Relation| {
        let parents = Query::select()
            .column(Alias::new(relation.parent_column))
            .from(Alias::new(table.name))
            .and_where(selection.clone())
            .take();
        let mut children = Query::select();
        children.column(Alias::new(relation.column)).from(Alias::new(relation.child.table().name));
        children.and_where(Expr::col(Alias::new(relation.column)).in_subquery(parents)).limit(1);
        tx.rows(&children).is_ok_and(|rows| !rows.is_empty())
    };
    let mut relations = RELATIONS.iter().filter(|relation| relation.parent == table.id);
    let found = match &constraint {
        Some(name) => relations.find(|relation| relation.name == name),
        None => relations.find(|relation| is_referenced(tx, relation)),
    };
    still_referenced(table, found.map(|relation| relation.name))
}

fn still_referenced(table: &Table, constraint: Option<&str>) -> WriteError {
    let relation = RELATIONS.iter().find(|relation| Some(relation.name) == constraint);
    let message = format!(
        "update or delete on table \"{}\" violates foreign key constraint \"{}\"",
        table.name,
        relation.map_or("", |relation| relation.name)
    );
    match relation {
        Some(relation) => WriteError::conflict(
            "23503",
            format!("{message} on table \"{}\"", relation.child.table().name),
        ),
        None => WriteError::conflict("23503", message),
    }
}

/// Finds the relation whose parent row does not exist.
fn missing_parent(
    tx: &mut Tx<'_>,
    table: &Table,
    row: &Row,
    constraint: Option<&str>,
) -> Option<&'static Relation> {
    let mut relations = RELATIONS.iter().filter(|relation| relation.child == table.id);
    if let Some(name) = constraint {
        return relations.find(|relation| relation.name == name);
    }
    relations.find(|relation| {
        let Some(value) = row.get(relation.column).cloned().flatten() else { return false };
        let mut parent = Query::select();
        parent
            .column(Alias::new(relation.parent_column))
            .from(Alias::new(relation.parent.table().name));
        parent.and_where(Expr::col(Alias::new(relation.parent_column)).eq(value)).limit(1);
        tx.rows(&parent).is_ok_and(|rows| rows.is_empty())
    })
}

/// Returns the column of a constraint named `{table}_{column}_key` or `{table}_pkey`.
fn key_column<'a>(table: &'a Table, constraint: &str) -> Option<&'a str> {
    let name = constraint.strip_prefix(table.name)?.strip_prefix('_')?;
    if name == "pkey" {
        Some(table.key)
    } else {
        name.strip_suffix("_key")
            .and_then(|name| table.unique.iter().find(|column| **column == name).copied())
    }
}

/// Formats `(column)=(value)` for `details`. The value is one that the caller sent.
fn key_detail(row: &Row, column: &str) -> Option<String> {
    match row.get(column).cloned().flatten()? {
        Sql::String(Some(text)) => Some(format!("({column})=({text})")),
        Sql::BigInt(Some(number)) => Some(format!("({column})=({number})")),
        Sql::Bool(Some(value)) => Some(format!("({column})=({value})")),
        _ => None,
    }
}
