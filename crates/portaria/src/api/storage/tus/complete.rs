//! An upload whose last byte came becomes a file.

use std::sync::Arc;

use crate::api::storage::tus::metadata;
use crate::{
    accounts::authenticate::Credential,
    api::storage::{
        StorageError,
        upload_target::{UploadTarget, commit_or_undo},
    },
    app::App,
    db::{self, Tx},
    stored_files::upload::{self, Upload},
};

/// Puts the file into its place, in the turn of `writer`. Refused for what it is, it is gone; refused for now, it can
/// be tried again.
///
/// # Errors
/// As an upload's; `ResourceLocked` when the turn was lost, for then all that is there is somebody else's.
pub(crate) async fn finish(
    app: &Arc<App>,
    upload: &Upload,
    credential: Credential,
    writer: Option<String>,
) -> Result<(), StorageError> {
    let finished = keep(app, upload, credential, writer.clone()).await;
    if finished.as_ref().is_err_and(StorageError::is_final) {
        let id = upload.id.clone();
        let end = move |tx: &mut Tx<'_>| {
            let is_ours = upload::complete(tx, &id, writer.as_deref())?;
            if is_ours {
                upload::delete(tx, &id)?;
            }
            Ok::<_, db::Error>(is_ours)
        };
        if app.db.write(end).await? {
            app.files.remove_part(&upload.blob).await?;
        }
    }
    finished
}

async fn keep(
    app: &Arc<App>,
    upload: &Upload,
    credential: Credential,
    writer: Option<String>,
) -> Result<(), StorageError> {
    let (place, extra) = metadata::read(&upload.metadata)?;
    let slot = UploadTarget { credential, place, replace: upload.replaces };
    let rules = slot.authorize(app, upload.size).await?;
    if upload.size == 0 {
        app.files.open_part(&upload.blob, 0).await?;
    }
    let (written, head) = app.files.inspect(&upload.blob).await?;
    if written.size > rules.max() {
        return Err(StorageError::too_large());
    }
    let name = &slot.place.name;
    let kind = rules.check_content(name, &extra.claimed, written.size, &head)?;
    app.files.publish(&upload.blob).await?;
    let (inner, id) = (Arc::clone(app), upload.id.clone());
    let store = move |tx: &mut Tx<'_>| {
        // Asked first: whatever is refused after it is refused in our turn, and the part is ours to return.
        if !upload::complete(tx, &id, writer.as_deref())? {
            return Ok(false);
        }
        slot.commit_object(tx, &inner, (kind, &extra), &written)?;
        Ok::<_, StorageError>(true)
    };
    if !commit_or_undo(app, store, async || app.files.unpublish(&upload.blob).await).await? {
        return Err(StorageError::locked());
    }
    if let Err(error) = app.files.remove_part(&upload.blob).await {
        // It goes with the upload's row.
        tracing::warn!(%error, "what an upload was made of could not be removed yet");
    }
    Ok(())
}
