//! `GET` and `POST /admin/users/{id}/erasure`: an administrator is shown what there is of a client, and erases it (LGPD).

use std::sync::Arc;

use axum::{
    Extension, Json as Answer,
    extract::{Path, State},
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::auth::{AuthError, admin::users::get::named, extract::Json, require_user_admin};
use crate::{
    accounts::{authenticate::Credential, user::User},
    app::App,
    db::Tx,
    policy::Caller,
    privacy::erasure::{self, ErasureReport},
};

/// The client's address, typed once more.
#[derive(Debug, Deserialize)]
pub struct ErasureConfirmation {
    #[serde(default)]
    email: String,
}

/// Answers with what would go and what would stay.
///
/// # Errors
/// `user_not_found`; `staff_account` for administrators, `not_admin` for everybody else who asks.
pub async fn preview(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
) -> Result<Answer<Value>, AuthError> {
    let inner = Arc::clone(&app);
    let look = move |tx: &mut Tx<'_>| {
        let (_, user) = client(tx, &inner, &credential, &id)?;
        let plan = erasure::plan(tx, &user)?;
        Ok::<_, AuthError>(Answer(json!(plan)))
    };
    app.db.read(look).await
}

/// Answers with what went.
///
/// # Errors
/// As [`plan`]; `erasure_not_confirmed` when the address is another.
pub async fn erase(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
    Json(ErasureConfirmation { email }): Json<ErasureConfirmation>,
) -> Result<Answer<Value>, AuthError> {
    let typed = email.trim().to_lowercase();
    let inner = Arc::clone(&app);
    let forget = move |tx: &mut Tx<'_>| {
        let (caller, user) = client(tx, &inner, &credential, &id)?;
        if typed != user.email {
            return Err(AuthError::not_confirmed());
        }
        Ok::<_, AuthError>(erasure::erase(tx, &inner, caller, user.id, true)?)
    };
    let ErasureReport { documents, tickets, mails, lines, held } = app.db.write(forget).await?;
    if let Err(error) = erasure::write(&app).await {
        // It is done, and the list is written again in the night and when the portal starts.
        tracing::error!(%error, "the list of the erased could not be written yet");
    }
    Ok(Answer(json!({
        "documents": documents, "tickets": tickets, "mails": mails, "lines": lines, "held": held,
    })))
}

/// Who asks, and the client whom they ask about.
fn client(
    tx: &mut Tx<'_>,
    app: &App,
    credential: &Credential,
    id: &str,
) -> Result<(Caller, User), AuthError> {
    let caller = require_user_admin(tx, app, credential)?;
    let user = named(tx, id)?;
    if user.is_admin() { Err(AuthError::not_for_staff()) } else { Ok((caller, user)) }
}
