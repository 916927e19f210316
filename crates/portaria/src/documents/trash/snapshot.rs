//! The snapshot of a deleted document: its row, the rows that are deleted with it, and the rows that lose it.
//!
//! Values are JSON in the form of their column's type, so that a snapshot of one database can be restored in the other. A
//! column that a later release adds gets its default, and one that a later release removes is left out. Entries of the
//! notification center are not kept: they are about the time before the deletion.

use std::collections::{BTreeMap, BTreeSet};

use sea_query::{Alias, Expr, ExprTrait, Order, Query, Value as Sql};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    db::{Cell, Error, Row, Tx},
    documents,
    schema::{ColumnType, TableId, search_words::search_words},
};

/// Tables of the table API whose rows are deleted with their document.
const DEPENDENT_TABLES: [TableId; 4] = [
    TableId::DocumentReceipts,
    TableId::DocumentPayments,
    TableId::DocumentApprovals,
    TableId::DocumentContacts,
];

/// The columns of `personal_links`, which are deleted with their document, too. The address of a link is derived from its
/// id, so a restored link has the same one.
const PERSONAL_LINK_COLUMNS: [(&str, ColumnType); 13] = [
    ("id", ColumnType::Uuid),
    ("document_id", ColumnType::Uuid),
    ("client_id", ColumnType::Uuid),
    ("token_hash", TEXT),
    ("author_id", ColumnType::Uuid),
    ("created_at", TEXT),
    ("expires_at", TEXT),
    ("revoked_at", TEXT),
    ("locked_at", TEXT),
    ("wrong_answers", ColumnType::Int),
    ("codes_sent", ColumnType::Int),
    ("code_sent_at", TEXT),
    ("opened_at", TEXT),
];

const TEXT: ColumnType = ColumnType::Text(0);

/// Columns that refer to a document and become NULL when it is deleted.
const REFERENCES: [(&str, &str); 4] = [
    ("tickets", "document_id"),
    ("received_files", "document_id"),
    ("inbox_files", "document_id"),
    ("inbox_files", "duplicate_of_id"),
];

/// Columns with the member of staff or the person of a row. Their account may be deleted before the row is restored.
const ACCOUNT_COLUMNS: [&str; 2] = ["author_id", "responsible_id"];

/// Values of a row by column.
pub(super) type Values = Map<String, Value>;

/// Everything that a restored document gets back, except its file.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Snapshot {
    /// The row of `documents`.
    pub(super) document: Values,
    /// The deleted rows by table.
    dependents: BTreeMap<String, Vec<Values>>,
    /// The keys of the rows that refer to the document, by `{table}.{column}`.
    references: BTreeMap<String, Vec<String>>,
    /// Whether a mail about the document waited when it was deleted. The deletion cancels it.
    pub(super) had_waiting_mail: bool,
}

/// A table with its columns.
struct TableColumns {
    name: &'static str,
    columns: Vec<(&'static str, ColumnType)>,
}

fn of_schema(table: TableId) -> TableColumns {
    let columns = table.table().columns.iter();
    let columns = columns.map(|column| (column.name, column.column_type)).collect();
    TableColumns { name: table.table().name, columns }
}

fn dependents() -> Vec<TableColumns> {
    let links = TableColumns { name: "personal_links", columns: PERSONAL_LINK_COLUMNS.to_vec() };
    DEPENDENT_TABLES.into_iter().map(of_schema).chain([links]).collect()
}

impl Snapshot {
    /// Takes the snapshots of documents that the caller has locked, by id. At most 500.
    pub(super) fn take(tx: &mut Tx<'_>, keys: &[String]) -> Result<BTreeMap<String, Self>, Error> {
        let mut snapshots = BTreeMap::new();
        for document in read_rows(tx, &of_schema(documents::TABLE), "id", keys)? {
            if let Some(id) = text(&document, "id") {
                snapshots.insert(id.to_owned(), Self { document, ..Self::default() });
            }
        }
        for table in dependents() {
            for row in read_rows(tx, &table, "document_id", keys)? {
                if let Some(of) = text(&row, "document_id").and_then(|id| snapshots.get_mut(id)) {
                    of.dependents.entry(table.name.to_owned()).or_default().push(row);
                }
            }
        }
        for (table, column) in REFERENCES {
            let mut query = Query::select();
            query.columns(["id", column]).from(table);
            query.and_where(Expr::col(column).is_in(keys.iter().map(String::as_str)));
            for row in tx.rows(query.order_by("id", Order::Asc))?.iter() {
                if let Some(of) = snapshots.get_mut(row.text(1)?) {
                    let referring = of.references.entry(format!("{table}.{column}")).or_default();
                    referring.push(row.text(0)?.to_owned());
                }
            }
        }
        Ok(snapshots)
    }

    /// Returns the ids of the accounts that the rows name.
    pub(super) fn accounts(&self) -> impl Iterator<Item = &str> {
        let rows = self.dependents.values().flatten().chain([&self.document]);
        rows.flat_map(|row| ACCOUNT_COLUMNS.iter().filter_map(|column| text(row, column)))
    }

    /// Returns the name of the document's file before the deletion.
    pub(super) fn file_url(&self) -> Option<&str> {
        text(&self.document, "file_url")
    }

    /// Gives the document another folder, and its file's present name.
    pub(super) fn place(&mut self, folder: &str, file_url: Option<&str>) {
        let former = self.file_url().map(str::to_owned);
        self.document.insert("folder_id_supabase".into(), folder.into());
        self.document.insert("file_url".into(), file_url.into());
        // Answers are about one file.
        for answer in self.dependents.get_mut("document_approvals").into_iter().flatten() {
            if former.is_some() && text(answer, "file_url") == former.as_deref() {
                answer.insert("file_url".into(), file_url.into());
            }
        }
    }

