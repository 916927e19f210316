//! The life of signing keys: created, put into use, retired, revoked (`docs/decisions/0056-signing-keys.md`).
//!
//! A key waits in standby until all caches of the key set contain it. A retired key verifies tokens until the last one
//! that it signed has expired.

use jiff::{SignedDuration, Timestamp};
use sea_query::{Expr, ExprTrait, Order, Query};
use serde_json::json;

use crate::{
    app::App,
    audit::{self, AuditEvent, EventName},
    clock::format_timestamp,
    db::{self, Row, Tx},
    security::{caller::Caller, ids::SigningKeyId, key_ring::OVERLAP},
};

/// Time in standby before a key may sign: the maximum age of a cached key set (`Cache-Control` of the key set).
const STANDBY_TIME: SignedDuration = SignedDuration::from_mins(10);
/// Lifetime of the longest token besides those of `access_token_life`: an impersonation.
const VIEWER_LIFE: SignedDuration = SignedDuration::from_hours(1);

const STANDBY: &str = "standby";
const ACTIVE: &str = "active";
const RETIRED: &str = "retired";

/// A stored signing key.
#[derive(Debug)]
pub struct StoredKey {
    /// The `kid` of its tokens.
    pub id: SigningKeyId,
    /// `standby`, `active` or `retired`.
    pub state: String,
    /// The time at which it came into this state.
    pub since: Timestamp,
}

/// Reasons to refuse a change.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages explain them")]
pub enum SigningKeyError {
    #[error("the key {0} is in standby already: `portaria keys rotate` puts it into use")]
    StandbyExists(SigningKeyId),
    #[error("no key is in standby: `portaria keys create` creates one")]
    NoStandby,
    #[error(
        "programs may still use a key set without the new key until {0}; --now does not wait, and they may refuse new tokens until then"
    )]
    StandbyTooNew(Timestamp),
    #[error("the portal secret signs tokens already")]
    NoActive,
    #[error("there is no signing key {0}")]
    NotFound(SigningKeyId),
    #[error("the key signs tokens: `portaria keys rotate` replaces it")]
    Active,
    #[error("the key verifies tokens until {0}; --now does not wait, and refuses them at once")]
    StillNeeded(Timestamp),
    #[error("{0}")]
    Database(#[from] db::Error),
}

/// Returns all keys, oldest first.
///
/// # Errors
/// Database errors.
pub fn list(tx: &mut Tx<'_>) -> Result<Vec<StoredKey>, db::Error> {
    let mut query = Query::select();
    query.columns(["id", "state", "state_since"]).from("signing_keys");
    let rows = tx.rows(query.order_by("id", Order::Asc))?;
    rows.iter().map(to_key).collect()
}

/// Creates a key in standby. It is part of the key set, and signs nothing yet.
///
/// # Errors
/// There is one in standby already.
pub fn create(tx: &mut Tx<'_>, app: &App) -> Result<SigningKeyId, SigningKeyError> {
    if let Some(key) = find_by_state(tx, STANDBY)? {
        return Err(SigningKeyError::StandbyExists(key.id));
    }
    let now = app.clock.now();
    let id = SigningKeyId::new(now);
    tx.insert(
        "signing_keys",
        [
            ("id", id.into()),
            ("private_key", app.keys.signing_keys().generate(id).into()),
            ("state", STANDBY.into()),
            ("state_since", format_timestamp(now).into()),
            ("created_at", format_timestamp(now).into()),
        ],
    )?;
    record(tx, app, EventName::SigningKeyCreated, id, "ES256");
    Ok(id)
}

