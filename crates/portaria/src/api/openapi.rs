//! The common parts of the OpenAPI 3.1 documents of `/rest/v1` and `/account/v1`.

use serde_json::{Map, Value, json};

use crate::app::App;

/// The media type of the documents.
pub(crate) const MEDIA_TYPE: &str = "application/vnd.oai.openapi+json;version=3.1";

/// The parts in which the documents differ.
pub(crate) struct Description {
    pub title: &'static str,
    pub text: &'static str,
    /// The path below the portal's address.
    pub prefix: &'static str,
    pub paths: Map<String, Value>,
    pub parameters: Map<String, Value>,
    pub schemas: Map<String, Value>,
    /// The schema of an error body.
    pub error: Value,
}

/// Builds a document. Every operation needs an API key and a bearer token, and refers to the response `Refusal`.
pub(crate) fn document(app: &App, description: Description) -> Value {
    let Description { title, text, prefix, paths, parameters, mut schemas, error } = description;
    schemas.insert("Error".into(), error);
    let refusal = json!({
        "description": "The request is refused. Nothing has changed.",
        "headers": {
            "Retry-After": {"description": "Seconds until a repetition can succeed, with 429 and 503.", "schema": {"type": "integer"}},
            "x-request-id": {"description": "The id of the request in the server's log.", "schema": {"type": "string"}},
        },
        "content": {"application/json": {"schema": reference("schemas", "Error")}},
    });
    json!({
        "openapi": "3.1.1",
        "info": {"title": title, "description": text, "version": env!("CARGO_PKG_VERSION")},
        "servers": [{"url": format!("{}{prefix}", app.config.site_url)}],
        "security": [{"apikey": [], "bearer": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "apikey": {"type": "apiKey", "in": "header", "name": "apikey", "description": "The public key or the service key."},
                "bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT", "description": "The access token of a session, or the service key."},
            },
            "parameters": parameters,
            "responses": {"Refusal": refusal},
            "schemas": schemas,
        },
    })
}

/// A reference to a component.
pub(crate) fn reference(kind: &str, name: &str) -> Value {
    json!({"$ref": format!("#/components/{kind}/{name}")})
}

/// A response with JSON.
pub(crate) fn json_response(description: &str, schema: &Value) -> Value {
    json!({"description": description, "content": {"application/json": {"schema": schema}}})
}
