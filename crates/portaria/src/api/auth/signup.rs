//! `POST /signup`: creates an account for the caller, if the setting `signup` permits it.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State, http::HeaderMap};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{
    accounts::user::{self, User},
    api::auth::token::session_response,
    app::App,
    audit::{self, AuditEvent},
    clock::format_timestamp,
    db::Tx,
    notifications,
    security::{
        caller::Caller,
        rate_limit::{self, ClientAddr},
    },
};
use crate::{
    accounts::{
        login_attempts,
        one_time_token::TokenPurpose,
        pkce,
        redirect_to::Redirect,
        session, validation,
        verification_mail::{self, MailRequest},
    },
    api::auth::{
        AuthError,
        extract::{Json, non_blank},
        user_agent,
    },
};

/// Request body. Unknown fields are ignored, so a caller cannot assign a role.
#[derive(Deserialize)]
pub struct Body {
    #[serde(default)]
    email: Option<String>,
    #[serde(default)]
    phone: Option<String>,
    #[serde(default)]
    password: Option<String>,
    #[serde(default)]
    data: Option<Map<String, Value>>,
    #[serde(flatten)]
    pkce: pkce::PkceParams,
}

/// A validated sign-up.
struct SignupRequest {
    new: User,
    hash: String,
    /// Whether the existing account, if any, has the same password.
    same_password: bool,
    mail_request: MailRequest,
    agent: Option<String>,
}

/// Returns a session with the setting `autoconfirm`. Otherwise it returns an unconfirmed account, and the same response
/// if the address has one already.
///
/// # Errors
/// `signup_disabled`, `weak_password`; `user_already_exists` only with `autoconfirm`.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(origin): Extension<ClientAddr>,
    redirect: Redirect,
    headers: HeaderMap,
    Json(body): Json<Body>,
) -> Result<Answer<Value>, AuthError> {
    let (email, phone) = (non_blank(body.email), non_blank(body.phone));
    // The client library signs in anonymously with a sign-up that has no address.
    if email.is_none() && phone.is_none() {
        return Err(AuthError::unprocessable(
            "anonymous_provider_disabled",
            "Anonymous sign-ins are disabled",
        ));
    }
    if !app.config.signup {
        return Err(AuthError::unprocessable(
            "signup_disabled",
            "Signups not allowed for this instance",
        ));
    }
    app.limits.account(rate_limit::AccountAction::Signup, origin)?;
    let email = match (email, phone) {
        (Some(email), None) => email,
        (None, _) => return Err(AuthError::phone_provider_disabled("Phone signups are disabled")),
        (Some(_), Some(_)) => {
            return Err(AuthError::validation(
                "Only an email address or phone number should be provided on signup.",
            ));
        }
    };

    let password = body.password.filter(|password| !password.is_empty());
    let password =
        password.ok_or_else(|| AuthError::validation("Signup requires a valid password"))?;
    let email = validation::email(&email)?;
    validation::password(&password, &app.config)?;
    // Before the look-up, so that the refusal reveals nothing.
    validation::require_ascii_local_part(&email)?;

    let mut new = User::new(email.clone(), app.clock.now());
    new.signed_up = true;
    validation::merge_own_metadata(&mut new.user_metadata, body.data.unwrap_or_default())?;
    let mail_request = MailRequest { redirect, challenge: body.pkce.challenge()? };

    // Verification and hashing run whether or not the address has an account, so that the duration reveals nothing.
    let existing =
        app.db.read(move |tx| user::by_email(tx, &email)).await.map_err(AuthError::from)?;
    let stored = existing.and_then(|user| user.password_hash);
    let same_password = app.passwords.verify(password.clone(), stored).await?;
    let hash = app.passwords.hash(password).await?;

    let request =
        SignupRequest { new, hash, same_password, mail_request, agent: user_agent(&headers) };
    app.write(move |tx, app| sign_up(tx, app, request)).await.map(Answer)
}

fn sign_up(tx: &mut Tx<'_>, app: &App, request: SignupRequest) -> Result<Value, AuthError> {
    let SignupRequest { mut new, hash, same_password, mail_request, agent } = request;
    let is_reserved = validation::require_not_reserved(&new.email, &app.config).is_err();
    // Sign-ups with one address wait for each other here, so that the second one finds the account of the first.
    let may_mail =
        !app.config.autoconfirm && login_attempts::may_request_mail(tx, app, &new.email)?;
    let existing = user::locked_by_email(tx, &new.email)?;

    if app.config.autoconfirm {
        if existing.is_some() || is_reserved {
            return Err(AuthError::user_exists());
        }
        new.password_hash = Some(hash);
        new.email_confirmed_at = Some(new.created_at.clone());
        user::insert(tx, &mut new, &app.config)?;
        audit::record(tx, app, Caller::Anon, [new.audit_event(audit::EventName::AccountCreated)]);
        let tokens = session::create_session(tx, app, &mut new, "password", agent.as_deref())?;
        return Ok(session_response(tx, &new, &tokens)?);
    }

    let event = match &existing {
        Some(user) => user.audit_event(audit::EventName::AccountSignUpRepeated),
        None if is_reserved => AuditEvent::new(audit::EventName::AccountSignUpRepeated),
        None => new.audit_event(audit::EventName::AccountCreated),
    };
    audit::record(tx, app, Caller::Anon, [event]);

    match existing {
        None if is_reserved => notifications::simulate_send(tx, app, &new.email)?,
        None => {
            new.password_hash = Some(hash);
            user::insert(tx, &mut new, &app.config)?;
            if may_mail {
                verification_mail::send(tx, app, &mut new, TokenPurpose::Signup, &mail_request)?;
            }
        }
        Some(mut user) if user.signed_up && user.email_confirmed_at.is_none() => {
            // Two sign-ups may come from two people, of whom only one receives the mail. If their passwords differ,
            // neither is kept: otherwise an attacker's password would be confirmed by the owner of the address.
            if !same_password {
                user.password_hash = None;
                user::update(tx, &mut user, &app.config, app.clock.now())?;
            }
            if may_mail {
                verification_mail::send(tx, app, &mut user, TokenPurpose::Signup, &mail_request)?;
            }
        }
        Some(_) if !may_mail => {}
        Some(user) => notifications::send_account_notice(
            tx,
            app,
            &notifications::ACCOUNT_EXISTS,
            &user.recipient(),
            &user.email,
        )?,
    }
    // The response shows the requested account in every case, because it must not reveal whether the address had one.
    new.confirmation_sent_at = Some(format_timestamp(app.clock.now()));
    let mut response = new.json();
    response["identities"] = json!([]);
    Ok(response)
}
