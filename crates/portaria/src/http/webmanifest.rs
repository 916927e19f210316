//! The web app manifest, with which a browser installs the portal as an app. It contains the product name of the
//! settings, so it cannot be a static file.

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
