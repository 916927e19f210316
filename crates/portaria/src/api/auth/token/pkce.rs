//! `grant_type=pkce`: exchanges a code and its verifier for a session (RFC 7636).

use std::sync::Arc;

use serde_json::Value;

use crate::{
    accounts::{pkce, session},
    api::auth::{AuthError, token::session_response},
    app::App,
};

/// Returns a session. A code can be exchanged once.
///
/// # Errors
/// `validation_failed` if a field is missing; `flow_state_not_found`, `flow_state_expired`, `bad_code_verifier`,
/// `user_banned`.
pub(crate) async fn grant(
    app: Arc<App>,
    code: Option<String>,
    verifier: Option<String>,
    agent: Option<String>,
) -> Result<Value, AuthError> {
    let (Some(code), Some(verifier)) =
        (code.filter(|text| !text.is_empty()), verifier.filter(|text| !text.is_empty()))
    else {
        return Err(AuthError::validation(
            "invalid request: both auth code and code verifier should be non-empty",
        ));
    };
    app.write(move |tx, app| {
        let (mut user, method) = pkce::redeem(tx, app, &code, &verifier)?;
        if user.is_banned(app.clock.now()) {
            return Err(AuthError::banned());
        }
        let tokens = session::create_session(tx, app, &mut user, &method, agent.as_deref())?;
        Ok(session_response(tx, &user, &tokens)?)
    })
    .await
}
