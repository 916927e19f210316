//! `POST /admin/users`: an administrator creates an account.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{AuthError, body::Json, manager, rules, update_user::merge};
use crate::{app::App, clock::stamp, session::Credential, users};

/// The new account.
#[derive(Deserialize)]
pub struct Body {
    #[serde(default)]
    email: Option<String>,
    #[serde(default)]
    password: Option<String>,
    #[serde(default)]
    email_confirm: Option<bool>,
    #[serde(default)]
    user_metadata: Option<Map<String, Value>>,
    #[serde(default)]
    app_metadata: Option<Map<String, Value>>,
}

/// Answers with the account.
///
/// # Errors
/// `email_exists`, `weak_password`; `not_admin` for everybody else.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Json(body): Json<Body>,
) -> Result<Answer<Value>, AuthError> {
    let now = app.clock.now();
    let asked = credential.clone();
    app.db.read(move |tx| manager(tx, &asked, now).map(drop)).await?;
    let email = body.email.filter(|email| !email.trim().is_empty());
    let email = email.ok_or_else(|| {
        AuthError::validation("Cannot create a user without either an email or phone")
    })?;
    let email = rules::email(&email)?;
    rules::not_reserved(&email, &app.config)?;
    let mut user = users::User::new(email, now);
    if let Some(password) = body.password {
        rules::password(&password, &app.config)?;
        user.password_hash = Some(app.passwords.hash(password).await?);
    }
    user.email_confirmed_at = body.email_confirm.unwrap_or(false).then(|| stamp(now));
    merge(&mut user.user_metadata, body.user_metadata.unwrap_or_default());
    merge(&mut user.app_metadata, body.app_metadata.unwrap_or_default());
    let inner = Arc::clone(&app);
    let write = move |tx: &mut crate::db::Tx<'_>| {
        manager(tx, &credential, now)?;
        users::insert(tx, &mut user, &inner.config)?;
        Ok(Answer(user.json()))
    };
    app.db.write(write).await
}
