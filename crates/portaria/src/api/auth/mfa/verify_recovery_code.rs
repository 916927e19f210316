//! `POST /factors/recovery-codes/verify`: a code on paper raises the session to the second step. It is spent.

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
    notifications,
    policy::Caller,
    security::rate_limit::ClientAddr,
};
use crate::{
    accounts::{login_attempts, mfa_factor, session},
    api::auth::{
        AuthError,
        extract::Json,
        mfa::{
            recovery_codes::{hash, remaining, set_of},
            staff, tell_refusal,
            verify::pass,
        },
    },
};

/// A code, however its owner writes it.
#[derive(Deserialize)]
pub struct Body {
    #[serde(default)]
    code: String,
}

/// Answers as the code of an app is answered. The person is told by mail that a code was used.
///
/// # Errors
/// `mfa_verification_failed` for a code that is wrong or spent, and where there are none;
/// `mfa_recovery_codes_locked` after too many wrong ones.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Extension(origin): Extension<ClientAddr>,
    body: Result<Json<Body>, AuthError>,
) -> Result<Answer<Value>, AuthError> {
    let inner = Arc::clone(&app);
    let write = move |tx: &mut Tx<'_>| {
        let staff = staff(tx, &inner, &credential)?;
        let Json(body) = body?;
        inner.limits.verify(origin)?;
        let user = &staff.user;
        let factors = mfa_factor::verified_factors(tx, user.id)?;
        let now = inner.clock.now();
        login_attempts::check_mfa(tx, &inner.config, &user.email, now)?
            .map_err(AuthError::codes_locked)?;
        let mut set = set_of(&factors);
        if let Some(codes) = set
            && !spend(tx, codes.id, &body.code, format_timestamp(now))?
        {
            set = None;
        }
        let Some(set) = set else {
            // That a wrong code was tried must be kept.
            login_attempts::record_mfa_failure(tx, &user.email, now)?;
            tell_refusal(tx, &inner, user);
            return Ok::<_, AuthError>(Err(AuthError::unprocessable(
                "mfa_verification_failed",
                "Invalid recovery code entered",
            )));
        };
        let detail = json!({"remaining": remaining(tx, set.id)?});
        let line = AuditEvent::for_user("second_step.recovered", user).detail(detail);
        audit::record(tx, &inner, Caller::Admin(user.id), [line]);
        notifications::send_account_notice(
            tx,
            &inner,
            &notifications::RECOVERY_CODE_USED,
            user,
            &user.email,
        )?;
        pass(tx, &inner, &staff, (set.id, session::RECOVERY_CODE)).map(|told| Ok(Answer(told)))
    };
    app.db.write(write).await?
}

/// Spends a code, if it is one that was not spent.
fn spend(tx: &mut Tx<'_>, set: Uuid, code: &str, now: String) -> Result<bool, Error> {
    let mut statement = Query::update();
    statement.table("recovery_codes").value("used_at", now);
    statement.and_where(Expr::col("factor_id").eq(set.to_string()));
    statement.and_where(Expr::col("code_hash").eq(hash(code)));
    Ok(tx.execute(statement.and_where(Expr::col("used_at").is_null()))? == 1)
}
