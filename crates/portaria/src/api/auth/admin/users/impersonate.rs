//! `POST /admin/users/{id}/view`: impersonation. An administrator sees the portal as one client does, read-only.
//!
//! The token grants what the client may read: `policy/` resolves it to a viewer, who changes nothing and causes no
//! read receipts. It expires with the administrator's own session at the latest.

use std::sync::Arc;

use axum::{
    Extension, Json,
    extract::{Path, State},
};
use serde_json::{Value, json};

use crate::api::auth::{AuthError, admin::users::get::find_user, require_user_admin};
use crate::{
    accounts::authenticate::{Credential, VIEWER},
    app::App,
    audit,
    db::Tx,
};

/// Lifetime of a token, in seconds. The web app requests another one afterwards.
const TOKEN_TTL_SECONDS: i64 = 3600;

/// Returns the token and the client.
///
/// # Errors
/// `user_not_found`, also for accounts of the staff, which have no documents of their own; `not_admin` for callers who
/// are no administrators and for the service key, which has no session to which the token could be bound.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
) -> Result<Json<Value>, AuthError> {
    let issued_at = app.clock.now().as_second();
    let write = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let caller = require_user_admin(tx, app, &credential)?;
        let client = find_user(tx, &id)?;
        if client.is_admin() {
            return Err(AuthError::user_not_found());
        }
        let Credential::Person { user: admin, session: Some(session), .. } = credential else {
            return Err(AuthError::not_admin());
        };
        audit::record_impersonation(tx, app, caller, client.id);
        let claims = json!({
            "iss": format!("{}/auth/v1", app.config.site_url),
            "sub": admin,
            "exp": issued_at + TOKEN_TTL_SECONDS,
            "iat": issued_at,
            "role": VIEWER,
            "session_id": session,
            "client_id": client.id,
        });
        Ok((app.keys.sign_access_token(tx, &claims)?, client))
    };
    let (token, client) = app.write(write).await?;

    Ok(Json(json!({
        "access_token": token,
        "expires_at": issued_at + TOKEN_TTL_SECONDS,
        "client": {
            "id": client.id.to_string(),
            "email": client.email,
            "full_name": client.user_metadata.get("full_name"),
        },
    })))
}
