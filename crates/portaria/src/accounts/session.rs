//! Sessions: created by a sign-in and extended by rotating refresh tokens (`docs/protocol/auth.md`, section 4).
//!
//! A session's row holds the counter of its live refresh token. The tokens are derived from session id, counter and the
//! portal's secret: they are not stored, and a lost response can be repeated.

use jiff::{SignedDuration, Timestamp};
use sea_query::{Condition, Expr, ExprTrait, Query};
use serde_json::{Value, json};

use crate::{
    accounts::{
        AccountError,
        authenticate::{ABSOLUTE_TIMEOUT, IDLE_TIMEOUT, SessionError},
        user::{self, User},
    },
    app::App,
    audit,
    clock::format_timestamp,
    db::{Error, Tx},
    notifications::{self, push},
    policy::members,
    security::{
        caller::Caller,
        ids::{FactorId, PasskeyId, SessionId, UserId},
    },
};

/// Values of `amr` for the types of MFA factors, as in GoTrue.
pub(crate) const TOTP: &str = "totp";
pub(crate) const RECOVERY_CODE: &str = "mfa/recovery_code";
pub(crate) const WEBAUTHN: &str = "mfa/webauthn";
/// Value of `amr` for a sign-in with a passkey.
pub(crate) const PASSKEY: &str = "passkey";

/// Time within which two sign-ins belong to the same visit, for example an accepted invitation and the first use of its
/// password.
const SAME_VISIT_WINDOW: SignedDuration = SignedDuration::from_hours(1);

/// Tokens of a session.
#[derive(Debug)]
pub(crate) struct SessionTokens {
    pub(crate) access_token: String,
    pub(crate) refresh_token: String,
    /// Lifetime of the access token, in seconds.
    pub(crate) expires_in: i64,
    /// Expiry of the access token, in seconds since the Unix epoch.
    pub(crate) expires_at: i64,
}

/// Creates a session and returns its first tokens.
pub(crate) fn create_session(
    tx: &mut Tx<'_>,
    app: &App,
    user: &mut User,
    method: &str,
    agent: Option<&str>,
) -> Result<SessionTokens, Error> {
    insert_session(tx, app, user, method, None, agent)
}

/// Creates a session that began with a passkey, which passes MFA, and returns its first tokens.
pub(crate) fn create_passkey_session(
    tx: &mut Tx<'_>,
    app: &App,
    user: &mut User,
    passkey: PasskeyId,
    agent: Option<&str>,
) -> Result<SessionTokens, Error> {
    insert_session(tx, app, user, PASSKEY, Some(passkey), agent)
}

fn insert_session(
    tx: &mut Tx<'_>,
    app: &App,
    user: &mut User,
    method: &str,
    passkey: Option<PasskeyId>,
    agent: Option<&str>,
) -> Result<SessionTokens, Error> {
    let now = app.clock.now();
    let previous = user.last_sign_in_at.replace(format_timestamp(now));
    if previous
        .as_ref()
        .is_some_and(|previous| *previous < format_timestamp(now - SAME_VISIT_WINDOW))
    {
        user.last_visit_at = previous;
    }
    user::update(tx, user, &app.config, now)?;

    let session = SessionId::new(now);
    // A person without an account of a client begins with the first client.
    let first_client = if user.is_client || user.is_admin() {
        None
    } else {
        members::clients_of(tx, user.id, now)?.first().map(|membership| membership.client)
    };
    let amr = json!([amr_entry(method, now)]);
    tx.insert(
        "sessions",
        [
            ("id", session.into()),
            ("user_id", user.id.into()),
            ("client_id", first_client.into()),
            ("passkey_id", passkey.into()),
            ("refresh_counter", 0_i64.into()),
            ("amr", amr.to_string().into()),
            ("user_agent", agent.map(|agent| agent.chars().take(300).collect::<String>()).into()),
            ("created_at", format_timestamp(now).into()),
            ("refreshed_at", format_timestamp(now).into()),
        ],
    )?;

    let event = user.audit_event(audit::EventName::SessionBegan).detail(json!({"method": method}));
    audit::record(tx, app, user.as_caller(), [event]);
    let is_aal2 = passkey.is_some();
    issue_tokens(tx, app, user, &SessionState { session, number: 0, amr, is_aal2 })
}

