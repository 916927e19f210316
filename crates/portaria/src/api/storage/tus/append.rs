//! Appends a body to an upload. One sender at a time holds the upload's lock.

use std::{pin::pin, sync::Arc, time::Duration};

use jiff::{SignedDuration, Timestamp};
use tokio::time::sleep;

use crate::api::storage::tus::{complete::complete, sender::UploadSender};
use crate::{
    api::storage::{StorageError, upload_body::BodyReader},
    app::App,
    blob::PartialUpload,
    db::Tx,
    security::keys,
    stored_files::upload::{self, Upload},
};

/// Maximum number of bytes between two checkpoints. A checkpoint makes the received bytes durable, records their number
/// in the row and renews the lock. Checkpoints are much more frequent than [`upload::LOCK_TIMEOUT`], so that an active
/// sender keeps the lock.
const CHECKPOINT_BYTES: u64 = 4 << 20;
/// Maximum time between two checkpoints. See [`CHECKPOINT_BYTES`].
const CHECKPOINT_INTERVAL: SignedDuration = SignedDuration::from_secs(5);
/// Interval between renewals of the lock while the completed file is read and, with S3, copied.
const RENEW_INTERVAL: Duration = Duration::from_secs(5);

/// The sender's lock on an upload.
struct UploadLock<'a> {
    app: &'a Arc<App>,
    id: &'a str,
    /// Random token of this sender.
    writer: String,
    /// Number of durable bytes according to the row.
    received: u64,
    /// Time of the last checkpoint.
    checkpoint_at: Timestamp,
}

/// Appends a body to an upload at `offset` and returns the number of bytes received. After the last byte the file is
/// published and its row inserted. The caller holds a permit for one upload.
///
/// # Errors
/// `ResourceLocked` while another sender holds the lock; `TusError` for an offset that is not the current
/// one; `EntityTooLarge` beyond the announced size; `InvalidRequest` for an aborted body; those of [`complete`]. Bytes
/// received before the error are kept.
pub(crate) async fn append(
    app: &Arc<App>,
    upload: &Upload,
    sender: UploadSender,
    offset: u64,
    body: &mut BodyReader,
) -> Result<u64, StorageError> {
    let mut lock = UploadLock {
        app,
        id: &upload.id,
        writer: keys::new_token(),
        received: offset,
        checkpoint_at: app.clock.now(),
    };
    let is_done = lock.acquire(sender.clone()).await?;
    if is_done {
        return Ok(upload.size);
    }

    let mut outcome = match app.files.open_part(&upload.blob, offset).await {
        Ok(part) => lock.write_body(part, upload.size, body).await,
        Err(error) => Err(error.into()),
    };
    if let Ok((received, None)) = outcome
        && received == upload.size
    {
        // One transaction inserts the file's row and completes the upload. After a transient error the offset is reset,
        // so that the client sends this body again.
        let finishing = complete(app, upload, sender.credential, Some(lock.writer.clone()));
        match lock.renew_during(finishing).await {
            Ok(()) => return Ok(received),
            Err(error) => outcome = Ok((offset, Some(error))),
        }
    }

    let (received, body_error) = match outcome {
        Ok((received, body_error)) => (received, body_error),
        // Bytes after the last checkpoint may not be durable.
        Err(error) => (lock.received, Some(error)),
    };
    // With all bytes an upload counts as complete, but its file does not exist: the client sends this body again.
    let received = if received == upload.size { offset } else { received };
    let checkpoint = lock.checkpoint(received, true).await;
    match body_error {
        Some(error) => Err(error),
        None => checkpoint.map(|()| received),
    }
}

impl UploadLock<'_> {
    /// Acquires the lock. Returns `true` if the upload is complete already.
    async fn acquire(&self, sender: UploadSender) -> Result<bool, StorageError> {
        let id = self.id.to_owned();
        let (writer, offset) = (self.writer.clone(), self.received);
        let acquire = move |tx: &mut Tx<'_>, app: &Arc<App>| {
            let upload = sender.find_upload(tx, app, &id)?;
            if upload.received != offset {
                return Err(StorageError::offset_mismatch());
            }
            if upload.received == upload.size {
                return Ok(true);
            }
            if upload::acquire_lock(tx, &id, &writer, offset, app.clock.now())? {
                Ok(false)
            } else {
                Err(StorageError::locked())
            }
        };
        self.app.write(acquire).await
    }

    /// Writes the body. Returns the number of durable bytes, and the error of the body if it failed.
    ///
    /// # Errors
    /// A fault of the store, or a lost lock. Only the bytes of the last checkpoint count then.
    async fn write_body(
        &mut self,
        mut part: PartialUpload,
        size: u64,
        body: &mut BodyReader,
    ) -> Result<(u64, Option<StorageError>), StorageError> {
        let mut body_error = None;
        loop {
            let bytes = match body.next().await {
                Ok(Some(bytes)) => bytes,
                Ok(None) => break,
                Err(_) => {
                    body_error = Some(StorageError::invalid_request("The upload was cut off"));
                    break;
                }
            };
            if part.offset().saturating_add(bytes.len() as u64) > size {
                body_error = Some(StorageError::resumable_too_large());
                break;
            }
            let since_checkpoint = self.app.clock.now().duration_since(self.checkpoint_at);
            if part.offset() - self.received >= CHECKPOINT_BYTES
                || since_checkpoint >= CHECKPOINT_INTERVAL
            {
                part = part.sync().await?;
                self.checkpoint(part.offset(), false).await?;
            }
            part = part.write(bytes).await?;
        }
        let part = part.sync().await?;
        Ok((part.offset(), body_error))
    }

    /// Runs `work` and renews the lock meanwhile.
    async fn renew_during<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        loop {
            tokio::select! {
                result = &mut work => return result,
                // The transaction that inserts the file's row detects a lost lock.
                () = sleep(RENEW_INTERVAL) => drop(self.checkpoint(self.received, false).await),
            }
        }
    }

    /// Records the number of durable bytes, and renews the lock or, if `last`, releases it.
    ///
    /// # Errors
    /// `ResourceLocked` if the lock was lost.
    async fn checkpoint(&mut self, received: u64, last: bool) -> Result<(), StorageError> {
        let (id, writer) = (self.id.to_owned(), self.writer.clone());
        let now = self.app.clock.now();
        let record =
            move |tx: &mut Tx<'_>| upload::record_progress(tx, &id, &writer, received, last, now);
        if !self.app.db.write(record).await? {
            return Err(StorageError::locked());
        }
        (self.received, self.checkpoint_at) = (received, now);
        Ok(())
    }
}
