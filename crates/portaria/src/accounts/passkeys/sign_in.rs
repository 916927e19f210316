//! Signing in with a passkey.

use serde_json::{Value, json};

use crate::{
    accounts::{
        passkeys::{
            ceremony::{Assertion, Refused, RelyingParty},
            lock_by_credential, record_use,
        },
        session::{self, SessionTokens},
        user::{self, User},
    },
    app::App,
    audit::{self, AuditEvent},
    db::{Error, Tx},
    security::caller::Caller,
};

/// Reasons to refuse a sign-in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignInRefused {
    /// The answer does not prove the possession of a passkey of this portal.
    Invalid,
    /// The account is banned.
    Banned,
    /// The account's address is not confirmed.
    EmailNotConfirmed,
}

/// Verifies the answer to a challenge and creates a session that has passed MFA. A refusal is an audit event, so the
/// transaction must commit.
pub(crate) fn sign_in(
    tx: &mut Tx<'_>,
    app: &App,
    rp: &RelyingParty,
    state: &str,
    answer: Value,
    agent: Option<&str>,
) -> Result<Result<(User, SessionTokens), SignInRefused>, Error> {
    let refuse = |tx: &mut Tx<'_>, user: Option<&User>, reason: &str, refusal: SignInRefused| {
        const EVENT: audit::EventName = audit::EventName::SessionRefused;
        let event = user.map_or_else(|| AuditEvent::new(EVENT), |user| user.audit_event(EVENT));
        audit::record(tx, app, Caller::Anon, [event.detail(json!({"reason": reason}))]);
        Ok(Err(refusal))
    };
    let Some(answer) = Assertion::parse(answer) else {
        return refuse(tx, None, "passkey", SignInRefused::Invalid);
    };
    // The account is locked before its passkey, as in every change of an account.
    let user = answer.user().map(|id| user::locked_by_id(tx, id)).transpose()?.flatten();
    let passkey = lock_by_credential(tx, answer.credential_id())?;
    let passkey = passkey.filter(|passkey| Some(passkey.user) == answer.user());
    let (Some(mut user), Some(mut passkey)) = (user, passkey) else {
        return refuse(tx, None, "passkey", SignInRefused::Invalid);
    };

    match rp.finish_authentication(state, &answer, &mut passkey.credential)? {
        Ok(()) => {}
        Err(Refused::CounterRegressed) => {
            return refuse(tx, Some(&user), "passkey_counter", SignInRefused::Invalid);
        }
        Err(Refused::Invalid) => {
            return refuse(tx, Some(&user), "passkey", SignInRefused::Invalid);
        }
    }
    let now = app.clock.now();
    record_use(tx, &passkey, now)?;
    if user.is_banned(now) {
        return refuse(tx, Some(&user), "user_banned", SignInRefused::Banned);
    }
    if user.email_confirmed_at.is_none() {
        return refuse(tx, Some(&user), "email_not_confirmed", SignInRefused::EmailNotConfirmed);
    }
    let tokens = session::create_passkey_session(tx, app, &mut user, passkey.id, agent)?;
    Ok(Ok((user, tokens)))
}
