//! `DELETE /upload/resumable/{id}`: give an upload up.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{Path, State},
    http::StatusCode,
};

use super::own;
use crate::{app::App, db::Tx, objects, session::Credential, storage::StorageError, uploads};

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
        uploads::delete(tx, &id)?;
        // Should it have become a blob, that is unlinked unless a file holds it.
        objects::discard(tx, &upload.blob, inner.clock.now())?;
        Ok::<_, StorageError>(upload)
    };
    let upload = app.db.write(end).await.map_err(StorageError::plain)?;
    app.files.remove_part(&upload.blob).await.map_err(|error| StorageError::from(error).plain())?;
    Ok(StatusCode::NO_CONTENT)
}
