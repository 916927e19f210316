//! JSON schemas of rows: as they are read, as an insert sends them, and as an update sends them.

use serde_json::{Map, Value, json};

use crate::api::table_hooks::hooks;
use crate::{
    schema::{Column, ColumnDefault, ColumnType, DayBoundary, Table},
    security::caller::Caller,
};

/// The columns that exist for the caller.
pub(super) fn visible_columns(
    table: &'static Table,
    caller: Caller,
) -> impl Iterator<Item = &'static Column> {
    table.columns.iter().filter(move |column| caller.is_staff() || !column.staff_only)
}

/// A complete row, as `select=*` answers it.
pub(super) fn row(table: &'static Table, caller: Caller) -> Value {
    let names: Vec<&str> = visible_columns(table, caller).map(|column| column.name).collect();
    let properties: Map<String, Value> = visible_columns(table, caller)
        .map(|column| (column.name.to_owned(), answered(table, column)))
        .collect();
    json!({"type": "object", "required": names, "properties": properties})
}

/// A new row. For clients, the columns that the server sets are absent.
pub(super) fn insert(table: &'static Table, caller: Caller) -> Value {
    let columns: Vec<&Column> = visible_columns(table, caller)
        .filter(|column| caller.is_staff() || !(column.server || column.name == table.key))
        .collect();
    let required: Vec<&str> = columns
        .iter()
        .filter(|column| {
            !column.nullable && !column.server && column.default == ColumnDefault::Null
        })
        .map(|column| column.name)
        .collect();
    json!({"type": "object", "required": required, "properties": sent_properties(columns)})
}

/// A change of rows.
pub(super) fn update(table: &'static Table, caller: Caller) -> Value {
    let updatable = hooks(table.id).updatable_columns();
    let columns = visible_columns(table, caller)
        .filter(|column| updatable.is_none_or(|names| names.contains(&column.name)));
    json!({"type": "object", "minProperties": 1, "properties": sent_properties(columns)})
}

fn sent_properties<'a>(columns: impl IntoIterator<Item = &'a Column>) -> Map<String, Value> {
    columns.into_iter().map(|column| (column.name.to_owned(), sent(column))).collect()
}

fn answered(table: &Table, column: &Column) -> Value {
    let mut schema = match column.column_type {
        ColumnType::Timestamp(_) => json!({"type": "string", "format": "date-time"}),
        // An earlier release may have stored a longer text.
        ColumnType::Text(_) => json!({"type": "string"}),
        kind => base(kind),
    };
    if column.name == table.key {
        schema["description"] = "The primary key.".into();
    }
    with_null(schema, column)
}

fn sent(column: &Column) -> Value {
    let mut schema = base(column.column_type);
    match column.default {
        ColumnDefault::Text(text) => schema["default"] = text.into(),
        ColumnDefault::Int(number) => schema["default"] = number.into(),
        ColumnDefault::False => schema["default"] = false.into(),
        ColumnDefault::Null | ColumnDefault::NewId | ColumnDefault::Now | ColumnDefault::Caller => {
        }
    }
    with_null(schema, column)
}

fn base(kind: ColumnType) -> Value {
    const DAY: &str = "A time, or a date: the start of that day in the time zone of the office.";
    const LAST_DAY: &str = "A time, or a date: the end of that day in the time zone of the office.";
    match kind {
        ColumnType::Uuid => json!({"type": "string", "format": "uuid"}),
        ColumnType::Text(max) => json!({"type": "string", "maxLength": max}),
        ColumnType::Timestamp(DayBoundary::Start) => json!({"type": "string", "description": DAY}),
        ColumnType::Timestamp(DayBoundary::End) => {
            json!({"type": "string", "description": LAST_DAY})
        }
        ColumnType::Bool => json!({"type": "boolean"}),
        ColumnType::Int => json!({"type": "integer", "format": "int64"}),
        ColumnType::Json => json!({}),
    }
}

/// Adds `null` to the types of a nullable column. A schema without a type accepts it already.
fn with_null(mut schema: Value, column: &Column) -> Value {
    if column.nullable
        && let Some(kind) = schema.get("type").cloned()
    {
        schema["type"] = json!([kind, "null"]);
    }
    schema
}
