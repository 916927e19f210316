//! `GET /settings`, `GET /health` and `GET /.well-known/jwks.json`: what this service offers.

use std::sync::Arc;

use axum::{
    Json,
    extract::State,
    http::{HeaderName, header::CACHE_CONTROL},
};
use serde_json::{Map, Value, json};

use crate::app::App;

/// The other ways to sign in that the protocol knows; none is offered.
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

/// What a sign-in page may offer.
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

/// That the service is there, under the name that tools expect.
pub async fn health() -> Json<Value> {
    Json(json!({
        "version": env!("CARGO_PKG_VERSION"),
        "name": "GoTrue",
        "description": "Portaria speaks the GoTrue protocol",
    }))
}

/// The public keys by which tokens can be checked elsewhere: none, for the key that signs them is secret.
pub async fn jwks() -> ([(HeaderName, &'static str); 1], Json<Value>) {
    ([(CACHE_CONTROL, "public, max-age=600")], Json(json!({"keys": []})))
}
