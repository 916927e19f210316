//! `POST /object/move`: another name for a file, in its bucket or another; and what a copy shares with that.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State};
use sea_query::Condition;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    accounts::authenticate::Credential,
    app::App,
    db::Tx,
    stored_files::object::{self, Object},
};
use crate::{
    api::storage::{
        StorageError, audit_files, buckets, ensure_not_on_hold,
        extract::{JsonBody, ObjectPath},
        known_bucket, object_key, require_staff,
        upload_policy::FileType,
        upload_target::UploadTarget,
    },
    stored_files::quota,
};

/// How much of a file tells what it is. Bytes.
const HEAD: u64 = 8192;

/// What a body must say.
pub(crate) const REQUIRED: [&str; 3] = ["bucketId", "sourceKey", "destinationKey"];

/// From where to where, as the wire says it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MoveBody {
    bucket_id: String,
    source_key: String,
    #[serde(default)]
    destination_bucket: Option<String>,
    destination_key: String,
}

/// From where to where.
#[derive(Debug, Clone)]
pub(crate) struct MoveRequest {
    from: ObjectPath,
    pub(crate) to: UploadTarget,
}

/// Answers when the file has its new name (contract §3.2).
///
/// # Errors
/// `AccessDenied` for all but the office, `NoSuchKey`, `KeyAlreadyExists`; and what the other bucket does not take.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    body: JsonBody,
) -> Result<Answer<Value>, StorageError> {
    let way = body.read::<MoveBody>(&REQUIRED)?.into_request(credential, false)?;
    let source = way.source(&app).await?;
    let stays = way.from == way.to.place;
    let kind = if stays { None } else { Some(way.admit(&app, &source, &source.mime_type).await?) };
    let inner = Arc::clone(&app);
    let rename = move |tx: &mut Tx<'_>| {
        quota::take_turn(tx, &inner)?;
        let caller = require_staff(tx, &way.to.credential, &inner)?;
        let source = way.lock(tx, &source)?;
        ensure_not_on_hold(tx, &source.bucket_id, &source.name)?;
        audit_files(tx, &inner, caller, "file.moved", std::slice::from_ref(&source));
        let Some(FileType { mime_type, sniffed }) = kind else { return Ok(source) };
        let ObjectPath { bucket: bucket_id, name } = way.to.place;
        let renamed = Object { bucket_id, name, mime_type, sniffed, ..source };
        let moved = object::update(tx, renamed, inner.clock.now())?;
        // It may have come to another client.
        quota::check(tx, &inner, (&moved.bucket_id, &moved.name), 0)?;
        Ok::<_, StorageError>(moved)
    };
    let moved = app.db.write(rename).await?;
    Ok(Answer(json!({"message": "Successfully moved", "Id": moved.id, "Key": moved.name})))
}

impl MoveBody {
    /// # Errors
    /// `InvalidKey` for a destination that no file can have; `NoSuchKey` for such a source.
    pub(crate) fn into_request(
        self,
        credential: Credential,
        replace: bool,
    ) -> Result<MoveRequest, StorageError> {
        let bucket = buckets::known_name(self.bucket_id)?;
        let other_bucket = self.destination_bucket.map(buckets::known_name).transpose()?;
        let place = ObjectPath {
            bucket: other_bucket.unwrap_or_else(|| bucket.clone()),
            name: object_key::parse(&self.destination_key)?,
        };
        let name = object_key::parse(&self.source_key).map_err(|_| StorageError::no_object())?;
        Ok(MoveRequest {
            from: ObjectPath { bucket, name },
            to: UploadTarget { credential, place, replace },
        })
    }
}

impl MoveRequest {
    /// The file at the beginning of the way, if the caller may take it along.
    pub(crate) async fn source(&self, app: &Arc<App>) -> Result<Object, StorageError> {
        let (inner, way) = (Arc::clone(app), self.clone());
        let find = move |tx: &mut Tx<'_>| {
            let caller = require_staff(tx, &way.to.credential, &inner)?;
            let bucket = known_bucket(tx, caller, &way.from.bucket)?;
            let found = object::find(tx, &bucket.id, &way.from.name, Condition::all())?;
            found.ok_or_else(StorageError::no_object)
        };
        app.db.read(find).await
    }

    /// What the file is at the end of the way, if it may come there.
    pub(crate) async fn admit(
        &self,
        app: &Arc<App>,
        source: &Object,
        claimed: &str,
    ) -> Result<FileType, StorageError> {
        let rules = self.to.authorize(app, 0).await?;
        if source.size > rules.max() && self.from.bucket != self.to.place.bucket {
            return Err(StorageError::too_large());
        }
        let mut blob = app.files.open_blob(&source.blob, 0, source.size.min(HEAD)).await?;
        let mut head = Vec::new();
        loop {
            let piece = blob.next().await?;
            if piece.is_empty() {
                break;
            }
            head.extend_from_slice(&piece);
        }
        rules.check_content(&self.to.place.name, claimed, source.size, &head)
    }

    /// The file again, if it is still the same.
    pub(crate) fn lock(&self, tx: &mut Tx<'_>, source: &Object) -> Result<Object, StorageError> {
        let found = object::lock(tx, object::by_name(&self.from.bucket, &[&self.from.name]))?;
        let same = found.into_iter().find(|found| found.version == source.version);
        same.ok_or_else(StorageError::no_object)
    }
}
