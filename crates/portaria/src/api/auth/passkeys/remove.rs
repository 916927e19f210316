//! `DELETE /passkeys/{id}`: removes a passkey of the caller.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{Path, State},
    http::StatusCode,
};

use crate::{
    accounts::{authenticate::Credential, passkeys},
    api::auth::{
        AuthError,
        passkeys::{find_passkey, require_owner},
    },
    app::App,
    security::rate_limit::{AccountAction, ClientAddr},
};

/// Returns 204. Other sessions that began with the passkey end.
///
/// # Errors
/// 404 `validation_failed` for an unknown passkey; `insufficient_aal`, `over_request_rate_limit`.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Extension(origin): Extension<ClientAddr>,
    Path(id): Path<String>,
) -> Result<StatusCode, AuthError> {
    app.write(move |tx, app| {
        let (user, session) = require_owner(tx, app, &credential)?;
        app.limits.account(AccountAction::ChangeFactors, origin)?;
        let passkey = find_passkey(tx, &user, &id)?;
        passkeys::remove(tx, app, user.as_caller(), &user, &[passkey], session)?;
        Ok(StatusCode::NO_CONTENT)
    })
    .await
}
