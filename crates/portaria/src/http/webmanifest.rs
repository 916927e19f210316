//! What a browser needs to install the portal as an app: under the office's own name, so it is not a file of the web app.

use std::sync::Arc;

use axum::{
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use crate::app::App;

pub(crate) async fn handler(State(app): State<Arc<App>>) -> Response {
    let icon = |name: &str, sizes: &str, purpose: &str| -> Value {
        json!({"src": format!("/icons/{name}.png"), "sizes": sizes, "type": "image/png", "purpose": purpose})
    };
    let manifest = json!({
        "id": "/",
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "lang": "pt-BR",
        "name": app.config.product_name,
        "short_name": app.config.product_name,
        "description": "Documentos, vencimentos e atendimentos.",
        "background_color": "#FAFAF8",
        "theme_color": "#0E5A6B",
        "icons": [
            icon("192", "192x192", "any"),
            icon("512", "512x512", "any"),
            icon("maskable-512", "512x512", "maskable"),
        ],
    });
    ([(header::CONTENT_TYPE, "application/manifest+json")], manifest.to_string()).into_response()
}
