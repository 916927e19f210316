//! A place that a file is to take: whether it may, asked before its first byte and again when its row is written.

use std::{io, sync::Arc};

use crate::{
    accounts::authenticate::Credential,
    app::App,
    blob::StoredBlob,
    db::{self, Tx},
    policy::{self, Caller},
    stored_files::object::{self, NewObject, Object},
};
use crate::{
    api::storage::{
        StorageError, audit_files, caller, ensure_not_on_hold,
        extract::ObjectPath,
        known_bucket,
        upload_policy::{FileType, UploadPolicy, is_strict},
    },
    stored_files::quota,
    tickets::attachment_upload,
};

/// Encodings that browsers undo.
const ENCODINGS: [&str; 4] = ["br", "deflate", "gzip", "zstd"];

/// Who puts a file where.
#[derive(Debug, Clone)]
pub(crate) struct UploadTarget {
    pub(crate) credential: Credential,
    pub(crate) place: ObjectPath,
    /// Whether it may take the place of another.
    pub(crate) replace: bool,
}

/// What came with a file.
#[derive(Debug, Clone, Default)]
pub(crate) struct UploadHeaders {
    /// The type that the sender gives it.
    pub(crate) claimed: String,
    pub(crate) cache_control: Option<String>,
    pub(crate) content_encoding: Option<String>,
    /// A JSON object.
    pub(crate) metadata: Option<String>,
}

impl UploadTarget {
    /// The caller, if they may put a file there.
    fn sender(&self, tx: &mut Tx<'_>, app: &App) -> Result<Caller, StorageError> {
        let caller = caller(tx, &self.credential, app)?;
        if policy::write_objects(caller).is_err() {
            attachment_upload::admit(tx, caller, &self.place, self.replace, app.clock.now())?;
        }
        Ok(caller)
    }

    /// What the place takes, if the caller may put something there, and so many bytes find room.
    ///
    /// # Errors
    /// `AccessDenied`, `NoSuchBucket`, `QuotaExceeded`, and what [`Rules::admit_name`] refuses.
    pub(crate) async fn authorize(
        &self,
        app: &Arc<App>,
        bytes: u64,
    ) -> Result<UploadPolicy, StorageError> {
        let (inner, slot) = (Arc::clone(app), self.clone());
        let ask = move |tx: &mut Tx<'_>| {
            let caller = slot.sender(tx, &inner)?;
            let bucket = known_bucket(tx, caller, &slot.place.bucket)?;
            let rules = UploadPolicy::of(&bucket, &inner);
            rules.check_name(tx, &slot.place, slot.replace)?;
            // What it replaces may be larger: that is known when it is there.
            if !slot.replace {
                quota::check(tx, &inner, slot.place.names(), bytes)?;
            }
            Ok::<_, StorageError>(rules)
        };
        app.db.read(ask).await
    }

    /// Writes the file's row.
    ///
    /// # Errors
    /// As [`Slot::open`], if something has changed since.
    pub(crate) fn commit_object(
        &self,
        tx: &mut Tx<'_>,
        app: &App,
        (kind, extra): (FileType, &UploadHeaders),
        written: &StoredBlob,
    ) -> Result<Object, StorageError> {
        let now = app.clock.now();
        quota::take_turn(tx, app)?;
        let caller = self.sender(tx, app)?;
        let bucket = known_bucket(tx, caller, &self.place.bucket)?;
        UploadPolicy::of(&bucket, app).check_name(tx, &self.place, self.replace)?;
        let encoding = extra.content_encoding.as_deref().map(str::to_ascii_lowercase);
        let new = NewObject {
            bucket_id: bucket.id,
            name: self.place.name.clone(),
            owner_id: caller.user().map(|id| id.to_string()),
            mime_type: kind.mime_type,
            sniffed: kind.sniffed,
            // There a file is what its bytes are.
            content_encoding: encoding.filter(|encoding| {
                !is_strict(&self.place.bucket) && ENCODINGS.contains(&encoding.as_str())
            }),
            cache_control: cache_control(extra.cache_control.as_deref()),
            user_metadata: extra.metadata.clone(),
        };
        if self.replace {
            ensure_not_on_hold(tx, &new.bucket_id, &new.name)?;
        }
        let object = object::insert(tx, &new, written, self.replace, now)?;
        quota::check(tx, app, self.place.names(), 0)?;
        // A new file of a person's is told of by the row that shows it, where there is one.
        let event = if object.version != object.id {
            Some("file.replaced")
        } else if caller == Caller::Service || !is_strict(&self.place.bucket) {
            Some("file.created")
        } else {
            None
        };
        if let Some(event) = event {
            audit_files(tx, app, caller, event, std::slice::from_ref(&object));
        }
        Ok(object)
    }
}

/// Writes the row that a blob on the disk waits for. When it is refused, which is certain, the blob is taken away
/// by `undo`. When the answer to the commit is lost nobody knows, and the blob stays: unlinked it might leave a row
/// without its file, while one without a row is found by the sweep.
///
/// # Errors
/// The refusal; the database's error when there is no knowing.
pub(crate) async fn commit_or_undo<T: Send + 'static>(
    app: &App,
    write: impl FnOnce(&mut Tx<'_>) -> Result<T, StorageError> + Send + 'static,
    undo: impl AsyncFnOnce() -> io::Result<()>,
) -> Result<T, StorageError> {
    let attempt = move |tx: &mut Tx<'_>| {
        let written = write(tx);
        if written.is_err() {
            tx.rollback();
        }
        Ok::<_, db::Error>(written)
    };
    let written = app.db.write(attempt).await?;
    if written.is_err() {
        undo().await?;
    }
    written
}

/// What may stand in the header of that name, for as long as a file's bucket is public.
pub(crate) fn cache_control(told: Option<&str>) -> String {
    let legal = |text: &&str| {
        (1..=200).contains(&text.len())
            && text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic())
    };
    told.filter(legal).unwrap_or("no-cache").to_owned()
}
