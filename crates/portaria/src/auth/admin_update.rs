//! `PUT /admin/users/{id}`: an administrator changes an account.

use std::sync::Arc;

use axum::{
    Extension, Json as Answer,
    extract::{Path, State},
};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    AuthError, admin_get::named, body::Json, manager, one_time, rules, tokens, update_user::merge,
};
use crate::{app::App, clock::stamp, events, session::Credential, users};

/// What may be changed; metadata merges key by key, null removes one.
#[derive(Deserialize)]
pub struct Body {
    #[serde(default)]
    email: Option<String>,
    #[serde(default)]
    password: Option<String>,
    #[serde(default)]
    email_confirm: Option<bool>,
    #[serde(default)]
    ban_duration: Option<String>,
    #[serde(default)]
    user_metadata: Option<Map<String, Value>>,
    #[serde(default)]
    app_metadata: Option<Map<String, Value>>,
}

/// Answers with the changed account. A new password ends all its sessions.
///
/// # Errors
/// `user_not_found`, `email_exists`, `weak_password`; `not_admin` for everybody else, and for taking the
/// role from the last administrator.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
    Json(body): Json<Body>,
) -> Result<Answer<Value>, AuthError> {
    let now = app.clock.now();
    let (asked, asked_id) = (credential.clone(), id.clone());
    app.db
        .read(move |tx| {
            manager(tx, &asked, now)?;
            named(tx, &asked_id).map(drop)
        })
        .await?;
    let email = body.email.as_deref().map(rules::email).transpose()?;
    let ban = body.ban_duration.map(|duration| rules::ban(&duration, now)).transpose()?;
    let password_hash = match body.password {
        None => None,
        Some(password) => {
            rules::password(&password, &app.config)?;
            Some(app.passwords.hash(password).await?)
        }
    };
    let inner = Arc::clone(&app);
    let write = move |tx: &mut crate::db::Tx<'_>| {
        manager(tx, &credential, now)?;
        let mut user = named(tx, &id)?;
        let was_admin = user.is_admin();
        if let Some(email) = email.filter(|email| *email != user.email) {
            rules::not_reserved(&email, &inner.config)?;
            user.email = email;
        }
        if body.email_confirm == Some(true) && user.email_confirmed_at.is_none() {
            user.email_confirmed_at = Some(stamp(now));
        }
        if let Some(until) = ban {
            user.banned_until = until;
        }
        if let Some(hash) = password_hash {
            user.password_hash = Some(hash);
            tokens::end_others(tx, user.id, None)?;
            one_time::revoke_all(tx, user.id)?;
            events::password_changed(tx, &inner, &user)?;
        }
        merge(&mut user.user_metadata, body.user_metadata.unwrap_or_default());
        merge(&mut user.app_metadata, body.app_metadata.unwrap_or_default());
        users::update(tx, &mut user, &inner.config, now)?;
        if was_admin && users::count_admins(tx)? == 0 {
            return Err(AuthError::last_admin());
        }
        Ok(Answer(user.json()))
    };
    app.db.write(write).await
}
