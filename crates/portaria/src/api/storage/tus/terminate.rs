//! `DELETE /upload/resumable/{id}`: terminates an upload.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    http::StatusCode,
};

use crate::api::storage::tus::sender::UploadSender;
use crate::{
    api::storage::StorageError,
    app::App,
    db::Tx,
    stored_files::{object, upload},
};

/// Deletes the upload and its bytes and responds 204. The object of a completed upload stays.
///
/// # Errors
/// With their real status: `AccessDenied`, `NoSuchUpload`.
pub async fn handler(
    State(app): State<Arc<App>>,
    sender: UploadSender,
    Path(id): Path<String>,
) -> Result<StatusCode, StorageError> {
    if id.contains('\0') {
        return Err(StorageError::no_upload().with_real_status());
    }
    let terminate = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let upload = sender.find_upload(tx, app, &id)?;
        upload::delete(tx, &id)?;
        // The upload may have been published already. Garbage collection keeps a blob that an object refers to.
        object::queue_blob_deletion(tx, &upload.blob, app.clock.now())?;
        Ok::<_, StorageError>(upload)
    };
    let upload = app.write(terminate).await.map_err(StorageError::with_real_status)?;
    app.files
        .remove_part(&upload.blob)
        .await
        .map_err(|error| StorageError::from(error).with_real_status())?;
    Ok(StatusCode::NO_CONTENT)
}