/// Puts the key in standby into use and retires the active one. Returns the new key.
///
/// # Errors
/// There is none in standby, or, unless `at_once`, it has not been there long enough.
pub fn rotate(tx: &mut Tx<'_>, app: &App, at_once: bool) -> Result<SigningKeyId, SigningKeyError> {
    let next = find_by_state(tx, STANDBY)?.ok_or(SigningKeyError::NoStandby)?;
    let ready_at = next.since + STANDBY_TIME;
    if !at_once && app.clock.now() < ready_at {
        return Err(SigningKeyError::StandbyTooNew(ready_at));
    }
    if let Some(active) = find_by_state(tx, ACTIVE)? {
        set_state(tx, app, active.id, RETIRED)?;
    }
    set_state(tx, app, next.id, ACTIVE)?;
    record(tx, app, EventName::SigningKeyRotated, next.id, "ES256");
    Ok(next.id)
}

/// Retires the active key, so that the portal secret signs tokens again (HS256).
///
/// # Errors
/// There is no active key.
pub fn rotate_to_secret(tx: &mut Tx<'_>, app: &App) -> Result<(), SigningKeyError> {
    let active = find_by_state(tx, ACTIVE)?.ok_or(SigningKeyError::NoActive)?;
    set_state(tx, app, active.id, RETIRED)?;
    record(tx, app, EventName::SigningKeyRotated, active.id, "HS256");
    Ok(())
}

/// Deletes a key. Its tokens are refused at once, on all nodes within a second. The check whether they have expired
/// assumes the present `access_token_life`.
///
/// # Errors
/// The key is active, or, unless `at_once`, tokens that it signed have not expired.
pub fn revoke(
    tx: &mut Tx<'_>,
    app: &App,
    id: SigningKeyId,
    at_once: bool,
) -> Result<(), SigningKeyError> {
    let mut query = Query::select();
    query.columns(["id", "state", "state_since"]).from("signing_keys");
    query.and_where(Expr::col("id").eq(id)).lock_exclusive();
    let rows = tx.rows(&query)?;
    let key = rows.first().map(to_key).transpose()?.ok_or(SigningKeyError::NotFound(id))?;
    if key.state == ACTIVE {
        return Err(SigningKeyError::Active);
    }
    let needed_until = key.since + app.config.access_token_life.max(VIEWER_LIFE);
    if !at_once && key.state == RETIRED && app.clock.now() < needed_until {
        return Err(SigningKeyError::StillNeeded(needed_until));
    }
    tx.execute(Query::delete().from_table("signing_keys").and_where(Expr::col("id").eq(id)))?;
    record(tx, app, EventName::SigningKeyRevoked, id, "ES256");
    Ok(())
}

/// Deletes the retired keys that verify no token any more. Returns their number.
///
/// # Errors
/// Database errors.
pub(crate) fn delete_expired(tx: &mut Tx<'_>, now: Timestamp) -> Result<u64, db::Error> {
    let mut deletion = Query::delete();
    deletion.from_table("signing_keys").and_where(Expr::col("state").eq(RETIRED));
    deletion.and_where(Expr::col("state_since").lte(format_timestamp(now - OVERLAP)));
    tx.execute(&deletion)
}

fn find_by_state(tx: &mut Tx<'_>, state: &str) -> Result<Option<StoredKey>, db::Error> {
    let mut query = Query::select();
    query.columns(["id", "state", "state_since"]).from("signing_keys");
    let rows = tx.rows(query.and_where(Expr::col("state").eq(state)).lock_exclusive())?;
    rows.first().map(to_key).transpose()
}

fn to_key(row: Row<'_>) -> Result<StoredKey, db::Error> {
    Ok(StoredKey { id: row.parse(0)?, state: row.text(1)?.to_owned(), since: row.parse(2)? })
}

fn set_state(tx: &mut Tx<'_>, app: &App, id: SigningKeyId, state: &str) -> Result<(), db::Error> {
    let mut update = Query::update();
    update.table("signing_keys").value("state", state);
    update.value("state_since", format_timestamp(app.clock.now()));
    tx.execute(update.and_where(Expr::col("id").eq(id))).map(drop)
}

fn record(tx: &mut Tx<'_>, app: &App, event: EventName, id: SigningKeyId, algorithm: &str) {
    let event = AuditEvent::new(event).subject(Some(id.to_string()), None);
    audit::record(tx, app, Caller::Service, [event.detail(json!({"algorithm": algorithm}))]);
}
