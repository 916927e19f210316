//! `POST /invite`: an administrator invites somebody to choose a password.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{
    accounts::{
        authenticate::Credential,
        user::{self, User},
    },
    app::App,
    audit::{self, AuditEvent},
    db::Tx,
    policy::Caller,
};
use crate::{
    accounts::{
        one_time_token::TokenPurpose,
        validation,
        verification_mail::{self, MailRequest},
    },
    api::auth::{
        AuthError, extract::Json, redirect_to::Redirect, require_user_admin, user::response::told,
    },
};

/// Who is invited.
#[derive(Deserialize)]
pub struct Body {
    #[serde(default)]
    email: Option<String>,
    #[serde(default)]
    data: Option<Map<String, Value>>,
}

/// Answers with the account.
///
/// # Errors
/// `email_exists` for somebody who has confirmed theirs; `not_admin` for everybody else's wish.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    redirect: Redirect,
    Json(body): Json<Body>,
) -> Result<Answer<Value>, AuthError> {
    let inner = Arc::clone(&app);
    let write = move |tx: &mut Tx<'_>| {
        let caller = require_user_admin(tx, &inner, &credential)?;
        let email = validation::email(&body.email.unwrap_or_default())?;
        let data = body.data.unwrap_or_default();
        let mut user = invited(tx, &inner, caller, email, data)?;
        audit::record(tx, &inner, caller, [AuditEvent::for_user("account.invited", &user)]);
        let ask = MailRequest { redirect, challenge: None };
        verification_mail::send(tx, &inner, &mut user, TokenPurpose::Invite, &ask)?;
        Ok(Answer(told(tx, &user)?))
    };
    app.db.write(write).await
}

/// The account of somebody to be invited: a new one, or one that was never confirmed.
pub(crate) fn invited(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    email: String,
    data: Map<String, Value>,
) -> Result<User, AuthError> {
    validation::not_reserved(&email, &app.config)?;
    match user::locked_by_email(tx, &email)? {
        Some(user) if user.email_confirmed_at.is_some() => Err(AuthError::email_exists()),
        Some(user) => Ok(user),
        None => {
            let mut user = User::new(email, app.clock.now());
            validation::merge(&mut user.user_metadata, data)?;
            user::insert(tx, &mut user, &app.config)?;
            audit::record(tx, app, caller, [AuditEvent::for_user("account.created", &user)]);
            Ok(user)
        }
    }
}
