//! `POST /admin/generate_link`: an administrator gets the link that would be mailed, and delivers it themselves.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State, http::StatusCode};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{
    accounts::{
        authenticate::Credential,
        user::{self, User},
    },
    app::App,
    audit::{self, AuditEvent},
    clock::format_timestamp,
    db::Tx,
    policy::Caller,
};
use crate::{
    accounts::{
        one_time_token::{self, TokenPurpose},
        validation,
        verification_mail::{action_link, recipient, stamp_sent_at},
    },
    api::auth::{
        AuthError, admin::invite::invited, extract::Json, redirect_to::Redirect,
        require_user_admin, user::response::told,
    },
};

/// Which link, for whom.
#[derive(Deserialize)]
pub struct Body {
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    email: Option<String>,
    #[serde(default)]
    new_email: Option<String>,
    #[serde(default)]
    password: Option<String>,
    #[serde(default)]
    data: Option<Map<String, Value>>,
    #[serde(default)]
    redirect_to: Option<String>,
}

/// Answers with the account and, beside its fields, the link and what it is made of. Nothing is mailed.
///
/// # Errors
/// `user_not_found`, `email_exists`, `weak_password`; `not_admin` for everybody else.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    redirect: Redirect,
    Json(body): Json<Body>,
) -> Result<Answer<Value>, AuthError> {
    let now = app.clock.now();
    let (inner, asked) = (Arc::clone(&app), credential.clone());
    app.db.read(move |tx| require_user_admin(tx, &inner, &asked).map(drop)).await?;
    let hash = match body.password.as_deref().filter(|password| !password.is_empty()) {
        None => None,
        Some(password) => {
            validation::password(password, &app.config)?;
            Some(app.passwords.hash(password.to_owned()).await?)
        }
    };
    let redirect = redirect.prefer(&app.config, body.redirect_to.as_deref());
    let inner = Arc::clone(&app);
    let write = move |tx: &mut Tx<'_>| {
        let caller = require_user_admin(tx, &inner, &credential)?;
        let (mut user, purpose) = subject(tx, &inner, caller, body, hash)?;
        let detail = json!({"purpose": purpose.verification_type()});
        audit::record(
            tx,
            &inner,
            caller,
            [AuditEvent::for_user("account.link_made", &user).detail(detail)],
        );
        let to = recipient(&user, purpose);
        let token = one_time_token::issue(tx, &inner, user.id, purpose, &to, None)?;
        stamp_sent_at(&mut user, purpose, format_timestamp(now));
        user::update(tx, &mut user, &inner.config, now)?;
        let mut answer = told(tx, &user)?;
        answer["action_link"] = action_link(&inner.config, &token.text, purpose, &redirect).into();
        answer["email_otp"] = token.code.into();
        answer["hashed_token"] = token.text.into();
        answer["verification_type"] = purpose.verification_type().into();
        answer["redirect_to"] = redirect.target(&inner.config).as_str().into();
        Ok(Answer(answer))
    };
    app.db.write(write).await
}

/// The account that the link is for, made or changed as its kind asks, and the purpose that results.
fn subject(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    body: Body,
    hash: Option<String>,
) -> Result<(User, TokenPurpose), AuthError> {
    let email = validation::email(&body.email.unwrap_or_default())?;
    let there = user::locked_by_email(tx, &email)?;
    let data = body.data.unwrap_or_default();
    match (body.kind.as_deref().unwrap_or_default(), there) {
        ("signup", Some(user)) if user.email_confirmed_at.is_some() => {
            Err(AuthError::email_exists())
        }
        ("signup", Some(mut user)) => {
            validation::merge(&mut user.user_metadata, data)?;
            Ok((user, TokenPurpose::Signup))
        }
        ("signup", None) if hash.is_none() => {
            Err(AuthError::validation("Signup requires a valid password"))
        }
        // A link to sign in makes the account as well.
        ("signup" | "magiclink", None) => {
            let mut user = invited(tx, app, caller, email, data)?;
            user.password_hash = hash;
            Ok((user, TokenPurpose::Signup))
        }
        ("invite", _) => Ok((invited(tx, app, caller, email, data)?, TokenPurpose::Invite)),
        ("magiclink", Some(user)) => Ok((user, TokenPurpose::MagicLink)),
        ("recovery", Some(user)) => Ok((user, TokenPurpose::Recovery)),
        ("email_change_current", Some(_)) if !app.config.secure_email_change => Err(
            AuthError::validation("Enable secure email change to generate link for current email"),
        ),
        ("email_change_current", Some(user)) => {
            Ok((changing(tx, app, user, body.new_email)?, TokenPurpose::EmailChangeCurrent))
        }
        ("email_change_new", Some(user)) => {
            Ok((changing(tx, app, user, body.new_email)?, TokenPurpose::EmailChangeNew))
        }
        ("recovery" | "email_change_current" | "email_change_new", None) => Err(AuthError::new(
            StatusCode::NOT_FOUND,
            "user_not_found",
            "User with this email not found",
        )),
        (other, _) => {
            Err(AuthError::validation(format!("Invalid email action link type requested: {other}")))
        }
    }
}

fn changing(
    tx: &mut Tx<'_>,
    app: &App,
    mut user: User,
    new_email: Option<String>,
) -> Result<User, AuthError> {
    let new_email = validation::email(&new_email.unwrap_or_default())?;
    validation::not_reserved(&new_email, &app.config)?;
    if user::by_email(tx, &new_email)?.is_some() {
        return Err(AuthError::email_exists());
    }
    if user.new_email.as_ref() != Some(&new_email) {
        // Half a leave to another change is none to this one.
        one_time_token::revoke(
            tx,
            user.id,
            &[TokenPurpose::EmailChangeCurrent, TokenPurpose::EmailChangeNew],
        )?;
        user.email_change_confirmed = None;
        user.new_email = Some(new_email);
    }
    Ok(user)
}
