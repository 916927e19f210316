//! `GET /reauthenticate`: mails a code that confirms the identity of a signed-in user.

use std::sync::Arc;

use axum::{Extension, Json, extract::State};
use serde_json::{Value, json};

use crate::{
    accounts::authenticate::Credential,
    app::App,
    security::rate_limit::{self, ClientAddr},
};
use crate::{
    accounts::{
        login_attempts,
        one_time_token::TokenPurpose,
        redirect_to::Redirect,
        verification_mail::{self, MailRequest},
    },
    api::auth::{AuthError, lock_current_user},
};

/// Returns `{}`.
///
/// # Errors
/// `email_not_confirmed`; `over_email_send_rate_limit` if the last mail is too recent.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Extension(origin): Extension<ClientAddr>,
    redirect: Redirect,
) -> Result<Json<Value>, AuthError> {
    app.limits.account(rate_limit::AccountAction::Reauthenticate, origin)?;
    app.write(move |tx, app| {
        let mut user = lock_current_user(tx, app, &credential)?;
        if user.email_confirmed_at.is_none() {
            return Err(AuthError::unprocessable(
                "email_not_confirmed",
                "Please verify your email first.",
            ));
        }
        login_attempts::check_mail_quota(tx, app, &user.email)?;
        let mail_request = MailRequest { redirect, challenge: None };
        verification_mail::send(tx, app, &mut user, TokenPurpose::Reauthentication, &mail_request)?;
        Ok(())
    })
    .await?;
    Ok(Json(json!({})))
}
