//! `/factors/recovery-codes`: returns the number of unused codes, creates, replaces and removes them. A recovery code
//! replaces the code of an authenticator app once.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State};
use sea_query::{Expr, ExprTrait, Query};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    accounts::authenticate::Credential,
    app::App,
    audit,
    clock::format_timestamp,
    db::{Error, Tx},
    security::{
        ids::FactorId,
        keys,
        rate_limit::{AccountAction, ClientAddr},
    },
};
use crate::{
    accounts::{
        login_attempts,
        mfa_factor::{self, FactorKind, MfaFactor},
        user,
    },
    api::auth::{
        AuthError,
        extract::Json,
        mfa::{enroll::check_enrollment, require_session},
    },
};

/// Number of codes in a set.
const CODES_PER_SET: usize = 10;

/// Request body.
#[derive(Deserialize)]
pub struct Body {
    #[serde(default)]
    friendly_name: Option<String>,
}

/// `GET`: returns the size of the set and the number of unused codes.
///
/// # Errors
/// `mfa_factor_not_found` if there is no set.
pub async fn status(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
) -> Result<Answer<Value>, AuthError> {
    app.read(move |tx, app| {
        let current = require_session(tx, app, &credential)?;
        let factors = mfa_factor::for_user(tx, current.user.id)?;
        let set = find_set(&factors).ok_or_else(AuthError::factor_not_found)?;
        let remaining = remaining(tx, set.id)?;
        Ok(Answer(json!({
            "id": set.id, "type": set.kind.as_str(), "total": CODES_PER_SET, "remaining": remaining,
        })))
    })
    .await
}

/// `POST`: creates a set and returns its codes, which are returned only once.
///
/// # Errors
/// `insufficient_aal`, `mfa_verified_factor_exists`, `mfa_recovery_codes_sole_factor`, and those of an enrollment.
pub async fn generate(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Extension(origin): Extension<ClientAddr>,
    body: Result<Json<Body>, AuthError>,
) -> Result<Answer<Value>, AuthError> {
    app.write(move |tx, app| {
        let current = require_session(tx, app, &credential)?;
        app.limits.account(AccountAction::ChangeFactors, origin)?;
        let Json(body) = body?;
        require_aal2(current.is_aal2)?;

        // A set that another request inserts meanwhile cannot be locked by its row.
        user::locked_by_id(tx, current.user.id)?;
        let factors = mfa_factor::lock_for_user(tx, current.user.id)?;
        if find_set(&factors).is_some() {
            return Err(AuthError::unprocessable(
                "mfa_verified_factor_exists",
                "Recovery codes are already enrolled for this user, use regenerate to rotate them",
            ));
        }

        let name = body.friendly_name.filter(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| "Recovery codes".to_owned());
        check_enrollment(&factors, &name)?;
        if !factors.iter().any(|factor| factor.is_authenticator() && factor.verified) {
            return Err(AuthError::unprocessable(
                "mfa_recovery_codes_sole_factor",
                "At least one other verified factor is required to generate recovery codes",
            ));
        }

        let mut set = MfaFactor::new(FactorKind::RecoveryCode, name, app.clock.now());
        set.verified = true;
        mfa_factor::insert(tx, current.user.id, &set)?;
        insert_codes(tx, &set).inspect(|_| {
            let event = current.user.audit_event(audit::EventName::SecondStepCodesMade);
            audit::record(tx, app, current.user.as_caller(), [event]);
        })
    })
    .await
}

/// `POST …/regenerate`: replaces all codes of the set and returns the new ones.
///
/// # Errors
/// `insufficient_aal`; `mfa_factor_not_found` if there is no set.
pub async fn regenerate(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Extension(origin): Extension<ClientAddr>,
) -> Result<Answer<Value>, AuthError> {
    app.write(move |tx, app| {
        let current = require_session(tx, app, &credential)?;
        app.limits.account(AccountAction::ChangeFactors, origin)?;
        require_aal2(current.is_aal2)?;
        let factors = mfa_factor::lock_for_user(tx, current.user.id)?;
        let set = find_set(&factors).ok_or_else(AuthError::factor_not_found)?;
        let mut statement = Query::delete().from_table("recovery_codes").take();
        tx.execute(statement.and_where(Expr::col("factor_id").eq(set.id)))?;
        mfa_factor::update(tx, set.id, [("updated_at", format_timestamp(app.clock.now()).into())])?;
        login_attempts::clear_mfa(tx, &current.user.email)?;
        let event = current.user.audit_event(audit::EventName::SecondStepCodesMade);
        audit::record(tx, app, current.user.as_caller(), [event]);
        insert_codes(tx, set)
    })
    .await
}

/// `DELETE`: removes the set and returns its id.
///
/// # Errors
/// `insufficient_aal`; `mfa_factor_not_found` if there is no set.
pub async fn remove(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Extension(origin): Extension<ClientAddr>,
) -> Result<Answer<Value>, AuthError> {
    app.write(move |tx, app| {
        let current = require_session(tx, app, &credential)?;
        app.limits.account(AccountAction::ChangeFactors, origin)?;
        require_aal2(current.is_aal2)?;
        let factors = mfa_factor::lock_for_user(tx, current.user.id)?;
        let set = find_set(&factors).ok_or_else(AuthError::factor_not_found)?;
        mfa_factor::delete(tx, set.id)?;
        let event = current.user.audit_event(audit::EventName::SecondStepCodesRemoved);
        audit::record(tx, app, current.user.as_caller(), [event]);
        Ok(Answer(json!({"id": set.id})))
    })
    .await
}

/// Returns the set of recovery codes among a user's factors.
pub(crate) fn find_set(factors: &[MfaFactor]) -> Option<&MfaFactor> {
    factors.iter().find(|factor| factor.kind == FactorKind::RecoveryCode)
}

/// Hash of a code. Case, spaces and hyphens are ignored.
pub(crate) fn hash(code: &str) -> String {
    let significant = code.chars().filter(|c| !c.is_whitespace() && *c != '-');
    keys::sha256_hex(&significant.flat_map(char::to_lowercase).collect::<String>())
}

/// Returns the number of unused codes of a set.
pub(crate) fn remaining(tx: &mut Tx<'_>, set: FactorId) -> Result<usize, Error> {
    let mut query = Query::select();
    query.column("code_hash").from("recovery_codes");
    query.and_where(Expr::col("factor_id").eq(set));
    Ok(tx.rows(query.and_where(Expr::col("used_at").is_null()))?.len())
}

fn require_aal2(passed: bool) -> Result<(), AuthError> {
    let refused = || AuthError::insufficient_aal("AAL2 required to manage recovery codes");
    passed.then_some(()).ok_or_else(refused)
}

/// Creates the codes of a set and returns them.
fn insert_codes(tx: &mut Tx<'_>, set: &MfaFactor) -> Result<Answer<Value>, AuthError> {
    let codes: Vec<String> = (0..CODES_PER_SET).map(|_| keys::new_recovery_code()).collect();
    let mut statement = Query::insert();
    statement.into_table("recovery_codes").columns(["factor_id", "code_hash"]);
    for code in &codes {
        statement.values_panic([set.id.into(), hash(code).into()]);
    }
    tx.execute(&statement)?;
    Ok(Answer(json!({
        "id": set.id,
        "type": set.kind.as_str(),
        "friendly_name": set.friendly_name,
        "total": CODES_PER_SET,
        "codes": codes,
    })))
}
