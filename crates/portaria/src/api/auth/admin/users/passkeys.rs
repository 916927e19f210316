//! `/admin/users/{id}/passkeys`: lists the passkeys of an account, and removes a lost one.

use std::sync::Arc;

use axum::{
    Extension, Json as Answer,
    extract::{Path, State},
    http::StatusCode,
};
use serde_json::Value;

use crate::{
    accounts::{
        authenticate::Credential,
        passkeys::{self, Passkey},
    },
    api::auth::{AuthError, admin::users::get, passkeys::find_passkey, require_user_admin},
    app::App,
};

/// `GET`: returns the account's passkeys.
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
        let passkeys = passkeys::for_user(tx, user.id)?;
        Ok(Answer(passkeys.iter().map(Passkey::json).collect()))
    })
    .await
}

/// `DELETE …/{passkey_id}`: returns 204. The sessions that it opened end, all sessions of its owner with the
/// last passkey. The owner receives a mail.
///
/// # Errors
/// `user_not_found`; 404 `validation_failed` for an unknown passkey; `not_admin` for callers without the role.
pub async fn delete(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path((id, passkey_id)): Path<(String, String)>,
) -> Result<StatusCode, AuthError> {
    app.write(move |tx, app| {
        let caller = require_user_admin(tx, app, &credential)?;
        let user = get::find_user(tx, &id)?;
        let passkey = find_passkey(tx, &user, &passkey_id)?;
        passkeys::remove(tx, app, caller, &user, &[passkey], None)?;
        Ok(StatusCode::NO_CONTENT)
    })
    .await
}
