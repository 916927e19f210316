//! `GET` and `HEAD /object/{bucket}/{path}` and `/object/authenticated/…`: the bytes, for who may read them.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{Path, RawQuery, State},
    http::{HeaderMap, Method},
    response::Response,
};

use super::{
    StorageError, caller, key, readable,
    serve::{Asked, serve},
    sign::parameter,
};
use crate::{app::App, db::Tx, session::Credential};

/// Answers with the bytes, streamed; `HEAD` with what would be said of them.
///
/// # Errors
/// `NoSuchKey` for what is not there and for what the caller may not read, alike.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path((bucket, path)): Path<(String, String)>,
    RawQuery(query): RawQuery,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, StorageError> {
    let name = key::parse(&path)?;
    let inner = Arc::clone(&app);
    let find = move |tx: &mut Tx<'_>| {
        let caller = caller(tx, &credential, &inner)?;
        readable(tx, caller, &bucket, &name)
    };
    let object = app.db.read(find).await?;
    let download = parameter(query.as_deref(), "download");
    let asked = Asked { method: &method, headers: &headers, download: download.as_deref() };
    serve(&app, &object, asked).await
}

/// `GET /object/public/{bucket}/{path}`: no bucket here is public (behaviour B3).
///
/// # Errors
/// Always `NoSuchBucket`.
pub async fn public() -> StorageError {
    StorageError::no_bucket()
}
