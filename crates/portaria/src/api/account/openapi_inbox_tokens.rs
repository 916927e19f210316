//! The operations of `/account/v1/inbox-tokens` in the OpenAPI document.

use serde_json::{Value, json};

use crate::api::{
    account::openapi::id_parameter,
    openapi::{json_response, reference},
};

/// The paths about tokens of the inbox.
pub(super) fn paths() -> Vec<(String, Value)> {
    let tokens = json!({
        "type": "object",
        "required": ["tokens"],
        "properties": {"tokens": {"type": "array", "items": reference("schemas", "InboxToken")}},
    });
    let created = json!({
        "type": "object",
        "required": ["id", "token"],
        "properties": {"id": {"type": "string", "format": "uuid"}, "token": {"type": "string"}},
    });
    let body = json!({
        "type": "object",
        "required": ["name"],
        "properties": {"name": {"type": "string", "minLength": 1, "maxLength": 80}},
    });
    let list = json_response("The tokens, oldest first.", &tokens);
    let secret = json_response("The token, which is not shown again.", &created);
    let mut create =
        operation("create_inbox_token", "Creates a token of the inbox", "200", &secret);
    create["requestBody"] =
        json!({"required": true, "content": {"application/json": {"schema": body}}});
    let revoked = json!({"description": "The token is revoked."});
    vec![
        (
            "/inbox-tokens".to_owned(),
            json!({
                "get": operation("list_inbox_tokens", "Returns the tokens of the inbox", "200", &list),
                "post": create,
            }),
        ),
        (
            "/inbox-tokens/{id}".to_owned(),
            json!({
                "parameters": [id_parameter()],
                "delete":
                    operation("revoke_inbox_token", "Revokes a token of the inbox", "204", &revoked),
            }),
        ),
    ]
}

/// The schema of a token.
pub(super) fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["id", "name", "created_by", "created_at", "last_used_at"],
        "properties": {
            "id": {"type": "string", "format": "uuid"},
            "name": {"type": "string"},
            "created_by": {"type": ["string", "null"]},
            "created_at": {"type": "string", "format": "date-time"},
            "last_used_at": {"type": ["string", "null"], "format": "date-time"},
        },
    })
}

fn operation(id: &str, summary: &str, status: &str, success: &Value) -> Value {
    json!({
        "operationId": id,
        "tags": ["inbox"],
        "summary": summary,
        "responses": {status: success, "default": reference("responses", "Refusal")},
    })
}
