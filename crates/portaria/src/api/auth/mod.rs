//! `/auth/v1`: accounts and sessions, in the GoTrue protocol (`docs/protocol/auth.md`). One file per route.

pub mod admin;
pub mod disabled;
pub mod error;
pub mod error_codes;
pub mod extract;
pub mod logout;
pub mod mfa;
pub mod otp;
pub mod passkeys;
pub mod reauthenticate;
pub mod recover;
pub mod redirect_to;
pub mod resend;
pub mod settings;
pub mod signup;
pub mod token;
pub mod user;
pub mod verify;

use axum::http::{HeaderMap, header::USER_AGENT};

pub use error::{AuthError, enforce_timeout, render_errors};

use crate::{
    accounts::{
        self,
        authenticate::{AuthenticationError, Credential, SessionError},
        user::User,
    },
    app::App,
    db::Tx,
    security::caller::Caller,
};

/// Returns the user of a credential. A session that is restricted only because the user must enroll MFA or set a new
/// password is accepted, because setting the password is a step of accepting an invitation.
fn require_user(tx: &mut Tx<'_>, app: &App, credential: &Credential) -> Result<User, AuthError> {
    match require_user_allow_restricted(tx, app, credential)? {
        (_, Some(restriction @ SessionError::MfaRequired { enrolled: true, .. })) => {
            Err(restriction.into())
        }
        (user, _) => Ok(user),
    }
}

/// Like [`require_user`], and locks the account for a change.
fn lock_current_user(
    tx: &mut Tx<'_>,
    app: &App,
    credential: &Credential,
) -> Result<User, AuthError> {
    let user = require_user(tx, app, credential)?;
    Ok(accounts::user::locked_by_id(tx, user.id)?.ok_or(SessionError::UserNotFound)?)
}

/// Returns the user of a credential and, if the session is restricted, the restriction (`docs/protocol/auth.md`,
/// section 4.5).
fn require_user_allow_restricted(
    tx: &mut Tx<'_>,
    app: &App,
    credential: &Credential,
) -> Result<(User, Option<SessionError>), AuthError> {
    match credential {
        Credential::Nothing => return Err(AuthError::no_authorization()),
        Credential::Invalid(error) => return Err((*error).into()),
        Credential::Anon | Credential::Service | Credential::Viewer { .. } => {
            return Err(crate::accounts::authenticate::TokenError::NoSubject.into());
        }
        Credential::Person { .. } => {}
    }
    let (id, restriction) = match credential.caller(tx, &app.config, app.clock.now()) {
        Ok(caller) => (caller.user().ok_or_else(AuthError::no_authorization)?, None),
        Err(AuthenticationError::Session(
            restriction @ (SessionError::MfaRequired { user, .. }
            | SessionError::PasswordChangeRequired { user }),
        )) => (user, Some(restriction)),
        Err(error) => return Err(error.into()),
    };
    let user = accounts::user::by_id(tx, id)?.ok_or(SessionError::UserNotFound)?;
    Ok((user, restriction))
}

/// Requires a caller who may manage accounts: an administrator, as the database knows them, or the service key.
fn require_user_admin(
    tx: &mut Tx<'_>,
    app: &App,
    credential: &Credential,
) -> Result<Caller, AuthError> {
    match credential {
        Credential::Nothing => return Err(AuthError::no_authorization()),
        Credential::Invalid(error) => return Err((*error).into()),
        _ => {}
    }
    match credential.caller(tx, &app.config, app.clock.now())? {
        caller @ (Caller::Admin(_) | Caller::Service) => Ok(caller),
        Caller::Anon | Caller::Employee { .. } | Caller::Client { .. } | Caller::Viewer { .. } => {
            Err(AuthError::not_admin())
        }
    }
}

/// Returns the request's `User-Agent`.
fn user_agent(headers: &HeaderMap) -> Option<String> {
    headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok()).map(str::to_owned)
}
