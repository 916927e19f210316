//! `DELETE /admin/users/{id}`: deletes an account with its data.

use std::sync::Arc;

use axum::{
    Extension, Json,
    body::Bytes,
    extract::{Path, State},
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    accounts::{authenticate::Credential, user},
    app::App,
    audit,
};
use crate::{
    api::auth::{AuthError, admin::users::get::find_user, require_user_admin},
    privacy::account_deletion,
};

/// The body of a request.
#[derive(Default, Deserialize)]
struct Options {
    #[serde(default)]
    should_soft_delete: Option<bool>,
}

/// Returns `{}`. Account, sessions, documents, files and tickets are deleted in one transaction.
///
/// # Errors
/// `bad_json`; `user_not_found`; `own_account` for the caller's own account, `last_admin` if no administrator
/// remains who is not banned.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
    body: Bytes,
) -> Result<Json<Value>, AuthError> {
    // The body is optional. One that cannot be read may have asked for the deletion that can be undone.
    let options: Options = if body.is_empty() {
        Options::default()
    } else {
        serde_json::from_slice(&body).map_err(|error| {
            let message = format!("Could not parse request body as JSON: {error}");
            AuthError::bad_request("bad_json", message)
        })?
    };
    if options.should_soft_delete == Some(true) {
        return Err(AuthError::validation(
            "Soft deletion is not offered: accounts are deleted whole",
        ));
    }
    let now = app.clock.now();
    app.write(move |tx, app| {
        let caller = require_user_admin(tx, app, &credential)?;
        // Locked before the account is read: a concurrent promotion to administrator waits for the same lock.
        user::lock_admins(tx)?;
        let user = find_user(tx, &id)?;
        if caller.user() == Some(user.id) {
            return Err(AuthError::own_account());
        }
        let (documents, tickets) = account_deletion::delete_account(tx, app, user.id)?;
        let detail = json!({"documents": documents, "tickets": tickets});
        let deleted = user.audit_event(audit::EventName::AccountDeleted).detail(detail);
        audit::record(tx, app, caller, [deleted]);
        if user.is_admin() && user::count_active_admins(tx, now)? == 0 {
            return Err(AuthError::last_admin());
        }
        Ok(Json(json!({})))
    })
    .await
}
