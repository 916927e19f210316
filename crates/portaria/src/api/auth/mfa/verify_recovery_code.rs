//! `POST /factors/recovery-codes/verify`: a recovery code elevates the session to AAL2 and is consumed.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State};
use sea_query::{Expr, ExprTrait, Query};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    accounts::{AccountError, authenticate::Credential},
    app::App,
    audit,
    clock::format_timestamp,
    db::{Error, Tx},
    notifications,
    security::{ids::FactorId, rate_limit::ClientAddr},
};
use crate::{
    accounts::{login_attempts, mfa_factor, session},
    api::auth::{
        AuthError,
        extract::Json,
        mfa::{
            record_refusal,
            recovery_codes::{find_set, hash, remaining},
            require_session,
            verify::complete_mfa,
        },
    },
};

/// Request body. The code's case, spaces and hyphens are ignored.
#[derive(Deserialize)]
pub struct Body {
    #[serde(default)]
    code: String,
}

/// Returns new tokens of the same session with `aal2`, and mails the user that a code was used.
///
/// # Errors
/// `mfa_verification_failed` for a wrong or used code and for a user without codes; `mfa_recovery_codes_locked` after
/// too many wrong codes.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Extension(origin): Extension<ClientAddr>,
    body: Result<Json<Body>, AuthError>,
) -> Result<Answer<Value>, AuthError> {
    app.write(move |tx, app| {
        let current = require_session(tx, app, &credential)?;
        let Json(body) = body?;
        app.limits.verify(origin)?;
        let user = &current.user;
        let factors = mfa_factor::lock_for_user(tx, user.id)?;
        let now = app.clock.now();
        login_attempts::check_mfa(tx, &app.config, &user.email, now).map_err(
            |error| match error {
                AccountError::RateLimited(limit) => AuthError::recovery_codes_locked(limit),
                error => error.into(),
            },
        )?;

        let mut set = find_set(&factors);
        if let Some(codes) = set
            && !consume_code(tx, codes.id, &body.code, format_timestamp(now))?
        {
            set = None;
        }
        let Some(set) = set else {
            // The transaction must commit, because it records the failure.
            login_attempts::record_mfa_failure(tx, &user.email, now)?;
            record_refusal(tx, app, user);
            return Ok::<_, AuthError>(Err(AuthError::unprocessable(
                "mfa_verification_failed",
                "Invalid recovery code entered",
            )));
        };

        let detail = json!({"remaining": remaining(tx, set.id)?});
        let event = user.audit_event(audit::EventName::SecondStepRecovered).detail(detail);
        audit::record(tx, app, user.as_caller(), [event]);
        notifications::send_account_notice(
            tx,
            app,
            &notifications::RECOVERY_CODE_USED,
            &user.recipient(),
            &user.email,
        )?;
        complete_mfa(tx, app, &current, set.id, session::RECOVERY_CODE)
            .map(|response| Ok(Answer(response)))
    })
    .await?
}

/// Consumes a code. Returns whether it was valid and unused.
fn consume_code(tx: &mut Tx<'_>, set: FactorId, code: &str, now: String) -> Result<bool, Error> {
    let mut statement = Query::update();
    statement.table("recovery_codes").value("used_at", now);
    statement.and_where(Expr::col("factor_id").eq(set));
    statement.and_where(Expr::col("code_hash").eq(hash(code)));
    Ok(tx.execute(statement.and_where(Expr::col("used_at").is_null()))? == 1)
}
