//! The OpenAPI 3.1 document of the tables and functions that the caller may use.

use serde_json::{Map, Value, json};

use crate::api::{
    openapi::{Description, document as build, json_response, reference},
    rest::{
        error::CODES,
        openapi::{functions, schemas},
    },
};
use crate::{
    app::App,
    policy::{self, Action, access},
    schema::{Table, tables::TABLES},
    security::caller::Caller,
};

const TEXT: &str = "Rows and functions in the PostgREST protocol. The document contains what the caller may use. \
                    A row of somebody else does not exist: a read, a change and a deletion leave it out.";

/// Maximum number of rows of an insert (docs/protocol/rest.md, section 1.4).
const MAX_ROWS: u64 = 500;

/// Describes the tables and functions.
pub(super) fn document(app: &App, caller: Caller) -> Value {
    let mut paths = Map::new();
    let mut parameters = common_parameters();
    let mut row_schemas = Map::new();
    for table in TABLES {
        let is_allowed = |action| access(caller, table.id, action).is_ok();
        if !is_allowed(Action::Select) {
            continue;
        }
        let name = table.name;
        for column in schemas::visible_columns(table, caller) {
            parameters.insert(format!("{name}.{}", column.name), filter(column.name));
        }
        row_schemas.insert(name.into(), schemas::row(table, caller));
        let mut item = Map::new();
        item.insert("get".into(), read(table, caller));
        if !table.read_only {
            if is_allowed(Action::Insert) {
                row_schemas.insert(format!("{name}.insert"), schemas::insert(table, caller));
                item.insert("post".into(), insert(table, caller));
            }
            if is_allowed(Action::Update) {
                row_schemas.insert(format!("{name}.update"), schemas::update(table, caller));
                item.insert("patch".into(), update(table, caller));
            }
            let chooses_keys = access(caller, table.id, Action::Insert)
                .is_ok_and(|access| policy::may_choose_keys(access, table.id));
            if chooses_keys && is_allowed(Action::Update) {
                item.insert("put".into(), put(table, caller));
            }
            if is_allowed(Action::Delete) {
                item.insert("delete".into(), delete(table, caller));
            }
        }
        paths.insert(format!("/{name}"), item.into());
    }
    for function in functions::callable(caller) {
        paths.insert(format!("/rpc/{}", function.name), json!({"post": call(function)}));
    }
    let error = json!({
        "type": "object",
        "required": ["code", "message", "details", "hint"],
        "properties": {
            "code": {"type": "string", "enum": CODES},
            "message": {"type": "string"},
            "details": {"type": ["string", "null"]},
            "hint": {"type": ["string", "null"]},
        },
    });
    let (title, prefix) = ("Tables", "/rest/v1");
    build(
        app,
        Description { title, text: TEXT, prefix, paths, parameters, schemas: row_schemas, error },
    )
}

fn read(table: &'static Table, caller: Caller) -> Value {
    let mut parameters = ["select", "order", "limit", "offset", "and", "or", "Range", "Prefer"]
        .map(|name| reference("parameters", name))
        .to_vec();
    parameters.extend(filters(table, caller));
    json!({
        "operationId": format!("select_{}", table.name),
        "tags": [table.name],
        "summary": "Reads rows",
        "parameters": parameters,
        "responses": {
            "200": rows("The rows.", table, caller),
            "206": rows("The first rows. A count was requested, and more rows exist.", table, caller),
            "default": reference("responses", "Refusal"),
        },
    })
}

fn insert(table: &'static Table, caller: Caller) -> Value {
    let mut names = vec!["select", "columns", "Prefer", "Idempotency-Key"];
    let mut responses = json!({
        "201": rows("The rows are stored. The body is empty without `Prefer: return=representation`.", table, caller),
        "default": reference("responses", "Refusal"),
    });
    if caller.is_staff() {
        names.push("on_conflict");
        responses["200"] = rows("An upsert found all its rows.", table, caller);
    }
    let parameters: Vec<Value> =
        names.into_iter().map(|name| reference("parameters", name)).collect();
    let row = reference("schemas", &format!("{}.insert", table.name));
    let body = json!({"oneOf": [row, {"type": "array", "items": row, "maxItems": MAX_ROWS}]});
    json!({
        "operationId": format!("insert_{}", table.name),
        "tags": [table.name],
        "summary": "Adds rows",
        "parameters": parameters,
        "requestBody": rows_body(&body),
        "responses": responses,
    })
}

fn update(table: &'static Table, caller: Caller) -> Value {
    let body = reference("schemas", &format!("{}.update", table.name));
    json!({
        "operationId": format!("update_{}", table.name),
        "tags": [table.name],
        "summary": "Changes the rows that the filters select",
        "description": "A request without a filter is refused with `21000`.",
        "parameters": change_parameters(table, caller),
        "requestBody": rows_body(&body),
        "responses": change_responses(table, caller),
    })
}

