//! `POST /resend`: mails a sign-up or an e-mail change again.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    accounts::{
        email_change,
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
    #[serde(default)]
    phone: Option<String>,
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(flatten)]
    pkce: pkce::PkceParams,
}

/// Returns `{}`, whether or not there is a mail to send.
///
/// # Errors
/// `validation_failed`; `over_request_rate_limit`.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(origin): Extension<ClientAddr>,
    redirect: Redirect,
    Json(body): Json<Body>,
) -> Result<Answer<Value>, AuthError> {
    app.limits.account(rate_limit::AccountAction::Resend, origin)?;
    let is_change = match body.kind.as_deref() {
        Some("signup") => false,
        Some("email_change") => true,
        Some("sms" | "phone_change") => {
            return Err(AuthError::phone_provider_disabled("Phone logins are disabled"));
        }
        _ => {
            return Err(AuthError::validation(
                "Missing one of these types: signup, email_change, sms, phone_change",
            ));
        }
    };
    let email = match (non_blank(body.email), non_blank(body.phone)) {
        (Some(email), None) => validation::email(&email)?,
        (None, _) => return Err(AuthError::validation("Type provided requires an email address")),
        (Some(_), Some(_)) => {
            return Err(AuthError::validation(
                "Only an email address or phone number should be provided.",
            ));
        }
    };
    let mail_request = MailRequest { redirect, challenge: body.pkce.challenge()? };
    app.write(move |tx, app| {
        verification_mail::send_if_account_exists(tx, app, &email, |tx, account| {
            match account {
                Some(mut user) if is_change && user.new_email.is_some() => {
                    email_change::resend(tx, app, &mut user, &mail_request)?;
                }
                Some(mut user) if !is_change && user.email_confirmed_at.is_none() => {
                    verification_mail::send(
                        tx,
                        app,
                        &mut user,
                        TokenPurpose::Signup,
                        &mail_request,
                    )?;
                }
                _ => return Ok(false),
            }
            Ok(true)
        })
    })
    .await?;
    Ok(Answer(json!({})))
}
