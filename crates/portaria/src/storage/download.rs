//! `GET` and `HEAD /object/{bucket}/{path}`, `/object/authenticated/…` and `/object/public/…`: the bytes, for who may
//! read them.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{RawQuery, State},
    http::{HeaderMap, Method},
    response::Response,
};

use super::{
    StorageError,
    ask::{Place, parameter},
    caller, readable,
    serve::{Asked, serve},
};
use crate::{app::App, db::Tx, session::Credential};

/// Answers with the bytes, streamed; `HEAD` with what would be said of them.
///
/// # Errors
/// `NoSuchKey` for what is not there and for what the caller may not read, alike.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Place { bucket, name }: Place,
    RawQuery(query): RawQuery,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, StorageError> {
    let inner = Arc::clone(&app);
    let find = move |tx: &mut Tx<'_>| {
        let caller = caller(tx, &credential, &inner)?;
        readable(tx, caller, &bucket, &name)
    };
    let found = app.db.read(find).await?;
    let download = parameter(query.as_deref(), "download");
    serve(&app, &found, Asked::new(&method, &headers, download.as_deref())).await
}

/// Answers everybody with the bytes of a public bucket's file.
///
/// # Errors
/// `NoSuchBucket` when the bucket is not public: `public` is also but the first word of a document's name.
pub async fn public(
    State(app): State<Arc<App>>,
    Place { bucket, name }: Place,
    RawQuery(query): RawQuery,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, StorageError> {
    let found = app.db.read(move |tx| super::public(tx, &bucket, &name)).await?;
    let download = parameter(query.as_deref(), "download");
    serve(&app, &found, Asked::new(&method, &headers, download.as_deref())).await
}