    /// Inserts the rows again. Names of accounts that are not among `accounts` are left out.
    pub(super) fn insert(
        mut self,
        tx: &mut Tx<'_>,
        accounts: &BTreeSet<String>,
    ) -> Result<(), Error> {
        let rows = self.dependents.values_mut().flatten().chain([&mut self.document]);
        for row in rows {
            for column in ACCOUNT_COLUMNS {
                if text(row, column).is_some_and(|id| !accounts.contains(id)) {
                    row.insert(column.into(), Value::Null);
                }
            }
        }
        let mut words = Vec::new();
        for column in documents::TABLE.table().columns {
            if let (Some(name), Some(text)) = (column.words, text(&self.document, column.name)) {
                words.push((name, Some(search_words(text).into())));
            }
        }
        insert_row(tx, &of_schema(documents::TABLE), &self.document, words)?;
        for table in dependents() {
            for row in self.dependents.get(table.name).into_iter().flatten() {
                insert_row(tx, &table, row, Vec::new())?;
            }
        }
        let id = text(&self.document, "id").unwrap_or_default();
        for (table, column) in REFERENCES {
            let Some(keys) = self.references.get(&format!("{table}.{column}")) else { continue };
            let mut update = Query::update();
            update.table(table).value(column, id);
            update.and_where(Expr::col("id").is_in(keys.iter().map(String::as_str)));
            if table == "tickets" {
                // A ticket may have another client by now.
                update.and_where(Expr::col("user_id").eq(text(&self.document, "client_id")));
            }
            // A row that refers to another document by now keeps it.
            tx.execute(update.and_where(Expr::col(column).is_null()))?;
        }
        Ok(())
    }
}

/// Returns the text in a column; `None` for NULL and for a missing column.
fn text<'a>(row: &'a Values, column: &str) -> Option<&'a str> {
    row.get(column).and_then(Value::as_str)
}

/// Reads the rows whose `column` contains one of `keys`, by their id.
fn read_rows(
    tx: &mut Tx<'_>,
    table: &TableColumns,
    column: &'static str,
    keys: &[String],
) -> Result<Vec<Values>, Error> {
    let mut query = Query::select();
    query.columns(table.columns.iter().map(|(name, _)| Alias::new(*name))).from(table.name);
    query.and_where(Expr::col(column).is_in(keys.iter().map(String::as_str)));
    let rows = tx.rows(query.order_by("id", Order::Asc))?;
    let read = |row: Row<'_>| {
        let mut values = Map::new();
        for (index, (name, kind)) in table.columns.iter().enumerate() {
            values.insert((*name).to_owned(), to_json(row, index, *kind)?);
        }
        Ok(values)
    };
    rows.iter().map(read).collect()
}

fn to_json(row: Row<'_>, index: usize, kind: ColumnType) -> Result<Value, Error> {
    Ok(match (row.cell(index), kind) {
        (Cell::Null, _) => Value::Null,
        (_, ColumnType::Bool) => row.bool(index)?.into(),
        (_, ColumnType::Int) => row.int(index)?.into(),
        _ => row.text(index)?.into(),
    })
}

fn to_sql(value: &Value) -> Option<Sql> {
    match value {
        Value::Bool(value) => Some((*value).into()),
        Value::Number(number) => number.as_i64().map(Into::into),
        Value::String(text) => Some(text.as_str().into()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Inserts a row of the columns that the table still has, and further values.
fn insert_row(
    tx: &mut Tx<'_>,
    table: &TableColumns,
    row: &Values,
    further: Vec<(&'static str, Option<Sql>)>,
) -> Result<(), Error> {
    let kept = table.columns.iter().filter_map(|(name, _)| Some((*name, to_sql(row.get(*name)?))));
    let (columns, values): (Vec<_>, Vec<_>) = kept.chain(further).unzip();
    let mut statement = Query::insert();
    statement.into_table(table.name).columns(columns.into_iter().map(Alias::new));
    let or_null = |value: Option<Sql>| value.map_or_else(|| Expr::cust("NULL"), Expr::val);
    statement.values_panic(values.into_iter().map(or_null));
    tx.execute(&statement).map(drop)
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs, path::Path};

    use crate::documents::trash::snapshot::{REFERENCES, dependents};

    /// Returns the name in a line such as `CREATE TABLE name (` or `ALTER TABLE name ADD …`.
    fn table_in(line: &str) -> Option<&str> {
        let rest = line.strip_prefix("CREATE TABLE ").or(line.strip_prefix("ALTER TABLE "))?;
        rest.split_whitespace().next()
    }

    #[test]
    fn every_row_that_refers_to_a_document_is_in_the_snapshot() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
        let (mut deleted, mut emptied) = (BTreeSet::new(), 0);
        for file in fs::read_dir(folder).unwrap() {
            let sql = fs::read_to_string(file.unwrap().path()).unwrap();
            let mut table = "";
            for line in sql.lines() {
                table = table_in(line).unwrap_or(table);
                if line.contains("REFERENCES documents (id)") {
                    if line.contains("ON DELETE CASCADE") {
                        deleted.insert(table.to_owned());
                    } else {
                        assert!(line.contains("ON DELETE SET NULL"), "{line}");
                        assert!(REFERENCES.iter().any(|(name, _)| *name == table), "{table}");
                        emptied += 1;
                    }
                }
            }
        }
        let mut known: BTreeSet<String> =
            dependents().iter().map(|table| table.name.to_owned()).collect();
        known.insert("notifications".to_owned());
        assert_eq!(deleted, known);
        assert_eq!(emptied, REFERENCES.len());
    }
}
