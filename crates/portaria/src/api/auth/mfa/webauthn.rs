//! WebAuthn factors: a security key or a device as the second step. The credential is stored like the secret of an
//! authenticator app.

use sea_query::Expr;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    accounts::{
        mfa_factor::{self, FactorKind, MfaFactor},
        passkeys::{
            self,
            ceremony::{Assertion, Credential, Refused, Started},
        },
        user::User,
    },
    api::auth::{AuthError, passkeys::relying_party},
    app::App,
    audit,
    db::{Error, Tx},
    security::caller::Caller,
};

/// The answer of the browser, in a verification.
#[derive(Deserialize)]
pub(crate) struct WebauthnAnswer {
    credential_response: Value,
}

/// Begins the ceremony of a challenge: the creation of the factor's credential, or its use.
pub(crate) fn start(
    tx: &mut Tx<'_>,
    app: &App,
    user: &User,
    factor: &MfaFactor,
) -> Result<(Value, String), AuthError> {
    let rp = relying_party(app)?;
    let (kind, Started { options, state }) = if let Some(credential) = credential(app, factor)? {
        ("request", rp.start_authentication(&[&credential])?)
    } else {
        ("create", rp.start_registration(user, &registered(tx, app, user)?, false)?)
    };
    let body = json!({"type": kind, "credential_options": {"publicKey": options}});
    Ok((body, state))
}

/// Verifies the answer to a challenge. Returns the change of the factor's row, or `None` for a refused answer.
pub(crate) fn verify(
    tx: &mut Tx<'_>,
    app: &App,
    user: &User,
    factor: &MfaFactor,
    state: &str,
    answer: WebauthnAnswer,
) -> Result<Option<(&'static str, Expr)>, AuthError> {
    let rp = relying_party(app)?;
    let answer = answer.credential_response;
    let result = match credential(app, factor)? {
        None => rp.finish_registration(state, answer)?,
        Some(mut credential) => match Assertion::parse(answer) {
            Some(answer) => {
                rp.finish_authentication(state, &answer, &mut credential)?.map(|()| credential)
            }
            None => Err(Refused::Invalid),
        },
    };
    match result {
        Ok(credential) => {
            let stored = credential.to_json()?;
            let secret = app.keys.factors().encrypt(&factor.id.to_string(), stored.as_bytes());
            Ok(Some(("secret", secret.into())))
        }
        Err(Refused::CounterRegressed) => {
            let event = user.audit_event(audit::EventName::SessionRefused);
            let event = event.detail(json!({"reason": "passkey_counter"}));
            audit::record(tx, app, Caller::Anon, [event]);
            Ok(None)
        }
        Err(Refused::Invalid) => Ok(None),
    }
}

/// Returns the credentials of a person's passkeys and factors. A device may keep one credential per person and portal, so
/// a new one of either kind would replace it.
pub(crate) fn registered(
    tx: &mut Tx<'_>,
    app: &App,
    user: &User,
) -> Result<Vec<Credential>, Error> {
    let passkeys = passkeys::for_user(tx, user.id)?;
    let mut credentials: Vec<_> = passkeys.into_iter().map(|passkey| passkey.credential).collect();
    for factor in mfa_factor::for_user(tx, user.id)? {
        credentials.extend(credential(app, &factor)?);
    }
    Ok(credentials)
}

/// Returns the credential of a WebAuthn factor. An unverified factor has none yet.
fn credential(app: &App, factor: &MfaFactor) -> Result<Option<Credential>, Error> {
    let Some(secret) = factor.secret.as_ref().filter(|_| factor.kind == FactorKind::Webauthn)
    else {
        return Ok(None);
    };
    let stored = app.keys.factors().decrypt(&factor.id.to_string(), secret);
    let stored = stored.and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(|| {
        Error::Internal("a factor's credential was stored under another jwt_secret".into())
    })?;
    Credential::from_json(&stored).map(Some)
}
