//! The operations of `/account/v1/push` in the OpenAPI document.

use serde_json::{Value, json};

use crate::api::{
    account::openapi::id_parameter,
    openapi::{json_response, reference},
};
use crate::notifications::push::topics::TOPICS;

/// The paths about devices with notifications.
pub(super) fn paths() -> Vec<(String, Value)> {
    let settings = json_response("The settings.", &reference("schemas", "PushSettings"));
    let topic = json!({
        "name": "topic", "in": "path", "required": true, "schema": {"type": "string", "enum": TOPICS},
    });
    vec![
        (
            "/push".to_owned(),
            json!({"get": operation("show_push", "Returns devices and muted topics", "200", &settings)}),
        ),
        ("/push/devices".to_owned(), json!({"post": add_device()})),
        (
            "/push/devices/{id}".to_owned(),
            json!({
                "parameters": [id_parameter()],
                "delete": change("remove_push_device", "Removes a device"),
            }),
        ),
        (
            "/push/topics/{topic}".to_owned(),
            json!({
                "parameters": [topic],
                "put": change("show_push_topic", "Shows notifications of a topic on the devices"),
                "delete": change("mute_push_topic", "Mutes a topic on the devices"),
            }),
        ),
    ]
}

/// The schema of the settings of a person.
pub(super) fn schema() -> Value {
    let time = json!({"type": "string", "format": "date-time"});
    let device = json!({
        "type": "object",
        "required": ["id", "device_name", "created_at", "last_used_at", "endpoint_hash"],
        "properties": {
            "id": {"type": "string", "format": "uuid"},
            "device_name": {"type": "string"},
            "created_at": time,
            "last_used_at": {"type": ["string", "null"], "format": "date-time"},
            "endpoint_hash": {"type": "string"},
        },
    });
    json!({
        "type": "object",
        "required": ["public_key", "devices", "muted_topics"],
        "properties": {
            "public_key": {"type": "string"},
            "devices": {"type": "array", "items": device},
            "muted_topics": {"type": "array", "items": {"type": "string", "enum": TOPICS}},
        },
    })
}

fn add_device() -> Value {
    let text = json!({"type": "string"});
    let keys = json!({
        "type": "object",
        "required": ["p256dh", "auth"],
        "properties": {"p256dh": text, "auth": text},
    });
    let body = json!({
        "type": "object",
        "required": ["endpoint", "keys", "device_name"],
        "properties": {
            "endpoint": {"type": "string", "format": "uri", "maxLength": 1000},
            "keys": keys,
            "device_name": {"type": "string", "minLength": 1, "maxLength": 80},
        },
    });
    let mut operation = change("add_push_device", "Adds the subscription of a browser");
    operation["requestBody"] =
        json!({"required": true, "content": {"application/json": {"schema": body}}});
    operation
}

fn change(id: &str, summary: &str) -> Value {
    operation(id, summary, "204", &json!({"description": "Done."}))
}

fn operation(id: &str, summary: &str, status: &str, success: &Value) -> Value {
    json!({
        "operationId": id,
        "tags": ["notifications"],
        "summary": summary,
        "responses": {status: success, "default": reference("responses", "Refusal")},
    })
}
