//! `GET` and `HEAD /object/{bucket}/{path}` and `/object/authenticated/…`: the bytes, for who may read them.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{Path, RawQuery, State},
    http::Method,
    response::{IntoResponse, Response},
};

use super::{StorageError, caller, key, readable, serve, sign::parameter};
use crate::{app::App, db::Tx, session::Credential};

/// Answers with the bytes, streamed.
///
/// # Errors
/// `NoSuchKey` for what is not there and for what the caller may not read, alike.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path((bucket, path)): Path<(String, String)>,
    RawQuery(query): RawQuery,
    method: Method,
) -> Result<Response, StorageError> {
    let name = key::parse(&path)?;
    let inner = Arc::clone(&app);
    let find = move |tx: &mut Tx<'_>| {
        let caller = caller(tx, &credential, &inner)?;
        readable(tx, caller, &bucket, &name)
    };
    let object = app.db.read(find).await?;
    let download = parameter(query.as_deref(), "download");
    if method == Method::HEAD {
        let mut headers = serve::headers(&object, download.as_deref());
        headers.insert(axum::http::header::CONTENT_LENGTH, object.size.into());
        return Ok(headers.into_response());
    }
    serve::serve(&app, &object, download.as_deref()).await
}

/// `GET /object/public/{bucket}/{path}`: no bucket here is public (behaviour B3).
///
/// # Errors
/// Always `NoSuchBucket`.
pub async fn public() -> StorageError {
    StorageError::no_bucket()
}
