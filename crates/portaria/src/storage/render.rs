//! `GET /render/image/…`: pictures. None is changed here, so each is served as it is, whatever size was asked for.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{RawQuery, State},
    http::{HeaderMap, Method},
    response::Response,
};

use super::{
    Found, StorageError,
    ask::{Place, parameter},
    caller, kind, link, readable,
    serve::{Asked, serve},
};
use crate::{app::App, db::Tx, session::Credential};

/// For who may read the file.
///
/// # Errors
/// As a download; `InvalidRequest` for a file that is no picture.
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
    let found = picture(app.db.read(find).await?)?;
    let download = parameter(query.as_deref(), "download");
    serve(&app, &found, Asked::new(&method, &headers, download.as_deref())).await
}

/// For everybody, of a public bucket's files.
///
/// # Errors
/// As [`handler`]; `NoSuchBucket` when the bucket is not public.
pub async fn public(
    State(app): State<Arc<App>>,
    Place { bucket, name }: Place,
    RawQuery(query): RawQuery,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, StorageError> {
    let found = picture(app.db.read(move |tx| super::public(tx, &bucket, &name)).await?)?;
    let download = parameter(query.as_deref(), "download");
    serve(&app, &found, Asked::new(&method, &headers, download.as_deref())).await
}

/// For whoever holds a link.
///
/// # Errors
/// As [`handler`], and as a link.
pub async fn linked(
    State(app): State<Arc<App>>,
    place: Place,
    RawQuery(query): RawQuery,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, StorageError> {
    let (found, exp) = link::follow(&app, place, query.as_deref()).await?;
    let download = parameter(query.as_deref(), "download");
    let asked = Asked::new(&method, &headers, download.as_deref()).until(exp);
    serve(&app, &picture(found)?, asked).await
}

/// The file under the type that its content shows.
fn picture(mut found: Found) -> Result<Found, StorageError> {
    match &found.object.sniffed {
        Some(sniffed) if kind::is_picture(Some(sniffed)) => {
            found.object.mime_type.clone_from(sniffed);
            Ok(found)
        }
        _ => Err(StorageError::invalid_request("The file is not an image")),
    }
}
