//! Writing a piece behind what is there, by one sender at a time.

use std::{pin::pin, sync::Arc, time::Duration};

use jiff::{SignedDuration, Timestamp};
use tokio::time::sleep;

use crate::api::storage::tus::{complete::finish, own};
use crate::{
    accounts::authenticate::Credential,
    api::storage::{StorageError, objects::upload::place, upload_body::BodyReader},
    app::App,
    blob::PartialUpload,
    db::Tx,
    security::keys,
    stored_files::upload::{self, Upload},
};

/// After so many bytes, or so long, what is there is put on the disk for good and counted, and the turn goes on.
/// Much less than a turn lasts, so that a sender who is heard of never loses theirs.
const COUNT_BYTES: u64 = 4 << 20;
const COUNT_TIME: SignedDuration = SignedDuration::from_secs(5);
/// How often the turn goes on while the whole file is read again, and in a bucket written again.
const RENEW_EVERY: Duration = Duration::from_secs(5);

/// A sender's turn.
struct Turn<'a> {
    app: &'a Arc<App>,
    id: &'a str,
    writer: String,
    /// What is counted.
    received: u64,
    counted_at: Timestamp,
}

/// Adds a body to an upload at an offset; answers how much is there then, and if that is all, the file is in its place.
///
/// # Errors
/// `ResourceLocked` while another sender has the turn, a conflict for another offset, `EntityTooLarge` for more than
/// was announced, `InvalidRequest` for a body that breaks off. What came until then stays.
pub(crate) async fn append(
    app: &Arc<App>,
    upload: &Upload,
    credential: Credential,
    offset: u64,
    incoming: &mut BodyReader,
) -> Result<u64, StorageError> {
    let _place = place(app)?;
    let mut turn = Turn {
        app,
        id: &upload.id,
        writer: keys::new_token(),
        received: offset,
        counted_at: app.clock.now(),
    };
    let is_done = turn.take(credential.clone()).await?;
    if is_done {
        return Ok(upload.size);
    }
    let mut filled = match app.files.open_part(&upload.blob, offset).await {
        Ok(part) => turn.fill(part, upload.size, incoming).await,
        Err(error) => Err(error.into()),
    };
    if let Ok((received, None)) = filled
        && received == upload.size
    {
        // The file's row and this count are one transaction. If it may go well another time, the piece is sent again.
        let finishing = finish(app, upload, credential, Some(turn.writer.clone()));
        match turn.keep(finishing).await {
            Ok(()) => return Ok(received),
            Err(error) => filled = Ok((offset, Some(error))),
        }
    }
    let (received, failed) = match filled {
        Ok((received, failed)) => (received, failed),
        // What was not put on the disk for good does not count.
        Err(error) => (turn.received, Some(error)),
    };
    let counted = turn.count(received, true).await;
    match failed {
        Some(error) => Err(error),
        None => counted.map(|()| received),
    }
}

impl Turn<'_> {
    /// Begins the turn; `true` when there is nothing left to send.
    async fn take(&self, credential: Credential) -> Result<bool, StorageError> {
        let (app, id) = (Arc::clone(self.app), self.id.to_owned());
        let (writer, offset) = (self.writer.clone(), self.received);
        let take = move |tx: &mut Tx<'_>| {
            let upload = own(tx, &credential, &app, &id)?;
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
        self.app.db.write(take).await
    }

    /// Writes the body; how much is on the disk then, and what went wrong.
    ///
    /// # Errors
    /// When the disk refuses, or the turn was lost: then nothing that was not counted counts.
    async fn fill(
        &mut self,
        mut part: PartialUpload,
        size: u64,
        incoming: &mut BodyReader,
    ) -> Result<(u64, Option<StorageError>), StorageError> {
        let mut failed = None;
        loop {
            let bytes = match incoming.next().await {
                Ok(Some(bytes)) => bytes,
                Ok(None) => break,
                Err(_) => {
                    failed = Some(StorageError::invalid_request("The upload was cut off"));
                    break;
                }
            };
            if part.offset().saturating_add(bytes.len() as u64) > size {
                failed = Some(StorageError::too_large());
                break;
            }
            let silence = self.app.clock.now().duration_since(self.counted_at);
            if part.offset() - self.received >= COUNT_BYTES || silence >= COUNT_TIME {
                part = part.sync().await?;
                self.count(part.offset(), false).await?;
            }
            part = part.write(bytes).await?;
        }
        let part = part.sync().await?;
        Ok((part.offset(), failed))
    }

    /// Keeps the turn for as long as some work takes.
    async fn keep<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        loop {
            tokio::select! {
                done = &mut work => return done,
                // One that is lost is found to be when the file's row is written.
                () = sleep(RENEW_EVERY) => drop(self.count(self.received, false).await),
            }
        }
    }

    /// Writes down how much is on the disk, and goes on with the turn or (`last`) ends it.
    async fn count(&mut self, received: u64, last: bool) -> Result<(), StorageError> {
        let (id, writer) = (self.id.to_owned(), self.writer.clone());
        let now = self.app.clock.now();
        let count = move |tx: &mut Tx<'_>| upload::progress(tx, &id, &writer, received, last, now);
        if !self.app.db.write(count).await? {
            return Err(StorageError::locked());
        }
        (self.received, self.counted_at) = (received, now);
        Ok(())
    }
}
