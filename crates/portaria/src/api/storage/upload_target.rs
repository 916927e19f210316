//! The target of an upload. Permission, policy and quota are checked before the first byte is read, and again in the
//! transaction that inserts the row.

use std::{io, sync::Arc};

use jiff::Timestamp;
use serde_json::json;

use crate::{
    accounts::authenticate::Credential,
    app::App,
    audit::{self, EventName},
    blob::StoredBlob,
    db::{self, Tx},
    documents::versions,
    inbox::{
        self,
        add::Origin,
        tokens::{self, InboxToken, TokenHash},
    },
    policy, requests,
    schema::{DOCUMENTS_BUCKET, INBOX_BUCKET, RECEIVED_BUCKET},
    security::{caller::Caller, keys},
    stored_files::object::{self, NewObject, Object},
};
use crate::{
    api::storage::{
        StorageError, audit_files, caller, ensure_changeable, ensure_not_on_hold,
        extract::ObjectPath,
        upload_policy::{FileType, UploadPolicy, is_strict},
        visible_bucket,
    },
    stored_files::quota,
    tickets::attachment_upload,
};

/// Accepted values of `content-encoding`: those that browsers decode.
const CONTENT_ENCODINGS: [&str; 4] = ["br", "deflate", "gzip", "zstd"];

/// The sender and the destination of an upload.
#[derive(Debug, Clone)]
pub(crate) struct UploadTarget {
    pub(crate) credential: Credential,
    pub(crate) path: ObjectPath,
    /// Whether an existing file may be replaced.
    pub(crate) replace: bool,
    /// The token of the inbox that sends the file, instead of the credential.
    inbox: Option<InboxUpload>,
}

/// A file that a token of the inbox sends.
#[derive(Debug, Clone)]
struct InboxUpload {
    token: TokenHash,
    /// Metadata with the sender's name of the file.
    metadata: String,
}

/// The sender of an upload with permission.
struct Sender {
    caller: Caller,
    token: Option<InboxToken>,
}

/// Headers or form fields that describe an uploaded file.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileMetadata {
    /// Media type that the sender declares.
    pub(crate) declared_type: String,
    pub(crate) cache_control: Option<String>,
    pub(crate) content_encoding: Option<String>,
    /// User metadata, a JSON object.
    pub(crate) metadata: Option<String>,
}

impl UploadTarget {
    /// Creates the target of a caller's upload.
    pub(crate) fn new(credential: Credential, path: ObjectPath, replace: bool) -> Self {
        Self { credential, path, replace, inbox: None }
    }

    /// Changes the sender to a token of the inbox. The file gets a name of its own: senders repeat names, and must not
    /// learn which ones exist.
    pub(crate) fn with_inbox_token(self, token: TokenHash, now: Timestamp) -> Self {
        let sent = self.path.name.rsplit('/').next().unwrap_or_default();
        let extension = sent.rsplit_once('.').map_or("", |(_, extension)| extension);
        let name = format!("{}.{}", keys::new_id(now), extension.to_lowercase());
        let inbox = Some(InboxUpload { token, metadata: json!({"name": sent}).to_string() });
        Self { path: ObjectPath { name, ..self.path }, replace: false, inbox, ..self }
    }

    /// Resolves the sender and checks the permission to write to this target.
    fn authorized_sender(&self, tx: &mut Tx<'_>, app: &App) -> Result<Sender, StorageError> {
        if let Some(inbox) = &self.inbox {
            let token = tokens::find(tx, &inbox.token)?;
            let token = token.filter(|_| policy::inbox_token_may_add(&self.path.bucket));
            let token = token.ok_or_else(StorageError::no_inbox_token)?;
            // The checks of the bucket treat a token as a program of the office.
            return Ok(Sender { caller: Caller::Service, token: Some(token) });
        }
        let caller = caller(tx, &self.credential, app)?;
        let ObjectPath { bucket, name } = &self.path;
        if caller.is_staff() {
            if !policy::may_write_object(tx, caller, bucket, name)? {
                return Err(policy::Denied.into());
            }
        } else if bucket == RECEIVED_BUCKET {
            requests::upload::check_client_upload(tx, caller, name, self.replace)?;
        } else {
            let now = app.clock.now();
            attachment_upload::check_client_upload(tx, caller, bucket, name, self.replace, now)?;
        }
        Ok(Sender { caller, token: None })
    }

    /// Checks permission, name and quota for a file of `bytes` bytes, and returns the bucket's upload policy.
    ///
    /// # Errors
    /// `AccessDenied`, `NoSuchBucket`, `QuotaExceeded`, and those of [`UploadPolicy::check_name`].
    pub(crate) async fn authorize(
        &self,
        app: &Arc<App>,
        bytes: u64,
    ) -> Result<UploadPolicy, StorageError> {
        let target = self.clone();
        app.read(move |tx, app| {
            let Sender { caller, .. } = target.authorized_sender(tx, app)?;
            let bucket = visible_bucket(tx, caller, &target.path.bucket)?;
            let upload_policy = UploadPolicy::for_file(&bucket, &target.path.name, app);
            upload_policy.check_name(tx, &target.path, target.replace)?;
            // A replaced file frees space. The check in `commit_object` accounts for it.
            if !target.replace {
                quota::check(tx, app, &target.path.bucket, &target.path.name, bytes)?;
            }
            Ok::<_, StorageError>(upload_policy)
        })
        .await
    }

