//! `grant_type=refresh_token`: exchanges a refresh token for new tokens (`docs/protocol/auth.md`, section 4.2).

use std::sync::Arc;

use serde_json::Value;

use crate::{
    accounts::session::{self, RefreshError, RefreshOutcome},
    api::auth::{AuthError, token::session_response},
};
use crate::{app::App, security::rate_limit::ClientAddr};

/// Returns new tokens.
///
/// # Errors
/// 400 if the token is invalid. 503 if it comes too often: after 429 the client library would drop the session.
pub(crate) async fn grant(
    app: Arc<App>,
    origin: ClientAddr,
    token: Option<String>,
) -> Result<Value, AuthError> {
    let token = token.filter(|token| !token.is_empty());
    let token = token.ok_or_else(|| AuthError::validation("refresh_token required"))?;
    let Some((session, number)) = app.keys.read_refresh_token(&token) else {
        return Err(RefreshError::TokenNotFound.into());
    };
    app.limits.refresh(session, origin).map_err(AuthError::refresh_rate_limited)?;
    app.write(move |tx, app| match session::refresh(tx, app, session, number)? {
        RefreshOutcome::Session { user, tokens } => Ok(Ok(session_response(tx, &user, &tokens)?)),
        // The transaction must commit, because it may have ended the session.
        RefreshOutcome::Refused(error) => Ok::<_, AuthError>(Err(AuthError::from(error))),
    })
    .await?
}