/// Elevates a session to AAL2 and returns new tokens.
pub(crate) fn elevate_to_aal2(
    tx: &mut Tx<'_>,
    app: &App,
    user: &User,
    session: SessionId,
    factor: FactorId,
    method: &str,
) -> Result<SessionTokens, AccountError> {
    let now = app.clock.now();
    let this_session = || Expr::col("id").eq(session);
    let mut query = Query::select();
    query.columns(["refresh_counter", "amr", "spent"]).from("sessions").and_where(this_session());
    query.lock_exclusive();

    let rows = tx.rows(&query)?;
    // The session ended while the code was being verified.
    let row = rows.first().ok_or(SessionError::SessionEnded)?;

    let counter = row.int(0)? + 1;
    let mut entries = without_mfa_methods(row.text(1)?);
    entries.insert(0, amr_entry(method, now));
    let amr = Value::Array(entries);

    let mut statement = Query::update();
    statement.table("sessions").and_where(this_session()).values([
        ("refresh_counter", counter.into()),
        ("refreshed_at", format_timestamp(now).into()),
        ("spent", push_spent(app, row.text(2)?, now).into()),
        ("amr", amr.to_string().into()),
        ("factor_id", factor.into()),
    ]);
    tx.execute(&statement)?;

    let number = counter.unsigned_abs();
    Ok(issue_tokens(tx, app, user, &SessionState { session, number, amr, is_aal2: true })?)
}

/// Result of a refresh. A refusal does not roll back the transaction, because it may have ended the session.
pub(crate) enum RefreshOutcome {
    /// The new tokens and their user.
    Session {
        /// Owner of the session.
        user: Box<User>,
        /// The new tokens.
        tokens: SessionTokens,
    },
    /// The reason of the refusal.
    Refused(RefreshError),
}

/// Reasons to refuse a refresh token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RefreshError {
    /// The token is malformed, or its session has ended.
    #[error("Invalid Refresh Token: Refresh Token Not Found")]
    TokenNotFound,
    /// The session exceeded its absolute or idle timeout.
    #[error("Invalid Refresh Token: Session Expired")]
    SessionExpired,
    /// The account is banned.
    #[error("Invalid Refresh Token: User Banned")]
    UserBanned,
    /// The account does not exist.
    #[error("Invalid Refresh Token: Session Not Found")]
    UserNotFound,
    /// The token was replaced, and the session has ended for this reason.
    #[error("Invalid Refresh Token: Already Used")]
    AlreadyUsed,
}

impl RefreshError {
    /// Returns the stable code of the reason.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::TokenNotFound => "refresh_token_not_found",
            Self::SessionExpired => "session_expired",
            Self::UserBanned => "user_banned",
            Self::UserNotFound => "session_not_found",
            Self::AlreadyUsed => "refresh_token_already_used",
        }
    }
}

