//! `POST /otp`: mails a link and a code to sign in without a password.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{
    accounts::user::{self, User},
    app::App,
    db::Tx,
    security::rate_limit::{self, ClientAddr},
};
use crate::{
    accounts::{
        one_time_token::TokenPurpose,
        pkce,
        redirect_to::Redirect,
        validation,
        verification_mail::{self, MailRequest},
    },
    api::auth::{
        AuthError,
        extract::{Json, non_blank},
    },
};

/// Request body.
#[derive(Deserialize)]
pub struct Body {
    #[serde(default)]
    email: Option<String>,
    #[serde(default)]
    phone: Option<String>,
    /// Way of a code to a phone.
    #[serde(default)]
    channel: Option<String>,
    #[serde(default)]
    create_user: Option<bool>,
    #[serde(default)]
    data: Option<Map<String, Value>>,
    #[serde(flatten)]
    pkce: pkce::PkceParams,
}

/// Returns `{}`. If sign-ups are closed, it does so for an address without an account as well.
///
/// # Errors
/// `otp_disabled` if sign-ups are open, `create_user` is `false`, and the address has no account;
/// `email_address_not_ascii` for a new account.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(origin): Extension<ClientAddr>,
    redirect: Redirect,
    Json(body): Json<Body>,
) -> Result<Answer<Value>, AuthError> {
    app.limits.account(rate_limit::AccountAction::Otp, origin)?;
    let email = match (non_blank(body.email), non_blank(body.phone)) {
        (Some(_), None) if non_blank(body.channel).is_some() => {
            let message = "Channel should only be specified with Phone OTP";
            return Err(AuthError::validation(message));
        }
        (Some(email), None) => validation::email(&email)?,
        (None, Some(_)) => {
            return Err(AuthError::phone_provider_disabled("Unsupported phone provider"));
        }
        (None, None) => return Err(AuthError::validation("One of email or phone must be set")),
        (Some(_), Some(_)) => {
            return Err(AuthError::validation(
                "Only an email address or phone number should be provided",
            ));
        }
    };
    let mail_request = MailRequest { redirect, challenge: body.pkce.challenge()? };
    let create = body.create_user.unwrap_or(true);
    let mut new = User::new(email, app.clock.now());
    new.signed_up = true;
    validation::merge_own_metadata(&mut new.user_metadata, body.data.unwrap_or_default())?;
    app.write(move |tx, app| send(tx, app, new, create, &mail_request)).await?;
    Ok(Answer(json!({})))
}

fn send(
    tx: &mut Tx<'_>,
    app: &App,
    mut new: User,
    create: bool,
    mail_request: &MailRequest,
) -> Result<(), AuthError> {
    let signup_open = app.config.signup;
    if signup_open && !create && user::by_email(tx, &new.email)?.is_none() {
        return Err(AuthError::unprocessable("otp_disabled", "Signups not allowed for otp"));
    }
    let may_create =
        signup_open && validation::require_not_reserved(&new.email, &app.config).is_ok();
    verification_mail::send_if_account_exists(tx, app, &new.email.clone(), |tx, account| {
        let mut user = match account {
            Some(user) => user,
            None if may_create => {
                validation::require_ascii_local_part(&new.email)?;
                user::insert(tx, &mut new, &app.config)?;
                new
            }
            None => return Ok(false),
        };
        verification_mail::send(tx, app, &mut user, TokenPurpose::MagicLink, mail_request)?;
        Ok(true)
    })?;
    Ok(())
}
