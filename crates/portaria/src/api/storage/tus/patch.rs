//! `PATCH /upload/resumable/{id}`: appends bytes to an upload.

use std::sync::Arc;

use axum::{
    extract::{Path, Request, State},
    http::{StatusCode, request::Parts},
    response::{IntoResponse, Response},
};

use crate::api::storage::tus::{
    append::append, byte_count_header, has_upload_data, sender::UploadSender, upload_expires,
};
use crate::{
    api::storage::{
        StorageError, objects::upload::acquire_upload_permit, run_detached, upload_body::BodyReader,
    },
    app::App,
    db::Tx,
    stored_files::upload::Upload,
};

/// Appends a body and responds 204 with the new `Upload-Offset`.
///
/// # Errors
/// With their real status: `AccessDenied`, `NoSuchUpload`, `InvalidMimeType`, `ServerBusy`, and those of `append`.
pub async fn handler(
    State(app): State<Arc<App>>,
    sender: UploadSender,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, StorageError> {
    let (parts, body) = request.into_parts();
    let mut body = BodyReader::new(&parts.headers, body);
    // Detached, so that bytes received before the client disconnects are recorded.
    let task = run_detached(app.uploads.begin(), async move {
        let result = patch(&app, sender, id, &parts, &mut body).await;
        if result.is_err() {
            body.drain().await;
        }
        result
    });
    let (upload, received) = task.await.map_err(StorageError::with_real_status)?;
    let headers =
        [("upload-offset", received.to_string()), ("upload-expires", upload_expires(&upload))];
    Ok((StatusCode::NO_CONTENT, headers).into_response())
}

async fn patch(
    app: &Arc<App>,
    sender: UploadSender,
    id: String,
    parts: &Parts,
    body: &mut BodyReader,
) -> Result<(Upload, u64), StorageError> {
    if id.contains('\0') {
        return Err(StorageError::no_upload());
    }
    let finder = sender.clone();
    let find = move |tx: &mut Tx<'_>, app: &Arc<App>| finder.find_upload(tx, app, &id);
    let upload = app.read(find).await?;
    if !has_upload_data(&parts.headers) {
        return Err(StorageError::invalid_content_type());
    }
    let offset = byte_count_header(&parts.headers, "upload-offset")?;
    let end = offset.saturating_add(body.declared().unwrap_or(0));
    if offset == upload.received && end > upload.size {
        return Err(StorageError::resumable_too_large());
    }
    let _permit = acquire_upload_permit(app, sender.person(), parts)?;
    let received = append(app, &upload, sender, offset, body).await?;
    Ok((upload, received))
}
