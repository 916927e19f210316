//! `PUT /user`: a person changes their own password or metadata (contract §1.5).

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{AuthError, body::Json, one_time, rules, signed_in, tokens};
use crate::{app::App, events, session::Credential, users};

/// What may be changed. Other fields of the account are ignored, as the original ignores them.
#[derive(Deserialize)]
pub struct Body {
    #[serde(default)]
    password: Option<String>,
    #[serde(default)]
    email: Option<String>,
    #[serde(default)]
    data: Option<Map<String, Value>>,
    #[serde(default)]
    app_metadata: Option<Value>,
}

/// Answers with the changed account. A new password ends the person's other sessions.
///
/// # Errors
/// `weak_password`, `same_password`; `not_admin` for `app_metadata`.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Json(body): Json<Body>,
) -> Result<Answer<Value>, AuthError> {
    let now = app.clock.now();
    let asked = credential.clone();
    let user = app.db.read(move |tx| signed_in(tx, &asked, now)).await?;
    if body.app_metadata.is_some_and(|value| !value.is_null()) {
        return Err(AuthError::not_admin());
    }
    if body.email.is_some_and(|email| email.trim().to_lowercase() != user.email) {
        return Err(AuthError::validation("Changing the email address is not available"));
    }
    let password_hash = match body.password {
        None => None,
        Some(password) => {
            rules::password(&password, &app.config)?;
            if app.passwords.verify(password.clone(), user.password_hash).await? {
                return Err(AuthError::unprocessable(
                    "same_password",
                    "New password should be different from the old password.",
                ));
            }
            Some(app.passwords.hash(password).await?)
        }
    };
    let inner = Arc::clone(&app);
    let write = move |tx: &mut crate::db::Tx<'_>| {
        let mut user = signed_in(tx, &credential, now)?;
        if let Some(hash) = password_hash {
            user.password_hash = Some(hash);
            let kept =
                if let Credential::Person { session, .. } = credential { session } else { None };
            tokens::end_others(tx, user.id, kept)?;
            one_time::revoke_all(tx, user.id)?;
            events::password_changed(tx, &inner, &user)?;
        }
        merge(&mut user.user_metadata, body.data.unwrap_or_default());
        users::update(tx, &mut user, &inner.config, now)?;
        Ok(Answer(user.json()))
    };
    app.db.write(write).await
}

/// Merges metadata key by key; null removes one.
pub(super) fn merge(metadata: &mut Map<String, Value>, changes: Map<String, Value>) {
    for (key, value) in changes {
        if value.is_null() {
            metadata.shift_remove(&key);
        } else {
            metadata.insert(key, value);
        }
    }
}
