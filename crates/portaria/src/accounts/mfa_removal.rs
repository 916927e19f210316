//! Removal of MFA factors, with its effects on recovery codes, sessions, audit log and mail.

use crate::{
    accounts::user::User, app::App, audit, db::Tx, notifications, security::caller::Caller,
};
use crate::{
    accounts::{
        mfa_factor::{self, MfaFactor},
        session,
    },
    api::auth::AuthError,
};

/// Removes an authenticator app. With the last one the recovery codes are removed and MFA is disabled.
///
/// The user's sessions without MFA end first, because removing the factor must not admit a person who knows only the
/// password. If another user removes the factor, all sessions of its owner end, because a lost phone may hold one.
pub(crate) fn remove_factor(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    user: &User,
    factors: &[MfaFactor],
    factor: &MfaFactor,
) -> Result<(), AuthError> {
    if !factor.verified {
        return Ok(mfa_factor::delete(tx, factor.id)?);
    }
    let is_other_active_app =
        |other: &&MfaFactor| other.id != factor.id && other.is_authenticator() && other.verified;
    let is_last = !factors.iter().any(|other| is_other_active_app(&other));
    mfa_factor::set_mfa_enabled(tx, user.id, !is_last)?;
    if caller.user() == Some(user.id) {
        session::end_aal1_sessions(tx, user.id)?;
    } else {
        session::end_others(tx, user.id, None)?;
    }

    mfa_factor::delete(tx, factor.id)?;
    if is_last {
        for set in factors.iter().filter(|other| !other.is_authenticator()) {
            mfa_factor::delete(tx, set.id)?;
        }
        notifications::send_account_notice(
            tx,
            app,
            &notifications::SECOND_STEP_OFF,
            &user.recipient(),
            &user.email,
        )?;
    }

    audit::record(tx, app, caller, [user.audit_event("second_step.removed")]);
    Ok(())
}

/// Removes all authenticator apps of a user, on behalf of the operator. Returns whether the user had a verified factor.
///
/// # Errors
/// The database's errors.
pub fn reset_mfa(tx: &mut Tx<'_>, app: &App, user: &User) -> Result<bool, AuthError> {
    let mut factors = mfa_factor::lock_for_user(tx, user.id)?;
    let had_factor = factors.iter().any(|factor| factor.verified);
    while let Some(index) = factors.iter().position(MfaFactor::is_authenticator) {
        let factor = &factors[index];
        remove_factor(tx, app, Caller::Service, user, &factors, factor)?;
        factors.remove(index);
    }
    Ok(had_factor)
}
