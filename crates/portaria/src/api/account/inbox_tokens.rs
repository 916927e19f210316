//! `/account/v1/inbox-tokens`: the tokens that add files to the inbox (`docs/protocol/account.md`, section 10).

use std::sync::Arc;

use axum::{
    Extension, Json,
    extract::{Path, State},
    http::StatusCode,
};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::account::{AccountError, extract::JsonBody, require_administrator};
use crate::{
    accounts::authenticate::Credential,
    app::App,
    db::Tx,
    inbox::tokens::{self, Creator, InboxToken, TooManyTokens},
    security::ids::InboxTokenId,
};

/// The values of a new token.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewToken {
    name: String,
}

/// `GET`: returns `{tokens}`, oldest first, without their secrets.
///
/// # Errors
/// As `require_administrator`.
pub async fn list(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
) -> Result<Json<Value>, AccountError> {
    let read = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        require_administrator(tx, &credential, app)?;
        Ok::<_, AccountError>(tokens::all(tx)?)
    };
    let tokens = app.read(read).await?;
    Ok(Json(json!({"tokens": tokens.iter().map(token_json).collect::<Vec<_>>()})))
}

fn token_json(token: &InboxToken) -> Value {
    json!({
        "id": token.id,
        "name": token.name,
        "created_by": token.creator.as_ref().map(creator_name),
        "created_at": token.created_at,
        "last_used_at": token.last_used_at,
    })
}

/// Returns the full name of the creator, or the e-mail address of an account without one.
fn creator_name(creator: &Creator) -> String {
    let metadata: Value = serde_json::from_str(&creator.metadata).unwrap_or_default();
    let name = metadata.get("full_name").and_then(Value::as_str);
    name.filter(|name| !name.is_empty()).unwrap_or(&creator.email).to_owned()
}

/// `POST {"name"}`: creates a token and returns `{id, token}`. No later answer contains the token.
///
/// # Errors
/// As `require_administrator`; `validation_failed` for an invalid name; `too_many_inbox_tokens`.
pub async fn create(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    JsonBody(NewToken { name }): JsonBody<NewToken>,
) -> Result<Json<Value>, AccountError> {
    let write = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let caller = require_administrator(tx, &credential, app)?;
        let name = tokens::parse_name(&name)
            .ok_or_else(|| AccountError::invalid("The name is empty or too long"))?;
        let created = tokens::create(tx, app, caller, &name)?;
        created.map_err(|TooManyTokens| AccountError::too_many_inbox_tokens())
    };
    let (id, token) = app.write(write).await?;
    Ok(Json(json!({"id": id, "token": token})))
}

/// `DELETE …/{id}`: revokes a token.
///
/// # Errors
/// As `require_administrator`; `not_found` for an unknown token.
pub async fn revoke(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
) -> Result<StatusCode, AccountError> {
    let write = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let caller = require_administrator(tx, &credential, app)?;
        let id: InboxTokenId = id.parse().map_err(|_| AccountError::not_found())?;
        if tokens::revoke(tx, app, caller, id)? {
            Ok(StatusCode::NO_CONTENT)
        } else {
            Err(AccountError::not_found())
        }
    };
    app.write(write).await
}
