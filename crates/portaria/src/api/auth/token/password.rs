//! `grant_type=password`: address and password become a session.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::{
    accounts::user::{self, User},
    app::App,
    audit::{self, AuditEvent},
    db::Tx,
    policy::Caller,
    security::{password, rate_limit::ClientAddr},
};
use crate::{
    accounts::{login_attempts, session, validation},
    api::auth::{AuthError, extract::given, token::Body},
};

/// Gives a session.
///
/// # Errors
/// `invalid_credentials` for a wrong password and for an unknown address alike; whether the account is banned
/// or unconfirmed is told only with the right password.
pub(crate) async fn grant(
    app: Arc<App>,
    origin: ClientAddr,
    body: Body,
    agent: Option<String>,
) -> Result<Value, AuthError> {
    let email = match (given(body.email), given(body.phone)) {
        (Some(email), None) => email.trim().to_lowercase(),
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

    let (inner, asked) = (Arc::clone(&app), email.clone());
    let read = move |tx: &mut Tx<'_>| {
        let now = inner.clock.now();
        login_attempts::check(tx, &inner.config, &asked, origin, now)??;
        Ok::<_, AuthError>(user::by_email(tx, &asked)?)
    };
    let user = app.db.read(read).await?;
    let stored = user.as_ref().and_then(|user| user.password_hash.clone());
    let right = app.passwords.verify(password.clone(), stored.clone()).await?;
    let known = match user {
        Some(user) if right => user,
        other => {
            let (inner, now) = (Arc::clone(&app), app.clock.now());
            let write = move |tx: &mut Tx<'_>| {
                login_attempts::record_failure(tx, &email, origin, now)?;
                tell_refusal(tx, &inner, other.as_ref(), "password");
                Ok::<_, AuthError>(())
            };
            app.db.write(write).await?;
            return Err(AuthError::invalid_credentials());
        }
    };
    let refusal = if known.is_banned(app.clock.now()) {
        Some(("user_banned", "User is banned"))
    } else if known.email_confirmed_at.is_none() {
        Some(("email_not_confirmed", "Email not confirmed"))
    } else {
        None
    };
    if let Some((code, message)) = refusal {
        let inner = Arc::clone(&app);
        let write = move |tx: &mut Tx<'_>| {
            tell_refusal(tx, &inner, Some(&known), code);
            Ok::<_, AuthError>(())
        };
        app.db.write(write).await?;
        return Err(AuthError::bad_request(code, message));
    }
    let user = known;

    let inner = Arc::clone(&app);
    let write = move |tx: &mut Tx<'_>| {
        login_attempts::clear(tx, &email, origin)?;
        // The account as it is now: it may have changed while the password was checked.
        let user = user::locked_by_id(tx, user.id)?.filter(|user| user.password_hash == stored);
        let mut user = user.ok_or_else(AuthError::invalid_credentials)?;
        if user.is_banned(inner.clock.now()) {
            return Err(AuthError::banned());
        }
        session::create_session(tx, &inner, &mut user, "password", agent.as_deref())
    };
    let mut session = app.db.write(write).await?;
    // The rules became stricter since: they get in, and their app can tell them.
    let weak = validation::password(&password, &app.config).err().and_then(|weak| weak.weakness());
    if let Some(weak) = weak {
        session["weak_password"] = weak;
    }
    Ok(session)
}

/// Writes down a refused sign-in. What was typed as an unknown address is not kept: it may be a password. The line is
/// written all the same, for an unknown address is answered no sooner than a known one.
fn tell_refusal(tx: &mut Tx<'_>, app: &App, user: Option<&User>, why: &str) {
    const EVENT: &str = "session.refused";
    let line =
        user.map_or_else(|| AuditEvent::new(EVENT), |user| AuditEvent::for_user(EVENT, user));
    audit::record(tx, app, Caller::Anon, [line.detail(json!({"reason": why}))]);
}