    /// Inserts the object's row, after the checks of [`Self::authorize`] were repeated.
    ///
    /// # Errors
    /// As [`Self::authorize`]; `AccessDenied` if the replaced file was sent to or by a client, or is under legal hold.
    pub(crate) fn commit_object(
        &self,
        tx: &mut Tx<'_>,
        app: &App,
        file_type: FileType,
        upload_headers: &FileMetadata,
        blob: &StoredBlob,
    ) -> Result<Object, StorageError> {
        let now = app.clock.now();
        quota::lock(tx, app)?;
        let Sender { caller, token } = self.authorized_sender(tx, app)?;
        if let Some(token) = &token
            && !tokens::record_use(tx, token, now)?
        {
            return Err(StorageError::no_inbox_token());
        }
        let bucket = visible_bucket(tx, caller, &self.path.bucket)?;
        let policy = UploadPolicy::for_file(&bucket, &self.path.name, app);
        policy.check_name(tx, &self.path, self.replace)?;

        let encoding = upload_headers.content_encoding.as_deref().map(str::to_ascii_lowercase);
        let new_object = NewObject {
            bucket_id: bucket.id,
            name: self.path.name.clone(),
            owner_id: caller.user(),
            mime_type: file_type.mime_type,
            detected_mime_type: file_type.detected_mime_type,
            // Strict buckets detect the type, which an encoding would hide.
            content_encoding: encoding.filter(|encoding| {
                !is_strict(&self.path.bucket) && CONTENT_ENCODINGS.contains(&encoding.as_str())
            }),
            cache_control: cache_control(upload_headers.cache_control.as_deref()),
            user_metadata: match &self.inbox {
                Some(inbox) => Some(inbox.metadata.clone()),
                None => upload_headers.metadata.clone(),
            },
        };
        if self.replace {
            ensure_changeable(tx, caller, &new_object.bucket_id, &new_object.name)?;
            ensure_not_on_hold(tx, &new_object.bucket_id, &new_object.name)?;
            if new_object.bucket_id == DOCUMENTS_BUCKET {
                versions::keep::keep_overwritten(tx, &new_object.name, caller.user(), now)?;
            }
        }
        let object = object::insert(tx, &new_object, blob, self.replace, now)?;
        if object.bucket_id == INBOX_BUCKET {
            inbox::add::add(tx, app, Origin::Upload(caller), &object)?;
        }
        quota::check(tx, app, &self.path.bucket, &self.path.name, 0)?;
        if let Some(token) = token {
            let sent = inbox::add::file_name(&object);
            let subject = format!("{sent} ({})", token.name);
            let event = object.audit_event(EventName::FileCreated);
            let event = event.subject(Some(object.id.to_string()), Some(subject));
            audit::record(tx, app, caller, [event]);
            return Ok(object);
        }

        // A person's new file in the portal's own buckets is audited with the document or message that refers to it.
        let event = if object.version != object.id.to_string() {
            Some(EventName::FileReplaced)
        } else if caller == Caller::Service || !is_strict(&self.path.bucket) {
            Some(EventName::FileCreated)
        } else {
            None
        };
        if let Some(event) = event {
            audit_files(tx, app, caller, event, std::slice::from_ref(&object));
        }
        Ok(object)
    }
}

/// Writes the row of a published blob. If `write` fails, the transaction is rolled back and `undo` removes the blob.
///
/// If the outcome of the commit is unknown, the blob stays: without it a committed row would have no bytes, while the
/// job `orphan_blobs` removes a blob without a row.
///
/// # Errors
/// The error of `write`, or the database error of a commit with an unknown outcome.
pub(crate) async fn commit_or_undo<T: Send + 'static>(
    app: &Arc<App>,
    write: impl FnOnce(&mut Tx<'_>, &Arc<App>) -> Result<T, StorageError> + Send + 'static,
    undo: impl AsyncFnOnce() -> io::Result<()>,
) -> Result<T, StorageError> {
    let attempt = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let result = write(tx, app);
        if result.is_err() {
            tx.rollback();
        }
        Ok::<_, db::Error>(result)
    };
    let result = app.write(attempt).await?;
    if result.is_err() {
        undo().await?;
    }
    result
}

/// Returns the `Cache-Control` of a file while its bucket is public: the declared value if it is printable ASCII of at
/// most 200 bytes, otherwise `no-cache`.
pub(crate) fn cache_control(declared: Option<&str>) -> String {
    let is_valid = |text: &&str| {
        (1..=200).contains(&text.len())
            && text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic())
    };
    declared.filter(is_valid).unwrap_or("no-cache").to_owned()
}
