//! `GET /settings` and `GET /health`: what this service offers.

use std::sync::Arc;

use axum::{Json, extract::State};
use serde_json::{Value, json};

use crate::app::App;

/// What a sign-in page may offer.
pub async fn settings(State(app): State<Arc<App>>) -> Json<Value> {
    Json(json!({
        "external": {"email": true, "phone": false, "anonymous_users": false},
        "disable_signup": !app.config.signup,
        "mailer_autoconfirm": false,
        "phone_autoconfirm": false,
        "sms_provider": "",
        "saml_enabled": false,
    }))
}

/// That the service is there, under the name that tools expect.
pub async fn health() -> Json<Value> {
    Json(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "name": "GoTrue",
        "description": "Portaria speaks the GoTrue protocol",
    }))
}
