//! `POST /factors/{id}/challenge`: creates a challenge for a factor.

use std::sync::Arc;

use axum::{
    Extension, Json as Answer,
    extract::{Path, State},
};
use jiff::SignedDuration;
use sea_query::{Expr, ExprTrait, Query};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    accounts::authenticate::Credential,
    app::App,
    clock::format_timestamp,
    db::Tx,
    security::{ids::FactorId, keys, rate_limit::ClientAddr},
};
use crate::{
    accounts::mfa_factor::{self, FactorKind},
    api::auth::{
        AuthError,
        mfa::{find_factor, require_session, webauthn},
    },
};

/// Lifetime of a challenge.
const CHALLENGE_TTL: SignedDuration = SignedDuration::from_mins(5);

/// Returns the challenge, which the verification must name.
///
/// # Errors
/// `mfa_factor_not_found`; `validation_failed` for recovery codes, which need no challenge.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Extension(origin): Extension<ClientAddr>,
    Path(id): Path<String>,
) -> Result<Answer<Value>, AuthError> {
    app.write(move |tx, app| {
        let current = require_session(tx, app, &credential)?;
        app.limits.verify(origin)?;
        let factors = mfa_factor::lock_for_user(tx, current.user.id)?;
        let factor = find_factor(&factors, &id)?;
        let ceremony = match factor.kind {
            FactorKind::Totp => None,
            FactorKind::Webauthn => Some(webauthn::start(tx, app, &current.user, factor)?),
            FactorKind::RecoveryCode => {
                let message = "factor_type needs to be totp, phone, or webauthn";
                return Err(AuthError::validation(message));
            }
        };
        let (webauthn, state) = ceremony.unzip();

        let now = app.clock.now();
        let challenge = keys::new_id(now);
        tx.insert(
            "challenges",
            [
                ("id", challenge.to_string().into()),
                ("factor_id", factor.id.into()),
                ("state", state.into()),
                ("created_at", format_timestamp(now).into()),
            ],
        )?;
        mfa_factor::update(tx, factor.id, [("last_challenged_at", format_timestamp(now).into())])?;
        let mut body = json!({
            "id": challenge,
            "type": factor.kind.as_str(),
            "expires_at": (now + CHALLENGE_TTL).as_second(),
        });
        if let Some(webauthn) = webauthn {
            body["webauthn"] = webauthn;
        }
        Ok(Answer(body))
    })
    .await
}

/// Checks that a challenge belongs to the factor and has not expired. Returns the state of its WebAuthn ceremony.
///
/// # Errors
/// `mfa_factor_not_found`, `mfa_challenge_expired`.
pub(crate) fn check(
    tx: &mut Tx<'_>,
    app: &App,
    factor: FactorId,
    challenge: Uuid,
) -> Result<Option<String>, AuthError> {
    let mut query = Query::select();
    query.columns(["created_at", "state"]).from("challenges");
    query.and_where(Expr::col("id").eq(challenge.to_string()));
    let rows = tx.rows(query.and_where(Expr::col("factor_id").eq(factor)))?;
    match rows.first() {
        Some(row) if row.text(0)? > format_timestamp(app.clock.now() - CHALLENGE_TTL).as_str() => {
            Ok(row.opt_text(1)?.map(str::to_owned))
        }
        Some(_) => Err(AuthError::unprocessable(
            "mfa_challenge_expired",
            format!(
                "MFA challenge {challenge} has expired, verify against another challenge or create a new challenge."
            ),
        )),
        None => Err(AuthError::unprocessable(
            "mfa_factor_not_found",
            "MFA factor with the provided challenge ID not found",
        )),
    }
}

/// Deletes all challenges of a factor.
pub(crate) fn close(tx: &mut Tx<'_>, factor: FactorId) -> Result<(), AuthError> {
    let mut statement = Query::delete().from_table("challenges").take();
    tx.execute(statement.and_where(Expr::col("factor_id").eq(factor)))?;
    Ok(())
}
