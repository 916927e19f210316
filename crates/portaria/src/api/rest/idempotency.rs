//! The `Idempotency-Key` header: a request that is sent twice with the same key has one effect within 24 hours
//! (docs/protocol/rest.md, section 6.1).
//!
//! The table stores the keys of the inserted rows, not the answer, so that no copy of people's texts remains. A
//! repeated request receives the rows as they are now. Tickets and messages also have a column `idempotency_key`
//! without a time limit (`tickets/hooks.rs`).

use axum::http::{HeaderMap, StatusCode, header};
use jiff::{SignedDuration, Timestamp};
use sea_query::{Expr, ExprTrait, OnConflict, Query};
use serde_json::{Value, json};

use crate::api::rest::{RestError, request::payload::WriteKind};
use crate::{
    clock::format_timestamp,
    db::Tx,
    security::{caller::Caller, keys},
};

/// Time for which a key is kept.
const KEY_RETENTION: SignedDuration = SignedDuration::from_hours(24);
/// Maximum length of a key. Bytes.
const MAX_KEY_BYTES: usize = 255;

/// The idempotency key of a request, with a fingerprint of the request.
#[derive(Debug)]
pub(crate) struct IdempotencyKey {
    key: String,
    hash: String,
}

/// The state of a key before the current request.
pub(crate) enum IdempotencyState {
    /// The key is unused or expired: the request has to be executed.
    New,
    /// The request was executed. These are the keys of its rows.
    Done(WriteKind, Vec<String>),
}

impl IdempotencyKey {
    /// Reads the `Idempotency-Key` header and hashes everything that identifies the request: table, query, `Prefer`,
    /// `Accept` and payload. Returns `None` without the header.
    ///
    /// # Errors
    /// `idempotency_key_invalid` for an empty key, one that is too long, or one that is not ASCII.
    pub(crate) fn from_request(
        headers: &HeaderMap,
        table: &str,
        query: Option<&str>,
        payload: &Value,
    ) -> Result<Option<Self>, RestError> {
        let Some(key) = headers.get("idempotency-key") else { return Ok(None) };
        let key = key.to_str().unwrap_or_default().trim().to_owned();
        if key.is_empty() || key.len() > MAX_KEY_BYTES {
            let message = format!("An Idempotency-Key has 1 to {MAX_KEY_BYTES} ASCII characters");
            return Err(RestError::bad_request("idempotency_key_invalid", message));
        }
        let header_value = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let prefer: Vec<_> =
            headers.get_all("prefer").iter().map(|value| value.to_str().ok()).collect();
        let request = json!([table, query, prefer, header_value(header::ACCEPT.as_str()), payload]);
        Ok(Some(Self { key, hash: keys::sha256_hex(&request.to_string()) }))
    }

    /// Claims the key for this request. A concurrent request with the same key waits for the end of this transaction.
    ///
    /// # Errors
    /// `idempotency_key_reused` if the key belongs to another request, `idempotency_key_in_use` if the first request
    /// has not recorded its outcome.
    pub(crate) fn claim(
        &self,
        tx: &mut Tx<'_>,
        caller: Caller,
        now: Timestamp,
    ) -> Result<IdempotencyState, RestError> {
        let mut claim = Query::insert();
        claim.into_table("idempotency_keys");
        claim.columns(["caller", "key", "user_id", "request_hash", "created_at"]);
        claim.values_panic([
            caller_id(caller).into(),
            self.key.as_str().into(),
            caller.user().into(),
            self.hash.as_str().into(),
            format_timestamp(now).into(),
        ]);
        claim.on_conflict(OnConflict::columns(["caller", "key"]).do_nothing().to_owned());
        if tx.execute(&claim)? > 0 {
            return Ok(IdempotencyState::New);
        }

        // An expired key starts over.
        let mut renewal = Query::update();
        renewal.table("idempotency_keys").values([
            ("request_hash", self.hash.as_str().into()),
            ("outcome", Option::<String>::None.into()),
            ("created_at", format_timestamp(now).into()),
        ]);
        renewal.and_where(Expr::col("created_at").lte(format_timestamp(now - KEY_RETENTION)));
        if tx.execute(renewal.and_where(self.condition(caller)))? > 0 {
            return Ok(IdempotencyState::New);
        }

        let mut query = Query::select();
        query.columns(["request_hash", "outcome"]).from("idempotency_keys");
        let rows = tx.rows(query.and_where(self.condition(caller)))?;
        let row = rows.first().ok_or_else(|| RestError::from(crate::db::Error::Busy))?;
        if row.text(0)? != self.hash {
            let message = "This Idempotency-Key was sent with another request";
            return Err(RestError::unprocessable("idempotency_key_reused", message));
        }
        let outcome: Option<(bool, Vec<String>)> =
            row.opt_text(1)?.and_then(|text| serde_json::from_str(text).ok());
        let Some((merged, rows)) = outcome else {
            let message = "The request under this Idempotency-Key is not done yet";
            return Err(RestError::new(StatusCode::CONFLICT, "idempotency_key_in_use", message));
        };
        Ok(IdempotencyState::Done(if merged { WriteKind::Merge } else { WriteKind::Insert }, rows))
    }

    /// Records the outcome: the kind of write and the keys of its rows.
    pub(crate) fn record_outcome(
        &self,
        tx: &mut Tx<'_>,
        caller: Caller,
        verb: WriteKind,
        rows: &[String],
    ) -> Result<(), RestError> {
        let outcome = json!([verb == WriteKind::Merge, rows]).to_string();
        let mut statement = Query::update();
        statement.table("idempotency_keys").value("outcome", outcome);
        tx.execute(statement.and_where(self.condition(caller)))?;
        Ok(())
    }

    fn condition(&self, caller: Caller) -> Expr {
        Expr::col("caller").eq(caller_id(caller)).and(Expr::col("key").eq(self.key.as_str()))
    }
}

/// The namespace of a caller's keys: the same key of two callers is two keys, and so is that of one person who acts for
/// two clients.
fn caller_id(caller: Caller) -> String {
    match caller {
        Caller::Client { person, client, .. } if person != client => format!("{person} {client}"),
        _ => caller.user().map_or_else(|| "service".to_owned(), |id| id.to_string()),
    }
}