/// Exchanges a refresh token for new tokens (`docs/protocol/auth.md`, section 4.2).
///
/// # Errors
/// Database errors only. An invalid token is [`RefreshOutcome::Refused`].
pub(crate) fn refresh(
    tx: &mut Tx<'_>,
    app: &App,
    session: SessionId,
    number: u64,
) -> Result<RefreshOutcome, Error> {
    let now = app.clock.now();
    let this_session = || Expr::col("id").eq(session);

    let rows = tx.rows(
        Query::select()
            .columns([
                "user_id",
                "refresh_counter",
                "amr",
                "created_at",
                "refreshed_at",
                "factor_id",
                "spent",
                "passkey_id",
            ])
            .from("sessions")
            .and_where(this_session())
            .lock_exclusive(),
    )?;
    let Some(row) = rows.first() else {
        return Ok(RefreshOutcome::Refused(RefreshError::TokenNotFound));
    };

    let user = row.text(0)?;
    let live = row.int(1)?.unsigned_abs();
    let is_aal2 = row.opt_text(5)?.is_some() || row.opt_text(7)?.is_some();
    let amr = if is_aal2 {
        serde_json::from_str(row.text(2)?).unwrap_or_else(|_| json!([]))
    } else {
        // The factor was removed, so its entries in `amr` no longer apply.
        Value::Array(without_mfa_methods(row.text(2)?))
    };
    let session_state = |number| SessionState { session, number, amr, is_aal2 };

    let older_than =
        |timestamp: &str, age: SignedDuration| format_timestamp(now - age).as_str() > timestamp;
    if older_than(row.text(3)?, ABSOLUTE_TIMEOUT) || older_than(row.text(4)?, IDLE_TIMEOUT) {
        // A push subscription outlasts the session that only became old.
        tx.execute(Query::delete().from_table("sessions").and_where(this_session()))?;
        return Ok(RefreshOutcome::Refused(RefreshError::SessionExpired));
    }

    let user = match user.parse().ok().map(|id| user::by_id(tx, id)).transpose()?.flatten() {
        Some(user) if user.is_banned(now) => {
            return Ok(RefreshOutcome::Refused(RefreshError::UserBanned));
        }
        Some(user) => Box::new(user),
        None => {
            return Ok(RefreshOutcome::Refused(RefreshError::UserNotFound));
        }
    };

    if number == live {
        tx.execute(
            Query::update()
                .table("sessions")
                .values([
                    ("refresh_counter", (row.int(1)? + 1).into()),
                    ("refreshed_at", format_timestamp(now).into()),
                    ("spent", push_spent(app, row.text(6)?, now).into()),
                ])
                .and_where(this_session()),
        )?;
        let tokens = issue_tokens(tx, app, &user, &session_state(live + 1))?;
        return Ok(RefreshOutcome::Session { user, tokens });
    }

    // The parent of the live token receives the live token again: its response was lost, or two tabs refreshed at once.
    // An older token does so only within `refresh_reuse_interval` after it was spent.
    let reusable = recently_spent(app, row.text(6)?, now);
    if number + 1 == live || (number < live && live - number <= reusable.len() as u64) {
        let tokens = issue_tokens(tx, app, &user, &session_state(live))?;
        return Ok(RefreshOutcome::Session { user, tokens });
    }

    // Reuse of an old token means that two parties hold tokens of this session, and one of them may have stolen it.
    end_session(tx, session)?;
    notifications::suspicious_access(tx, app, &user.recipient(), session)?;
    audit::record(tx, app, Caller::Anon, [user.audit_event(audit::EventName::SessionSuspicious)]);
    Ok(RefreshOutcome::Refused(RefreshError::AlreadyUsed))
}

/// Times at which reusable tokens were spent, latest first.
fn recently_spent(app: &App, spent: &str, now: Timestamp) -> Vec<String> {
    let since = format_timestamp(now - app.config.refresh_reuse_interval);
    let spent: Vec<String> = serde_json::from_str(spent).unwrap_or_default();
    spent.into_iter().take_while(|timestamp| *timestamp >= since).collect()
}

/// The same with the live token added, which is spent now.
fn push_spent(app: &App, spent: &str, now: Timestamp) -> String {
    let mut spent = recently_spent(app, spent, now);
    spent.insert(0, format_timestamp(now));
    json!(spent).to_string()
}

/// Returns the creation time and the `amr` of a session.
pub(crate) fn session_info(
    tx: &mut Tx<'_>,
    session: SessionId,
) -> Result<Option<(String, Value)>, Error> {
    let mut query = Query::select();
    query.columns(["created_at", "amr"]).from("sessions");
    let rows = tx.rows(query.and_where(Expr::col("id").eq(session)))?;
    let Some(row) = rows.first() else { return Ok(None) };
    Ok(Some((row.text(0)?.to_owned(), serde_json::from_str(row.text(1)?).unwrap_or_default())))
}

/// Ends one session.
pub(crate) fn end_session(tx: &mut Tx<'_>, session: SessionId) -> Result<(), Error> {
    delete_sessions(tx, Condition::all().add(Expr::col("id").eq(session))).map(drop)
}

/// Ends all sessions of a user, except the current one if given. Returns their number.
pub(crate) fn end_others(
    tx: &mut Tx<'_>,
    user: UserId,
    current: Option<SessionId>,
) -> Result<u64, Error> {
    let mut which = Condition::all().add(Expr::col("user_id").eq(user));
    if let Some(current) = current {
        which = which.add(Expr::col("id").ne(current));
    }
    push::subscriptions::forget_person(tx, user, current)?;
    delete_sessions(tx, which)
}

