//! `GET /admin/users/{id}`: returns an account.

use std::sync::Arc;

use axum::{
    Extension, Json,
    extract::{Path, State},
};
use serde_json::Value;

use crate::api::auth::{AuthError, require_user_admin, user::response::user_response};
use crate::{
    accounts::{authenticate::Credential, user},
    app::App,
    db::Tx,
    security::ids::UserId,
};

/// Returns the account.
///
/// # Errors
/// `user_not_found`.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
) -> Result<Json<Value>, AuthError> {
    app.read(move |tx, app| {
        require_user_admin(tx, app, &credential)?;
        let user = find_user(tx, &id)?;
        Ok(Json(user_response(tx, &user)?))
    })
    .await
}

/// Returns the account that the path names.
pub(crate) fn find_user(tx: &mut Tx<'_>, id: &str) -> Result<user::User, AuthError> {
    let id: UserId = id.parse().map_err(|_| AuthError::not_a_user_id())?;
    user::by_id(tx, id)?.ok_or_else(AuthError::user_not_found)
}
