//! `POST /admin/users`: an administrator creates an account, whose owner is told (behaviour F7).

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State};
use serde_json::Value;
use uuid::Uuid;

use crate::{
    accounts::{authenticate::Credential, user},
    app::App,
    audit::{self, AuditEvent},
    notifications,
};
use crate::{
    accounts::{
        one_time_token::TokenPurpose,
        validation,
        verification_mail::{self, MailRequest},
    },
    api::auth::{
        AuthError, admin::users::payload::UserPayload, extract::Json, redirect_to::Redirect,
        require_user_admin, user::response::told,
    },
};

/// Answers with the account. Without a password its owner is invited to choose one; with one they are welcomed, if it
/// is a person who creates it: programs have their own words.
///
/// # Errors
/// `email_exists`, `weak_password`; `not_admin` for everybody else.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    redirect: Redirect,
    Json(fields): Json<UserPayload>,
) -> Result<Answer<Value>, AuthError> {
    let now = app.clock.now();
    let (inner, asked) = (Arc::clone(&app), credential.clone());
    app.db.read(move |tx| require_user_admin(tx, &inner, &asked).map(drop)).await?;
    let id = fields.id.clone().filter(|id| !id.is_empty()).map(|id| read_id(&id)).transpose()?;
    let mut fields = fields.check(&app).await?;
    let email = fields.email.take().ok_or_else(|| {
        AuthError::validation("Cannot create a user without either an email or phone")
    })?;
    validation::not_reserved(&email, &app.config)?;
    let mut user = user::User::new(email, now);
    user.id = id.unwrap_or(user.id);
    user.password_hash = fields.password_hash.take();
    fields.apply(&app, &mut user)?;
    let inner = Arc::clone(&app);
    let write = move |tx: &mut crate::db::Tx<'_>| {
        let caller = require_user_admin(tx, &inner, &credential)?;
        user::insert(tx, &mut user, &inner.config)?;
        let created = [AuditEvent::for_user("account.created", &user)];
        audit::record(
            tx,
            &inner,
            caller,
            created.into_iter().chain(audit::role_change(false, &user)),
        );
        if user.password_hash.is_none() {
            let ask = MailRequest { redirect, challenge: None };
            verification_mail::send(tx, &inner, &mut user, TokenPurpose::Invite, &ask)?;
        } else if caller.user().is_some() {
            notifications::send_account_notice(
                tx,
                &inner,
                &notifications::WELCOME,
                &user,
                &user.email,
            )?;
        }
        Ok(Answer(told(tx, &user)?))
    };
    app.db.write(write).await
}

fn read_id(text: &str) -> Result<Uuid, AuthError> {
    Uuid::parse_str(text)
        .ok()
        .filter(|id| !id.is_nil())
        .ok_or_else(|| AuthError::validation("ID must conform to the uuid v4 format"))
}
