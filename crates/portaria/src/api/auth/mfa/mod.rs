//! `/factors`: MFA of administrators, with authenticator apps (TOTP) and recovery codes (`docs/protocol/auth.md`,
//! section 6). For every other caller these routes answer 404.

pub mod challenge;
pub mod enroll;
pub mod qr_code;
pub mod recovery_codes;
pub mod unenroll;
pub mod verify;
pub mod verify_recovery_code;

use sea_query::{Expr, ExprTrait, Query};
use serde_json::json;

pub use crate::accounts::mfa_factor::reset_mfa;
use crate::accounts::{authenticate::AuthenticationError, mfa_factor::MfaFactor};

use crate::api::auth::AuthError;
use crate::{
    accounts::{
        authenticate::{Credential, SessionError},
        user::{self, User},
    },
    app::App,
    audit,
    db::Tx,
    security::{
        caller::Caller,
        ids::{FactorId, SessionId},
    },
};

/// An administrator with a session, which may be restricted until MFA.
pub(crate) struct AdminSession {
    user: User,
    session: SessionId,
    /// Whether MFA was verified in this session.
    is_aal2: bool,
}

/// Returns the administrator of a credential.
///
/// # Errors
/// `not_found` for every other caller, as for an unknown route.
fn require_admin_session(
    tx: &mut Tx<'_>,
    app: &App,
    credential: &Credential,
) -> Result<AdminSession, AuthError> {
    let Credential::Person { session: Some(session), .. } = *credential else {
        return Err(AuthError::not_found());
    };
    let admin = match credential.caller(tx, &app.config, app.clock.now()) {
        Ok(Caller::Admin(admin))
        | Err(AuthenticationError::Session(SessionError::MfaRequired { admin, .. })) => admin,
        Err(AuthenticationError::Database(error)) => return Err(error.into()),
        Ok(_) | Err(AuthenticationError::Session(_)) => return Err(AuthError::not_found()),
    };
    let user = user::by_id(tx, admin)?.ok_or_else(AuthError::not_found)?;
    let mut query = Query::select();
    query.column("factor_id").from("sessions").and_where(Expr::col("id").eq(session));
    let rows = tx.rows(&query)?;
    let passed = rows.first().map(|row| row.opt_text(0)).transpose()?.flatten().is_some();
    Ok(AdminSession { user, session, is_aal2: passed })
}

/// Returns the factor that the path names.
///
/// # Errors
/// `mfa_factor_not_found`, also for another user's factor.
pub(crate) fn find_factor<'a>(
    factors: &'a [MfaFactor],
    id: &str,
) -> Result<&'a MfaFactor, AuthError> {
    let id: FactorId = id.parse().map_err(|_| AuthError::not_a_factor_id())?;
    factors.iter().find(|factor| factor.id == id).ok_or_else(AuthError::factor_not_found)
}

/// Records a refused MFA code in the audit log.
fn record_refusal(tx: &mut Tx<'_>, app: &App, user: &User) {
    let event =
        user.audit_event(audit::EventName::SessionRefused).detail(json!({"reason": "second_step"}));
    audit::record(tx, app, Caller::Anon, [event]);
}
