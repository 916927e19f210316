//! `POST /factors/{id}/challenge`: asks for a code of a factor.

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
    security::{keys, rate_limit::ClientAddr},
};
use crate::{
    accounts::mfa_factor,
    api::auth::{
        AuthError,
        mfa::{named, staff},
    },
};

/// For so long the code may be shown.
const LIFE: SignedDuration = SignedDuration::from_mins(5);

/// Answers with the challenge that the code is to be shown for.
///
/// # Errors
/// `mfa_factor_not_found`; `validation_failed` for codes on paper, which nobody has to ask for.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Extension(origin): Extension<ClientAddr>,
    Path(id): Path<String>,
) -> Result<Answer<Value>, AuthError> {
    let inner = Arc::clone(&app);
    let write = move |tx: &mut Tx<'_>| {
        let staff = staff(tx, &inner, &credential)?;
        inner.limits.verify(origin)?;
        let factors = mfa_factor::verified_factors(tx, staff.user.id)?;
        let factor = named(&factors, &id)?;
        if !factor.is_authenticator() {
            return Err(AuthError::validation("factor_type needs to be totp, phone, or webauthn"));
        }
        let now = inner.clock.now();
        let challenge = keys::new_id(now);
        tx.insert(
            "challenges",
            [
                ("id", challenge.to_string().into()),
                ("factor_id", factor.id.to_string().into()),
                ("created_at", format_timestamp(now).into()),
            ],
        )?;
        mfa_factor::update(tx, factor.id, [("last_challenged_at", format_timestamp(now).into())])?;
        Ok(Answer(json!({
            "id": challenge,
            "type": factor.kind.as_str(),
            "expires_at": (now + LIFE).as_second(),
        })))
    };
    app.db.write(write).await
}

/// Whether a factor was asked for its code by this challenge, not too long ago.
///
/// # Errors
/// `mfa_factor_not_found`, `mfa_challenge_expired`.
pub(crate) fn check(
    tx: &mut Tx<'_>,
    app: &App,
    factor: Uuid,
    challenge: Uuid,
) -> Result<(), AuthError> {
    let mut query = Query::select();
    query.column("created_at").from("challenges");
    query.and_where(Expr::col("id").eq(challenge.to_string()));
    let rows = tx.rows(query.and_where(Expr::col("factor_id").eq(factor.to_string())))?;
    let asked = rows.first().map(|row| row.text(0)).transpose()?;
    match asked {
        Some(asked) if asked > format_timestamp(app.clock.now() - LIFE).as_str() => Ok(()),
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

/// A factor's code was shown: nothing that it was asked by is good any more.
pub(crate) fn close(tx: &mut Tx<'_>, factor: Uuid) -> Result<(), AuthError> {
    let mut statement = Query::delete().from_table("challenges").take();
    tx.execute(statement.and_where(Expr::col("factor_id").eq(factor.to_string())))?;
    Ok(())
}
