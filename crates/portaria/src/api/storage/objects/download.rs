//! `GET` and `HEAD /object/{bucket}/{path}`, `/object/authenticated/…`, `/object/public/…` and `/personal-link/…`:
//! downloads.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{Path, State},
    http::{HeaderValue, header},
    response::Response,
};

use crate::api::storage::{
    StorageError,
    extract::ObjectPath,
    file_response::{FileRequest, file_response},
    find_for, find_public_file, find_readable,
};
use crate::{
    accounts::authenticate::Credential, app::App, db::Tx, documents::personal_link::opening,
    schema::DOCUMENTS_BUCKET, security::caller::Caller,
};

/// Streams a file that the caller may read; `HEAD` sends the headers alone.
///
/// # Errors
/// `NoSuchKey`, for a missing file and for one that the caller may not read; those of `file_response`.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    path: ObjectPath,
    request: FileRequest,
) -> Result<Response, StorageError> {
    let find =
        move |tx: &mut Tx<'_>, app: &Arc<App>| Ok((find_for(tx, app, &credential, &path)?, ()));
    let (file, (), request) = request.find(&app, find).await?;
    file_response(&app, file, request).await
}

/// Streams a file of a public bucket, without a caller.
///
/// # Errors
/// `NoSuchBucket` if the bucket is not public. The names of documents begin with `public/` too, but their bucket is
/// private.
pub async fn public(
    State(app): State<Arc<App>>,
    path: ObjectPath,
    request: FileRequest,
) -> Result<Response, StorageError> {
    file_response(&app, find_public_file(&app, path).await?, request).await
}

/// Streams the file of a personal link's document, with the rights of its recipient. No cache keeps it.
///
/// # Errors
/// `NoSuchKey` if the grant is unknown or over, the link is closed, or the recipient may not read the file any more.
pub async fn personal(
    State(app): State<Arc<App>>,
    Path(grant): Path<String>,
    request: FileRequest,
) -> Result<Response, StorageError> {
    let find = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let granted = opening::granted_file(tx, app, &grant)?;
        let (client, name) = granted.ok_or_else(StorageError::no_object)?;
        Ok((find_readable(tx, Caller::own_account(client), DOCUMENTS_BUCKET, &name)?, ()))
    };
    let (file, (), request) = request.find(&app, find).await?;
    let mut response = file_response(&app, file, request).await?;
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert("x-robots-tag", HeaderValue::from_static("none"));
    Ok(response)
}
