//! `/storage/v1`: files (contract §3). One file per action; bytes leave through `serve.rs` alone.

mod disposition;
pub mod download;
mod error;
pub mod info;
mod key;
mod kind;
pub mod remove;
mod serve;
pub mod sign;
pub mod upload;

use axum::{body::Bytes, extract::rejection::BytesRejection, http::HeaderMap};
use sea_query::{Condition, Expr, ExprTrait, Query};
use serde::de::DeserializeOwned;

pub use error::StorageError;

use crate::{
    app::App,
    db::Tx,
    objects::{self, Object},
    policy::{self, Caller},
    session::Credential,
};

/// The caller, or the refusal of a token that proves nothing.
fn caller(tx: &mut Tx<'_>, credential: &Credential, app: &App) -> Result<Caller, StorageError> {
    if let Credential::Invalid(why) = credential {
        return Err((*why).into());
    }
    Ok(credential.caller(tx, app.clock.now())??)
}

/// The object of that name, if the caller may read it; to anybody else it does not exist.
fn readable(
    tx: &mut Tx<'_>,
    caller: Caller,
    bucket: &str,
    name: &str,
) -> Result<Object, StorageError> {
    let condition = policy::readable_objects(caller).map_err(|_| StorageError::no_object())?;
    objects::find(tx, bucket, name, condition)?.ok_or_else(StorageError::no_object)
}

fn bucket_exists(tx: &mut Tx<'_>, bucket: &str) -> Result<(), StorageError> {
    let mut query = Query::select();
    query.column("id").from("buckets").cond_where(Condition::all().add(Expr::col("id").eq(bucket)));
    if tx.rows(&query)?.is_empty() { Err(StorageError::no_bucket()) } else { Ok(()) }
}

/// A request's JSON, of which one field is needed.
fn json<T: DeserializeOwned>(
    body: Result<Bytes, BytesRejection>,
    field: &str,
) -> Result<T, StorageError> {
    let body = body.map_err(|_| StorageError::invalid_request("The request body is too large"))?;
    serde_json::from_slice(&body).map_err(|_| {
        StorageError::invalid_request(format!("body must have required property '{field}'"))
    })
}

/// A header's text, if it is one.
fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}
