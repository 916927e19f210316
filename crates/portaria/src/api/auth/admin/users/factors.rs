//! `/admin/users/{id}/factors`: lists the MFA factors of a person, and removes a lost one.

use std::sync::Arc;

use axum::{
    Extension, Json as Answer,
    extract::{Path, State},
};
use serde_json::Value;

use crate::audit::EventName;
use crate::{accounts::authenticate::Credential, app::App, audit};
use crate::{
    accounts::mfa_factor::{self, remove_factor},
    api::auth::{AuthError, admin::users::get, mfa::find_factor, require_user_admin},
};

/// `GET`: returns the account's factors.
///
/// # Errors
/// `user_not_found`; `not_admin` for callers without the role.
pub async fn list(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
) -> Result<Answer<Value>, AuthError> {
    app.read(move |tx, app| {
        require_user_admin(tx, app, &credential)?;
        let user = get::find_user(tx, &id)?;
        let factors = mfa_factor::for_user(tx, user.id)?;
        Ok(Answer(factors.iter().map(mfa_factor::MfaFactor::json).collect()))
    })
    .await
}

/// `DELETE …/{factor_id}`: returns the removed factor. All sessions of its owner end, and the owner receives a mail.
///
/// # Errors
/// `user_not_found`, `mfa_factor_not_found`; `not_admin` for callers without the role.
pub async fn delete(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path((id, factor_id)): Path<(String, String)>,
) -> Result<Answer<Value>, AuthError> {
    app.write(move |tx, app| {
        let caller = require_user_admin(tx, app, &credential)?;
        let user = get::find_user(tx, &id)?;
        let factors = mfa_factor::lock_for_user(tx, user.id)?;
        let factor = find_factor(&factors, &factor_id)?;
        if factor.is_authenticator() {
            remove_factor(tx, app, caller, &user, &factors, factor)?;
        } else {
            mfa_factor::delete(tx, factor.id)?;
            audit::record(tx, app, caller, [user.audit_event(EventName::SecondStepCodesRemoved)]);
        }
        Ok(Answer(factor.json()))
    })
    .await
}
