//! `/factors`: MFA with authenticator apps (TOTP) and recovery codes (`docs/protocol/auth.md`, section 6).

pub mod challenge;
pub mod enroll;
pub mod qr_code;
pub mod recovery_codes;
pub mod unenroll;
pub mod verify;
pub mod verify_recovery_code;
pub mod webauthn;

use serde_json::json;

use crate::accounts::mfa_factor::MfaFactor;
pub use crate::accounts::mfa_factor::reset_mfa;

use crate::api::auth::{AuthError, require_user_allow_restricted};
use crate::{
    accounts::{
        authenticate::{Credential, SessionError},
        session,
        user::User,
    },
    app::App,
    audit,
    db::Tx,
    security::{
        caller::Caller,
        ids::{FactorId, SessionId},
    },
};

/// A person with a session, which may be restricted until MFA.
pub(crate) struct MfaSession {
    user: User,
    session: SessionId,
    /// Whether MFA was verified in this session.
    is_aal2: bool,
    /// Whether the session changes no factor before it passes MFA, so that a new factor does not replace MFA for a
    /// person who knows only the password.
    must_verify: bool,
}

/// Returns the person of a credential and their session.
///
/// # Errors
/// `no_authorization` for a credential without a person; `session_not_found` for a token without a session;
/// `password_change_required`.
fn require_session(
    tx: &mut Tx<'_>,
    app: &App,
    credential: &Credential,
) -> Result<MfaSession, AuthError> {
    let Credential::Person { session, .. } = *credential else {
        return Err(AuthError::no_authorization());
    };
    let (user, restriction) = require_user_allow_restricted(tx, app, credential)?;
    let must_verify = match restriction {
        Some(SessionError::MfaRequired { enrolled, .. }) => enrolled,
        Some(restriction) => return Err(restriction.into()),
        None => false,
    };
    let session = session.ok_or(SessionError::SessionEnded)?;
    let is_aal2 = session::is_aal2(tx, session)?;
    Ok(MfaSession { user, session, is_aal2, must_verify })
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
