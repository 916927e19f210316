//! `/factors/recovery-codes`: ten codes on paper, each of which stands once for the code of an app that is lost. How
//! many are left, a first set, another set, none.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State};
use sea_query::{Expr, ExprTrait, Query};
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    accounts::authenticate::Credential,
    app::App,
    audit::{self, AuditEvent},
    clock::format_timestamp,
    db::{Error, Tx},
    policy::Caller,
    security::keys,
};
use crate::{
    accounts::{
        login_attempts,
        mfa_factor::{self, Kind, MfaFactor},
    },
    api::auth::{
        AuthError,
        extract::Json,
        mfa::{enroll::may_enroll, staff},
    },
};

/// In a set.
const CODES: usize = 10;

/// What the set is called.
#[derive(Deserialize)]
pub struct Body {
    #[serde(default)]
    friendly_name: Option<String>,
}

/// `GET`: answers how many there were, and how many are left.
///
/// # Errors
/// `mfa_factor_not_found` where there are none.
pub async fn status(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
) -> Result<Answer<Value>, AuthError> {
    let inner = Arc::clone(&app);
    let read = move |tx: &mut Tx<'_>| {
        let staff = staff(tx, &inner, &credential)?;
        let factors = mfa_factor::for_user(tx, staff.user.id)?;
        let set = set_of(&factors).ok_or_else(AuthError::no_factor)?;
        let remaining = remaining(tx, set.id)?;
        Ok(Answer(json!({
            "id": set.id, "type": set.kind.as_str(), "total": CODES, "remaining": remaining,
        })))
    };
    app.db.read(read).await
}

/// `POST`: answers with a first set, which is never told again.
///
/// # Errors
/// `insufficient_aal`, `mfa_verified_factor_exists`, `mfa_recovery_codes_sole_factor`, and those of an enrolment.
pub async fn generate(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    body: Result<Json<Body>, AuthError>,
) -> Result<Answer<Value>, AuthError> {
    let inner = Arc::clone(&app);
    let write = move |tx: &mut Tx<'_>| {
        let staff = staff(tx, &inner, &credential)?;
        let Json(body) = body?;
        passed(staff.passed)?;
        let factors = mfa_factor::verified_factors(tx, staff.user.id)?;
        if set_of(&factors).is_some() {
            return Err(AuthError::unprocessable(
                "mfa_verified_factor_exists",
                "Recovery codes are already enrolled for this user, use regenerate to rotate them",
            ));
        }
        let name = body.friendly_name.filter(|name| !name.is_empty());
        let name = name.unwrap_or_else(|| "Recovery codes".to_owned());
        may_enroll(&factors, &name)?;
        if !factors.iter().any(|factor| factor.is_authenticator() && factor.verified) {
            return Err(AuthError::unprocessable(
                "mfa_recovery_codes_sole_factor",
                "At least one other verified factor is required to generate recovery codes",
            ));
        }
        let mut set = MfaFactor::new(Kind::RecoveryCode, name, inner.clock.now());
        set.verified = true;
        mfa_factor::insert(tx, staff.user.id, &set)?;
        fill(tx, &set).inspect(|_| {
            let line = AuditEvent::for_user("second_step.codes_made", &staff.user);
            audit::record(tx, &inner, Caller::Admin(staff.user.id), [line]);
        })
    };
    app.db.write(write).await
}

/// `POST …/regenerate`: answers with another set; the codes of the one before are worth nothing.
///
/// # Errors
/// `insufficient_aal`; `mfa_factor_not_found` where there are none.
pub async fn regenerate(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
) -> Result<Answer<Value>, AuthError> {
    let inner = Arc::clone(&app);
    let write = move |tx: &mut Tx<'_>| {
        let staff = staff(tx, &inner, &credential)?;
        passed(staff.passed)?;
        let factors = mfa_factor::verified_factors(tx, staff.user.id)?;
        let set = set_of(&factors).ok_or_else(AuthError::no_factor)?;
        let mut statement = Query::delete().from_table("recovery_codes").take();
        tx.execute(statement.and_where(Expr::col("factor_id").eq(set.id.to_string())))?;
        mfa_factor::update(
            tx,
            set.id,
            [("updated_at", format_timestamp(inner.clock.now()).into())],
        )?;
        login_attempts::clear_mfa(tx, &staff.user.email)?;
        let line = AuditEvent::for_user("second_step.codes_made", &staff.user);
        audit::record(tx, &inner, Caller::Admin(staff.user.id), [line]);
        fill(tx, set)
    };
    app.db.write(write).await
}

/// `DELETE`: answers with the id of the set that is no more.
///
/// # Errors
/// `insufficient_aal`; `mfa_factor_not_found` where there are none.
pub async fn remove(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
) -> Result<Answer<Value>, AuthError> {
    let inner = Arc::clone(&app);
    let write = move |tx: &mut Tx<'_>| {
        let staff = staff(tx, &inner, &credential)?;
        passed(staff.passed)?;
        let factors = mfa_factor::verified_factors(tx, staff.user.id)?;
        let set = set_of(&factors).ok_or_else(AuthError::no_factor)?;
        mfa_factor::delete(tx, set.id)?;
        let line = AuditEvent::for_user("second_step.codes_removed", &staff.user);
        audit::record(tx, &inner, Caller::Admin(staff.user.id), [line]);
        Ok(Answer(json!({"id": set.id})))
    };
    app.db.write(write).await
}

/// A person's codes on paper.
pub(crate) fn set_of(factors: &[MfaFactor]) -> Option<&MfaFactor> {
    factors.iter().find(|factor| factor.kind == Kind::RecoveryCode)
}

/// A code as it is stored, however its owner wrote it.
pub(crate) fn hash(code: &str) -> String {
    let written = code.chars().filter(|c| !c.is_whitespace() && *c != '-');
    keys::hash(&written.flat_map(char::to_lowercase).collect::<String>())
}

/// How many codes of a set were not used.
pub(crate) fn remaining(tx: &mut Tx<'_>, set: Uuid) -> Result<usize, Error> {
    let mut query = Query::select();
    query.column("code_hash").from("recovery_codes");
    query.and_where(Expr::col("factor_id").eq(set.to_string()));
    Ok(tx.rows(query.and_where(Expr::col("used_at").is_null()))?.len())
}

fn passed(passed: bool) -> Result<(), AuthError> {
    let refused = || AuthError::insufficient_aal("AAL2 required to manage recovery codes");
    passed.then_some(()).ok_or_else(refused)
}

/// Makes the codes of a set, and tells them.
fn fill(tx: &mut Tx<'_>, set: &MfaFactor) -> Result<Answer<Value>, AuthError> {
    let codes: Vec<String> = (0..CODES).map(|_| keys::new_recovery_code()).collect();
    let mut statement = Query::insert();
    statement.into_table("recovery_codes").columns(["factor_id", "code_hash"]);
    for code in &codes {
        statement.values_panic([set.id.to_string().into(), hash(code).into()]);
    }
    tx.execute(&statement)?;
    Ok(Answer(json!({
        "id": set.id,
        "type": set.kind.as_str(),
        "friendly_name": set.friendly_name,
        "total": CODES,
        "codes": codes,
    })))
}
