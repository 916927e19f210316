//! `GET /settings`, `GET /health` and `GET /.well-known/jwks.json`: the capabilities of this server.

use std::sync::Arc;

use axum::{Json, extract::State, http::header::CACHE_CONTROL, response::IntoResponse};
use serde_json::{Map, Value, json};

use crate::{accounts::passkeys::ceremony::RelyingParty, api::auth::AuthError, app::App};

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
        "passkeys_enabled": RelyingParty::new(&app.config).is_some(),
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

/// Returns the public keys of the signing keys in force (RFC 7517). The set is empty while the portal secret signs tokens.
///
/// # Errors
/// Database errors.
pub async fn jwks(State(app): State<Arc<App>>) -> Result<impl IntoResponse, AuthError> {
    let keys = app.keys.signing_keys().jwks(&app.db, app.clock.now()).await?;
    // A new key signs nothing until the age of the answers without it has passed (`accounts/signing_keys.rs`).
    Ok(([(CACHE_CONTROL, "public, max-age=600")], Json(json!({"keys": keys}))))
}
