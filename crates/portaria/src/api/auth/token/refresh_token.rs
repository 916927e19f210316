//! `grant_type=refresh_token`: a session goes on (contract §1.6).

use std::sync::Arc;

use serde_json::Value;

use crate::{
    accounts::session::{self, RefreshOutcome},
    api::auth::AuthError,
};
use crate::{app::App, security::rate_limit::ClientAddr};

/// Gives new tokens.
///
/// # Errors
/// 400 when the token is worth nothing; 503 when it comes too often, and never 429, on which the client
/// library would drop the session.
pub(crate) async fn grant(
    app: Arc<App>,
    origin: ClientAddr,
    token: Option<String>,
) -> Result<Value, AuthError> {
    let token = token.filter(|token| !token.is_empty());
    let token = token.ok_or_else(|| AuthError::validation("Refresh token is not valid"))?;
    let Some((session, number)) = app.keys.read_refresh_token(&token) else {
        return Err(session::unknown());
    };
    app.limits.refresh(session, origin).map_err(AuthError::refresh_too_often)?;
    let inner = Arc::clone(&app);
    match app.db.write(move |tx| session::refresh(tx, &inner, session, number)).await? {
        RefreshOutcome::Session(session) => Ok(session),
        RefreshOutcome::Refused(error) => Err(error),
    }
}
