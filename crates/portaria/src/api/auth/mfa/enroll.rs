//! `POST /factors`: enrolls an authenticator app or a WebAuthn factor. The first verification activates it (`verify.rs`).

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State};
use jiff::SignedDuration;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    accounts::authenticate::Credential,
    app::App,
    security::{
        keys,
        rate_limit::{AccountAction, ClientAddr},
        totp,
    },
};
use crate::{
    accounts::{
        mfa_factor::{self, FactorKind, MfaFactor},
        passkeys::ceremony::RelyingParty,
        user,
    },
    api::auth::{
        AuthError,
        extract::Json,
        mfa::{qr_code, require_session},
    },
};

/// Maximum number of factors of a user.
const MAX_FACTORS: usize = 10;
/// Time after which an unverified factor is deleted.
const ENROLLMENT_TTL: SignedDuration = SignedDuration::from_mins(5);
/// Maximum length of a factor's name, in characters.
const MAX_NAME_LENGTH: usize = 100;

/// Request body.
#[derive(Deserialize)]
pub struct Body {
    #[serde(default)]
    friendly_name: Option<String>,
    #[serde(default)]
    factor_type: Option<String>,
    #[serde(default)]
    issuer: Option<String>,
}

/// Returns, for an authenticator app, the secret, its `otpauth` URI and its QR code. They are returned only once.
///
/// # Errors
/// `insufficient_aal` if the user has a verified factor and this session has not passed MFA;
/// `mfa_factor_name_conflict`, `too_many_enrolled_mfa_factors`; for unsupported types of factors the errors of GoTrue.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Extension(origin): Extension<ClientAddr>,
    body: Result<Json<Body>, AuthError>,
) -> Result<Answer<Value>, AuthError> {
    app.write(move |tx, app| {
        let current = require_session(tx, app, &credential)?;
        app.limits.account(AccountAction::ChangeFactors, origin)?;
        let Json(body) = body?;
        let kind = supported_kind(app, body.factor_type.as_deref().unwrap_or_default())?;

        let now = app.clock.now();
        // Serializes the enrollments of a person, so that together they keep the limit.
        user::locked_by_id(tx, current.user.id)?;
        mfa_factor::delete_unverified(tx, current.user.id, Some(now - ENROLLMENT_TTL))?;
        let name = body.friendly_name.unwrap_or_default();
        let factors = mfa_factor::lock_for_user(tx, current.user.id)?;
        check_enrollment(&factors, &name)?;
        if current.must_verify {
            return Err(AuthError::insufficient_aal("AAL2 required to enroll a new factor"));
        }

        if kind == FactorKind::Webauthn {
            let factor = MfaFactor::new(kind, name, now);
            mfa_factor::insert(tx, current.user.id, &factor)?;
            return Ok(Answer(json!({
                "id": factor.id, "type": kind.as_str(), "friendly_name": factor.friendly_name,
            })));
        }
        let mut secret = [0; totp::SECRET_BYTES];
        keys::random_bytes(&mut secret);
        let mut factor = MfaFactor::new(kind, name, now);
        factor.secret = Some(app.keys.factors().encrypt(&factor.id.to_string(), &secret));
        mfa_factor::insert(tx, current.user.id, &factor)?;

        let issuer = body.issuer.filter(|issuer| !issuer.is_empty());
        let office = app.office_in(tx)?;
        let issuer = issuer.unwrap_or_else(|| office.name.clone());
        let secret = totp::base32(&secret);
        let uri = uri(&issuer, &current.user.email, &secret);
        let svg = qr_code::svg(&uri).ok_or_else(|| AuthError::validation("issuer is too long"))?;
        Ok(Answer(json!({
            "id": factor.id,
            "type": factor.kind.as_str(),
            "friendly_name": factor.friendly_name,
            "totp": {"qr_code": svg, "secret": secret, "uri": uri},
        })))
    })
    .await
}

/// Checks the number of factors and the new factor's name.
pub(crate) fn check_enrollment(factors: &[MfaFactor], name: &str) -> Result<(), AuthError> {
    if name.chars().count() > MAX_NAME_LENGTH {
        return Err(AuthError::validation(format!(
            "friendly_name holds at most {MAX_NAME_LENGTH} characters"
        )));
    }
    if factors.iter().any(|factor| factor.friendly_name == name) {
        return Err(AuthError::unprocessable(
            "mfa_factor_name_conflict",
            format!("A factor with the friendly name {name:?} for this user already exists"),
        ));
    }
    if factors.len() >= MAX_FACTORS {
        return Err(AuthError::unprocessable(
            "too_many_enrolled_mfa_factors",
            "Maximum number of verified factors reached, unenroll to continue",
        ));
    }
    Ok(())
}

fn supported_kind(app: &App, kind: &str) -> Result<FactorKind, AuthError> {
    match kind {
        "totp" => Ok(FactorKind::Totp),
        "webauthn" if RelyingParty::new(&app.config).is_some() => Ok(FactorKind::Webauthn),
        "phone" => Err(AuthError::unprocessable(
            "mfa_phone_enroll_not_enabled",
            "MFA enroll is disabled for Phone",
        )),
        "webauthn" => Err(AuthError::unprocessable(
            "mfa_webauthn_enroll_not_enabled",
            "MFA enroll is disabled for WebAuthn: site_url has no domain name",
        )),
        _ => Err(AuthError::validation("factor_type needs to be totp, phone, or webauthn")),
    }
}

/// Builds the `otpauth` URI (Key URI Format) that authenticator apps import.
fn uri(issuer: &str, email: &str, secret: &str) -> String {
    let [issuer, email] = [issuer, email].map(|text| utf8_percent_encode(text, NON_ALPHANUMERIC));
    format!(
        "otpauth://totp/{issuer}:{email}?algorithm=SHA1&digits=6&issuer={issuer}&period=30&secret={secret}"
    )
}
