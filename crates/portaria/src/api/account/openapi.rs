//! `GET /account/v1/`: an OpenAPI 3.1 document of the operations that the caller may use (`docs/protocol/account.md`,
//! section 1).

use std::sync::Arc;

use axum::{
    Extension, Json,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use serde_json::{Map, Value, json};

use crate::api::{
    account::{AccountError, error::CODES, openapi_inbox_tokens, openapi_members, openapi_push},
    openapi::{self, Description, json_response, reference},
};
use crate::{accounts::authenticate::Credential, app::App, db::Tx, security::caller::Caller};

const TEXT: &str = "The calendar subscription, devices with notifications, the people of clients, the export of personal \
     data, personal links, proofs of delivery, and tokens of the inbox.";

/// Answers with the document. It has no operations for the public key and during impersonation.
///
/// # Errors
/// [`AccountError`] for a session that has ended or is restricted.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
) -> Result<Response, AccountError> {
    let authenticate = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        Ok::<_, AccountError>(credential.caller(tx, &app.config, app.clock.now())?)
    };
    let caller = app.read(authenticate).await?;
    let document = document(&app, caller);
    Ok(([(header::CONTENT_TYPE, openapi::MEDIA_TYPE)], Json(document)).into_response())
}

fn document(app: &App, caller: Caller) -> Value {
    let mut paths = Map::new();
    if let Caller::Client { .. } | Caller::Admin(_) | Caller::Employee { .. } = caller {
        paths.insert("/calendar".into(), calendar());
        paths.insert("/calendar/payments".into(), calendar_payments());
        paths.extend(openapi_push::paths());
        let export = export("export", "Exports the data of the caller", &[]);
        paths.insert("/export".into(), export);
    }
    if let Caller::Admin(_) | Caller::Service = caller {
        let export = export("export_client", "Exports the data of a client", &[id_parameter()]);
        paths.insert("/clients/{id}/export".into(), export);
        paths.extend(openapi_inbox_tokens::paths());
    }
    if caller.is_staff() {
        paths.insert("/documents/{id}/timeline".into(), timeline());
        paths.insert("/documents/{id}/proof".into(), proof());
        paths.insert("/documents/{id}/links".into(), personal_links());
        paths.insert("/documents/{id}/links/{link}".into(), personal_link());
    }
    let is_client = matches!(caller, Caller::Client { .. });
    if is_client || caller.is_staff() {
        paths.extend(openapi_members::paths(is_client));
    }
    let optional = |format| json!({"type": ["string", "null"], "format": format});
    let subscription = json!({
        "type": "object",
        "required": ["url", "created_at"],
        "properties": {
            "url": optional("uri"),
            "created_at": optional("date-time"),
            "with_payments": {"type": "boolean"},
        },
    });
    let text = json!({"type": ["string", "null"]});
    let entry = json!({
        "type": "object",
        "required": ["at", "title", "person", "detail", "number"],
        "properties": {
            "at": {"type": "string", "format": "date-time"},
            "title": {"type": "string"},
            "person": text,
            "detail": text,
            "number": {"type": ["integer", "null"]},
        },
    });
    let timeline = json!({
        "type": "object",
        "required": ["entries"],
        "properties": {"entries": {"type": "array", "items": entry}},
    });
    let error = json!({
        "type": "object",
        "required": ["code", "message"],
        "properties": {"code": {"type": "string", "enum": CODES}, "message": {"type": "string"}},
    });
    let description = Description {
        title: "Personal data",
        text: TEXT,
        prefix: "/account/v1",
        paths,
        parameters: Map::new(),
        schemas: openapi_members::schemas()
            .into_iter()
            .chain([
                ("CalendarSubscription".to_owned(), subscription),
                ("Timeline".to_owned(), timeline),
                ("PushSettings".to_owned(), openapi_push::schema()),
                ("InboxToken".to_owned(), openapi_inbox_tokens::schema()),
            ])
            .collect(),
        error,
    };
    openapi::document(app, description)
}

/// Describes an operation of the calendar with its successful response.
fn operation(id: &str, summary: &str, status: &str, success: &Value) -> Value {
    json!({
        "operationId": id,
        "tags": ["calendar"],
        "summary": summary,
        "responses": {status: success, "default": reference("responses", "Refusal")},
    })
}