/// Ends the sessions of a user in which MFA was not verified. Returns their number.
pub(crate) fn end_aal1_sessions(tx: &mut Tx<'_>, user: UserId) -> Result<u64, Error> {
    let which = Condition::all()
        .add(Expr::col("user_id").eq(user))
        .add(Expr::col("factor_id").is_null())
        .add(Expr::col("passkey_id").is_null());
    delete_sessions(tx, which)
}

/// Ends the sessions that began with a passkey, except the current one if given. A session in which it was registered
/// only loses AAL2 when the passkey is deleted.
pub(crate) fn end_sessions_of_passkey(
    tx: &mut Tx<'_>,
    passkey: PasskeyId,
    current: Option<SessionId>,
) -> Result<(), Error> {
    let mut which = Condition::all()
        .add(Expr::col("passkey_id").eq(passkey))
        .add(Expr::col("amr").like(format!("%\"method\":\"{PASSKEY}\"%")));
    if let Some(current) = current {
        which = which.add(Expr::col("id").ne(current));
    }
    delete_sessions(tx, which).map(drop)
}

/// Deletes sessions, with the push subscriptions that began in them. Returns their number.
fn delete_sessions(tx: &mut Tx<'_>, which: Condition) -> Result<u64, Error> {
    push::subscriptions::forget_sessions(tx, &which)?;
    tx.execute(Query::delete().from_table("sessions").cond_where(which))
}

/// Elevates a session to AAL2 in which a passkey was registered.
pub(crate) fn elevate_with_passkey(
    tx: &mut Tx<'_>,
    session: SessionId,
    passkey: PasskeyId,
) -> Result<(), AccountError> {
    let mut statement = Query::update();
    statement.table("sessions").value("passkey_id", passkey);
    match tx.execute(statement.and_where(Expr::col("id").eq(session)))? {
        1 => Ok(()),
        // The session ended while the registration waited for the account.
        _ => Err(SessionError::SessionEnded.into()),
    }
}

/// Returns whether MFA was verified in a session.
pub(crate) fn is_aal2(tx: &mut Tx<'_>, session: SessionId) -> Result<bool, Error> {
    let mut query = Query::select();
    query.columns(["factor_id", "passkey_id"]).from("sessions");
    let rows = tx.rows(query.and_where(Expr::col("id").eq(session)))?;
    let Some(row) = rows.first() else { return Ok(false) };
    Ok(row.opt_text(0)?.is_some() || row.opt_text(1)?.is_some())
}

/// State of a session that its tokens contain.
struct SessionState {
    session: SessionId,
    /// Counter of the live refresh token.
    number: u64,
    amr: Value,
    is_aal2: bool,
}

/// Entry of `amr`. The list is ordered latest first.
fn amr_entry(method: &str, now: Timestamp) -> Value {
    json!({"method": method, "timestamp": now.as_second()})
}

fn without_mfa_methods(amr: &str) -> Vec<Value> {
    let mut entries: Vec<Value> = serde_json::from_str(amr).unwrap_or_default();
    entries.retain(|entry| {
        ![TOTP, RECOVERY_CODE, WEBAUTHN].map(Value::from).contains(&entry["method"])
    });
    entries
}

fn issue_tokens(
    tx: &mut Tx<'_>,
    app: &App,
    user: &User,
    session_state: &SessionState,
) -> Result<SessionTokens, Error> {
    let SessionState { session, number, amr, is_aal2 } = session_state;
    let issued_at = app.clock.now().as_second();
    let lifetime = app.config.access_token_life.as_secs();
    let claims = json!({
        "iss": format!("{}/auth/v1", app.config.site_url),
        "sub": user.id,
        "aud": "authenticated",
        "exp": issued_at + lifetime,
        "iat": issued_at,
        "role": "authenticated",
        "session_id": session,
        "email": user.email,
        "phone": "",
        "app_metadata": user.app_metadata,
        "user_metadata": user.user_metadata,
        "aal": if *is_aal2 { "aal2" } else { "aal1" },
        "amr": amr,
        "is_anonymous": false,
    });
    Ok(SessionTokens {
        access_token: app.keys.sign_access_token(tx, &claims)?,
        refresh_token: app.keys.refresh_token(*session, *number),
        expires_in: lifetime,
        expires_at: issued_at + lifetime,
    })
}
