//! Attempts per e-mail address: wrong passwords, wrong one-time codes, wrong MFA codes, and requested mails.
//!
//! They are stored in the database, so restarts do not reset the counters and all nodes share them. Addresses without
//! an account are counted alike, because a difference would reveal which addresses have one (OWASP: account
//! enumeration). Limits per visitor are in `security/rate_limit.rs`.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use sea_query::{Expr, ExprTrait, OnConflict, Order, Query, SelectStatement};

use crate::{
    accounts::AccountError,
    app::App,
    clock::format_timestamp,
    config::Config,
    db::{Error, Tx},
    security::{
        keys,
        rate_limit::{ClientAddr, Rate, RateLimited},
    },
};

/// Maximum wait of a visitor after a wrong password, in seconds.
const MAX_WAIT_SECONDS: u64 = 60;
/// Maximum number of wrong codes for an address before its mailed code is invalidated. The link in the same mail stays
/// valid.
const MAX_OTP_FAILURES: usize = 10;

#[derive(Debug, Clone, Copy)]
enum AttemptKind {
    Password,
    Code,
    Mail,
    Mfa,
}

impl AttemptKind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Code => "code",
            Self::Mail => "mail",
            Self::Mfa => "second_step",
        }
    }
}

/// Checks whether a visitor may try a password for this account.
///
/// After `rate_wrong_password` failures for an account, each visitor who caused one waits, doubling from 1 to 60
/// seconds. Other visitors do not wait, so an attacker cannot lock out the owner.
///
/// # Errors
/// [`AccountError::RateLimited`].
pub(crate) fn check(
    tx: &mut Tx<'_>,
    config: &Config,
    email: &str,
    origin: ClientAddr,
    now: Timestamp,
) -> Result<(), AccountError> {
    let Some(Rate { count, per }) = config.rate_wrong_password else { return Ok(()) };
    let failures = tx.rows(
        attempts_since(AttemptKind::Password, email, &format_timestamp(now - per))
            .columns(["origin", "at"])
            .order_by("at", Order::Desc),
    )?;
    let excess = failures.len().checked_sub(count.get() as usize);
    let Some(excess) = excess else { return Ok(()) };
    let visitor_hash = origin_hash(email, origin);
    for row in failures.iter() {
        if row.opt_text(0)? == Some(visitor_hash.as_str()) {
            let wait =
                1_u64.checked_shl(u32::try_from(excess).unwrap_or(u32::MAX)).unwrap_or(u64::MAX);
            let wait = SignedDuration::from_secs(wait.clamp(1, MAX_WAIT_SECONDS).cast_signed());
            return require_elapsed(row.text(1)?, wait, now).map_err(AccountError::RateLimited);
        }
    }
    Ok(())
}

/// Records a wrong password of a visitor.
pub(crate) fn record_failure(
    tx: &mut Tx<'_>,
    email: &str,
    origin: ClientAddr,
    now: Timestamp,
) -> Result<(), Error> {
    let origin = origin_hash(email, origin);
    record(tx, AttemptKind::Password, email, Some(origin), now)
}

/// Deletes the failures of this visitor after a correct password.
pub(crate) fn clear(tx: &mut Tx<'_>, email: &str, origin: ClientAddr) -> Result<(), Error> {
    let mut statement = Query::delete();
    statement
        .from_table("attempts")
        .and_where(Expr::col("subject").eq(keys::sha256_hex(email)))
        .and_where(Expr::col("kind").eq(AttemptKind::Password.as_str()))
        .and_where(Expr::col("origin").eq(origin_hash(email, origin)));
    tx.execute(&statement).map(drop)
}

/// Checks whether a code that was mailed to this address at the time `mailed` may still be tried.
pub(crate) fn check_otp(tx: &mut Tx<'_>, email: &str, mailed: &str) -> Result<bool, Error> {
    let mut query = attempts_since(AttemptKind::Code, email, mailed);
    let failures = tx.rows(query.column("at").limit(MAX_OTP_FAILURES as u64))?;
    Ok(failures.len() < MAX_OTP_FAILURES)
}

/// Records a wrong one-time code.
pub(crate) fn record_otp_failure(
    tx: &mut Tx<'_>,
    email: &str,
    now: Timestamp,
) -> Result<(), Error> {
    record(tx, AttemptKind::Code, email, None, now)
}

/// Checks whether an MFA code may be tried. Failures count from all addresses: a person who submits MFA codes already
/// knows the password, so delaying the owner as well is acceptable.
///
/// # Errors
/// [`AccountError::RateLimited`].
pub(crate) fn check_mfa(
    tx: &mut Tx<'_>,
    config: &Config,
    email: &str,
    now: Timestamp,
) -> Result<(), AccountError> {
    let Some(Rate { count, per }) = config.rate_wrong_code else { return Ok(()) };
    let failures = tx.rows(
        attempts_since(AttemptKind::Mfa, email, &format_timestamp(now - per))
            .column("at")
            .order_by("at", Order::Desc),
    )?;
    match failures.iter().nth(count.get() as usize - 1) {
        Some(oldest) => {
            require_elapsed(oldest.text(0)?, per, now).map_err(AccountError::RateLimited)
        }
        None => Ok(()),
    }
}

