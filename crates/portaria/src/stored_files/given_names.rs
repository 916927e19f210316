//! The names that people give files. Such a name keeps the extension of its object, which was checked when the file was
//! stored: another one could make a program of the file on the computer of the person who downloads it.

use sea_query::{Condition, Expr, ExprTrait, Order, Query};

use crate::{
    db::{Error, Tx},
    display_name::sanitize_display_name,
    stored_files::file_type,
    table_write::{Row, WriteContext, WriteError, text},
};

/// Maximum number of characters of a name that a person gave.
const MAX_CHARS: usize = 255;

/// The tables with names that people gave files.
const TABLES: [&str; 3] = ["ticket_attachments", "received_files", "inbox_files"];

/// Number of rows that one query reads.
const PAGE_SIZE: u64 = 500;

/// Returns a name that a person gave a file, with the extension of its object.
pub(crate) fn with_extension(name: &str, object: &str) -> String {
    let extension = file_type::extension(object);
    if has_extension(name, object) {
        return name.to_owned();
    }
    let room = MAX_CHARS.saturating_sub(extension.len() + 1);
    let name: String = name.chars().take(room).collect();
    format!("{}.{extension}", name.trim_end_matches(['.', ' ']))
}

/// Whether a name has the extension of an object, if that has one.
fn has_extension(name: &str, object: &str) -> bool {
    let extension = file_type::extension(object);
    extension.is_empty() || file_type::extension(name) == extension
}

/// Checks that a changed name has the extensions of all files that `which` selects.
///
/// # Errors
/// 23514.
pub(crate) fn require_extensions(
    ctx: &WriteContext<'_>,
    tx: &mut Tx<'_>,
    which: &Condition,
    changes: &Row,
) -> Result<(), WriteError> {
    let Some(name) = text(changes, "name") else { return Ok(()) };
    let table = ctx.table.name;
    let mut files = Query::select();
    files.column((table, "file_url")).from(table).cond_where(which.clone());
    for row in tx.rows(&files)?.iter() {
        if row.opt_text(0)?.is_some_and(|object| !has_extension(name, object)) {
            let message = "O nome deve terminar com a extensão do arquivo.";
            return Err(WriteError::invalid("23514", message));
        }
    }
    Ok(())
}

/// A row whose name is not one that the portal accepts now. Names that were given before the rules may be such.
pub(crate) struct Misnamed {
    pub(crate) table: &'static str,
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) object: String,
}

/// Finds the rows with names of another extension than their object's, or with characters that disguise a name.
///
/// # Errors
/// Of the database.
pub(crate) fn find_misnamed(tx: &mut Tx<'_>) -> Result<Vec<Misnamed>, Error> {
    let mut found = Vec::new();
    for table in TABLES {
        let mut last = String::new();
        loop {
            let mut query = Query::select();
            query.columns(["id", "name", "file_url"]).from(table);
            query.and_where(Expr::col("file_url").is_not_null());
            query.and_where(Expr::col("id").gt(last.as_str()));
            let rows = tx.rows(query.order_by("id", Order::Asc).limit(PAGE_SIZE))?;
            for row in rows.iter() {
                let (name, object) = (row.text(1)?, row.text(2)?);
                row.text(0)?.clone_into(&mut last);
                if has_extension(name, object) && sanitize_display_name(name) == name {
                    continue;
                }
                let (id, name, object) = (last.clone(), name.to_owned(), object.to_owned());
                found.push(Misnamed { table, id, name, object });
            }
            if (rows.iter().count() as u64) < PAGE_SIZE {
                break;
            }
        }
    }
    Ok(found)
}
