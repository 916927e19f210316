//! `/factors`: an administrator's second step, asked for as the client library asks. The codes of an authenticator
//! app, and codes on paper for when it is lost. To everybody else there is nothing here.

pub mod challenge;
pub mod enroll;
pub mod qr_code;
pub mod recovery_codes;
pub mod unenroll;
pub mod verify;
pub mod verify_recovery_code;

use sea_query::{Expr, ExprTrait, Query};
use serde_json::json;
use uuid::Uuid;

pub(crate) use crate::accounts::mfa_factor::{MfaFactor, for_user};
pub use crate::accounts::mfa_removal::reset;

use crate::api::auth::AuthError;
use crate::{
    accounts::{
        authenticate::{Credential, SessionError},
        user::{self, User},
    },
    app::App,
    audit::{self, AuditEvent},
    db::Tx,
    policy::Caller,
};

/// An administrator who is signed in, whether or not they showed their second step.
pub(crate) struct Staff {
    user: User,
    session: Uuid,
    /// Whether it was shown in this session.
    passed: bool,
}

/// The administrator behind a credential.
///
/// # Errors
/// `not_found` for everybody else, as for any address that is none.
fn staff(tx: &mut Tx<'_>, app: &App, credential: &Credential) -> Result<Staff, AuthError> {
    let Credential::Person { session: Some(session), .. } = *credential else {
        return Err(AuthError::not_found());
    };
    let caller = credential.caller(tx, &app.config, app.clock.now())?;
    let (Ok(Caller::Admin(admin)) | Err(SessionError::MfaRequired { admin, .. })) = caller else {
        return Err(AuthError::not_found());
    };
    let user = user::by_id(tx, admin)?.ok_or_else(AuthError::not_found)?;
    let mut query = Query::select();
    query.column("factor_id").from("sessions").and_where(Expr::col("id").eq(session.to_string()));
    let rows = tx.rows(&query)?;
    let passed = rows.first().map(|row| row.opt_text(0)).transpose()?.flatten().is_some();
    Ok(Staff { user, session, passed })
}

/// The factor that a path names.
///
/// # Errors
/// `mfa_factor_not_found`, also for another person's.
pub(crate) fn named<'a>(factors: &'a [MfaFactor], id: &str) -> Result<&'a MfaFactor, AuthError> {
    let id = Uuid::parse_str(id).map_err(|_| AuthError::not_a_factor_id())?;
    factors.iter().find(|factor| factor.id == id).ok_or_else(AuthError::no_factor)
}

/// Writes down that a code was refused.
fn tell_refusal(tx: &mut Tx<'_>, app: &App, user: &User) {
    let line =
        AuditEvent::for_user("session.refused", user).detail(json!({"reason": "second_step"}));
    audit::record(tx, app, Caller::Anon, [line]);
}
