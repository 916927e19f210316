//! `GET /user`: returns the account of the signed-in user.

use std::sync::Arc;

use axum::{Extension, Json, extract::State};
use serde_json::Value;

use crate::api::auth::{AuthError, require_user_allow_restricted, user::response::user_response};
use crate::{accounts::authenticate::Credential, app::App};

/// Returns the account, for restricted sessions as well: the client reads from `factors` whether MFA is required.
///
/// # Errors
/// `session_not_found` after the session ended.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
) -> Result<Json<Value>, AuthError> {
    app.read(move |tx, app| {
        let (user, _) = require_user_allow_restricted(tx, app, &credential)?;
        Ok(Json(user_response(tx, &user)?))
    })
    .await
}
