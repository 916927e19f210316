//! `/auth/v1`: who people are, and how they prove it (contract §1). One file per action.

pub mod admin;
pub mod error;
pub mod extract;
pub mod logout;
pub mod mfa;
pub mod otp;
pub mod query;
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

pub use error::{AuthError, limit_time, render_errors};

use crate::{
    accounts::{
        self,
        authenticate::{Credential, SessionError},
        user::User,
    },
    app::App,
    db::Tx,
    policy::Caller,
};

/// The signed-in person behind a credential. Who must set up a second step or choose a password first is in their own
/// account already: somebody who was invited chooses a password before all else.
fn require_user(tx: &mut Tx<'_>, app: &App, credential: &Credential) -> Result<User, AuthError> {
    match require_user_allow_restricted(tx, app, credential)? {
        (_, Some(barred @ SessionError::MfaRequired { enrolled: true, .. })) => Err(barred.into()),
        (user, _) => Ok(user),
    }
}

/// The same, to be changed and stored.
fn lock_current_user(
    tx: &mut Tx<'_>,
    app: &App,
    credential: &Credential,
) -> Result<User, AuthError> {
    let user = require_user(tx, app, credential)?;
    Ok(accounts::user::locked_by_id(tx, user.id)?.ok_or(SessionError::User)?)
}

/// The signed-in person behind a credential, also while something bars them from all but their own account: then that,
/// too.
fn require_user_allow_restricted(
    tx: &mut Tx<'_>,
    app: &App,
    credential: &Credential,
) -> Result<(User, Option<SessionError>), AuthError> {
    match credential {
        Credential::Nothing => return Err(AuthError::no_authorization()),
        Credential::Invalid(why) => return Err((*why).into()),
        Credential::Anon | Credential::Service | Credential::Viewer { .. } => {
            return Err(crate::accounts::authenticate::TokenError::NoSubject.into());
        }
        Credential::Person { .. } => {}
    }
    let (id, barred) = match credential.caller(tx, &app.config, app.clock.now())? {
        Ok(caller) => (caller.user().ok_or_else(AuthError::no_authorization)?, None),
        Err(
            barred @ (SessionError::MfaRequired { admin: user, .. }
            | SessionError::PasswordChangeRequired { user }),
        ) => (user, Some(barred)),
        Err(barred) => return Err(barred.into()),
    };
    let user = accounts::user::by_id(tx, id)?.ok_or(SessionError::User)?;
    Ok((user, barred))
}

/// Leave to manage accounts: for an administrator as the database knows them now, and for the service key.
fn require_user_admin(
    tx: &mut Tx<'_>,
    app: &App,
    credential: &Credential,
) -> Result<Caller, AuthError> {
    match credential {
        Credential::Nothing => return Err(AuthError::no_authorization()),
        Credential::Invalid(why) => return Err((*why).into()),
        _ => {}
    }
    match credential.caller(tx, &app.config, app.clock.now())?? {
        caller @ (Caller::Admin(_) | Caller::Service) => Ok(caller),
        Caller::Anon | Caller::Client(_) | Caller::Viewer { .. } => Err(AuthError::not_admin()),
    }
}

/// What the program that signs in calls itself.
fn user_agent(headers: &HeaderMap) -> Option<String> {
    headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok()).map(str::to_owned)
}
