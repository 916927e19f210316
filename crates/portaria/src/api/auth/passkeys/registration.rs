//! `POST /passkeys/registration/options` and `…/verify`: adds a passkey to the caller's account.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State};
use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use crate::{
    accounts::{
        authenticate::Credential,
        passkeys::{self, MAX_PASSKEYS, Passkey, challenge::Purpose},
        session,
        user::{self, User},
    },
    api::auth::{
        AuthError,
        extract::Json,
        mfa::webauthn::registered,
        passkeys::{
            consume_challenge, open_challenge, relying_party, require_owner, verification_failed,
        },
    },
    app::App,
    db::{Error, Tx},
    security::rate_limit::ClientAddr,
};

/// Request body of the verification.
#[derive(Deserialize)]
pub struct Body {
    challenge_id: Uuid,
    credential: Value,
}

/// Returns options for `navigator.credentials.create()`.
///
/// # Errors
/// `passkey_disabled`, `too_many_passkeys`; `insufficient_aal` if MFA was not verified in this session.
pub async fn options(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Extension(origin): Extension<ClientAddr>,
) -> Result<Answer<Value>, AuthError> {
    app.write(move |tx, app| {
        let (user, _) = require_owner(tx, app, &credential)?;
        let rp = relying_party(app)?;
        app.limits.verify(origin)?;
        check_count(tx, &user)??;
        let started = rp.start_registration(&user, &registered(tx, app, &user)?, true)?;
        Ok(Answer(open_challenge(tx, app, Purpose::Registration(user.id), started)?))
    })
    .await
}

/// Returns the new passkey, and elevates the session to AAL2.
///
/// # Errors
/// `webauthn_challenge_not_found`, `webauthn_challenge_expired`, `webauthn_verification_failed`,
/// `webauthn_credential_exists`, and those of [`options`].
pub async fn verify(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Extension(origin): Extension<ClientAddr>,
    body: Result<Json<Body>, AuthError>,
) -> Result<Answer<Value>, AuthError> {
    app.write(move |tx, app| {
        let (owner, session) = require_owner(tx, app, &credential)?;
        let Json(body) = body?;
        let rp = relying_party(app)?;
        app.limits.verify(origin)?;
        let purpose = Purpose::Registration(owner.id);
        let state = match consume_challenge(tx, app, purpose, body.challenge_id)? {
            Ok(state) => state,
            // The transaction must commit, because it consumed the challenge.
            Err(refusal) => return Ok(Err(refusal)),
        };
        let Ok(credential) = rp.finish_registration(&state, body.credential)? else {
            return Ok(Err(verification_failed()));
        };

        // Concurrent registrations of one person wait for each other, so that the limit holds.
        user::locked_by_id(tx, owner.id)?;
        if let Err(refusal) = check_count(tx, &owner)? {
            return Ok(Err(refusal));
        }
        if passkeys::lock_by_credential(tx, credential.id())?.is_some() {
            return Ok(Err(credential_exists()));
        }
        let passkey = Passkey::new(owner.id, credential, app.clock.now());
        passkeys::insert(tx, app, &owner, &passkey).map_err(|error| match error {
            Error::Unique(name) if name == "passkeys_credential_id_key" => credential_exists(),
            error => error.into(),
        })?;
        if let Some(session) = session {
            session::elevate_with_passkey(tx, session, passkey.id)?;
        }
        Ok::<_, AuthError>(Ok(Answer(passkey.json())))
    })
    .await?
}

fn check_count(tx: &mut Tx<'_>, user: &User) -> Result<Result<(), AuthError>, Error> {
    if passkeys::for_user(tx, user.id)?.len() < MAX_PASSKEYS {
        return Ok(Ok(()));
    }
    let message = "Maximum number of passkeys reached";
    Ok(Err(AuthError::unprocessable("too_many_passkeys", message)))
}

fn credential_exists() -> AuthError {
    let message = "This credential is already registered";
    AuthError::unprocessable("webauthn_credential_exists", message)
}
