//! MFA factors: the table `factors`, and the removal of a factor with its effects on recovery codes, sessions, audit log
//! and mail.

use std::collections::HashMap;

use jiff::Timestamp;
use sea_query::{Expr, ExprTrait, Order, Query, SelectStatement};

use crate::{
    accounts::{passkeys, session, user::User},
    app::App,
    audit,
    clock::format_timestamp,
    db::{Error, Row, Tx},
    notifications,
    security::{
        caller::Caller,
        ids::{FactorId, UserId},
    },
};

/// Type of a factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FactorKind {
    /// An authenticator app (RFC 6238).
    Totp,
    /// A WebAuthn credential.
    Webauthn,
    /// A set of recovery codes.
    RecoveryCode,
}

impl FactorKind {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Totp => "totp",
            Self::Webauthn => "webauthn",
            Self::RecoveryCode => "recovery_code",
        }
    }
}

/// A factor of a user.
#[derive(Debug)]
pub(crate) struct MfaFactor {
    pub(crate) id: FactorId,
    pub(crate) kind: FactorKind,
    pub(crate) friendly_name: String,
    /// Whether a code of it was accepted once.
    pub(crate) verified: bool,
    /// Secret of an authenticator app or credential of a WebAuthn factor, encrypted with
    /// [`Keys::factors`](crate::security::keys::Keys::factors).
    pub(crate) secret: Option<String>,
    /// Time step of the last accepted code, which prevents a replay (RFC 6238, section 5.2).
    pub(crate) last_step: Option<i64>,
    pub(crate) last_challenged_at: Option<String>,
    pub(crate) created_at: String,
    pub(crate) updated_at: String,
}

const COLUMNS: [&str; 9] = [
    "id",
    "kind",
    "friendly_name",
    "verified",
    "secret",
    "last_step",
    "last_challenged_at",
    "created_at",
    "updated_at",
];

impl MfaFactor {
    /// Creates an unverified factor without storing it.
    pub(crate) fn new(kind: FactorKind, friendly_name: String, now: Timestamp) -> Self {
        Self {
            id: FactorId::new(now),
            kind,
            friendly_name,
            verified: false,
            secret: None,
            last_step: None,
            last_challenged_at: None,
            created_at: format_timestamp(now),
            updated_at: format_timestamp(now),
        }
    }

    /// Returns whether the factor is an app, a key or a device, as opposed to recovery codes.
    pub(crate) fn is_authenticator(&self) -> bool {
        self.kind != FactorKind::RecoveryCode
    }
}

fn select(user: UserId) -> SelectStatement {
    let mut query = Query::select();
    query.columns(COLUMNS).from("factors").and_where(Expr::col("user_id").eq(user));
    query.order_by("id", Order::Asc).take()
}

/// Returns a user's factors, oldest first.
pub(crate) fn for_user(tx: &mut Tx<'_>, user: UserId) -> Result<Vec<MfaFactor>, Error> {
    tx.rows(&select(user))?.iter().map(from_row).collect()
}

/// Returns the factors of several users, oldest first. Users without factors are missing.
pub(crate) fn for_users(
    tx: &mut Tx<'_>,
    users: Vec<UserId>,
) -> Result<HashMap<UserId, Vec<MfaFactor>>, Error> {
    let mut factors: HashMap<UserId, Vec<MfaFactor>> = HashMap::new();
    if users.is_empty() {
        return Ok(factors);
    }
    let mut query = Query::select();
    query.columns(COLUMNS).column("user_id").from("factors");
    query.and_where(Expr::col("user_id").is_in(users)).order_by("id", Order::Asc);
    for row in tx.rows(&query)?.iter() {
        factors.entry(row.parse(COLUMNS.len())?).or_default().push(from_row(row)?);
    }
    Ok(factors)
}

/// Like [`for_user`], and locks the rows until the transaction ends, so that concurrent attempts see each other's
/// codes. The result includes unverified factors.
pub(crate) fn lock_for_user(tx: &mut Tx<'_>, user: UserId) -> Result<Vec<MfaFactor>, Error> {
    tx.rows(select(user).lock_exclusive())?.iter().map(from_row).collect()
}

pub(crate) fn insert(tx: &mut Tx<'_>, user: UserId, factor: &MfaFactor) -> Result<(), Error> {
    tx.insert(
        "factors",
        [
            ("id", factor.id.into()),
            ("user_id", user.into()),
            ("kind", factor.kind.as_str().into()),
            ("friendly_name", factor.friendly_name.clone().into()),
            ("verified", factor.verified.into()),
            ("secret", factor.secret.clone().into()),
            ("created_at", factor.created_at.clone().into()),
            ("updated_at", factor.updated_at.clone().into()),
        ],
    )
}

