//! `POST /otp`: ask for a mail with a link, and a code, to sign in without a password.

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
        pkce, validation,
        verification_mail::{self, MailRequest},
    },
    api::auth::{
        AuthError,
        extract::{Json, given},
        redirect_to::Redirect,
    },
};

/// Who wants to sign in.
#[derive(Deserialize)]
pub struct Body {
    #[serde(default)]
    email: Option<String>,
    #[serde(default)]
    phone: Option<String>,
    #[serde(default)]
    create_user: Option<bool>,
    #[serde(default)]
    data: Option<Map<String, Value>>,
    #[serde(flatten)]
    pkce: pkce::Fields,
}

/// Answers `{}`. Where strangers may not sign up, so also for an address without an account.
///
/// # Errors
/// `otp_disabled` where they may, but the caller wants no new account and the address has none.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(origin): Extension<ClientAddr>,
    redirect: Redirect,
    Json(body): Json<Body>,
) -> Result<Answer<Value>, AuthError> {
    app.limits.account(rate_limit::AccountAction::Otp, origin)?;
    let email = match (given(body.email), given(body.phone)) {
        (Some(email), None) => validation::email(&email)?,
        (None, Some(_)) => return Err(AuthError::no_phone("Unsupported phone provider")),
        (None, None) => return Err(AuthError::validation("One of email or phone must be set")),
        (Some(_), Some(_)) => {
            return Err(AuthError::validation(
                "Only an email address or phone number should be provided",
            ));
        }
    };
    let ask = MailRequest { redirect, challenge: body.pkce.challenge()? };
    let create = body.create_user.unwrap_or(true);
    let mut new = User::new(email, app.clock.now());
    new.signed_up = true;
    validation::merge(&mut new.user_metadata, body.data.unwrap_or_default())?;
    let inner = Arc::clone(&app);
    app.db.write(move |tx| send(tx, &inner, new, create, &ask)).await?;
    Ok(Answer(json!({})))
}

fn send(
    tx: &mut Tx<'_>,
    app: &App,
    mut new: User,
    create: bool,
    ask: &MailRequest,
) -> Result<(), AuthError> {
    let is_open = app.config.signup;
    if is_open && !create && user::by_email(tx, &new.email)?.is_none() {
        return Err(AuthError::unprocessable("otp_disabled", "Signups not allowed for otp"));
    }
    let may_join = is_open && validation::not_reserved(&new.email, &app.config).is_ok();
    verification_mail::send_if_account_exists(tx, app, &new.email.clone(), |tx, account| {
        let mut user = match account {
            Some(user) => user,
            None if may_join => {
                user::insert(tx, &mut new, &app.config)?;
                new
            }
            None => return Ok(false),
        };
        verification_mail::send(tx, app, &mut user, TokenPurpose::MagicLink, ask)?;
        Ok(true)
    })
}
