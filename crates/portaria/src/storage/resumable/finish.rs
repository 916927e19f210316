//! An upload whose last byte came becomes a file.

use std::sync::Arc;

use super::metadata;
use crate::{
    app::App,
    db::Tx,
    session::Credential,
    storage::{
        StorageError,
        slot::{Slot, settle},
    },
    uploads::{self, Upload},
};

/// Puts the file into its place. Refused for what it is, it is gone; refused for now, it can be tried again.
///
/// # Errors
/// As an upload's.
pub(super) async fn finish(
    app: &Arc<App>,
    upload: &Upload,
    credential: Credential,
) -> Result<(), StorageError> {
    let finished = keep(app, upload, credential).await;
    if finished.as_ref().is_err_and(StorageError::is_final) {
        let id = upload.id.clone();
        app.db.write(move |tx: &mut Tx<'_>| uploads::delete(tx, &id)).await?;
        app.files.remove_part(&upload.blob).await?;
    }
    finished
}

async fn keep(app: &Arc<App>, upload: &Upload, credential: Credential) -> Result<(), StorageError> {
    let (place, extra) = metadata::read(&upload.metadata)?;
    let slot = Slot { credential, place, replace: upload.replaces };
    let rules = slot.open(app, upload.size).await?;
    if upload.size == 0 {
        app.files.open_part(&upload.blob, 0).await?;
    }
    let (written, head) = app.files.examine_part(&upload.blob).await?;
    if written.size > rules.max() {
        return Err(StorageError::too_large());
    }
    let name = &slot.place.name;
    let kind = rules.admit_content(name, &extra.claimed, written.size, &head)?;
    app.files.keep_part(&upload.blob).await?;
    let (inner, id) = (Arc::clone(app), upload.id.clone());
    let store = move |tx: &mut Tx<'_>| {
        slot.keep(tx, &inner, (kind, &extra), &written)?;
        Ok::<_, StorageError>(uploads::complete(tx, &id)?)
    };
    settle(app, store, async || app.files.return_part(&upload.blob).await).await?;
    if let Err(error) = app.files.remove_part(&upload.blob).await {
        // It goes with the upload's row.
        tracing::warn!(%error, "what an upload was made of could not be removed yet");
    }
    Ok(())
}
