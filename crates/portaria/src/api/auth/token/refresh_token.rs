//! `grant_type=refresh_token`: a session goes on (contract §1.6).

use std::sync::Arc;

use serde_json::Value;

use crate::{
    accounts::session::{self, Refreshed},
    api::auth::AuthError,
};
use crate::{app::App, security::rate_limit::Origin};

/// Gives new tokens.
///
/// # Errors
/// 400 when the token is worth nothing; 503 when it comes too often, and never 429, on which the client
/// library would drop the session.
pub(crate) async fn grant(
    app: Arc<App>,
    origin: Origin,
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
        Refreshed::Session(session) => Ok(session),
        Refreshed::Refused(error) => Err(error),
    }
}
