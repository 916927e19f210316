//! `POST /recover`: mails a link to set a new password.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State};
use serde::Deserialize;
use serde_json::{Value, json};

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
use crate::{
    app::App,
    security::rate_limit::{self, ClientAddr},
};

/// Request body.
#[derive(Deserialize)]
pub struct Body {
    #[serde(default)]
    email: Option<String>,
    #[serde(flatten)]
    pkce: pkce::PkceParams,
}

/// Returns `{}` in every case. The response reveals neither whether the account exists nor whether a mail was sent
/// (OWASP: account enumeration).
///
/// # Errors
/// `validation_failed` for a malformed address; `over_request_rate_limit`.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(origin): Extension<ClientAddr>,
    redirect: Redirect,
    Json(body): Json<Body>,
) -> Result<Answer<Value>, AuthError> {
    app.limits.account(rate_limit::AccountAction::Recover, origin)?;
    let email = non_blank(body.email)
        .ok_or_else(|| AuthError::validation("Password recovery requires an email"))?;
    let email = validation::email(&email)?;
    let mail_request = MailRequest { redirect, challenge: body.pkce.challenge()? };
    app.write(move |tx, app| {
        verification_mail::send_if_account_exists(tx, app, &email, |tx, account| {
            let Some(mut user) = account else { return Ok(false) };
            verification_mail::send(tx, app, &mut user, TokenPurpose::Recovery, &mail_request)?;
            Ok(true)
        })
    })
    .await?;
    Ok(Answer(json!({})))
}
