//! `Idempotency-Key`: what a caller sends twice under one key within a day is done once, and answered alike.
//!
//! Kept are the keys of the rows that came of it, not the answer: it is told anew, as the rows are now, and no copy of
//! what people wrote lies about. Tickets and replies have a key of their own, which holds for ever (`fill.rs`).

use axum::http::{HeaderMap, StatusCode, header};
use jiff::{SignedDuration, Timestamp};
use sea_query::{Expr, ExprTrait, OnConflict, Query};
use serde_json::{Value, json};

use crate::api::rest::{RestError, request::payload::Verb};
use crate::{clock::format_timestamp, db::Tx, policy::Caller, security::keys};

/// So long a key is known.
const KNOWN: SignedDuration = SignedDuration::from_hours(24);
/// The longest key. Bytes.
const LONGEST: usize = 255;

/// A request that came with a key.
#[derive(Debug)]
pub(crate) struct IdempotencyKey {
    key: String,
    hash: String,
}

/// What is known of a key.
pub(crate) enum IdempotencyState {
    /// Nothing: the request is to be done.
    New,
    /// It was done, and these rows came of it.
    Done(Verb, Vec<String>),
}

impl IdempotencyKey {
    /// The key, if one was sent, with all that makes the request the same as another.
    pub(crate) fn read(
        headers: &HeaderMap,
        (table, query): (&str, Option<&str>),
        payload: &Value,
    ) -> Result<Option<Self>, RestError> {
        let Some(key) = headers.get("idempotency-key") else { return Ok(None) };
        let key = key.to_str().unwrap_or_default().trim().to_owned();
        if key.is_empty() || key.len() > LONGEST {
            let message = format!("An Idempotency-Key has 1 to {LONGEST} ASCII characters");
            return Err(RestError::bad_request("idempotency_key_invalid", message));
        }
        let said = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let prefer: Vec<_> =
            headers.get_all("prefer").iter().map(|value| value.to_str().ok()).collect();
        let request = json!([table, query, prefer, said(header::ACCEPT.as_str()), payload]);
        Ok(Some(Self { key, hash: keys::hash(&request.to_string()) }))
    }

    /// Takes the key for this request. Whoever sends the same at this moment waits until this one is done, or failed.
    ///
    /// # Errors
    /// `idempotency_key_reused` when it stands for another request.
    pub(crate) fn begin(
        &self,
        tx: &mut Tx<'_>,
        caller: Caller,
        now: Timestamp,
    ) -> Result<IdempotencyState, RestError> {
        let mut take = Query::insert();
        take.into_table("idempotency_keys");
        take.columns(["caller", "key", "user_id", "request_hash", "created_at"]);
        take.values_panic([
            name(caller).into(),
            self.key.as_str().into(),
            caller.user().map(|id| id.to_string()).into(),
            self.hash.as_str().into(),
            format_timestamp(now).into(),
        ]);
        take.on_conflict(OnConflict::columns(["caller", "key"]).do_nothing().to_owned());
        if tx.execute(&take)? > 0 {
            return Ok(IdempotencyState::New);
        }
        let mut anew = Query::update();
        anew.table("idempotency_keys").values([
            ("request_hash", self.hash.as_str().into()),
            ("outcome", Option::<String>::None.into()),
            ("created_at", format_timestamp(now).into()),
        ]);
        anew.and_where(Expr::col("created_at").lte(format_timestamp(now - KNOWN)));
        if tx.execute(anew.and_where(self.this(caller)))? > 0 {
            return Ok(IdempotencyState::New);
        }
        let mut query = Query::select();
        query.columns(["request_hash", "outcome"]).from("idempotency_keys");
        let rows = tx.rows(query.and_where(self.this(caller)))?;
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
        Ok(IdempotencyState::Done(if merged { Verb::Merge } else { Verb::Insert }, rows))
    }

    /// Writes down what came of it.
    pub(crate) fn done(
        &self,
        tx: &mut Tx<'_>,
        caller: Caller,
        verb: Verb,
        rows: &[String],
    ) -> Result<(), RestError> {
        let outcome = json!([verb == Verb::Merge, rows]).to_string();
        let mut statement = Query::update();
        statement.table("idempotency_keys").value("outcome", outcome);
        tx.execute(statement.and_where(self.this(caller)))?;
        Ok(())
    }

    fn this(&self, caller: Caller) -> Expr {
        Expr::col("caller").eq(name(caller)).and(Expr::col("key").eq(self.key.as_str()))
    }
}

/// Keys are each caller's own.
fn name(caller: Caller) -> String {
    caller.user().map_or_else(|| "service".to_owned(), |id| id.to_string())
}
