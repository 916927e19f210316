//! The operations of `/account/v1/clients` and `/account/v1/members` in the OpenAPI document.

use serde_json::{Map, Value, json};

use crate::api::{
    account::openapi::id_parameter,
    openapi::{json_response, reference},
};

/// The paths about the people of clients. `is_client` is set for callers who act for clients.
pub(super) fn paths(is_client: bool) -> Vec<(String, Value)> {
    let mut paths = vec![
        ("/members".to_owned(), json!({"post": invitation()})),
        (
            "/members/{id}".to_owned(),
            json!({
                "parameters": [id_parameter()],
                "patch": change(),
                "delete": operation("remove_member", "Removes a person from a client"),
            }),
        ),
        (
            "/members/{id}/invitation".to_owned(),
            json!({
                "parameters": [id_parameter()],
                "post": operation("invite_member_again", "Mails the invitation again"),
            }),
        ),
    ];
    if is_client {
        paths.push(("/clients".to_owned(), json!({"get": clients()})));
        let select = operation("select_client", "Lets the session act for another client");
        let select = with_body(select, &json!({"client_id": uuid()}));
        paths.push(("/clients/active".to_owned(), json!({"put": select})));
    }
    paths
}

/// The schema of the clients for whom a person may act.
pub(super) fn schemas() -> Map<String, Value> {
    let client = json!({
        "type": "object",
        "required": ["id", "name", "role", "is_active", "member_name"],
        "properties": {
            "id": uuid(),
            "name": {"type": "string"},
            "role": role(),
            "is_active": {"type": "boolean"},
            "member_name": {"type": ["string", "null"]},
        },
    });
    let clients = json!({
        "type": "object",
        "required": ["clients", "owner_id"],
        "properties": {
            "clients": {"type": "array", "items": client},
            "owner_id": {"type": ["string", "null"], "format": "uuid"},
        },
    });
    Map::from_iter([("ClientChoice".to_owned(), clients)])
}

fn clients() -> Value {
    let parameter = |name: &str, of: &str| {
        let text = format!("Id of a {of} whose owner is asked for.");
        json!({"name": name, "in": "query", "description": text, "schema": uuid()})
    };
    let success = json_response("The clients.", &reference("schemas", "ClientChoice"));
    json!({
        "operationId": "list_clients",
        "tags": ["people"],
        "summary": "Returns the clients for whom the caller may act",
        "parameters": [parameter("document", "document"), parameter("ticket", "ticket")],
        "responses": {"200": success, "default": reference("responses", "Refusal")},
    })
}

fn invitation() -> Value {
    let operation = operation("invite_member", "Makes a person a member of a client");
    let mut operation = with_body(
        operation,
        &json!({
            "email": {"type": "string", "format": "email"},
            "name": {"type": "string", "minLength": 1, "maxLength": 200},
            "role": role(),
        }),
    );
    let schema = &mut operation["requestBody"]["content"]["application/json"]["schema"];
    schema["properties"]["client_id"] = uuid();
    schema["properties"]["folders"] = folders();
    operation
}

fn change() -> Value {
    let summary = "Changes the role of a person, and the folders to which the person is limited";
    let mut operation = operation("change_member", summary);
    let schema = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {"role": role(), "folders": folders()},
    });
    operation["requestBody"] =
        json!({"required": true, "content": {"application/json": {"schema": schema}}});
    operation
}

/// The folders to which a person is limited, by `id_supabase`; null for all folders.
fn folders() -> Value {
    json!({"type": ["array", "null"], "items": {"type": "string"}, "minItems": 1})
}

fn operation(id: &str, summary: &str) -> Value {
    json!({
        "operationId": id,
        "tags": ["people"],
        "summary": summary,
        "responses": {
            "204": {"description": "Done."},
            "default": reference("responses", "Refusal"),
        },
    })
}

fn with_body(mut operation: Value, properties: &Value) -> Value {
    let required: Vec<&String> =
        properties.as_object().map(|fields| fields.keys().collect()).unwrap_or_default();
    let schema = json!({
        "type": "object",
        "additionalProperties": false,
        "required": required,
        "properties": properties,
    });
    operation["requestBody"] =
        json!({"required": true, "content": {"application/json": {"schema": schema}}});
    operation
}

fn role() -> Value {
    json!({"type": "string", "enum": ["owner", "member"]})
}

fn uuid() -> Value {
    json!({"type": "string", "format": "uuid"})
}
