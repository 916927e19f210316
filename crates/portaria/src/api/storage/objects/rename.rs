//! `POST /object/move`: gives a file another name, in its bucket or another one. `copy` uses the same request.

use std::sync::Arc;

use axum::{Extension, Json, extract::State};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::audit::EventName;
use crate::{
    accounts::authenticate::Credential,
    app::App,
    db::Tx,
    inbox::{self, add::Origin},
    policy,
    schema::INBOX_BUCKET,
    stored_files::object::{self, Object},
};
use crate::{
    api::storage::{
        StorageError, audit_files, buckets, ensure_changeable, ensure_not_in_use,
        extract::{JsonBody, ObjectPath},
        object_key, require_object_writer, require_staff,
        upload_policy::{FileType, is_strict},
        upload_target::UploadTarget,
        visible_bucket,
    },
    stored_files::quota,
};

/// Number of bytes at the beginning of a file that are read to detect its type.
const HEAD_BYTES: u64 = 8192;

/// Required properties of the request body.
pub(crate) const REQUIRED_PROPERTIES: [&str; 3] = ["bucketId", "sourceKey", "destinationKey"];

/// Request body of a move or copy.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MoveBody {
    bucket_id: String,
    source_key: String,
    #[serde(default)]
    destination_bucket: Option<String>,
    destination_key: String,
}

/// A validated move or copy: the source, and the destination as an upload target.
#[derive(Debug, Clone)]
pub(crate) struct MoveRequest {
    from: ObjectPath,
    pub(crate) to: UploadTarget,
}

/// Moves an object.
///
/// # Errors
/// `AccessDenied` for clients and for a file that a document or a message shows, `NoSuchKey`, `KeyAlreadyExists`, and
/// the errors of the destination's upload policy.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    body: JsonBody,
) -> Result<Json<Value>, StorageError> {
    let request = body.read::<MoveBody>(&REQUIRED_PROPERTIES)?.into_request(credential, false)?;
    let source = request.find_source(&app).await?;
    let is_same_path = request.from == request.to.path;
    let file_type = if is_same_path {
        None
    } else {
        Some(request.check_destination(&app, &source, &source.mime_type).await?)
    };

    let rename = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        quota::lock(tx, app)?;
        let caller = require_object_writer(tx, &request.to.credential, app, &request.from)?;
        require_object_writer(tx, &request.to.credential, app, &request.to.path)?;
        let source = request.lock_source(tx, &source)?;
        ensure_not_in_use(tx, &source.bucket_id, &source.name)?;
        ensure_changeable(tx, caller, &source.bucket_id, &source.name)?;
        audit_files(tx, app, caller, EventName::FileMoved, std::slice::from_ref(&source));
        let Some(FileType { mime_type, detected_mime_type }) = file_type else {
            return Ok(source);
        };
        let ObjectPath { bucket: bucket_id, name } = request.to.path;
        let content_encoding = source.content_encoding.clone().filter(|_| !is_strict(&bucket_id));
        let renamed =
            Object { bucket_id, name, mime_type, detected_mime_type, content_encoding, ..source };
        let moved = object::update(tx, renamed, app.clock.now())?;
        if moved.bucket_id == INBOX_BUCKET {
            inbox::add::add(tx, app, Origin::Upload(caller), &moved)?;
        }
        // The destination may belong to another client, whose quota applies.
        quota::check(tx, app, &moved.bucket_id, &moved.name, 0)?;
        Ok::<_, StorageError>(moved)
    };
    let moved = app.write(rename).await?;
    Ok(Json(json!({"message": "Successfully moved", "Id": moved.id, "Key": moved.name})))
}

impl MoveBody {
    /// Validates bucket and object names.
    ///
    /// # Errors
    /// `NoSuchBucket` for an invalid bucket name, `InvalidKey` for an invalid destination, `NoSuchKey` for an invalid
    /// source.
    pub(crate) fn into_request(
        self,
        credential: Credential,
        replace: bool,
    ) -> Result<MoveRequest, StorageError> {
        let bucket = buckets::validate_name(self.bucket_id)?;
        let destination_bucket = self.destination_bucket.map(buckets::validate_name).transpose()?;
        let place = ObjectPath {
            bucket: destination_bucket.unwrap_or_else(|| bucket.clone()),
            name: object_key::parse(&self.destination_key)?,
        };
        let name = object_key::parse(&self.source_key).map_err(|_| StorageError::no_object())?;
        Ok(MoveRequest {
            from: ObjectPath { bucket, name },
            to: UploadTarget::new(credential, place, replace),
        })
    }
}

impl MoveRequest {
    /// Finds the source.
    ///
    /// # Errors
    /// `AccessDenied` for clients, `NoSuchBucket`, `NoSuchKey`.
    pub(crate) async fn find_source(&self, app: &Arc<App>) -> Result<Object, StorageError> {
        let request = self.clone();
        app.read(move |tx, app| {
            let caller = require_staff(tx, &request.to.credential, app)?;
            let bucket = visible_bucket(tx, caller, &request.from.bucket)?;
            let readable = policy::readable_objects(caller);
            let object = object::find(tx, &bucket.id, &request.from.name, readable)?;
            object.ok_or_else(StorageError::no_object)
        })
        .await
    }

    /// Checks that the destination accepts the source, and determines the type that the file has there.
    ///
    /// # Errors
    /// Those of [`UploadTarget::authorize`] and of the destination's upload policy.
    pub(crate) async fn check_destination(
        &self,
        app: &Arc<App>,
        source: &Object,
        declared: &str,
    ) -> Result<FileType, StorageError> {
        let policy = self.to.authorize(app, 0).await?;
        if source.size > policy.max() && self.from.bucket != self.to.path.bucket {
            return Err(StorageError::too_large());
        }
        let mut blob = app.files.open_blob(&source.blob, 0, source.size.min(HEAD_BYTES)).await?;
        let mut head = Vec::new();
        loop {
            let chunk = blob.next().await?;
            if chunk.is_empty() {
                break;
            }
            head.extend_from_slice(&chunk);
        }
        policy.check_content(&self.to.path.name, declared, source.size, &head)
    }

    /// Locks the source's row.
    ///
    /// # Errors
    /// `NoSuchKey` if the source was deleted or replaced since it was found.
    pub(crate) fn lock_source(
        &self,
        tx: &mut Tx<'_>,
        source: &Object,
    ) -> Result<Object, StorageError> {
        let objects = object::lock(tx, object::by_name(&self.from.bucket, &[&self.from.name]))?;
        let unchanged = objects.into_iter().find(|object| object.version == source.version);
        unchanged.ok_or_else(StorageError::no_object)
    }
}
