//! What goes with a factor when it goes.

use crate::{
    accounts::user::User,
    app::App,
    audit::{self, AuditEvent},
    db::Tx,
    notifications,
    policy::Caller,
};
use crate::{
    accounts::{
        mfa_factor::{self, MfaFactor},
        session,
    },
    api::auth::AuthError,
};

/// Takes an authenticator app from a person; with the last one the codes on paper, and the second step is no more.
///
/// Sessions that waited for it end before: whoever knew the password alone must not be let in by its removal. Who takes
/// it from somebody else ends all that person's sessions, for the lost telephone may hold one.
pub(crate) fn remove(
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
    let in_force =
        |other: &&MfaFactor| other.id != factor.id && other.is_authenticator() && other.verified;
    let is_last = !factors.iter().any(|other| in_force(&other));
    mfa_factor::set_last_used(tx, user.id, !is_last)?;
    if caller.user() == Some(user.id) {
        session::end_aal1_sessions(tx, user.id)?;
    } else {
        session::end_others(tx, user.id, None)?;
    }
    mfa_factor::delete(tx, factor.id)?;
    if is_last {
        for codes in factors.iter().filter(|other| !other.is_authenticator()) {
            mfa_factor::delete(tx, codes.id)?;
        }
        notifications::send_account_notice(
            tx,
            app,
            &notifications::SECOND_STEP_OFF,
            user,
            &user.email,
        )?;
    }
    audit::record(tx, app, caller, [AuditEvent::for_user("second_step.removed", user)]);
    Ok(())
}

/// Takes all authenticator apps from somebody who lost them, in the name of the operator. Whether there were any.
///
/// # Errors
/// Those of the database.
pub fn reset(tx: &mut Tx<'_>, app: &App, user: &User) -> Result<bool, AuthError> {
    let mut factors = mfa_factor::verified_factors(tx, user.id)?;
    let had_any = factors.iter().any(|factor| factor.verified);
    while let Some(at) = factors.iter().position(MfaFactor::is_authenticator) {
        let factor = &factors[at];
        remove(tx, app, Caller::Service, user, &factors, factor)?;
        factors.remove(at);
    }
    Ok(had_any)
}
