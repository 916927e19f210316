//! `DELETE /upload/resumable/{id}`: give an upload up.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{Path, State},
    http::StatusCode,
};

use crate::api::storage::tus::own;
use crate::{
    accounts::authenticate::Credential,
    api::storage::StorageError,
    app::App,
    db::Tx,
    stored_files::{object, upload},
};

/// Answers 204 when nothing is left of it. A file that it became already stays.
///
/// # Errors
/// With their real status: `AccessDenied`, `NoSuchUpload`.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
) -> Result<StatusCode, StorageError> {
    if id.contains('\0') {
        return Err(StorageError::no_upload().plain());
    }
    let inner = Arc::clone(&app);
    let end = move |tx: &mut Tx<'_>| {
        let upload = own(tx, &credential, &inner, &id)?;
        upload::delete(tx, &id)?;
        // Should it have become a blob, that is unlinked unless a file holds it.
        object::delete(tx, &upload.blob, inner.clock.now())?;
        Ok::<_, StorageError>(upload)
    };
    let upload = app.db.write(end).await.map_err(StorageError::plain)?;
    app.files.remove_part(&upload.blob).await.map_err(|error| StorageError::from(error).plain())?;
    Ok(StatusCode::NO_CONTENT)
}
