//! `/passkeys`: registration, management and sign-in (`docs/protocol/auth.md`, section 6.6).

pub mod authentication;
pub mod list;
pub mod registration;
pub mod remove;
pub mod rename;

use axum::http::StatusCode;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    accounts::{
        authenticate::{Credential, SessionError},
        passkeys::{
            self, Passkey,
            ceremony::{RelyingParty, Started},
            challenge::{self, Consumed, Purpose},
        },
        user::User,
    },
    api::auth::{AuthError, require_user_allow_restricted, user::response::rfc3339},
    app::App,
    db::{Error, Tx},
    security::ids::{PasskeyId, SessionId},
};

/// Returns the person who manages their passkeys, and their session.
///
/// A session that MFA restricts may add the first passkey, which then is the second step. A session that has to replace
/// a password may not, because the person who chose that password knows it as well.
fn require_owner(
    tx: &mut Tx<'_>,
    app: &App,
    credential: &Credential,
) -> Result<(User, Option<SessionId>), AuthError> {
    let session = match credential {
        Credential::Person { session, .. } => *session,
        _ => None,
    };
    match require_user_allow_restricted(tx, app, credential)? {
        (user, None | Some(SessionError::MfaRequired { enrolled: false, .. })) => {
            Ok((user, session))
        }
        (_, Some(restriction)) => Err(restriction.into()),
    }
}

/// Returns the portal as a relying party.
///
/// # Errors
/// `passkey_disabled` if `site_url` has no domain name.
pub(crate) fn relying_party(app: &App) -> Result<RelyingParty, AuthError> {
    RelyingParty::new(&app.config).ok_or_else(|| {
        let message = "Passkeys are disabled: site_url has no domain name";
        AuthError::new(StatusCode::NOT_FOUND, "passkey_disabled", message)
    })
}

/// Stores the challenge of a ceremony and returns the answer with its options.
fn open_challenge(
    tx: &mut Tx<'_>,
    app: &App,
    purpose: Purpose,
    Started { options, state }: Started,
) -> Result<Value, Error> {
    let challenge = challenge::open(tx, app, purpose, &state)?;
    Ok(json!({
        "challenge_id": challenge.id,
        "options": options,
        "expires_at": challenge.expires_at.as_second(),
    }))
}

/// Consumes a challenge and returns the state of its ceremony. The inner error must be committed.
fn consume_challenge(
    tx: &mut Tx<'_>,
    app: &App,
    purpose: Purpose,
    id: Uuid,
) -> Result<Result<String, AuthError>, Error> {
    Ok(match challenge::consume(tx, app, purpose, id)? {
        Consumed::State(state) => Ok(state),
        Consumed::Expired => {
            Err(AuthError::bad_request("webauthn_challenge_expired", "Challenge has expired"))
        }
        Consumed::NotFound => Err(AuthError::bad_request(
            "webauthn_challenge_not_found",
            "Challenge not found or already used",
        )),
    })
}

fn verification_failed() -> AuthError {
    AuthError::bad_request("webauthn_verification_failed", "Credential verification failed")
}

/// Returns the passkey that the path names.
///
/// # Errors
/// 404 `validation_failed`, as in GoTrue, also for another person's passkey.
pub(crate) fn find_passkey(tx: &mut Tx<'_>, owner: &User, id: &str) -> Result<Passkey, AuthError> {
    let not_found =
        || AuthError::new(StatusCode::NOT_FOUND, "validation_failed", "Passkey not found");
    let id: PasskeyId = id.parse().map_err(|_| not_found())?;
    let passkeys = passkeys::for_user(tx, owner.id)?;
    passkeys.into_iter().find(|passkey| passkey.id == id).ok_or_else(not_found)
}

impl Passkey {
    /// JSON form for the client library, without the credential.
    pub(crate) fn json(&self) -> Value {
        let mut body = json!({
            "id": self.id,
            "friendly_name": self.friendly_name,
            "created_at": rfc3339(Some(&self.created_at)),
        });
        if self.last_used_at.is_some() {
            body["last_used_at"] = rfc3339(self.last_used_at.as_ref()).into();
        }
        body
    }
}
