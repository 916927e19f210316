//! `POST /token`: sign in with a password, or keep a session alive.

use std::sync::Arc;

use axum::{
    Json as Answer,
    extract::{RawQuery, State},
    http::{HeaderMap, header::USER_AGENT},
};
use serde::Deserialize;
use serde_json::Value;

use super::{
    AuthError,
    body::Json,
    tokens::{self, Refreshed},
};
use crate::{app::App, passwords, users};

/// The fields of every grant; which are needed depends on it.
#[derive(Deserialize)]
pub struct Body {
    #[serde(default)]
    email: Option<String>,
    #[serde(default)]
    password: Option<String>,
    #[serde(default)]
    refresh_token: Option<String>,
}

/// Answers with a session (contract §1.2).
///
/// # Errors
/// `invalid_credentials` for a wrong password and for an unknown address alike.
pub async fn handler(
    State(app): State<Arc<App>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    Json(body): Json<Body>,
) -> Result<Answer<Value>, AuthError> {
    let grant = query
        .as_deref()
        .and_then(|query| query.split('&').find_map(|pair| pair.strip_prefix("grant_type=")));
    match grant {
        Some("password") => password(app, body, &headers).await,
        Some("refresh_token") => refresh(app, body).await,
        _ => Err(AuthError::bad_request("invalid_credentials", "unsupported_grant_type")),
    }
    .map(Answer)
}

async fn password(app: Arc<App>, body: Body, headers: &HeaderMap) -> Result<Value, AuthError> {
    let email = body.email.filter(|email| !email.trim().is_empty());
    let email =
        email.ok_or_else(|| AuthError::validation("missing email or phone"))?.trim().to_lowercase();
    let password = body.password.filter(|text| text.len() <= passwords::MAX_LENGTH);
    let password = password.ok_or_else(AuthError::invalid_credentials)?;

    let user = app.db.read(move |tx| Ok::<_, AuthError>(users::by_email(tx, &email)?)).await?;
    let stored = user.as_ref().and_then(|user| user.password_hash.clone());
    let right = app.passwords.verify(password, stored.clone()).await?;
    let user = user.filter(|_| right).ok_or_else(AuthError::invalid_credentials)?;
    if user.is_banned(app.clock.now()) {
        return Err(AuthError::bad_request("user_banned", "User is banned"));
    }
    if user.email_confirmed_at.is_none() {
        return Err(AuthError::bad_request("email_not_confirmed", "Email not confirmed"));
    }

    let agent = headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok()).map(str::to_owned);
    let inner = Arc::clone(&app);
    let write = move |tx: &mut crate::db::Tx<'_>| {
        // The account as it is now: it may have changed while the password was checked.
        let user = users::by_id(tx, user.id)?.filter(|user| user.password_hash == stored);
        let mut user = user.ok_or_else(AuthError::invalid_credentials)?;
        tokens::begin(tx, &inner, &mut user, "password", agent.as_deref())
    };
    app.db.write(write).await
}

async fn refresh(app: Arc<App>, body: Body) -> Result<Value, AuthError> {
    let token = body.refresh_token.filter(|token| !token.is_empty());
    let token = token.ok_or_else(|| AuthError::validation("Refresh token is not valid"))?;
    let inner = Arc::clone(&app);
    match app.db.write(move |tx| tokens::refresh(tx, &inner, &token)).await? {
        Refreshed::Session(session) => Ok(session),
        Refreshed::Refused(error) => Err(error),
    }
}
