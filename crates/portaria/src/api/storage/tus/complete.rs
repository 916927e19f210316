//! Completes an upload: publishes the partial upload as a blob and inserts the object's row.

use std::{io, sync::Arc};

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

/// Completes an upload under the lock of `writer`. After a final error the upload is deleted; after a transient error
/// it can be completed later.
///
/// # Errors
/// Those of [`UploadTarget::authorize`] and of the upload policy; `ResourceLocked` if the lock was lost, because
/// another sender may write to the upload then.
pub(crate) async fn complete(
    app: &Arc<App>,
    upload: &Upload,
    credential: Credential,
    writer: Option<String>,
) -> Result<(), StorageError> {
    let result = store(app, upload, credential, writer.clone()).await;
    if result.as_ref().is_err_and(StorageError::is_final) {
        let id = upload.id.clone();
        let delete = move |tx: &mut Tx<'_>| {
            let holds_lock = upload::complete(tx, &id, writer.as_deref())?;
            if holds_lock {
                upload::delete(tx, &id)?;
            }
            Ok::<_, db::Error>(holds_lock)
        };
        if app.db.write(delete).await? {
            app.files.remove_part(&upload.blob).await?;
        }
    }
    result
}

/// Checks the complete file, publishes the blob, and inserts the row in the transaction that completes the upload.
async fn store(
    app: &Arc<App>,
    upload: &Upload,
    credential: Credential,
    writer: Option<String>,
) -> Result<(), StorageError> {
    let (place, upload_headers) = metadata::read(&upload.metadata)?;
    let target = UploadTarget::new(credential, place, upload.replaces);
    let policy = target.authorize(app, upload.size).await?;
    if upload.size == 0 {
        app.files.open_part(&upload.blob, 0).await?;
    }
    let (stored, head) = app.files.inspect(&upload.blob).await?;
    if stored.size > policy.max() {
        return Err(StorageError::resumable_too_large());
    }
    if stored.size != upload.size {
        // A slow sender overwrote a part after its lock had expired. The client sends the last body again.
        return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
    }
    let name = &target.path.name;
    let file_type =
        policy.check_content(name, &upload_headers.declared_type, stored.size, &head)?;
    app.files.publish(&upload.blob).await?;

    let id = upload.id.clone();
    let insert = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        // Checked first: an error after it occurs under our lock, so that the published part may be unpublished.
        if !upload::complete(tx, &id, writer.as_deref())? {
            return Ok(false);
        }
        target.commit_object(tx, app, file_type, &upload_headers, &stored)?;
        Ok::<_, StorageError>(true)
    };
    if !commit_or_undo(app, insert, async || app.files.unpublish(&upload.blob).await).await? {
        return Err(StorageError::locked());
    }

    if let Err(error) = app.files.remove_part(&upload.blob).await {
        // The part is removed with the upload's row when that expires.
        tracing::warn!(%error, "partial upload not removed, will retry");
    }
    Ok(())
}
