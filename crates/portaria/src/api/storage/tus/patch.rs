//! `PATCH /upload/resumable/{id}`: send the next piece.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{Path, Request, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};

use crate::api::storage::tus::{append::append, brings_piece, expires, number, own};
use crate::{
    accounts::authenticate::Credential,
    api::storage::{StorageError, run_detached, upload_body::BodyReader},
    app::App,
    db::Tx,
    stored_files::upload::Upload,
};

/// Answers 204 with how much is there now.
///
/// # Errors
/// With their real status: `NoSuchUpload`, 409 for another offset or another sender at work, `EntityTooLarge` for
/// more than was announced; and with the last piece what is wrong with the file.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
    request: Request,
) -> Result<Response, StorageError> {
    let (parts, body) = request.into_parts();
    let mut incoming = BodyReader::new(&parts.headers, body);
    // When the sender is cut off, what came until then is still kept.
    let appended = run_detached(async move {
        let appended = patch(&app, credential, id, &parts.headers, &mut incoming).await;
        if appended.is_err() {
            incoming.drain().await;
        }
        appended
    });
    let (upload, received) = appended.await.map_err(StorageError::plain)?;
    let headers = [("upload-offset", received.to_string()), ("upload-expires", expires(&upload))];
    Ok((StatusCode::NO_CONTENT, headers).into_response())
}

async fn patch(
    app: &Arc<App>,
    credential: Credential,
    id: String,
    headers: &HeaderMap,
    incoming: &mut BodyReader,
) -> Result<(Upload, u64), StorageError> {
    if id.contains('\0') {
        return Err(StorageError::no_upload());
    }
    let (inner, asked) = (Arc::clone(app), credential.clone());
    let find = move |tx: &mut Tx<'_>| own(tx, &asked, &inner, &id);
    let upload = app.db.read(find).await?;
    if !brings_piece(headers) {
        return Err(StorageError::unknown_media_type());
    }
    let offset = number(headers, "upload-offset")?;
    let end = offset.saturating_add(incoming.declared().unwrap_or(0));
    if offset == upload.received && end > upload.size {
        return Err(StorageError::too_large());
    }
    let received = append(app, &upload, credential, offset, incoming).await?;
    Ok((upload, received))
}
