//! `GET /passkeys`: the caller's passkeys.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State};
use serde_json::Value;

use crate::{
    accounts::{
        authenticate::Credential,
        passkeys::{self, Passkey},
    },
    api::auth::{AuthError, passkeys::require_owner},
    app::App,
};

/// Returns at most ten passkeys, oldest first.
///
/// # Errors
/// `insufficient_aal`, `password_change_required`.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
) -> Result<Answer<Value>, AuthError> {
    app.read(move |tx, app| {
        let (user, _) = require_owner(tx, app, &credential)?;
        let passkeys = passkeys::for_user(tx, user.id)?;
        Ok(Answer(passkeys.iter().map(Passkey::json).collect()))
    })
    .await
}