/// Records a wrong MFA code.
pub(crate) fn record_mfa_failure(
    tx: &mut Tx<'_>,
    email: &str,
    now: Timestamp,
) -> Result<(), Error> {
    record(tx, AttemptKind::Mfa, email, None, now)
}

/// Deletes the MFA failures of an account after a correct code.
pub(crate) fn clear_mfa(tx: &mut Tx<'_>, email: &str) -> Result<(), Error> {
    let mut statement = Query::delete();
    statement
        .from_table("attempts")
        .and_where(Expr::col("subject").eq(keys::sha256_hex(email)))
        .and_where(Expr::col("kind").eq(AttemptKind::Mfa.as_str()));
    tx.execute(&statement).map(drop)
}

/// Checks the limits for requested mails: `rate_all_mail` for the office, then `mail_interval` and `rate_mail` for the
/// address. Records a mail if they permit it.
///
/// # Errors
/// [`AccountError::MailLimitExceeded`], [`AccountError::MailRateLimited`].
pub(crate) fn check_mail_quota(
    tx: &mut Tx<'_>,
    app: &App,
    email: &str,
) -> Result<(), AccountError> {
    let now = app.clock.now();
    let config = &app.config;
    if let Some(Rate { count, per }) = config.rate_all_mail {
        let mut sent = Query::select();
        sent.column("created_at")
            .from("outbox")
            .and_where(Expr::col("created_at").gt(format_timestamp(now - per)));
        // Notifications do not count: they are not requested.
        sent.and_where(Expr::col("topic").is_null());
        sent.order_by("created_at", Order::Desc).limit(1).offset(u64::from(count.get()) - 1);
        if let Some(oldest) = tx.rows(&sent)?.first() {
            require_elapsed(oldest.text(0)?, per, now).map_err(AccountError::MailLimitExceeded)?;
        }
    }

    lock_subject(tx, email, now)?;
    let per =
        config.rate_mail.map_or(config.mail_interval, |rate| rate.per.max(config.mail_interval));
    let mails = tx.rows(
        attempts_since(AttemptKind::Mail, email, &format_timestamp(now - per))
            .column("at")
            .order_by("at", Order::Desc),
    )?;
    if let Some(last) = mails.first() {
        require_elapsed(last.text(0)?, config.mail_interval, now)
            .map_err(AccountError::MailRateLimited)?;
    }
    if let Some(Rate { count, per }) = config.rate_mail
        && let Some(oldest) = mails.iter().nth(count.get() as usize - 1)
    {
        require_elapsed(oldest.text(0)?, per, now).map_err(AccountError::MailRateLimited)?;
    }

    record(tx, AttemptKind::Mail, email, None, now)?;
    Ok(())
}

/// Like [`check_mail_quota`], but returns `false` if too many mails were requested for the address.
pub(crate) fn may_request_mail(
    tx: &mut Tx<'_>,
    app: &App,
    email: &str,
) -> Result<bool, AccountError> {
    match check_mail_quota(tx, app, email) {
        Ok(()) => Ok(true),
        Err(AccountError::MailRateLimited(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Locks the address until the transaction ends, so that concurrent requests for it see each other's attempts.
fn lock_subject(tx: &mut Tx<'_>, email: &str, now: Timestamp) -> Result<(), Error> {
    let subject = keys::sha256_hex(email);
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

/// Returns [`RateLimited`] until `time` has passed since `moment`.
fn require_elapsed(moment: &str, time: SignedDuration, now: Timestamp) -> Result<(), RateLimited> {
    let allowed_at = moment.parse::<Timestamp>().map_or(now, |moment| moment + time);
    match Duration::try_from(allowed_at.duration_since(now)) {
        Ok(wait) if !wait.is_zero() => Err(RateLimited(wait)),
        _ => Ok(()),
    }
}

fn attempts_since(kind: AttemptKind, email: &str, since: &str) -> SelectStatement {
    Query::select()
        .from("attempts")
        .and_where(Expr::col("subject").eq(keys::sha256_hex(email)))
        .and_where(Expr::col("kind").eq(kind.as_str()))
        .and_where(Expr::col("at").gt(since))
        .take()
}

fn record(
    tx: &mut Tx<'_>,
    kind: AttemptKind,
    email: &str,
    origin: Option<String>,
    now: Timestamp,
) -> Result<(), Error> {
    tx.insert(
        "attempts",
        [
            ("id", keys::new_id(now).to_string().into()),
            ("kind", kind.as_str().into()),
            ("subject", keys::sha256_hex(email).into()),
            ("origin", origin.into()),
            ("at", format_timestamp(now).into()),
        ],
    )
}

fn origin_hash(email: &str, origin: ClientAddr) -> String {
    keys::sha256_hex(&format!("{email} {}", origin.address()))
}
