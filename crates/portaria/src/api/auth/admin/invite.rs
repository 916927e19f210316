//! `POST /invite`: creates an account and mails an invitation to set a password. `DELETE /invite/{id}` withdraws it, and
//! `POST /invite/renew` mails a new one in place of an expired one.

use std::sync::Arc;

use axum::{
    Extension, Json as Answer,
    extract::{Path, State},
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{
    accounts::{
        authenticate::Credential,
        invitation,
        user::{self, User},
    },
    app::App,
    audit,
    db::Tx,
    security::{
        caller::Caller,
        rate_limit::{self, ClientAddr},
    },
};
use crate::{
    accounts::{
        one_time_token::TokenPurpose,
        redirect_to::Redirect,
        validation,
        verification_mail::{self, MailRequest},
    },
    api::auth::{AuthError, extract::Json, require_user_admin, user::response::user_response},
};

/// Request body.
#[derive(Deserialize)]
pub struct Body {
    #[serde(default)]
    email: Option<String>,
    #[serde(default)]
    data: Option<Map<String, Value>>,
}

/// Returns the account.
///
/// # Errors
/// `email_exists` if the account is confirmed; `not_admin` for callers without the role.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    redirect: Redirect,
    Json(body): Json<Body>,
) -> Result<Answer<Value>, AuthError> {
    app.write(move |tx, app| {
        let caller = require_user_admin(tx, app, &credential)?;
        let email = validation::email(&body.email.unwrap_or_default())?;
        let data = body.data.unwrap_or_default();
        let mut user = find_or_create_invitee(tx, app, caller, email, data)?;
        audit::record(tx, app, caller, [user.audit_event(audit::EventName::AccountInvited)]);
        let mail_request = MailRequest { redirect, challenge: None };
        verification_mail::send(tx, app, &mut user, TokenPurpose::Invite, &mail_request)?;
        Ok(Answer(user_response(tx, &user)?))
    })
    .await
}

/// Withdraws an invitation, and answers `{}`. The account stays.
///
/// # Errors
/// `user_not_found` if the account has no invitation that is not accepted; `not_admin` for callers without the role.
pub async fn withdraw(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
) -> Result<Answer<Value>, AuthError> {
    app.write(move |tx, app| {
        let caller = require_user_admin(tx, app, &credential)?;
        let id = id.parse().map_err(|_| AuthError::not_a_user_id())?;
        let is_withdrawn = invitation::withdraw(tx, app, caller, id)?;
        if is_withdrawn { Ok(Answer(json!({}))) } else { Err(AuthError::user_not_found()) }
    })
    .await
}

/// Request body of [`renew`].
#[derive(Deserialize)]
pub struct Renewal {
    /// The token of the invitation's link.
    #[serde(default)]
    token_hash: String,
}

/// Mails a new invitation to the account of an expired one, and answers `{}`. The token is the credential.
///
/// # Errors
/// `otp_expired` for an unknown token and for an accepted invitation; `over_request_rate_limit`.
pub async fn renew(
    State(app): State<Arc<App>>,
    Extension(origin): Extension<ClientAddr>,
    Json(body): Json<Renewal>,
) -> Result<Answer<Value>, AuthError> {
    app.limits.account(rate_limit::AccountAction::Recover, origin)?;
    app.write(move |tx, app| {
        let is_known = invitation::renew(tx, app, &body.token_hash)?;
        if is_known { Ok(Answer(json!({}))) } else { Err(AuthError::link_expired()) }
    })
    .await
}

/// Returns the account to invite: a new one, or an existing one that is unconfirmed and becomes a client.
pub(crate) fn find_or_create_invitee(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    email: String,
    data: Map<String, Value>,
) -> Result<User, AuthError> {
    validation::require_not_reserved(&email, &app.config)?;
    match user::locked_by_email(tx, &email)? {
        Some(user) if user.email_confirmed_at.is_some() => Err(AuthError::email_exists()),
        Some(mut user) => {
            if user.signed_up {
                // Names that a stranger entered for the address.
                user.user_metadata.clear();
            }
            invitation::forget_sign_up(tx, &mut user)?;
            validation::merge_metadata(&mut user.user_metadata, data)?;
            // A client may have invited the person before.
            user.is_client = true;
            user::update(tx, &mut user, &app.config, app.clock.now())?;
            Ok(user)
        }
        None => {
            validation::require_ascii_local_part(&email)?;
            let mut user = User::new(email.clone(), app.clock.now());
            validation::merge_metadata(&mut user.user_metadata, data.clone())?;
            if !user::insert_unless_exists(tx, &mut user, &app.config)? {
                return find_or_create_invitee(tx, app, caller, email, data);
            }
            audit::record(tx, app, caller, [user.audit_event(audit::EventName::AccountCreated)]);
            Ok(user)
        }
    }
}