fn calendar_payments() -> Value {
    let done =
        json!({"description": "The choice is stored. Without a subscription nothing happens."});
    let (add, remove) = ("Adds amounts and payment lines to the calendar", "Removes them");
    json!({
        "put": operation("add_calendar_payments", add, "204", &done),
        "delete": operation("remove_calendar_payments", remove, "204", &done),
    })
}

fn calendar() -> Value {
    let subscription = reference("schemas", "CalendarSubscription");
    let answer = |text| json_response(text, &subscription);
    let current = answer("The subscription. Both values are null without one.");
    let removed = json!({"description": "The address is removed."});
    json!({
        "get": operation("show_calendar", "Returns the address of the calendar", "200", &current),
        "post": operation("renew_calendar", "Replaces the address of the calendar", "200", &answer("The new address.")),
        "delete": operation("revoke_calendar", "Removes the address of the calendar", "204", &removed),
    })
}

pub(super) fn id_parameter() -> Value {
    json!({"name": "id", "in": "path", "required": true, "schema": {"type": "string", "format": "uuid"}})
}

fn timeline() -> Value {
    let entries = json_response("The entries, oldest first.", &reference("schemas", "Timeline"));
    json!({
        "parameters": [id_parameter()],
        "get": {
            "operationId": "show_timeline",
            "tags": ["proofs"],
            "summary": "Returns the timeline of a document",
            "responses": {"200": entries, "default": reference("responses", "Refusal")},
        },
    })
}

fn proof() -> Value {
    json!({
        "parameters": [id_parameter()],
        "post": {
            "operationId": "issue_proof",
            "tags": ["proofs"],
            "summary": "Issues a proof of delivery of a document",
            "responses": {
                "200": {"description": "The proof.", "content": {"application/pdf": {}}},
                "default": reference("responses", "Refusal"),
            },
        },
    })
}

fn personal_links() -> Value {
    let link = json!({
        "type": "object",
        "required": ["id", "state", "url", "created_at", "expires_at", "opened_at", "wrong_answers"],
        "properties": {
            "id": {"type": "string", "format": "uuid"},
            "state": {"type": "string"},
            "url": {"type": ["string", "null"], "format": "uri"},
            "created_at": {"type": "string", "format": "date-time"},
            "expires_at": {"type": "string", "format": "date-time"},
            "opened_at": {"type": ["string", "null"], "format": "date-time"},
            "wrong_answers": {"type": "integer"},
        },
    });
    let links = json!({
        "type": "object",
        "required": ["links"],
        "properties": {"links": {"type": "array", "items": link}},
    });
    let operation = |id: &str, summary: &str, response: Value| {
        json!({
            "operationId": id,
            "tags": ["links"],
            "summary": summary,
            "responses": {"200": response, "default": reference("responses", "Refusal")},
        })
    };
    let (list, create) =
        ("Returns the personal links of a document", "Returns its live link, or creates one");
    json!({
        "parameters": [id_parameter()],
        "get": operation("list_personal_links", list, json_response("The links.", &links)),
        "post": operation("create_personal_link", create, json_response("The link.", &link)),
    })
}

fn personal_link() -> Value {
    let link = json!({
        "name": "link", "in": "path", "required": true,
        "schema": {"type": "string", "format": "uuid"},
    });
    json!({
        "parameters": [id_parameter(), link],
        "delete": {
            "operationId": "revoke_personal_link",
            "tags": ["links"],
            "summary": "Revokes a personal link",
            "responses": {
                "204": {"description": "The link opens nothing any more."},
                "default": reference("responses", "Refusal"),
            },
        },
    })
}

fn export(id: &str, summary: &str, parameters: &[Value]) -> Value {
    let size = json!({"description": "The approximate size of the archive.", "schema": {"type": "integer"}});
    json!({
        "parameters": parameters,
        "get": {
            "operationId": id,
            "tags": ["export"],
            "summary": summary,
            "responses": {
                "200": {
                    "description": "A ZIP archive. An archive that fails is cut off.",
                    "headers": {"x-expected-bytes": size},
                    "content": {"application/zip": {}},
                },
                "default": reference("responses", "Refusal"),
            },
        },
    })
}
