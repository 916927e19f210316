//! `GET /user`: the signed-in person's own account.

use std::sync::Arc;

use axum::{Extension, Json, extract::State};
use serde_json::Value;

use super::{AuthError, signed_in};
use crate::{app::App, session::Credential};

/// Answers with the account (contract §1.2).
///
/// # Errors
/// `session_not_found` once the session ended.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
) -> Result<Json<Value>, AuthError> {
    let now = app.clock.now();
    app.db.read(move |tx| Ok(Json(signed_in(tx, &credential, now)?.json()))).await
}