fn put(table: &'static Table, caller: Caller) -> Value {
    let key = format!("{}.{}", table.name, table.key);
    let names = [key.as_str(), "select", "Prefer"];
    json!({
        "operationId": format!("put_{}", table.name),
        "tags": [table.name],
        "summary": "Adds or changes the row with a key",
        "description": "The only filter is `eq` of the primary key, and the row contains that key.",
        "parameters": names.map(|name| reference("parameters", name)),
        "requestBody": rows_body(&reference("schemas", &format!("{}.insert", table.name))),
        "responses": {
            "200": rows("The changed row, with `Prefer: return=representation`.", table, caller),
            "201": rows("The new row, with `Prefer: return=representation`.", table, caller),
            "204": {"description": "The row is stored."},
            "default": reference("responses", "Refusal"),
        },
    })
}

fn delete(table: &'static Table, caller: Caller) -> Value {
    json!({
        "operationId": format!("delete_{}", table.name),
        "tags": [table.name],
        "summary": "Deletes the rows that the filters select",
        "description": "A request without a filter is refused with `21000`.",
        "parameters": change_parameters(table, caller),
        "responses": change_responses(table, caller),
    })
}

fn call(function: &functions::Function) -> Value {
    let mut responses = match (function.result)() {
        Some(result) => json!({"200": json_response("The result.", &result)}),
        None => json!({"204": {"description": "Done."}}),
    };
    responses["default"] = reference("responses", "Refusal");
    json!({
        "operationId": function.name,
        "tags": ["rpc"],
        "summary": function.summary,
        "requestBody": request_body(&(function.arguments)()),
        "responses": responses,
    })
}

fn change_parameters(table: &'static Table, caller: Caller) -> Vec<Value> {
    let names = ["select", "and", "or", "Prefer"].map(|name| reference("parameters", name));
    names.into_iter().chain(filters(table, caller)).collect()
}

fn change_responses(table: &'static Table, caller: Caller) -> Value {
    json!({
        "200": rows("The changed rows, with `Prefer: return=representation`.", table, caller),
        "204": {"description": "The rows are changed."},
        "default": reference("responses", "Refusal"),
    })
}

/// The body of a write, in the formats of docs/protocol/rest.md, section 1.4.
fn rows_body(schema: &Value) -> Value {
    let texts = json!({"type": "object", "additionalProperties": {"type": "string"}});
    let mut body = request_body(schema);
    body["content"]["text/csv"] = json!({"schema": {"type": "string"}});
    body["content"]["application/x-www-form-urlencoded"] = json!({"schema": texts});
    body
}

fn request_body(schema: &Value) -> Value {
    json!({"required": true, "content": {"application/json": {"schema": schema}}})
}

/// A response with rows, in the formats that the caller may request (docs/protocol/rest.md, section 4.1).
fn rows(description: &str, table: &'static Table, caller: Caller) -> Value {
    let row = reference("schemas", table.name);
    let mut content = json!({
        "application/json": {"schema": {"type": "array", "items": row}},
        "application/vnd.pgrst.object+json": {"schema": row},
    });
    if caller.is_staff() {
        content["text/csv"] = json!({"schema": {"type": "string"}});
    }
    let range = json!({"description": "The numbers of the first and the last row, and the count.", "schema": {"type": "string"}});
    json!({"description": description, "headers": {"Content-Range": range}, "content": content})
}

fn filters(table: &'static Table, caller: Caller) -> impl Iterator<Item = Value> {
    schemas::visible_columns(table, caller)
        .map(|column| reference("parameters", &format!("{}.{}", table.name, column.name)))
}

fn filter(column: &str) -> Value {
    let text = "A filter: an operator and a value, such as `eq.value` or `not.is.null`.";
    json!({"name": column, "in": "query", "description": text, "schema": {"type": "string"}})
}

/// The parameters of all tables.
fn common_parameters() -> Map<String, Value> {
    let text = || json!({"type": "string"});
    let number = || json!({"type": "integer", "minimum": 0});
    let parameters = [
        (
            "select",
            "query",
            "Columns, aliases, casts, JSON paths and embeds. All columns by default.",
            text(),
        ),
        (
            "order",
            "query",
            "Columns with `.asc` or `.desc`, and `.nullsfirst` or `.nullslast`.",
            text(),
        ),
        ("limit", "query", "Maximum number of rows.", number()),
        ("offset", "query", "Number of rows to skip.", number()),
        ("and", "query", "Filters that must all apply: `(a.eq.1,b.eq.2)`.", text()),
        ("or", "query", "Filters of which one must apply: `(a.eq.1,b.eq.2)`.", text()),
        ("columns", "query", "The columns to store. Other keys of the body are ignored.", text()),
        ("on_conflict", "query", "The unique column of an upsert. The key by default.", text()),
        ("Range", "header", "The first and the last row, counted from 0: `0-9`.", text()),
        (
            "Prefer",
            "header",
            "Preferences such as `return=representation`, `count=exact` or `resolution=merge-duplicates`.",
            text(),
        ),
        (
            "Idempotency-Key",
            "header",
            "Makes an insert happen once within 24 hours.",
            json!({"type": "string", "minLength": 1, "maxLength": 255}),
        ),
    ];
    parameters
        .into_iter()
        .map(|(name, place, description, schema)| {
            let parameter =
                json!({"name": name, "in": place, "description": description, "schema": schema});
            (name.to_owned(), parameter)
        })
        .collect()
}
