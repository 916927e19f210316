//! Sessions: begun by a sign-in, kept alive by refresh tokens that rotate (contract §1.6).
//!
//! A session's row holds the number of its one live refresh token. The tokens themselves are made from
//! session and number by the portal's secret, so none is stored and a lost answer can be given again.

use jiff::{SignedDuration, Timestamp};
use sea_query::{Expr, ExprTrait, Query};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::api::auth::{AuthError, user::response::told};
use crate::{
    accounts::{
        authenticate::{ABSOLUTE_TIMEOUT, IDLE_TIMEOUT, SessionError},
        user::{self, User},
    },
    app::App,
    audit::{self, AuditEvent},
    clock::format_timestamp,
    db::Tx,
    notifications,
    policy::Caller,
    security::keys,
};

/// What a session's `amr` calls the two second steps, as the original does.
pub(crate) const TOTP: &str = "totp";
pub(crate) const RECOVERY_CODE: &str = "mfa/recovery_code";

/// A sign-in so soon after another belongs to the same visit: an invitation is accepted, then its password is tried.
const VISIT: SignedDuration = SignedDuration::from_hours(1);

/// Begins a session, and gives its first tokens.
pub(crate) fn create_session(
    tx: &mut Tx<'_>,
    app: &App,
    user: &mut User,
    method: &str,
    agent: Option<&str>,
) -> Result<Value, AuthError> {
    let now = app.clock.now();
    let before = user.last_sign_in_at.replace(format_timestamp(now));
    if before.as_ref().is_some_and(|before| *before < format_timestamp(now - VISIT)) {
        user.last_visit_at = before;
    }
    user::update(tx, user, &app.config, now)?;
    let session = keys::new_id(now);
    let amr = json!([shown(method, now)]);
    tx.insert(
        "sessions",
        [
            ("id", session.to_string().into()),
            ("user_id", user.id.to_string().into()),
            ("refresh_counter", 0_i64.into()),
            ("amr", amr.to_string().into()),
            ("user_agent", agent.map(|agent| agent.chars().take(300).collect::<String>()).into()),
            ("created_at", format_timestamp(now).into()),
            ("refreshed_at", format_timestamp(now).into()),
        ],
    )?;
    let line = AuditEvent::for_user("session.began", user).detail(json!({"method": method}));
    audit::record(tx, app, audit::from_user(user), [line]);
    answer(tx, app, user, &SessionState { session, number: 0, amr, second_step: false })
}

/// Raises a session to the second step, and gives the tokens that say so.
pub(crate) fn elevate_to_aal2(
    tx: &mut Tx<'_>,
    app: &App,
    user: &User,
    session: Uuid,
    (factor, method): (Uuid, &str),
) -> Result<Value, AuthError> {
    let now = app.clock.now();
    let mine = || Expr::col("id").eq(session.to_string());
    let mut query = Query::select();
    query.columns(["refresh_counter", "amr", "spent"]).from("sessions").and_where(mine());
    query.lock_exclusive();
    let rows = tx.rows(&query)?;
    // It ended while the code was checked.
    let row = rows.first().ok_or(SessionError::SessionEnded)?;
    let counter = row.int(0)? + 1;
    let mut ways = without_second_step(row.text(1)?);
    ways.insert(0, shown(method, now));
    let amr = Value::Array(ways);
    let mut statement = Query::update();
    statement.table("sessions").and_where(mine()).values([
        ("refresh_counter", counter.into()),
        ("refreshed_at", format_timestamp(now).into()),
        ("spent", spend(app, row.text(2)?, now).into()),
        ("amr", amr.to_string().into()),
        ("factor_id", factor.to_string().into()),
    ]);
    tx.execute(&statement)?;
    let number = counter.unsigned_abs();
    answer(tx, app, user, &SessionState { session, number, amr, second_step: true })
}

/// What a refresh came to. A refusal may still have to be kept: it ended the session.
pub(crate) enum RefreshOutcome {
    /// New tokens.
    Session(Value),
    /// None, and the reason.
    Refused(AuthError),
}

/// Exchanges a refresh token for new tokens.
///
/// # Errors
/// Only for faults of ours; what the caller did wrong is [`Refreshed::Refused`].
pub(crate) fn refresh(
    tx: &mut Tx<'_>,
    app: &App,
    session: Uuid,
    number: u64,
) -> Result<RefreshOutcome, AuthError> {
    let refused =
        |code, message: &str| Ok(RefreshOutcome::Refused(AuthError::bad_request(code, message)));
    let now = app.clock.now();
    let mine = || Expr::col("id").eq(session.to_string());
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
            ])
            .from("sessions")
            .and_where(mine())
            .lock_exclusive(),
    )?;
    let Some(row) = rows.first() else { return Ok(RefreshOutcome::Refused(unknown())) };
    let user = row.text(0)?;
    let live = row.int(1)?.unsigned_abs();
    let second_step = row.opt_text(5)?.is_some();
    let amr = if second_step {
        serde_json::from_str(row.text(2)?).unwrap_or_else(|_| json!([]))
    } else {
        // The factor is gone, and what it proved with it.
        Value::Array(without_second_step(row.text(2)?))
    };
    let standing = |number| SessionState { session, number, amr, second_step };
    let older_than =
        |moment: &str, age: SignedDuration| format_timestamp(now - age).as_str() > moment;
    if older_than(row.text(3)?, ABSOLUTE_TIMEOUT) || older_than(row.text(4)?, IDLE_TIMEOUT) {
        end(tx, session)?;
        return refused("session_expired", "Invalid Refresh Token: Session Expired");
    }
    let user = match Uuid::parse_str(user).ok().map(|id| user::by_id(tx, id)).transpose()?.flatten()
    {
        Some(user) if user.is_banned(now) => {
            return refused("user_banned", "Invalid Refresh Token: User Banned");
        }
        Some(user) => user,
        None => {
            return refused("session_not_found", "Invalid Refresh Token: Session Not Found");
        }
    };
    if number == live {
        tx.execute(
            Query::update()
                .table("sessions")
                .values([
                    ("refresh_counter", (row.int(1)? + 1).into()),
                    ("refreshed_at", format_timestamp(now).into()),
                    ("spent", spend(app, row.text(6)?, now).into()),
                ])
                .and_where(mine()),
        )?;
        return Ok(RefreshOutcome::Session(answer(tx, app, &user, &standing(live + 1))?));
    }
    // The parent of the live token may ask again: its answer was lost, or two tabs asked at once. An older one may only
    // a moment after it was spent itself.
    let recently = spent_lately(app, row.text(6)?, now);
    if number + 1 == live || (number < live && live - number <= recently.len() as u64) {
        return Ok(RefreshOutcome::Session(answer(tx, app, &user, &standing(live))?));
    }
    // Whoever holds a token that was spent long ago, thief or owner, the other holds its child.
    end(tx, session)?;
    notifications::suspicious_access(tx, app, &user, &session.to_string())?;
    audit::record(tx, app, Caller::Anon, [AuditEvent::for_user("session.suspicious", &user)]);
    refused("refresh_token_already_used", "Invalid Refresh Token: Already Used")
}

