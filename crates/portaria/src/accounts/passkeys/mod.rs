//! Passkeys: WebAuthn credentials of a person (`docs/protocol/auth.md`, section 6.6).
//!
//! Every ceremony requires user verification, so that a passkey proves possession of a device and knowledge or
//! biometrics at once. A session that began with one has therefore passed MFA.

pub(crate) mod ceremony;
pub(crate) mod challenge;
pub(crate) mod sign_in;

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use jiff::Timestamp;
use sea_query::{Expr, ExprTrait, Order, Query, SelectStatement};
use serde_json::json;

use crate::{
    accounts::{
        passkeys::ceremony::Credential,
        session,
        user::{self, User},
    },
    app::App,
    audit,
    clock::format_timestamp,
    db::{Error, Row, Tx},
    notifications,
    security::{
        caller::Caller,
        ids::{PasskeyId, SessionId, UserId},
    },
};

/// Maximum number of passkeys of a person.
pub(crate) const MAX_PASSKEYS: usize = 10;

/// Name of a passkey until its owner chooses one.
const DEFAULT_NAME: &str = "Chave de acesso";

/// A passkey.
#[derive(Debug)]
pub(crate) struct Passkey {
    pub(crate) id: PasskeyId,
    pub(crate) user: UserId,
    pub(crate) credential: Credential,
    pub(crate) friendly_name: String,
    pub(crate) created_at: String,
    pub(crate) last_used_at: Option<String>,
}

impl Passkey {
    /// Creates a passkey without storing it.
    pub(crate) fn new(user: UserId, credential: Credential, now: Timestamp) -> Self {
        Self {
            id: PasskeyId::new(now),
            user,
            credential,
            friendly_name: DEFAULT_NAME.to_owned(),
            created_at: format_timestamp(now),
            last_used_at: None,
        }
    }
}

fn select() -> SelectStatement {
    let columns = ["id", "user_id", "credential", "friendly_name", "created_at", "last_used_at"];
    Query::select().columns(columns).from("passkeys").take()
}

/// Returns a person's passkeys, oldest first.
pub(crate) fn for_user(tx: &mut Tx<'_>, user: UserId) -> Result<Vec<Passkey>, Error> {
    let mut query = select();
    query.and_where(Expr::col("user_id").eq(user)).order_by("id", Order::Asc);
    tx.rows(&query)?.iter().map(from_row).collect()
}

/// Returns whether a person has a passkey.
pub(crate) fn exists_for(tx: &mut Tx<'_>, user: UserId) -> Result<bool, Error> {
    let mut query = Query::select();
    query.column("id").from("passkeys").and_where(Expr::col("user_id").eq(user)).limit(1);
    Ok(!tx.rows(&query)?.is_empty())
}

/// Returns the passkey with a credential id and locks it, so that concurrent sign-ins see each other's counters.
pub(crate) fn lock_by_credential(
    tx: &mut Tx<'_>,
    credential: &[u8],
) -> Result<Option<Passkey>, Error> {
    let mut query = select();
    query.and_where(Expr::col("credential_id").eq(BASE64.encode(credential))).lock_exclusive();
    tx.rows(&query)?.first().map(from_row).transpose()
}

/// Stores a new passkey, records it, and informs its owner.
///
/// # Errors
/// [`Error::Unique`] with `passkeys_credential_id_key` if the credential is registered already.
pub(crate) fn insert(
    tx: &mut Tx<'_>,
    app: &App,
    user: &User,
    passkey: &Passkey,
) -> Result<(), Error> {
    tx.insert(
        "passkeys",
        [
            ("id", passkey.id.into()),
            ("user_id", passkey.user.into()),
            ("credential_id", BASE64.encode(passkey.credential.id()).into()),
            ("credential", passkey.credential.to_json()?.into()),
            ("friendly_name", passkey.friendly_name.as_str().into()),
            ("created_at", passkey.created_at.as_str().into()),
        ],
    )?;
    audit::record(tx, app, user.as_caller(), [user.audit_event(audit::EventName::PasskeyAdded)]);
    notifications::send_account_notice(
        tx,
        app,
        &notifications::PASSKEY_ADDED,
        &user.recipient(),
        &user.email,
    )
}

/// Changes the name of a passkey.
pub(crate) fn rename(tx: &mut Tx<'_>, id: PasskeyId, name: &str) -> Result<(), Error> {
    let mut statement = Query::update();
    statement.table("passkeys").value("friendly_name", name).and_where(Expr::col("id").eq(id));
    tx.execute(&statement).map(drop)
}

/// Stores the counter and the flags of a credential after its use.
fn record_use(tx: &mut Tx<'_>, passkey: &Passkey, now: Timestamp) -> Result<(), Error> {
    let mut statement = Query::update();
    statement.table("passkeys").values([
        ("credential", passkey.credential.to_json()?.into()),
        ("last_used_at", format_timestamp(now).into()),
    ]);
    tx.execute(statement.and_where(Expr::col("id").eq(passkey.id))).map(drop)
}

/// Removes passkeys of a person. The sessions that they opened end, except `current`. If another person removes the last
/// one, all sessions of its owner end, because a lost device may hold one.
pub(crate) fn remove(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    user: &User,
    passkeys: &[Passkey],
    current: Option<SessionId>,
) -> Result<(), Error> {
    if passkeys.is_empty() {
        return Ok(());
    }
    // A concurrent sign-in holds this lock, so its session is visible to the statements below.
    user::locked_by_id(tx, user.id)?;
    for Passkey { id, .. } in passkeys {
        session::end_sessions_of_passkey(tx, *id, current)?;
        let mut statement = Query::delete().from_table("passkeys").take();
        tx.execute(statement.and_where(Expr::col("id").eq(*id)))?;
    }
    if caller.user() != Some(user.id) && !exists_for(tx, user.id)? {
        session::end_others(tx, user.id, None)?;
    }
    let removed = user.audit_event(audit::EventName::PasskeyRemoved);
    audit::record(tx, app, caller, [removed.detail(json!({"passkeys": passkeys.len()}))]);
    notifications::send_account_notice(
        tx,
        app,
        &notifications::PASSKEY_REMOVED,
        &user.recipient(),
        &user.email,
    )
}

/// Removes all passkeys of a person. Returns whether there was one.
pub(crate) fn remove_all(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    user: &User,
) -> Result<bool, Error> {
    // A concurrent registration holds this lock, so its passkey is in the list.
    user::locked_by_id(tx, user.id)?;
    let passkeys = for_user(tx, user.id)?;
    remove(tx, app, caller, user, &passkeys, None)?;
    Ok(!passkeys.is_empty())
}

fn from_row(row: Row<'_>) -> Result<Passkey, Error> {
    Ok(Passkey {
        id: row.parse(0)?,
        user: row.parse(1)?,
        credential: Credential::from_json(row.text(2)?)?,
        friendly_name: row.text(3)?.to_owned(),
        created_at: row.text(4)?.to_owned(),
        last_used_at: row.opt_text(5)?.map(str::to_owned),
    })
}