pub(crate) fn update<const N: usize>(
    tx: &mut Tx<'_>,
    factor: FactorId,
    values: [(&'static str, Expr); N],
) -> Result<(), Error> {
    let mut statement = Query::update();
    statement.table("factors").values(values);
    tx.execute(statement.and_where(Expr::col("id").eq(factor))).map(drop)
}

pub(crate) fn delete(tx: &mut Tx<'_>, factor: FactorId) -> Result<(), Error> {
    let mut statement = Query::delete().from_table("factors").take();
    tx.execute(statement.and_where(Expr::col("id").eq(factor))).map(drop)
}

/// Deletes a user's unverified factors; with `before` only those created before it.
pub(crate) fn delete_unverified(
    tx: &mut Tx<'_>,
    user: UserId,
    before: Option<Timestamp>,
) -> Result<(), Error> {
    let mut statement = Query::delete().from_table("factors").take();
    statement.and_where(Expr::col("user_id").eq(user));
    statement.and_where(Expr::col("verified").eq(false));
    if let Some(before) = before {
        statement.and_where(Expr::col("created_at").lt(format_timestamp(before)));
    }
    tx.execute(&statement).map(drop)
}

/// Stores in `users.second_step` whether the user has a verified factor, so that authentication needs no query of the
/// table `factors`.
pub(crate) fn set_mfa_enabled(
    tx: &mut Tx<'_>,
    user: UserId,
    is_enabled: bool,
) -> Result<(), Error> {
    let mut statement = Query::update();
    statement.table("users").value("second_step", is_enabled);
    tx.execute(statement.and_where(Expr::col("id").eq(user))).map(drop)
}

/// Removes an authenticator app. With the last one the recovery codes are removed and MFA is disabled.
///
/// The user's sessions without MFA end first, because removing the factor must not admit a person who knows only the
/// password. If another user removes the factor, all sessions of its owner end, because a lost phone may hold one.
pub(crate) fn remove_factor(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    user: &User,
    factors: &[MfaFactor],
    factor: &MfaFactor,
) -> Result<(), Error> {
    if !factor.verified {
        return delete(tx, factor.id);
    }
    let is_other_active_app =
        |other: &&MfaFactor| other.id != factor.id && other.is_authenticator() && other.verified;
    let is_last = !factors.iter().any(|other| is_other_active_app(&other));
    set_mfa_enabled(tx, user.id, !is_last)?;
    if caller.user() == Some(user.id) {
        session::end_aal1_sessions(tx, user.id)?;
    } else {
        session::end_others(tx, user.id, None)?;
    }

    delete(tx, factor.id)?;
    if is_last {
        for set in factors.iter().filter(|other| !other.is_authenticator()) {
            delete(tx, set.id)?;
        }
        notifications::send_account_notice(
            tx,
            app,
            &notifications::SECOND_STEP_OFF,
            &user.recipient(),
            &user.email,
        )?;
    }

    audit::record(tx, app, caller, [user.audit_event(audit::EventName::SecondStepRemoved)]);
    Ok(())
}

/// Removes all MFA factors and passkeys of a user, on behalf of the operator. Returns whether the user had a verified
/// factor or a passkey.
///
/// # Errors
/// The database's errors.
pub fn reset_mfa(tx: &mut Tx<'_>, app: &App, user: &User) -> Result<bool, Error> {
    let mut factors = lock_for_user(tx, user.id)?;
    let had_factor = factors.iter().any(|factor| factor.verified);
    while let Some(index) = factors.iter().position(MfaFactor::is_authenticator) {
        let factor = &factors[index];
        remove_factor(tx, app, Caller::Service, user, &factors, factor)?;
        factors.remove(index);
    }
    let had_passkey = passkeys::remove_all(tx, app, Caller::Service, user)?;
    Ok(had_factor || had_passkey)
}

fn from_row(row: Row<'_>) -> Result<MfaFactor, Error> {
    let text = |column| row.opt_text(column).map(|text| text.map(str::to_owned));
    Ok(MfaFactor {
        id: row.parse(0)?,
        kind: match row.text(1)? {
            "totp" => FactorKind::Totp,
            "webauthn" => FactorKind::Webauthn,
            "recovery_code" => FactorKind::RecoveryCode,
            other => return Err(Error::Internal(format!("factor kind: {other}"))),
        },
        friendly_name: row.text(2)?.to_owned(),
        verified: row.bool(3)?,
        secret: text(4)?,
        last_step: row.opt_int(5)?,
        last_challenged_at: text(6)?,
        created_at: row.text(7)?.to_owned(),
        updated_at: row.text(8)?.to_owned(),
    })
}
