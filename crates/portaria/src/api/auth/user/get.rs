//! `GET /user`: the signed-in person's own account.

use std::sync::Arc;

use axum::{Extension, Json, extract::State};
use serde_json::Value;

use crate::api::auth::{AuthError, require_user_allow_restricted, user::response::told};
use crate::{accounts::authenticate::Credential, app::App, db::Tx};

/// Answers with the account (contract §1.2), also to an administrator who owes their second step: it names the factors.
///
/// # Errors
/// `session_not_found` once the session ended.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
) -> Result<Json<Value>, AuthError> {
    let inner = Arc::clone(&app);
    let read = move |tx: &mut Tx<'_>| {
        let (user, _) = require_user_allow_restricted(tx, &inner, &credential)?;
        Ok(Json(told(tx, &user)?))
    };
    app.db.read(read).await
}
