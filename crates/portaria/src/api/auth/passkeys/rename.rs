//! `PATCH /passkeys/{id}`: renames a passkey of the caller.

use std::sync::Arc;

use axum::{
    Extension, Json as Answer,
    extract::{Path, State},
};
use serde::Deserialize;
use serde_json::Value;

use crate::{
    accounts::{authenticate::Credential, passkeys},
    api::auth::{
        AuthError,
        extract::{Json, non_blank},
        passkeys::{find_passkey, require_owner},
    },
    app::App,
    audit,
    security::rate_limit::{AccountAction, ClientAddr},
};

/// Maximum length of a passkey's name, in characters.
const MAX_NAME_LENGTH: usize = 120;

/// Request body.
#[derive(Deserialize)]
pub struct Body {
    #[serde(default)]
    friendly_name: Option<String>,
}

/// Returns the passkey with its new name.
///
/// # Errors
/// `validation_failed`, with 404 for an unknown passkey; `over_request_rate_limit`.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Extension(origin): Extension<ClientAddr>,
    Path(id): Path<String>,
    body: Result<Json<Body>, AuthError>,
) -> Result<Answer<Value>, AuthError> {
    app.write(move |tx, app| {
        let (user, _) = require_owner(tx, app, &credential)?;
        app.limits.account(AccountAction::ChangeFactors, origin)?;
        let Json(body) = body?;
        let name = non_blank(body.friendly_name);
        let name = name.ok_or_else(|| AuthError::validation("friendly_name is required"))?;
        if name.chars().count() > MAX_NAME_LENGTH {
            return Err(AuthError::validation(format!(
                "friendly_name must be {MAX_NAME_LENGTH} characters or less"
            )));
        }
        let mut passkey = find_passkey(tx, &user, &id)?;
        if passkey.friendly_name != name {
            passkeys::rename(tx, passkey.id, &name)?;
            passkey.friendly_name = name;
            let renamed = user.audit_event(audit::EventName::PasskeyRenamed);
            audit::record(tx, app, user.as_caller(), [renamed]);
        }
        Ok(Answer(passkey.json()))
    })
    .await
}
