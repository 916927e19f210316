//! `POST /admin/users`: creates an account.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State};
use serde_json::Value;

use crate::{
    accounts::{authenticate::Credential, user},
    app::App,
    audit, notifications,
    security::{caller::Caller, ids::UserId},
};
use crate::{
    accounts::{
        one_time_token::TokenPurpose,
        redirect_to::Redirect,
        validation,
        verification_mail::{self, MailRequest},
    },
    api::auth::{
        AuthError, admin::users::payload::UserPayload, extract::Json, require_user_admin,
        user::response::user_response,
    },
};

/// Returns the account. Without a password, its user is invited to set one. With a password, the user receives a
/// welcome mail if an administrator created the account; programs with the service key send their own.
///
/// # Errors
/// `email_exists`, `weak_password`; `not_admin` for callers without the role.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    redirect: Redirect,
    Json(payload): Json<UserPayload>,
) -> Result<Answer<Value>, AuthError> {
    let now = app.clock.now();
    let presented = credential.clone();
    app.read(move |tx, app| require_user_admin(tx, app, &presented).map(drop)).await?;

    let id = payload.id.clone().filter(|id| !id.is_empty()).map(|id| read_id(&id)).transpose()?;
    let mut payload = payload.validate(&app).await?;
    let email = payload.email.take().ok_or_else(|| {
        AuthError::validation("Cannot create a user without either an email or phone")
    })?;
    validation::require_ascii_local_part(&email)?;
    validation::require_not_reserved(&email, &app.config)?;

    let mut user = user::User::new(email, now);
    user.id = id.unwrap_or(user.id);
    user.password_hash = payload.password_hash.take();
    payload.apply(&app, &mut user)?;

    app.write(move |tx, app| {
        let caller = require_user_admin(tx, app, &credential)?;
        user::insert(tx, &mut user, &app.config)?;
        let created = [user.audit_event(audit::EventName::AccountCreated)];
        audit::record(
            tx,
            app,
            caller,
            created.into_iter().chain(user.role_change_event(Caller::own_account(user.id))),
        );

        if user.password_hash.is_none() {
            let mail_request = MailRequest { redirect, challenge: None };
            verification_mail::send(tx, app, &mut user, TokenPurpose::Invite, &mail_request)?;
        } else if caller.user().is_some() {
            notifications::send_account_notice(
                tx,
                app,
                &notifications::WELCOME,
                &user.recipient(),
                &user.email,
            )?;
        }
        Ok(Answer(user_response(tx, &user)?))
    })
    .await
}

fn read_id(text: &str) -> Result<UserId, AuthError> {
    text.parse()
        .ok()
        .filter(|id: &UserId| !id.0.is_nil())
        .ok_or_else(|| AuthError::validation("ID must conform to the uuid v4 format"))
}
