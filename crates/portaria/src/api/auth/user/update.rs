//! `PUT /user`: a person changes their own password, address or metadata (contract §1.5).

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State};
use jiff::SignedDuration;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{
    accounts::{
        authenticate::Credential,
        user::{self, User},
    },
    app::App,
    audit::{self, AuditEvent},
    clock::format_timestamp,
    db::Tx,
    notifications,
    security::rate_limit::{self, ClientAddr},
};
use crate::{
    accounts::{
        email_change,
        one_time_token::{self, TokenPurpose},
        pkce, session, validation,
        verification_mail::MailRequest,
    },
    api::auth::{
        AuthError,
        admin::users::payload::changed_metadata,
        extract::{Json, given},
        lock_current_user,
        redirect_to::Redirect,
        require_user,
        user::response,
    },
};

/// A sign-in so recent needs no further proof.
const FRESH: SignedDuration = SignedDuration::from_hours(24);

/// What may be changed. Other fields of the account are ignored, as the original ignores them.
#[derive(Deserialize)]
pub struct Body {
    #[serde(default)]
    password: Option<String>,
    #[serde(default)]
    current_password: Option<String>,
    #[serde(default)]
    nonce: Option<String>,
    #[serde(default)]
    email: Option<String>,
    #[serde(default)]
    phone: Option<String>,
    #[serde(default)]
    data: Option<Map<String, Value>>,
    #[serde(default)]
    app_metadata: Option<Value>,
    #[serde(flatten)]
    pkce: pkce::Fields,
}

/// Answers with the changed account. A new password ends the person's other sessions; a new address must be
/// confirmed first.
///
/// # Errors
/// `weak_password`, `same_password`, `reauthentication_needed`, `current_password_required` and their kin;
/// `not_admin` for `app_metadata`.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Extension(origin): Extension<ClientAddr>,
    redirect: Redirect,
    Json(body): Json<Body>,
) -> Result<Answer<Value>, AuthError> {
    let now = app.clock.now();
    let (inner, asked) = (Arc::clone(&app), credential.clone());
    let user = app.db.read(move |tx| require_user(tx, &inner, &asked)).await?;
    app.limits.account(rate_limit::AccountAction::UpdateUser, origin)?;
    if body.app_metadata.is_some_and(|value| !value.is_null()) {
        return Err(AuthError::not_admin());
    }
    if given(body.phone).is_some() {
        return Err(AuthError::no_phone("Phone logins are disabled"));
    }
    let email = given(body.email).map(|email| validation::email(&email)).transpose()?;
    let email = email.filter(|email| *email != user.email);
    let ask = MailRequest { redirect, challenge: body.pkce.challenge()? };
    let session = match credential {
        Credential::Person { session, .. } => session,
        _ => None,
    };
    let mut needs_nonce = false;
    let hash = match body.password {
        None => None,
        Some(password) => {
            validation::password(&password, &app.config)?;
            let begun = match session {
                None => None,
                Some(session) => {
                    app.db.read(move |tx| session::session_response(tx, session)).await?
                }
            };
            let is_fresh = begun
                .as_ref()
                .is_some_and(|(created, _)| *created >= format_timestamp(now - FRESH));
            needs_nonce = app.config.require_reauthentication && !is_fresh;
            if app.config.require_current_password && !begun.is_some_and(|(_, amr)| recovered(&amr))
            {
                check_current(&app, &user, body.current_password).await?;
            }
            if app.passwords.verify(password.clone(), user.password_hash.clone()).await? {
                return Err(AuthError::unprocessable(
                    "same_password",
                    "New password should be different from the old password.",
                ));
            }
            Some(app.passwords.hash(password).await?)
        }
    };
    let data = body.data.unwrap_or_default();
    let nonce = given(body.nonce);
    let inner = Arc::clone(&app);
    let write = move |tx: &mut Tx<'_>| {
        let mut user = lock_current_user(tx, &inner, &credential)?;
        if needs_nonce && let Err(refused) = check_nonce(tx, &inner, &user, nonce)? {
            // That a wrong code was tried must be kept.
            return Ok::<_, AuthError>(Err(refused));
        }
        let mut told: Vec<String> = changed_metadata(&data).into_iter().collect();
        if let Some(hash) = hash {
            set_password(tx, &inner, &mut user, hash)?;
            user.changed_password();
            session::end_others(tx, user.id, session)?;
            told.push("password".into());
        }
        validation::merge(&mut user.user_metadata, data)?;
        user::update(tx, &mut user, &inner.config, now)?;
        if let Some(email) = email {
            email_change::request(tx, &inner, &mut user, email, &ask)?;
            told.push("new_email".into());
        }
        if !told.is_empty() {
            let changed =
                AuditEvent::for_user("account.changed", &user).detail(json!({"columns": told}));
            audit::record(tx, &inner, audit::from_user(&user), [changed]);
        }
        Ok(Ok(Answer(response::told(tx, &user)?)))
    };
    app.db.write(write).await?
}

/// A new password in an account that is about to be stored: what was mailed before opens it no more, and its
/// owner is told.
pub(crate) fn set_password(
    tx: &mut Tx<'_>,
    app: &App,
    user: &mut User,
    hash: String,
) -> Result<(), AuthError> {
    user.password_hash = Some(hash);
    one_time_token::revoke_all(tx, user.id)?;
    email_change::cancel(user);
    notifications::send_account_notice(
        tx,
        app,
        &notifications::PASSWORD_CHANGED,
        user,
        &user.email,
    )?;
    Ok(())
}

/// Whether the session was opened by mail: such a person may have forgotten the password.
fn recovered(amr: &Value) -> bool {
    let by = |way: &Value| way["method"] == "otp" || way["method"] == "recovery";
    amr.as_array().is_some_and(|ways| ways.iter().any(by))
}

async fn check_current(app: &App, user: &User, given: Option<String>) -> Result<(), AuthError> {
    const MESSAGE: &str = "Current password required when setting new password.";
    if user.password_hash.is_none() {
        return Ok(());
    }
    let given = given.filter(|text| !text.is_empty());
    let given =
        given.ok_or_else(|| AuthError::bad_request("current_password_required", MESSAGE))?;
    if app.passwords.verify(given, user.password_hash.clone()).await? {
        Ok(())
    } else {
        Err(AuthError::bad_request("current_password_invalid", MESSAGE))
    }
}

fn check_nonce(
    tx: &mut Tx<'_>,
    app: &App,
    user: &User,
    nonce: Option<String>,
) -> Result<Result<(), AuthError>, AuthError> {
    let Some(nonce) = nonce else {
        return Ok(Err(AuthError::bad_request(
            "reauthentication_needed",
            "Password update requires reauthentication",
        )));
    };
    let spent = one_time_token::consume_code(
        tx,
        app,
        &user.email,
        &nonce,
        &[TokenPurpose::Reauthentication],
    )?;
    Ok(match spent.filter(|spent| spent.user == user.id) {
        Some(_) => Ok(()),
        None => Err(AuthError::unprocessable(
            "reauthentication_not_valid",
            "Nonce has expired or is invalid",
        )),
    })
}
