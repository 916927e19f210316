//! `HEAD /upload/resumable/{id}`: the offset of an upload.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};

use crate::api::storage::tus::{sender::UploadSender, upload_expires};
use crate::{api::storage::StorageError, app::App, db::Tx};

/// Responds 200 with `Upload-Offset`, at which the client continues.
///
/// # Errors
/// With their real status: `AccessDenied`, `NoSuchUpload`.
pub async fn handler(
    State(app): State<Arc<App>>,
    sender: UploadSender,
    Path(id): Path<String>,
) -> Result<Response, StorageError> {
    if id.contains('\0') {
        return Err(StorageError::no_upload().with_real_status());
    }
    let find = move |tx: &mut Tx<'_>, app: &Arc<App>| sender.find_upload(tx, app, &id);
    let upload = app.read(find).await.map_err(StorageError::with_real_status)?;
    let headers = [
        ("upload-offset", upload.received.to_string()),
        ("upload-length", upload.size.to_string()),
        ("upload-expires", upload_expires(&upload)),
        ("upload-metadata", upload.metadata),
        (header::CACHE_CONTROL.as_str(), "no-store".to_owned()),
    ];
    Ok((StatusCode::OK, headers).into_response())
}
