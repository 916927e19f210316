//! `POST /admin/users/{id}/view`: an administrator looks at the portal as a client sees it (behaviour F11).
//!
//! The token gives what the client may read and nothing else: `policy.rs` knows its bearer as a viewer, who changes
//! nothing and whose looking counts as no reading. It ends with the administrator's own session at the latest.

use std::sync::Arc;

use axum::{
    Extension, Json,
    extract::{Path, State},
};
use serde_json::{Value, json};

use crate::api::auth::{AuthError, admin::users::get::named, require_user_admin};
use crate::{
    accounts::authenticate::{Credential, VIEWER},
    app::App,
    audit,
    db::Tx,
};

/// Whoever goes on looking asks again. Seconds.
const LIFE: i64 = 3600;

/// Answers with the token and whose portal it shows.
///
/// # Errors
/// `user_not_found` also for staff, who have no portal; `not_admin` for everybody else, and for programs, which have
/// no session that it could end with.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
) -> Result<Json<Value>, AuthError> {
    let now = app.clock.now();
    let (asked, inner) = (credential.clone(), Arc::clone(&app));
    let find = move |tx: &mut Tx<'_>| {
        let caller = require_user_admin(tx, &inner, &asked)?;
        let client = named(tx, &id)?;
        if client.is_admin() {
            return Err(AuthError::user_not_found());
        }
        audit::impersonation(tx, &inner, caller, client.id);
        Ok(client)
    };
    let client = app.db.write(find).await?;
    let Credential::Person { user: admin, session: Some(session) } = credential else {
        return Err(AuthError::not_admin());
    };
    let issued = now.as_second();
    let claims = json!({
        "iss": format!("{}/auth/v1", app.config.site_url),
        "sub": admin,
        "exp": issued + LIFE,
        "iat": issued,
        "role": VIEWER,
        "session_id": session,
        "client_id": client.id,
    });
    Ok(Json(json!({
        "access_token": app.keys.sign_token(&claims),
        "expires_at": issued + LIFE,
        "client": {
            "id": client.id.to_string(),
            "email": client.email,
            "full_name": client.user_metadata.get("full_name"),
        },
    })))
}
