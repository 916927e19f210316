//! `DELETE /factors/{id}`: removes an authenticator app of the caller.

use std::sync::Arc;

use axum::{
    Extension, Json as Answer,
    extract::{Path, State},
};
use serde_json::{Value, json};

use crate::{
    accounts::authenticate::Credential,
    app::App,
    security::rate_limit::{AccountAction, ClientAddr},
};
use crate::{
    accounts::{
        mfa_factor::{self, remove_factor},
        user,
    },
    api::auth::{
        AuthError,
        mfa::{find_factor, require_session},
    },
};

/// Returns the factor's id. With the last app the recovery codes are removed as well.
///
/// # Errors
/// `mfa_factor_not_found`; `insufficient_aal` for a verified factor if this session has not passed MFA.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Extension(origin): Extension<ClientAddr>,
    Path(id): Path<String>,
) -> Result<Answer<Value>, AuthError> {
    app.write(move |tx, app| {
        let current = require_session(tx, app, &credential)?;
        app.limits.account(AccountAction::ChangeFactors, origin)?;
        // New recovery codes wait: with the last app they are removed.
        user::locked_by_id(tx, current.user.id)?;
        let factors = mfa_factor::lock_for_user(tx, current.user.id)?;
        let factor = find_factor(&factors, &id)?;
        if !factor.is_authenticator() {
            return Err(AuthError::unprocessable(
                "validation_failed",
                "Recovery codes cannot be unenrolled with this endpoint, use DELETE /factors/recovery-codes",
            ));
        }
        if factor.verified && !current.is_aal2 {
            return Err(AuthError::unprocessable(
                "insufficient_aal",
                "AAL2 required to unenroll verified factor",
            ));
        }
        remove_factor(tx, app, current.user.as_caller(), &current.user, &factors, factor)?;
        Ok(Answer(json!({"id": factor.id})))
    })
    .await
}
