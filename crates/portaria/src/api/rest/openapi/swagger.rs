//! The OpenAPI 2.0 document, in the form of PostgREST, which the official tools read.

use serde_json::{Map, Value, json};

use crate::{
    app::App,
    policy::{Action, access},
    schema::{Column, ColumnDefault, ColumnType, Table, tables::TABLES},
    security::caller::Caller,
};

/// Describes the tables that the caller may read.
pub(super) fn document(app: &App, caller: Caller) -> Value {
    let mut paths = Map::new();
    let mut definitions = Map::new();
    paths.insert("/".into(), json!({"get": {"tags": ["Introspection"], "summary": "OpenAPI description (this document)", "produces": ["application/openapi+json", "application/json"], "responses": {"200": {"description": "OK"}}}}));
    for table in TABLES {
        let is_allowed = |action| access(caller, table.id, action).is_ok();
        if !is_allowed(Action::Select) {
            continue;
        }
        let mut verbs = Map::new();
        let schema = json!({"$ref": format!("#/definitions/{}", table.name)});
        verbs.insert(
            "get".into(),
            verb(
                table,
                "200",
                &json!({"description": "OK", "schema": {"items": schema, "type": "array"}}),
            ),
        );
        let writes = [
            ("post", Action::Insert, "201", "Created"),
            ("patch", Action::Update, "204", "No Content"),
            ("delete", Action::Delete, "204", "No Content"),
        ];
        for (name, action, status, text) in writes {
            if !table.read_only && is_allowed(action) {
                verbs.insert(name.into(), verb(table, status, &json!({"description": text})));
            }
        }
        paths.insert(format!("/{}", table.name), verbs.into());
        definitions.insert(table.name.into(), definition(table, caller));
    }
    let host = app.config.site_url.split_once("://").map_or("", |(_, host)| host);
    let scheme = app.config.site_url.split_once("://").map_or("http", |(scheme, _)| scheme);
    json!({
        "swagger": "2.0",
        "info": {"title": "standard public schema", "description": "", "version": env!("CARGO_PKG_VERSION")},
        "host": host,
        "basePath": "/",
        "schemes": [scheme],
        "consumes": ["application/json", "text/csv", "application/x-www-form-urlencoded"],
        "produces": ["application/json", "application/vnd.pgrst.object+json", "text/csv"],
        "paths": paths,
        "definitions": definitions,
        "parameters": {},
    })
}

fn verb(table: &Table, status: &str, answer: &Value) -> Value {
    json!({"tags": [table.name], "responses": {status: answer}})
}

fn definition(table: &Table, caller: Caller) -> Value {
    let visible: Vec<&Column> =
        table.columns.iter().filter(|column| caller.is_staff() || !column.staff_only).collect();
    let required: Vec<&str> = visible
        .iter()
        .filter(|column| !column.nullable && column.default == ColumnDefault::Null)
        .map(|column| column.name)
        .collect();
    let properties: Map<String, Value> =
        visible.iter().map(|column| (column.name.to_owned(), property(table, column))).collect();
    json!({"required": required, "properties": properties, "type": "object"})
}

fn property(table: &Table, column: &Column) -> Value {
    let mut property = match column.column_type {
        ColumnType::Uuid => json!({"format": "uuid", "type": "string"}),
        ColumnType::Text(max) => json!({"maxLength": max, "format": "text", "type": "string"}),
        ColumnType::Timestamp(_) => json!({"format": "timestamp with time zone", "type": "string"}),
        ColumnType::Bool => json!({"format": "boolean", "type": "boolean"}),
        ColumnType::Int => json!({"format": "bigint", "type": "integer"}),
        ColumnType::Json => json!({"format": "jsonb"}),
    };
    if column.name == table.key {
        property["description"] = "Note:\nThis is a Primary Key.<pk/>".into();
    }
    property
}
