//! What was tried lately, per e-mail address: wrong passwords, wrong codes, mails asked for, second steps. Kept in the
//! database, so a restart forgets nothing and all nodes count together. Addresses without an account are
//! counted the same way, or the difference would tell them apart.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use sea_query::{Expr, ExprTrait, OnConflict, Order, Query, SelectStatement};

use crate::api::auth::AuthError;
use crate::{
    app::App,
    clock::format_timestamp,
    config::{Config, units::Rate},
    db::{Error, Tx},
    security::{
        keys,
        rate_limit::{ClientAddr, RateLimited},
    },
};

/// The longest that a visitor waits after a wrong password.
const LONGEST_WAIT: u64 = 60;
/// So many wrong codes for one address, and the code that was mailed is worth nothing. Its link still is.
const WRONG_CODES: usize = 10;

#[derive(Debug, Clone, Copy)]
enum Kind {
    Password,
    Code,
    Mail,
    SecondStep,
}

impl Kind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Code => "code",
            Self::Mail => "mail",
            Self::SecondStep => "second_step",
        }
    }
}

/// Whether a visitor may try a password now. After too many wrong ones for an account, each visitor who gave
/// one must wait, longer and longer; others need not, or anybody could lock the owner out.
pub(crate) fn check(
    tx: &mut Tx<'_>,
    config: &Config,
    email: &str,
    origin: ClientAddr,
    now: Timestamp,
) -> Result<Result<(), RateLimited>, Error> {
    let Some(Rate { count, per }) = config.rates.wrong_password else { return Ok(Ok(())) };
    let wrong = tx.rows(
        lately(Kind::Password, email, &format_timestamp(now - per))
            .columns(["origin", "at"])
            .order_by("at", Order::Desc),
    )?;
    let over = wrong.len().checked_sub(count.get() as usize);
    let Some(over) = over else { return Ok(Ok(())) };
    let mine = origin_hash(email, origin);
    for row in wrong.iter() {
        if row.opt_text(0)? == Some(mine.as_str()) {
            let wait =
                1_u64.checked_shl(u32::try_from(over).unwrap_or(u32::MAX)).unwrap_or(u64::MAX);
            let wait = SignedDuration::from_secs(wait.clamp(1, LONGEST_WAIT).cast_signed());
            return Ok(until(row.text(1)?, wait, now));
        }
    }
    Ok(Ok(()))
}

/// A wrong password was given.
pub(crate) fn record_failure(
    tx: &mut Tx<'_>,
    email: &str,
    origin: ClientAddr,
    now: Timestamp,
) -> Result<(), Error> {
    let origin = origin_hash(email, origin);
    record(tx, Kind::Password, email, Some(origin), now)
}

/// The right password was given: what this visitor mistyped before counts no more.
pub(crate) fn clear(tx: &mut Tx<'_>, email: &str, origin: ClientAddr) -> Result<(), Error> {
    let mut statement = Query::delete();
    statement
        .from_table("attempts")
        .and_where(Expr::col("subject").eq(keys::hash(email)))
        .and_where(Expr::col("kind").eq(Kind::Password.as_str()))
        .and_where(Expr::col("origin").eq(origin_hash(email, origin)));
    tx.execute(&statement).map(drop)
}

/// Whether a code for this address, mailed at that moment, may still be tried.
pub(crate) fn check_otp(tx: &mut Tx<'_>, email: &str, mailed: &str) -> Result<bool, Error> {
    let mut query = lately(Kind::Code, email, mailed);
    let wrong = tx.rows(query.column("at").limit(WRONG_CODES as u64))?;
    Ok(wrong.len() < WRONG_CODES)
}

/// A wrong code was given.
pub(crate) fn record_otp_failure(
    tx: &mut Tx<'_>,
    email: &str,
    now: Timestamp,
) -> Result<(), Error> {
    record(tx, Kind::Code, email, None, now)
}

/// Whether a code of a second step may be tried now. Whoever tries one knows the password, so the wrong ones count
/// wherever they come from: that the owner must wait too is right, for their password is known to somebody.
pub(crate) fn check_mfa(
    tx: &mut Tx<'_>,
    config: &Config,
    email: &str,
    now: Timestamp,
) -> Result<Result<(), RateLimited>, Error> {
    let Some(Rate { count, per }) = config.rates.wrong_code else { return Ok(Ok(())) };
    let wrong = tx.rows(
        lately(Kind::SecondStep, email, &format_timestamp(now - per))
            .column("at")
            .order_by("at", Order::Desc),
    )?;
    match wrong.iter().nth(count.get() as usize - 1) {
        Some(oldest) => Ok(until(oldest.text(0)?, per, now)),
        None => Ok(Ok(())),
    }
}

