//! `PUT /user`: changes the user's own password, e-mail address or metadata (`docs/protocol/auth.md`, section 5.6).

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
    audit,
    clock::format_timestamp,
    db::{self, Tx},
    notifications,
    security::rate_limit::{self, ClientAddr},
};
use crate::{
    accounts::{
        email_change,
        one_time_token::{self, TokenPurpose},
        pkce,
        redirect_to::Redirect,
        session::{self, PASSKEY},
        validation,
        verification_mail::MailRequest,
    },
    api::auth::{
        AuthError,
        admin::users::payload::changed_metadata,
        extract::{Json, non_blank},
        lock_current_user, require_user,
        user::response,
    },
};

/// Age up to which a session may set a password without a code from `/reauthenticate`, and a session that began with a
/// passkey without the current password.
const REAUTHENTICATION_AGE: SignedDuration = SignedDuration::from_hours(24);
/// Values of `amr` for a mailed link or code. A person who signs in by mail may have forgotten the password.
const MAILED_LINKS: [&str; 2] = ["otp", "recovery"];

/// Request body. Other fields of an account are ignored, as in GoTrue.
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
    pkce: pkce::PkceParams,
}

/// Returns the changed account. A new password ends the user's other sessions; a new address must be confirmed first.
///
/// # Errors
/// `weak_password`, `same_password`, `reauthentication_needed`, `reauthentication_not_valid`,
/// `current_password_required`, `current_password_invalid`; `not_admin` for `app_metadata`.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Extension(origin): Extension<ClientAddr>,
    redirect: Redirect,
    Json(body): Json<Body>,
) -> Result<Answer<Value>, AuthError> {
    let now = app.clock.now();
    let presented = credential.clone();
    let user = app.read(move |tx, app| require_user(tx, app, &presented)).await?;
    app.limits.account(rate_limit::AccountAction::UpdateUser, origin)?;

    if body.app_metadata.is_some_and(|value| !value.is_null()) {
        return Err(AuthError::not_admin());
    }
    if non_blank(body.phone).is_some() {
        return Err(AuthError::phone_provider_disabled("Phone logins are disabled"));
    }

    let email = non_blank(body.email).map(|email| validation::email(&email)).transpose()?;
    let email = email.filter(|email| *email != user.email);
    let mail_request = MailRequest { redirect, challenge: body.pkce.challenge()? };
    let session = match credential {
        Credential::Person { session, .. } => session,
        _ => None,
    };

    let mut needs_nonce = false;
    let hash = match body.password {
        None => None,
        Some(password) => {
            validation::password(&password, &app.config)?;
            let session_info = match session {
                None => None,
                Some(session) => app.db.read(move |tx| session::session_info(tx, session)).await?,
            };
            let is_recent = session_info.as_ref().is_some_and(|(created, _)| {
                *created >= format_timestamp(now - REAUTHENTICATION_AGE)
            });
            needs_nonce = app.config.require_reauthentication && !is_recent;
            let needs_no_password = |amr: &Value| {
                // A passkey verifies the person at least as well as the password.
                began_with(amr, &MAILED_LINKS) || (is_recent && began_with(amr, &[PASSKEY]))
            };
            // The office knows a password that must be replaced, so that it proves nothing.
            if app.config.require_current_password
                && !user.must_change_password()
                && !session_info.is_some_and(|(_, amr)| needs_no_password(&amr))
            {
                check_current_password(&app, &user, body.current_password).await?;
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
    let nonce = non_blank(body.nonce);
    app.write(move |tx, app| {
        let mut user = lock_current_user(tx, app, &credential)?;
        if needs_nonce && let Some(refused) = check_nonce(tx, app, &user, nonce)? {
            // The transaction must commit, because it recorded the failure.
            return Ok::<_, AuthError>(Err(refused));
        }

        let mut changed_columns: Vec<String> = changed_metadata(&data).into_iter().collect();
        if let Some(hash) = hash {
            set_password(tx, app, &mut user, hash)?;
            user.changed_password();
            session::end_others(tx, user.id, session)?;
            changed_columns.push("password".into());
        }
        validation::merge_own_metadata(&mut user.user_metadata, data)?;
        user::update(tx, &mut user, &app.config, now)?;
        if let Some(email) = email {
            email_change::request(tx, app, &mut user, email, &mail_request)?;
            changed_columns.push("new_email".into());
        }

        if !changed_columns.is_empty() {
            let changed = user
                .audit_event(audit::EventName::AccountChanged)
                .detail(json!({"columns": changed_columns}));
            audit::record(tx, app, user.as_caller(), [changed]);
        }
        Ok(Ok(Answer(response::user_response(tx, &user)?)))
    })
    .await?
}

/// Sets the password of an account that the caller stores. Revokes outstanding tokens, cancels a pending e-mail change,
/// and mails the user.
pub(crate) fn set_password(
    tx: &mut Tx<'_>,
    app: &App,
    user: &mut User,
    hash: String,
) -> Result<(), AuthError> {
    let former = user.password_hash.replace(hash);
    let notice = match former {
        Some(_) => &notifications::PASSWORD_CHANGED,
        None => &notifications::PASSWORD_CREATED,
    };
    one_time_token::revoke_all(tx, user.id)?;
    email_change::cancel(user);
    notifications::send_account_notice(tx, app, notice, &user.recipient(), &user.email)?;
    Ok(())
}

/// Returns whether the session began with one of the methods.
fn began_with(amr: &Value, methods: &[&str]) -> bool {
    let is_method = |entry: &Value| methods.iter().any(|method| entry["method"] == *method);
    amr.as_array().is_some_and(|entries| entries.iter().any(is_method))
}

async fn check_current_password(
    app: &App,
    user: &User,
    given: Option<String>,
) -> Result<(), AuthError> {
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

/// Returns the refusal of a nonce, or `None` for a valid one, which is consumed.
fn check_nonce(
    tx: &mut Tx<'_>,
    app: &App,
    user: &User,
    nonce: Option<String>,
) -> Result<Option<AuthError>, db::Error> {
    let Some(nonce) = nonce else {
        return Ok(Some(AuthError::bad_request(
            "reauthentication_needed",
            "Password update requires reauthentication",
        )));
    };
    let consumed = one_time_token::consume_code(
        tx,
        app,
        &user.email,
        &nonce,
        &[TokenPurpose::Reauthentication],
    )?;
    Ok(match consumed.filter(|consumed| consumed.user == user.id) {
        Some(_) => None,
        None => Some(AuthError::unprocessable(
            "reauthentication_not_valid",
            "Nonce has expired or is invalid",
        )),
    })
}
