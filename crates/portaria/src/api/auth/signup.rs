//! `POST /signup`: a stranger creates an account, where the office lets them.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State, http::HeaderMap};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{
    accounts::user::{self, User},
    app::App,
    audit::{self, AuditEvent},
    clock::format_timestamp,
    db::Tx,
    notifications,
    policy::Caller,
    security::rate_limit::{self, ClientAddr},
};
use crate::{
    accounts::{
        login_attempts,
        one_time_token::TokenPurpose,
        pkce, session, validation,
        verification_mail::{self, MailRequest},
    },
    api::auth::{
        AuthError,
        extract::{Json, given},
        redirect_to::Redirect,
        user_agent,
    },
};

/// Who signs up. Fields beyond these are ignored: nobody gives themselves a role.
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
    pkce: pkce::Fields,
}

/// A sign-up that may be carried out.
struct Wish {
    new: User,
    hash: String,
    /// Whether the account that is there, if any, has this very password.
    same_password: bool,
    ask: MailRequest,
    agent: Option<String>,
}

/// Answers with a session where accounts need no confirmation; elsewhere with the account that waits for it,
/// and in the same words when the address has one already.
///
/// # Errors
/// `signup_disabled`, `weak_password`; `user_already_exists` where accounts need no confirmation.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(origin): Extension<ClientAddr>,
    redirect: Redirect,
    headers: HeaderMap,
    Json(body): Json<Body>,
) -> Result<Answer<Value>, AuthError> {
    if !app.config.signup {
        return Err(AuthError::unprocessable(
            "signup_disabled",
            "Signups not allowed for this instance",
        ));
    }
    app.limits.account(rate_limit::AccountAction::Signup, origin)?;
    let email = match (given(body.email), given(body.phone)) {
        (Some(email), None) => email,
        (None, Some(_)) => return Err(AuthError::no_phone("Phone signups are disabled")),
        (None, None) => {
            return Err(AuthError::unprocessable(
                "anonymous_provider_disabled",
                "Anonymous sign-ins are disabled",
            ));
        }
        (Some(_), Some(_)) => {
            return Err(AuthError::validation(
                "Only an email address or phone number should be provided on signup.",
            ));
        }
    };
    let password = body.password.filter(|password| !password.is_empty());
    let password =
        password.ok_or_else(|| AuthError::validation("Signup requires a valid password"))?;
    validation::password(&password, &app.config)?;
    let email = validation::email(&email)?;
    let mut new = User::new(email.clone(), app.clock.now());
    new.signed_up = true;
    validation::merge(&mut new.user_metadata, body.data.unwrap_or_default())?;
    let ask = MailRequest { redirect, challenge: body.pkce.challenge()? };

    // The same work whether or not the address has an account.
    let there = app.db.read(move |tx| user::by_email(tx, &email)).await.map_err(AuthError::from)?;
    let stored = there.and_then(|user| user.password_hash);
    let same_password = app.passwords.verify(password.clone(), stored).await?;
    let hash = app.passwords.hash(password).await?;
    let wish = Wish { new, hash, same_password, ask, agent: user_agent(&headers) };
    let inner = Arc::clone(&app);
    app.db.write(move |tx| sign_up(tx, &inner, wish)).await.map(Answer)
}

fn sign_up(tx: &mut Tx<'_>, app: &App, wish: Wish) -> Result<Value, AuthError> {
    let Wish { mut new, hash, same_password, ask, agent } = wish;
    let is_reserved = validation::not_reserved(&new.email, &app.config).is_err();
    let there = user::locked_by_email(tx, &new.email)?;
    if app.config.autoconfirm {
        if there.is_some() || is_reserved {
            return Err(AuthError::user_exists());
        }
        new.password_hash = Some(hash);
        new.email_confirmed_at = Some(new.created_at.clone());
        user::insert(tx, &mut new, &app.config)?;
        audit::record(tx, app, Caller::Anon, [AuditEvent::for_user("account.created", &new)]);
        return session::create_session(tx, app, &mut new, "password", agent.as_deref());
    }
    let may_mail = login_attempts::check_mail_quota(tx, app, &new.email)?.is_ok();
    let line = match &there {
        Some(user) => AuditEvent::for_user("account.sign_up_repeated", user),
        None if is_reserved => AuditEvent::new("account.sign_up_repeated"),
        None => AuditEvent::for_user("account.created", &new),
    };
    audit::record(tx, app, Caller::Anon, [line]);
    match there {
        None if is_reserved => notifications::simulate_send(tx, app, &new.email)?,
        None => {
            new.password_hash = Some(hash);
            user::insert(tx, &mut new, &app.config)?;
            if may_mail {
                verification_mail::send(tx, app, &mut new, TokenPurpose::Signup, &ask)?;
            }
        }
        Some(_) if !may_mail => {}
        Some(mut user) if user.signed_up && user.email_confirmed_at.is_none() => {
            // Two sign-ups, perhaps of two people, and only one of them reads the mail: when their passwords
            // differ neither counts, so that nobody waits inside an account for its owner to confirm it.
            if !same_password {
                user.password_hash = None;
            }
            verification_mail::send(tx, app, &mut user, TokenPurpose::Signup, &ask)?;
        }
        Some(user) => notifications::send_account_notice(
            tx,
            app,
            &notifications::ACCOUNT_EXISTS,
            &user,
            &user.email,
        )?,
    }
    // Whoever asks must not learn whether the account was there: all see the account that they asked for.
    new.confirmation_sent_at = Some(format_timestamp(app.clock.now()));
    let mut shown = new.json();
    shown["identities"] = json!([]);
    Ok(shown)
}
