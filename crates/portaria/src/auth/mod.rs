//! `/auth/v1`: who people are, and how they prove it (contract §1). One file per action.

pub mod admin_create;
pub mod admin_delete;
mod admin_fields;
pub mod admin_get;
pub mod admin_list;
pub mod admin_update;
mod attempts;
mod body;
mod confirm;
mod email_change;
mod error;
pub mod generate_link;
pub mod get_user;
pub mod info;
pub mod invite;
pub mod logout;
mod mailing;
mod one_time;
pub mod otp;
mod pkce;
mod query;
pub mod reauthenticate;
pub mod recover;
mod redirect;
mod refresh;
pub mod resend;
pub mod rules;
pub mod setup;
mod sign_in;
pub mod signup;
pub mod token;
mod tokens;
pub mod update_user;
mod user_json;
pub mod verify;
pub mod verify_link;
pub mod view_as;

use axum::http::{HeaderMap, header::USER_AGENT};
use jiff::Timestamp;

pub use error::{AuthError, limit_time, render_errors};

use crate::{
    db::Tx,
    policy::Caller,
    session::Credential,
    users::{self, User},
};

/// The signed-in person behind a credential, and their session.
fn signed_in(tx: &mut Tx<'_>, credential: &Credential, now: Timestamp) -> Result<User, AuthError> {
    match credential {
        Credential::Nothing => return Err(AuthError::no_authorization()),
        Credential::Invalid(why) => return Err((*why).into()),
        Credential::Anon | Credential::Service | Credential::Viewer { .. } => {
            return Err(crate::session::Invalid::NoSubject.into());
        }
        Credential::Person { .. } => {}
    }
    let caller = credential.caller(tx, now)??;
    let id = caller.user().ok_or_else(AuthError::no_authorization)?;
    users::by_id(tx, id)?.ok_or_else(|| crate::session::Ended::User.into())
}

/// Leave to manage accounts: for an administrator as the database knows them now, and for the service key.
fn manager(tx: &mut Tx<'_>, credential: &Credential, now: Timestamp) -> Result<Caller, AuthError> {
    match credential {
        Credential::Nothing => return Err(AuthError::no_authorization()),
        Credential::Invalid(why) => return Err((*why).into()),
        _ => {}
    }
    match credential.caller(tx, now)?? {
        caller @ (Caller::Admin(_) | Caller::Service) => Ok(caller),
        Caller::Anon | Caller::Client(_) | Caller::Viewer { .. } => Err(AuthError::not_admin()),
    }
}

/// What the program that signs in calls itself.
fn user_agent(headers: &HeaderMap) -> Option<String> {
    headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok()).map(str::to_owned)
}
