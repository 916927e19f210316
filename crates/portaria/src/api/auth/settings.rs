//! `GET /settings`, `GET /health` and `GET /.well-known/jwks.json`: the capabilities of this server.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    http::{HeaderName, header::CACHE_CONTROL},
};
use serde_json::{Map, Value, json};

use crate::app::App;

/// Identity providers of the protocol. Portaria offers none of them.
const PROVIDERS: [&str; 25] = [
    "anonymous_users",
    "apple",
    "azure",
    "bitbucket",
    "discord",
    "facebook",
    "figma",
    "fly",
    "github",
    "gitlab",
    "google",
    "kakao",
    "keycloak",
    "linkedin",
    "linkedin_oidc",
    "notion",
    "phone",
    "slack",
    "slack_oidc",
    "snapchat",
    "spotify",
    "twitch",
    "twitter",
    "workos",
    "zoom",
];

/// Returns the sign-in methods that are available.
pub async fn settings(State(app): State<Arc<App>>) -> Json<Value> {
    let mut external = Map::from_iter(PROVIDERS.map(|name| (name.to_owned(), false.into())));
    external.insert("email".into(), true.into());
    Json(json!({
        "external": external,
        "disable_signup": !app.config.signup,
        "mailer_autoconfirm": app.config.autoconfirm,
        "phone_autoconfirm": false,
        "sms_provider": "",
        "saml_enabled": false,
        "passkeys_enabled": false,
    }))
}

/// Returns name and version, in the form of GoTrue.
pub async fn health() -> Json<Value> {
    Json(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "name": "GoTrue",
        "description": "Portaria speaks the GoTrue protocol",
    }))
}

/// Returns an empty key set: tokens are signed with HS256, whose key is secret.
pub async fn jwks() -> ([(HeaderName, &'static str); 1], Json<Value>) {
    ([(CACHE_CONTROL, "public, max-age=600")], Json(json!({"keys": []})))
}
