//! The web app manifest, with which a browser installs the portal as an app. It contains the name, the color
//! and the logo of the office, so it cannot be a static file.

use std::sync::Arc;

use axum::{
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use crate::app::App;

pub(crate) async fn handler(State(app): State<Arc<App>>) -> Response {
    let office = app.office().await;
    let icon = |name: &str, sizes: &str, purpose: &str| -> Value {
        let src = match &office.logo {
            Some(logo) => format!("/office/icons/{name}.png?v={}", logo.version),
            None => format!("/icons/{name}.png"),
        };
        json!({"src": src, "sizes": sizes, "type": "image/png", "purpose": purpose})
    };
    let manifest = json!({
        "id": "/",
        "start_url": "/",
        "scope": "/",
        "display": "standalone",
        "lang": "pt-BR",
        "name": office.name,
        "short_name": office.name,
        "description": "Documentos, vencimentos e atendimentos.",
        "background_color": "#FAFAF8",
        "theme_color": office.color(),
        "icons": [
            icon("192", "192x192", "any"),
            icon("512", "512x512", "any"),
            icon("maskable-512", "512x512", "maskable"),
        ],
    });
    ([(header::CONTENT_TYPE, "application/manifest+json")], manifest.to_string()).into_response()
}
