//! `POST /passkeys/authentication/options` and `…/verify`: signs in with a passkey, without an address or a password.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State, http::HeaderMap};
use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use crate::{
    accounts::passkeys::{
        challenge::Purpose,
        sign_in::{SignInRefused, sign_in},
    },
    api::auth::{
        AuthError,
        extract::Json,
        passkeys::{consume_challenge, open_challenge, relying_party, verification_failed},
        token::session_response,
        user_agent,
    },
    app::App,
    security::rate_limit::ClientAddr,
};

/// Request body of the verification.
#[derive(Deserialize)]
pub struct Body {
    challenge_id: Uuid,
    credential: Value,
}

/// Returns options for `navigator.credentials.get()`. They name no account.
///
/// # Errors
/// `passkey_disabled`, `over_request_rate_limit`.
pub async fn options(
    State(app): State<Arc<App>>,
    Extension(origin): Extension<ClientAddr>,
) -> Result<Answer<Value>, AuthError> {
    let rp = relying_party(&app)?;
    app.limits.verify(origin)?;
    app.write(move |tx, app| {
        let started = rp.start_authentication(&[])?;
        Ok(Answer(open_challenge(tx, app, Purpose::Authentication, started)?))
    })
    .await
}

/// Returns a session that has passed MFA.
///
/// # Errors
/// `webauthn_challenge_not_found`, `webauthn_challenge_expired`; `webauthn_verification_failed` alike for an unknown
/// credential, a wrong signature and a counter that did not advance; `user_banned` and `email_not_confirmed` only with a
/// valid signature.
pub async fn verify(
    State(app): State<Arc<App>>,
    Extension(origin): Extension<ClientAddr>,
    headers: HeaderMap,
    Json(body): Json<Body>,
) -> Result<Answer<Value>, AuthError> {
    let rp = relying_party(&app)?;
    app.limits.sign_in(origin)?;
    let agent = user_agent(&headers);
    app.write(move |tx, app| {
        let state = match consume_challenge(tx, app, Purpose::Authentication, body.challenge_id)? {
            Ok(state) => state,
            Err(refusal) => return Ok(Err(refusal)),
        };
        // The transaction must commit in any case, because it consumed the challenge and recorded a refusal.
        Ok::<_, AuthError>(
            match sign_in(tx, app, &rp, &state, body.credential, agent.as_deref())? {
                Ok((user, tokens)) => Ok(Answer(session_response(tx, &user, &tokens)?)),
                Err(SignInRefused::Invalid) => Err(verification_failed()),
                Err(SignInRefused::Banned) => Err(AuthError::banned()),
                Err(SignInRefused::EmailNotConfirmed) => {
                    Err(AuthError::bad_request("email_not_confirmed", "Email not confirmed"))
                }
            },
        )
    })
    .await?
}
