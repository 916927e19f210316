//! `GET` and `POST /admin/users/{id}/erasure`: previews and performs the erasure of a client's personal data (LGPD).

use std::sync::Arc;

use axum::{
    Extension, Json as Answer,
    extract::{Path, State},
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::auth::{
    AuthError, admin::users::get::find_user, extract::Json, require_user_admin,
};
use crate::{
    accounts::{authenticate::Credential, user::User},
    app::App,
    db::Tx,
    privacy::erasure::{self, ErasureReport},
    security::{caller::Caller, email_address::canonical_address},
};

/// Request body: the client's e-mail address, typed as a confirmation.
#[derive(Debug, Deserialize)]
pub struct ErasureConfirmation {
    #[serde(default)]
    email: String,
}

/// Returns what the erasure would remove and what it would keep.
///
/// # Errors
/// `user_not_found`; `staff_account` for an account of the staff, `not_admin` for callers who are no administrators.
pub async fn preview(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
) -> Result<Answer<Value>, AuthError> {
    app.read(move |tx, app| {
        let (_, user) = find_client(tx, app, &credential, &id)?;
        let plan = erasure::preview(tx, &user)?;
        Ok::<_, AuthError>(Answer(json!(plan)))
    })
    .await
}

/// Erases the data and returns the numbers of removed and kept rows.
///
/// # Errors
/// As [`preview`]; `erasure_not_confirmed` if the address is not the client's.
pub async fn erase(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
    Json(ErasureConfirmation { email }): Json<ErasureConfirmation>,
) -> Result<Answer<Value>, AuthError> {
    let typed = canonical_address(&email);
    let write = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let (caller, user) = find_client(tx, app, &credential, &id)?;
        if typed != user.email {
            return Err(AuthError::erasure_not_confirmed());
        }
        Ok::<_, AuthError>(erasure::erase(tx, app, caller, user.id, true)?)
    };
    let ErasureReport { documents, tickets, mails, events: lines, held } = app.write(write).await?;
    if let Err(error) = erasure::write_tombstones(&app).await {
        // The erasure is committed. The list is written again every night and when the portal starts.
        tracing::error!(%error, "erasure tombstones not written");
    }
    Ok(Answer(json!({
        "documents": documents, "tickets": tickets, "mails": mails, "lines": lines, "held": held,
    })))
}

/// Requires a caller who manages accounts, and returns it with the client that the path names.
fn find_client(
    tx: &mut Tx<'_>,
    app: &App,
    credential: &Credential,
    id: &str,
) -> Result<(Caller, User), AuthError> {
    let caller = require_user_admin(tx, app, credential)?;
    let user = find_user(tx, id)?;
    if user.is_admin() { Err(AuthError::staff_account()) } else { Ok((caller, user)) }
}