/// A wrong code of a second step was given.
pub(crate) fn record_mfa_failure(
    tx: &mut Tx<'_>,
    email: &str,
    now: Timestamp,
) -> Result<(), Error> {
    record(tx, Kind::SecondStep, email, None, now)
}

/// The right one was given: what was mistyped before counts no more.
pub(crate) fn clear_mfa(tx: &mut Tx<'_>, email: &str) -> Result<(), Error> {
    let mut statement = Query::delete();
    statement
        .from_table("attempts")
        .and_where(Expr::col("subject").eq(keys::hash(email)))
        .and_where(Expr::col("kind").eq(Kind::SecondStep.as_str()));
    tx.execute(&statement).map(drop)
}

/// Whether an address may be mailed now; if so, this counts as a mail.
pub(crate) fn check_mail_quota(
    tx: &mut Tx<'_>,
    app: &App,
    email: &str,
) -> Result<Result<(), RateLimited>, AuthError> {
    let now = app.clock.now();
    let rates = &app.config.rates;
    if let Some(Rate { count, per }) = rates.all_mail {
        let mut sent = Query::select();
        sent.column("id")
            .from("outbox")
            .and_where(Expr::col("created_at").gt(format_timestamp(now - per)));
        // Of the office's notices nobody asks for any.
        sent.and_where(Expr::col("topic").is_null());
        if tx.rows(sent.limit(count.get().into()))?.len() >= count.get() as usize {
            return Err(AuthError::too_much_mail("email rate limit exceeded"));
        }
    }
    take_turn(tx, email, now)?;
    let per = rates.mail.map_or(rates.mail_interval, |rate| rate.per.max(rates.mail_interval));
    let mails = tx.rows(
        lately(Kind::Mail, email, &format_timestamp(now - per))
            .column("at")
            .order_by("at", Order::Desc),
    )?;
    if let Some(last) = mails.first()
        && let refused @ Err(_) = until(last.text(0)?, rates.mail_interval, now)
    {
        return Ok(refused);
    }
    if let Some(Rate { count, per }) = rates.mail
        && let Some(oldest) = mails.iter().nth(count.get() as usize - 1)
        && let refused @ Err(_) = until(oldest.text(0)?, per, now)
    {
        return Ok(refused);
    }
    record(tx, Kind::Mail, email, None, now)?;
    Ok(Ok(()))
}

/// Of many requests at once for one address, each sees what the one before it did: this row is theirs to wait for.
fn take_turn(tx: &mut Tx<'_>, email: &str, now: Timestamp) -> Result<(), Error> {
    let subject = keys::hash(email);
    tx.execute(
        Query::insert()
            .into_table("attempts")
            .columns(["id", "kind", "subject", "at"])
            .values_panic([
                subject.as_str().into(),
                "turn".into(),
                subject.as_str().into(),
                format_timestamp(now).into(),
            ])
            .on_conflict(OnConflict::column("id").update_column("at").to_owned()),
    )
    .map(drop)
}

/// Refuses until a time has passed since a moment.
fn until(moment: &str, time: SignedDuration, now: Timestamp) -> Result<(), RateLimited> {
    let free = moment.parse::<Timestamp>().map_or(now, |moment| moment + time);
    match Duration::try_from(free.duration_since(now)) {
        Ok(wait) if !wait.is_zero() => Err(RateLimited(wait)),
        _ => Ok(()),
    }
}

fn lately(kind: Kind, email: &str, since: &str) -> SelectStatement {
    Query::select()
        .from("attempts")
        .and_where(Expr::col("subject").eq(keys::hash(email)))
        .and_where(Expr::col("kind").eq(kind.as_str()))
        .and_where(Expr::col("at").gt(since))
        .take()
}

fn record(
    tx: &mut Tx<'_>,
    kind: Kind,
    email: &str,
    origin: Option<String>,
    now: Timestamp,
) -> Result<(), Error> {
    tx.insert(
        "attempts",
        [
            ("id", keys::new_id(now).to_string().into()),
            ("kind", kind.as_str().into()),
            ("subject", keys::hash(email).into()),
            ("origin", origin.into()),
            ("at", format_timestamp(now).into()),
        ],
    )
}

fn origin_hash(email: &str, origin: ClientAddr) -> String {
    keys::hash(&format!("{email} {}", origin.address()))
}
