//! `POST /token`: issues a session for a password, a refresh token, or a PKCE code.

pub mod password;
pub mod pkce;
pub mod refresh_token;

use std::sync::Arc;

use axum::{
    Extension, Json as Answer,
    extract::{RawQuery, State},
    http::HeaderMap,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    accounts::{session::SessionTokens, user::User},
    api::auth::{
        AuthError,
        extract::{Json, query_param},
        user::response::user_response,
        user_agent,
    },
    db::{self, Tx},
};
use crate::{app::App, security::rate_limit::ClientAddr};

/// Request body: the fields of all grants.
#[derive(Deserialize)]
pub struct Body {
    #[serde(default)]
    pub(crate) email: Option<String>,
    #[serde(default)]
    pub(crate) phone: Option<String>,
    #[serde(default)]
    pub(crate) password: Option<String>,
    #[serde(default)]
    refresh_token: Option<String>,
    #[serde(default)]
    auth_code: Option<String>,
    #[serde(default)]
    code_verifier: Option<String>,
    #[serde(default)]
    provider: Option<String>,
}

/// Returns the JSON form of a session: its tokens and its user.
pub(crate) fn session_response(
    tx: &mut Tx<'_>,
    user: &User,
    tokens: &SessionTokens,
) -> Result<Value, db::Error> {
    Ok(json!({
        "access_token": tokens.access_token,
        "token_type": "bearer",
        "expires_in": tokens.expires_in,
        "expires_at": tokens.expires_at,
        "refresh_token": tokens.refresh_token,
        "user": user_response(tx, user)?,
    }))
}

/// Returns a session (`docs/protocol/auth.md`, section 3.2).
///
/// # Errors
/// Those of the grant.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(origin): Extension<ClientAddr>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    Json(body): Json<Body>,
) -> Result<Answer<Value>, AuthError> {
    let agent = user_agent(&headers);
    match query_param(query.as_deref(), "grant_type").as_deref() {
        Some("password") => password::grant(app, origin, body, agent).await,
        Some("refresh_token") => refresh_token::grant(app, origin, body.refresh_token).await,
        Some("pkce") => {
            app.limits.verify(origin)?;
            pkce::grant(app, body.auth_code, body.code_verifier, agent).await
        }
        // Not offered: sign-ins with the token of another provider, or with a wallet.
        Some("id_token") => {
            let provider = body.provider.unwrap_or_default();
            let message = format!("Provider {provider:?} is not enabled");
            Err(AuthError::bad_request("provider_disabled", message))
        }
        Some("web3") => {
            Err(AuthError::unprocessable("web3_provider_disabled", "Web3 provider is disabled"))
        }
        _ => Err(AuthError::bad_request("invalid_credentials", "unsupported_grant_type")),
    }
    .map(Answer)
}