/// When tokens were spent that may be shown again, the latest first.
fn spent_lately(app: &App, spent: &str, now: Timestamp) -> Vec<String> {
    let since = format_timestamp(now - app.config.refresh_reuse_interval);
    let spent: Vec<String> = serde_json::from_str(spent).unwrap_or_default();
    spent.into_iter().take_while(|moment| *moment >= since).collect()
}

/// The same with the live one, which is spent now.
fn spend(app: &App, spent: &str, now: Timestamp) -> String {
    let mut spent = spent_lately(app, spent, now);
    spent.insert(0, format_timestamp(now));
    json!(spent).to_string()
}

/// A refresh token that is none, or whose session is over.
pub(crate) fn unknown() -> AuthError {
    AuthError::bad_request(
        "refresh_token_not_found",
        "Invalid Refresh Token: Refresh Token Not Found",
    )
}

/// When a session began and how its person proved who they are.
pub(crate) fn session_response(
    tx: &mut Tx<'_>,
    session: Uuid,
) -> Result<Option<(String, Value)>, AuthError> {
    let mut query = Query::select();
    query.columns(["created_at", "amr"]).from("sessions");
    let rows = tx.rows(query.and_where(Expr::col("id").eq(session.to_string())))?;
    let Some(row) = rows.first() else { return Ok(None) };
    Ok(Some((row.text(0)?.to_owned(), serde_json::from_str(row.text(1)?).unwrap_or_default())))
}

/// Ends one session.
pub(crate) fn end(tx: &mut Tx<'_>, session: Uuid) -> Result<(), AuthError> {
    tx.execute(
        Query::delete().from_table("sessions").and_where(Expr::col("id").eq(session.to_string())),
    )?;
    Ok(())
}

/// Ends all sessions of a person but, if given, one; how many those were.
pub(crate) fn end_others(
    tx: &mut Tx<'_>,
    user: Uuid,
    kept: Option<Uuid>,
) -> Result<u64, AuthError> {
    let mut statement = Query::delete().from_table("sessions").take();
    statement.and_where(Expr::col("user_id").eq(user.to_string()));
    if let Some(kept) = kept {
        statement.and_where(Expr::col("id").ne(kept.to_string()));
    }
    Ok(tx.execute(&statement)?)
}

/// Ends the sessions of a person in which the second step was not shown.
pub(crate) fn end_aal1_sessions(tx: &mut Tx<'_>, user: Uuid) -> Result<u64, AuthError> {
    let mut statement = Query::delete().from_table("sessions").take();
    statement.and_where(Expr::col("user_id").eq(user.to_string()));
    Ok(tx.execute(statement.and_where(Expr::col("factor_id").is_null()))?)
}

/// What tokens say of a session.
struct SessionState {
    session: Uuid,
    /// Of its live refresh token.
    number: u64,
    amr: Value,
    second_step: bool,
}

/// How a person proved who they are, the latest first.
fn shown(method: &str, now: Timestamp) -> Value {
    json!({"method": method, "timestamp": now.as_second()})
}

fn without_second_step(amr: &str) -> Vec<Value> {
    let mut ways: Vec<Value> = serde_json::from_str(amr).unwrap_or_default();
    ways.retain(|way| way["method"] != TOTP && way["method"] != RECOVERY_CODE);
    ways
}

fn answer(
    tx: &mut Tx<'_>,
    app: &App,
    user: &User,
    standing: &SessionState,
) -> Result<Value, AuthError> {
    let SessionState { session, number, amr, second_step } = standing;
    let issued = app.clock.now().as_second();
    let life = app.config.access_token_life.as_secs();
    let claims = json!({
        "iss": format!("{}/auth/v1", app.config.site_url),
        "sub": user.id,
        "aud": "authenticated",
        "exp": issued + life,
        "iat": issued,
        "role": "authenticated",
        "session_id": session,
        "email": user.email,
        "phone": "",
        "app_metadata": user.app_metadata,
        "user_metadata": user.user_metadata,
        "aal": if *second_step { "aal2" } else { "aal1" },
        "amr": amr,
        "is_anonymous": false,
    });
    Ok(json!({
        "access_token": app.keys.sign_token(&claims),
        "token_type": "bearer",
        "expires_in": life,
        "expires_at": issued + life,
        "refresh_token": app.keys.refresh_token(*session, *number),
        "user": told(tx, user)?,
    }))
}
