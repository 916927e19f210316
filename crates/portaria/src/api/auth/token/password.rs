//! `grant_type=password`: exchanges e-mail address and password for a session.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::{
    accounts::user::{self, User},
    api::auth::token::session_response,
    app::App,
    audit::{self, AuditEvent},
    db::Tx,
    security::{
        caller::Caller, email_address::canonical_address, password, rate_limit::ClientAddr,
    },
};
use crate::{
    accounts::{login_attempts, session, validation},
    api::auth::{AuthError, extract::non_blank, token::Body},
};

/// Returns a session.
///
/// # Errors
/// `invalid_credentials` alike for a wrong password and an unknown address. `user_banned` and `email_not_confirmed`
/// only with the right password.
pub(crate) async fn grant(
    app: Arc<App>,
    origin: ClientAddr,
    body: Body,
    agent: Option<String>,
) -> Result<Value, AuthError> {
    let email = match (non_blank(body.email), non_blank(body.phone)) {
        (Some(email), None) => canonical_address(&email),
        (None, Some(_)) => {
            return Err(AuthError::unprocessable(
                "phone_provider_disabled",
                "Phone logins are disabled",
            ));
        }
        (None, None) => return Err(AuthError::validation("missing email or phone")),
        (Some(_), Some(_)) => {
            return Err(AuthError::validation(
                "Only an email address or phone number should be provided on login.",
            ));
        }
    };
    let password = body.password.filter(|text| text.len() <= password::MAX_LENGTH);
    let password = password.ok_or_else(AuthError::invalid_credentials)?;
    app.limits.sign_in(origin)?;

    let address = email.clone();
    let read = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let now = app.clock.now();
        login_attempts::check(tx, &app.config, &address, origin, now)?;
        Ok::<_, AuthError>(user::by_email(tx, &address)?)
    };
    let user = app.read(read).await?;
    let stored_hash = user.as_ref().and_then(|user| user.password_hash.clone());
    let is_correct = app.passwords.verify(password.clone(), stored_hash.clone()).await?;

    let account = match user {
        Some(user) if is_correct => user,
        other => {
            let now = app.clock.now();
            app.write(move |tx, app| {
                login_attempts::record_failure(tx, &email, origin, now)?;
                record_refusal(tx, app, other.as_ref(), "password");
                Ok::<_, AuthError>(())
            })
            .await?;
            return Err(AuthError::invalid_credentials());
        }
    };

    let refusal = if account.is_banned(app.clock.now()) {
        Some(("user_banned", "User is banned"))
    } else if account.email_confirmed_at.is_none() {
        Some(("email_not_confirmed", "Email not confirmed"))
    } else {
        None
    };
    if let Some((code, message)) = refusal {
        app.write(move |tx, app| {
            record_refusal(tx, app, Some(&account), code);
            Ok::<_, AuthError>(())
        })
        .await?;
        return Err(AuthError::bad_request(code, message));
    }
    let user = account;

    let write = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        login_attempts::clear(tx, &email, origin)?;
        // The account may have changed while the password was being verified.
        let user =
            user::locked_by_id(tx, user.id)?.filter(|user| user.password_hash == stored_hash);
        let mut user = user.ok_or_else(AuthError::invalid_credentials)?;
        if user.is_banned(app.clock.now()) {
            return Err(AuthError::banned());
        }
        let tokens = session::create_session(tx, app, &mut user, "password", agent.as_deref())?;
        Ok(session_response(tx, &user, &tokens)?)
    };
    let mut session = app.write(write).await?;

    // The rules for passwords became stricter after this one was set. The sign-in succeeds, and the client can warn.
    let weak = validation::password(&password, &app.config)
        .err()
        .map(AuthError::from)
        .and_then(|weak| weak.weak_password_json());
    if let Some(weak) = weak {
        session["weak_password"] = weak;
    }
    Ok(session)
}

/// Records a refused sign-in. The typed address is not recorded if it is unknown, because it may be a password. The
/// event is written for unknown addresses as well, so that both cases take the same time.
fn record_refusal(tx: &mut Tx<'_>, app: &App, user: Option<&User>, reason: &str) {
    const EVENT: audit::EventName = audit::EventName::SessionRefused;
    let event = user.map_or_else(|| AuditEvent::new(EVENT), |user| user.audit_event(EVENT));
    audit::record(tx, app, Caller::Anon, [event.detail(json!({"reason": reason}))]);
}
