//! `POST /admin/generate_link`: returns the link of a mail instead of sending it.

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
    audit,
    clock::format_timestamp,
    db::Tx,
    security::caller::Caller,
};
use crate::{
    accounts::{
        invitation,
        one_time_token::{self, TokenPurpose},
        redirect_to::Redirect,
        validation,
        verification_mail::{action_link, recipient, stamp_sent_at},
    },
    api::auth::{
        AuthError, admin::invite::find_or_create_invitee, extract::Json, require_user_admin,
        user::response::user_response,
    },
};

/// Request body.
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

/// Returns the account with `action_link` and its parts. No mail is sent.
///
/// # Errors
/// `user_not_found`, `email_exists`, `weak_password`; `not_admin` for callers without the role.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    redirect: Redirect,
    Json(body): Json<Body>,
) -> Result<Answer<Value>, AuthError> {
    let now = app.clock.now();
    let presented = credential.clone();
    app.read(move |tx, app| require_user_admin(tx, app, &presented).map(drop)).await?;
    let email = body.email.as_deref().filter(|email| !email.is_empty());
    let email = email.ok_or_else(|| AuthError::validation("An email address is required"))?;
    let email = validation::email(email)?;
    let hash = match body.password.as_deref().filter(|password| !password.is_empty()) {
        None => None,
        Some(password) => {
            validation::password(password, &app.config)?;
            Some(app.passwords.hash(password.to_owned()).await?)
        }
    };

    let redirect = redirect.prefer(&app.config, body.redirect_to.as_deref());
    app.write(move |tx, app| {
        let caller = require_user_admin(tx, app, &credential)?;
        let (mut user, purpose) = prepare_account(tx, app, caller, email, body, hash)?;
        let detail = json!({"purpose": purpose.verification_type()});
        audit::record(
            tx,
            app,
            caller,
            [user.audit_event(audit::EventName::AccountLinkMade).detail(detail)],
        );
        let to = recipient(&user, purpose);
        let token = one_time_token::issue(tx, app, user.id, purpose, &to, None)?;
        stamp_sent_at(&mut user, purpose, format_timestamp(now));
        user::update(tx, &mut user, &app.config, now)?;

        let mut response = user_response(tx, &user)?;
        response["action_link"] = action_link(&app.config, &token.value, purpose, &redirect).into();
        response["email_otp"] = token.code.into();
        response["hashed_token"] = token.value.into();
        response["verification_type"] = purpose.as_str().into();
        response["redirect_to"] = redirect.target(&app.config).as_str().into();
        Ok(Answer(response))
    })
    .await
}

/// Finds, creates or changes the account as the type of the link requires. Returns it with the purpose of the token.
fn prepare_account(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    email: String,
    body: Body,
    hash: Option<String>,
) -> Result<(User, TokenPurpose), AuthError> {
    let existing = user::locked_by_email(tx, &email)?;
    let data = body.data.unwrap_or_default();
    match (body.kind.as_deref().unwrap_or_default(), existing) {
        ("signup", Some(user)) if user.email_confirmed_at.is_some() => {
            Err(AuthError::email_exists())
        }
        ("signup", Some(mut user)) => {
            if user.signed_up {
                invitation::forget_sign_up(tx, &mut user)?;
                user.password_hash = hash;
            }
            validation::merge_metadata(&mut user.user_metadata, data)?;
            Ok((user, TokenPurpose::Signup))
        }
        ("signup", None) if hash.is_none() => {
            Err(AuthError::validation("Signup requires a valid password"))
        }
        // A magic link for an unknown address creates the account.
        ("signup" | "magiclink", None) => {
            let mut user = find_or_create_invitee(tx, app, caller, email, data)?;
            user.password_hash = hash;
            Ok((user, TokenPurpose::Signup))
        }
        ("invite", _) => {
            Ok((find_or_create_invitee(tx, app, caller, email, data)?, TokenPurpose::Invite))
        }
        ("magiclink", Some(user)) => Ok((user, TokenPurpose::MagicLink)),
        ("recovery", Some(user)) => Ok((user, TokenPurpose::Recovery)),
        ("email_change_current", Some(_)) if !app.config.secure_email_change => Err(
            AuthError::validation("Enable secure email change to generate link for current email"),
        ),
        ("email_change_current", Some(user)) => Ok((
            set_pending_email(tx, app, user, body.new_email)?,
            TokenPurpose::EmailChangeCurrent,
        )),
        ("email_change_new", Some(user)) => {
            Ok((set_pending_email(tx, app, user, body.new_email)?, TokenPurpose::EmailChangeNew))
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

fn set_pending_email(
    tx: &mut Tx<'_>,
    app: &App,
    mut user: User,
    new_email: Option<String>,
) -> Result<User, AuthError> {
    let new_email = validation::email(&new_email.unwrap_or_default())?;
    validation::require_ascii_local_part(&new_email)?;
    validation::require_not_reserved(&new_email, &app.config)?;
    if user::by_email(tx, &new_email)?.is_some() {
        return Err(AuthError::email_exists());
    }
    if user.new_email.as_ref() != Some(&new_email) {
        // A confirmation of one side applied to the previous address only.
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
