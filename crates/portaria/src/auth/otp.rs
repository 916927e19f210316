//! `POST /otp`: ask for a mail with a link, and a code, to sign in without a password.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    AuthError, attempts,
    body::Json,
    mailing::{self, Ask},
    one_time::Purpose,
    pkce,
    redirect::Redirect,
    rules,
};
use crate::{
    app::App,
    db::Tx,
    events,
    limits::{self, Origin},
    users::{self, User},
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
    Extension(origin): Extension<Origin>,
    redirect: Redirect,
    Json(body): Json<Body>,
) -> Result<Answer<Value>, AuthError> {
    app.limits.account(limits::Ask::Otp, origin)?;
    let given = |field: Option<String>| field.filter(|text| !text.trim().is_empty());
    let email = match (given(body.email), given(body.phone)) {
        (Some(email), None) => rules::email(&email)?,
        (None, Some(_)) => return Err(AuthError::no_phone("Unsupported phone provider")),
        (None, None) => return Err(AuthError::validation("One of email or phone must be set")),
        (Some(_), Some(_)) => {
            return Err(AuthError::validation(
                "Only an email address or phone number should be provided",
            ));
        }
    };
    let ask = Ask { redirect, challenge: body.pkce.challenge()? };
    let create = body.create_user.unwrap_or(true);
    let mut new = User::new(email, app.clock.now());
    new.signed_up = true;
    rules::merge(&mut new.user_metadata, body.data.unwrap_or_default())?;
    let inner = Arc::clone(&app);
    app.db.write(move |tx| send(tx, &inner, new, create, &ask)).await?;
    Ok(Answer(json!({})))
}

fn send(
    tx: &mut Tx<'_>,
    app: &App,
    mut new: User,
    create: bool,
    ask: &Ask,
) -> Result<(), AuthError> {
    let there = users::by_email(tx, &new.email)?;
    if there.is_none() && app.config.signup && !create {
        return Err(AuthError::unprocessable("otp_disabled", "Signups not allowed for otp"));
    }
    if attempts::may_mail(tx, app, &new.email)?.is_err() {
        return Ok(());
    }
    let is_reserved = rules::not_reserved(&new.email, &app.config).is_err();
    match there {
        Some(mut user) => mailing::send(tx, app, &mut user, Purpose::MagicLink, ask),
        None if is_reserved || !app.config.signup => {
            Ok(events::prove_to_nobody(tx, app, &new.email)?)
        }
        None => {
            users::insert(tx, &mut new, &app.config)?;
            mailing::send(tx, app, &mut new, Purpose::MagicLink, ask)
        }
    }
}
