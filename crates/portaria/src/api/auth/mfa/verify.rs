//! `POST /factors/{id}/verify`: a code of an authenticator app, or the answer of a WebAuthn factor, elevates the session
//! to AAL2. The first one activates the factor.

use std::sync::Arc;

use axum::{
    Extension, Json as Answer,
    extract::{Path, State},
};
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    accounts::{authenticate::Credential, user::User},
    api::auth::token::session_response,
    app::App,
    audit,
    clock::format_timestamp,
    db::{self, Tx},
    notifications,
    security::{ids::FactorId, rate_limit::ClientAddr, totp},
};
use crate::{
    accounts::{
        login_attempts,
        mfa_factor::{self, FactorKind, MfaFactor},
        session,
    },
    api::auth::{
        AuthError,
        extract::Json,
        mfa::{
            MfaSession, challenge, find_factor, record_refusal, require_session,
            webauthn::{self, WebauthnAnswer},
        },
    },
};

/// Request body.
#[derive(Deserialize)]
pub struct Body {
    challenge_id: Uuid,
    #[serde(default)]
    code: String,
    #[serde(default)]
    webauthn: Option<WebauthnAnswer>,
}

/// Returns new tokens of the same session with `aal2`. The user's sessions without MFA end.
///
/// # Errors
/// `mfa_verification_failed` for a wrong or reused code; `mfa_challenge_expired`; `over_request_rate_limit` after too
/// many wrong codes.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Extension(origin): Extension<ClientAddr>,
    Path(id): Path<String>,
    body: Result<Json<Body>, AuthError>,
) -> Result<Answer<Value>, AuthError> {
    app.write(move |tx, app| {
        let current = require_session(tx, app, &credential)?;
        let Json(body) = body?;
        app.limits.verify(origin)?;
        let factors = mfa_factor::lock_for_user(tx, current.user.id)?;
        let factor = find_factor(&factors, &id)?;
        let is_code = factor.kind != FactorKind::Webauthn;
        if is_code && body.code.is_empty() {
            return Err(AuthError::validation("Code needs to be non-empty"));
        }
        if !factor.verified && current.must_verify {
            // A new factor must not replace MFA for a person who knows only the password.
            return Err(AuthError::insufficient_aal("AAL2 required to verify a new factor"));
        }

        let now = app.clock.now();
        login_attempts::check_mfa(tx, &app.config, &current.user.email, now)?;
        let state = challenge::check(tx, app, factor.id, body.challenge_id)?;
        let proof = if is_code {
            let secret = secret(app, factor)?;
            let step = totp::verify(&secret, &body.code, now, factor.last_step);
            step.map(|step| ("last_step", step.into()))
        } else {
            let (Some(state), Some(answer)) = (state, body.webauthn) else {
                return Err(AuthError::validation("WebAuthn config required"));
            };
            // The challenge serves once, also for a refused answer.
            challenge::close(tx, factor.id)?;
            webauthn::verify(tx, app, &current.user, factor, &state, answer)?
        };
        let Some(proof) = proof else {
            // The transaction must commit, because it records the failure.
            login_attempts::record_mfa_failure(tx, &current.user.email, now)?;
            record_refusal(tx, app, &current.user);
            let message =
                if is_code { "Invalid TOTP code entered" } else { "Invalid WebAuthn response" };
            return Ok(Err(AuthError::unprocessable("mfa_verification_failed", message)));
        };

        challenge::close(tx, factor.id)?;
        let changes =
            [("verified", true.into()), proof, ("updated_at", format_timestamp(now).into())];
        mfa_factor::update(tx, factor.id, changes)?;
        mfa_factor::delete_unverified(tx, current.user.id, None)?;
        if !factor.verified {
            activate(tx, app, &current.user)?;
        }
        let method = if is_code { session::TOTP } else { session::WEBAUTHN };
        complete_mfa(tx, app, &current, factor.id, method).map(|response| Ok(Answer(response)))
    })
    .await?
}

/// Elevates the session to AAL2, ends the user's sessions without MFA, and returns the new tokens.
pub(crate) fn complete_mfa(
    tx: &mut Tx<'_>,
    app: &App,
    current: &MfaSession,
    factor: FactorId,
    method: &str,
) -> Result<Value, AuthError> {
    let MfaSession { user, session, .. } = current;
    login_attempts::clear_mfa(tx, &user.email)?;
    let tokens = session::elevate_to_aal2(tx, app, user, *session, factor, method)?;
    let response = session_response(tx, user, &tokens)?;
    let ended = session::end_aal1_sessions(tx, user.id)?;
    let event = user.audit_event(audit::EventName::SessionEnded).detail(json!({"sessions": ended}));
    audit::record(tx, app, user.as_caller(), (ended > 0).then_some(event));
    Ok(response)
}

fn activate(tx: &mut Tx<'_>, app: &App, user: &User) -> Result<(), AuthError> {
    mfa_factor::set_mfa_enabled(tx, user.id, true)?;
    audit::record(
        tx,
        app,
        user.as_caller(),
        [user.audit_event(audit::EventName::SecondStepEnrolled)],
    );
    notifications::send_account_notice(
        tx,
        app,
        &notifications::SECOND_STEP_ON,
        &user.recipient(),
        &user.email,
    )?;
    Ok(())
}

fn secret(app: &App, factor: &MfaFactor) -> Result<Vec<u8>, AuthError> {
    let stored = factor.secret.as_deref().ok_or_else(AuthError::factor_not_found)?;
    let secret = app.keys.factors().decrypt(&factor.id.to_string(), stored);
    secret.ok_or_else(|| {
        db::Error::Internal("a factor's secret was stored under another jwt_secret".into()).into()
    })
}
