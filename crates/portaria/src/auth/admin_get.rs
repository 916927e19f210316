//! `GET /admin/users/{id}`: an administrator reads an account.

use std::sync::Arc;

use axum::{
    Extension, Json,
    extract::{Path, State},
};
use serde_json::Value;
use uuid::Uuid;

use super::{AuthError, manager, user_json::told};
use crate::{app::App, db::Tx, session::Credential, users};

/// Answers with the account.
///
/// # Errors
/// `user_not_found`.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
) -> Result<Json<Value>, AuthError> {
    let inner = Arc::clone(&app);
    let read = move |tx: &mut Tx<'_>| {
        manager(tx, &inner, &credential)?;
        let user = named(tx, &id)?;
        Ok(Json(told(tx, &user)?))
    };
    app.db.read(read).await
}

/// The account that the path names.
pub(super) fn named(tx: &mut Tx<'_>, id: &str) -> Result<users::User, AuthError> {
    let id = Uuid::parse_str(id).map_err(|_| AuthError::not_a_user_id())?;
    users::by_id(tx, id)?.ok_or_else(AuthError::user_not_found)
}
