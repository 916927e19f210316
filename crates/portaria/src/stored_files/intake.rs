//! Files that reach the portal without a request: from a mailbox, a watched folder or an archive. They pass the checks of
//! an upload.

use std::{io, sync::Arc};

use bytes::Bytes;
use jiff::Timestamp;
use sea_query::Condition;
use tokio::{
    fs::File,
    io::{AsyncRead, AsyncReadExt},
};

use crate::{
    app::App,
    blob::{HEAD_BYTES, StoredBlob},
    db::{self, Tx},
    security::{ids::UserId, keys},
    stored_files::{
        bucket,
        file_type::{self, UnacceptedType},
        object::{self, NewObject, Object},
        quota::{self, QuotaError},
    },
};

/// Number of bytes that are read at once.
const CHUNK: usize = 64 * 1024;

/// A stored file without a row. Garbage collection removes the blob after a day unless a row refers to it.
pub(crate) struct ReceivedFile {
    blob: StoredBlob,
    mime_type: &'static str,
    detected_mime_type: Option<&'static str>,
}

/// A file that is not accepted. The sentence is for a person.
#[derive(Debug)]
pub(crate) enum IntakeError {
    /// The file itself is the reason.
    Refused(String),
    /// The file could not be read.
    Source(io::Error),
    /// The store failed; the file may be accepted later.
    Store(io::Error),
    /// The database failed.
    Database(db::Error),
}

impl From<db::Error> for IntakeError {
    fn from(error: db::Error) -> Self {
        Self::Database(error)
    }
}

impl From<io::Error> for IntakeError {
    fn from(error: io::Error) -> Self {
        Self::Store(error)
    }
}

impl From<UnacceptedType> for IntakeError {
    fn from(unaccepted: UnacceptedType) -> Self {
        Self::Refused(match unaccepted {
            UnacceptedType::NoExtension => "Um arquivo sem extensão não é aceito.".into(),
            UnacceptedType::Found(found) => format!("O tipo {found} não é aceito."),
        })
    }
}

impl From<QuotaError> for IntakeError {
    fn from(error: QuotaError) -> Self {
        match error {
            QuotaError::Portal => Self::Refused("O espaço do portal está cheio.".into()),
            QuotaError::Client => Self::Refused("O espaço do cliente está cheio.".into()),
            QuotaError::Database(error) => Self::Database(error),
        }
    }
}

impl ReceivedFile {
    /// The SHA-256 of the content, in hexadecimal digits.
    pub(crate) fn sha256(&self) -> &str {
        &self.blob.sha256
    }
}

/// Stores the content of a file for a bucket. `name` decides with the content whether the type is accepted; `extensions`
/// are the lists of accepted extensions.
///
/// # Errors
/// [`IntakeError`]: a type that is not accepted, an empty or too large file, or an error of the store. Nothing is left
/// behind then.
pub(crate) async fn receive(
    app: &Arc<App>,
    bucket: &'static str,
    name: &str,
    extensions: &[&[&str]],
    mut content: impl AsyncRead + Unpin,
) -> Result<ReceivedFile, IntakeError> {
    file_type::check_extension(name, extensions)?;
    let limit = size_limit(app, bucket).await?;
    let mut writer = app.files.create().await?;
    loop {
        let mut chunk = Vec::with_capacity(CHUNK);
        let read = (&mut content).take(CHUNK as u64).read_to_end(&mut chunk).await;
        read.map_err(IntakeError::Source)?;
        if chunk.is_empty() {
            break;
        }
        check_size(writer.size().saturating_add(chunk.len() as u64), limit)?;
        writer = writer.write(Bytes::from(chunk)).await?;
    }
    check_size(writer.size(), limit)?;
    let mime_type = file_type::detect_strict(name, writer.first_bytes())?;
    let detected_mime_type = file_type::detect(writer.first_bytes());
    Ok(ReceivedFile { blob: writer.commit().await?, mime_type, detected_mime_type })
}

/// Examines a file like [`receive`] and stores nothing. The result is for a rehearsal: its blob does not exist.
///
/// # Errors
/// Like [`receive`].
pub(crate) async fn examine(
    app: &Arc<App>,
    bucket: &'static str,
    name: &str,
    extensions: &[&[&str]],
    content: &mut File,
) -> Result<ReceivedFile, IntakeError> {
    file_type::check_extension(name, extensions)?;
    let size = content.metadata().await.map_err(IntakeError::Source)?.len();
    check_size(size, size_limit(app, bucket).await?)?;
    let mut head = Vec::with_capacity(HEAD_BYTES);
    let read = content.take(HEAD_BYTES as u64).read_to_end(&mut head).await;
    read.map_err(IntakeError::Source)?;
    let mime_type = file_type::detect_strict(name, &head)?;
    let detected_mime_type = file_type::detect(&head);
    let blob = StoredBlob { blob: keys::new_blob_name(), size, sha256: String::new() };
    Ok(ReceivedFile { blob, mime_type, detected_mime_type })
}

/// Returns the maximum size of a file of a bucket. Bytes.
async fn size_limit(app: &Arc<App>, bucket: &'static str) -> Result<u64, IntakeError> {
    let found = app.db.read(move |tx| bucket::find(tx, bucket, Condition::all())).await?;
    let limit = found.and_then(|bucket| bucket.file_size_limit).unwrap_or(u64::MAX);
    Ok(limit.min(app.config.max_upload))
}

fn check_size(size: u64, limit: u64) -> Result<(), IntakeError> {
    match size {
        0 => Err(IntakeError::Refused("O arquivo está vazio.".into())),
        size if size > limit => {
            Err(IntakeError::Refused("O arquivo é maior do que o permitido.".into()))
        }
        _ => Ok(()),
    }
}

/// The place of a received file.
pub(crate) struct Place<'a> {
    pub(crate) bucket: &'static str,
    /// Name of the object.
    pub(crate) name: String,
    pub(crate) owner: Option<UserId>,
    /// User metadata, a JSON object.
    pub(crate) metadata: Option<&'a str>,
}

/// Inserts the object of a received file, or replaces that of its name. Call [`quota::lock`] before.
///
/// # Errors
/// [`IntakeError`] if a quota is exceeded.
pub(crate) fn insert(
    tx: &mut Tx<'_>,
    app: &App,
    file: &ReceivedFile,
    place: Place<'_>,
    now: Timestamp,
) -> Result<Object, IntakeError> {
    let object = NewObject {
        bucket_id: place.bucket.to_owned(),
        name: place.name,
        owner_id: place.owner,
        mime_type: file.mime_type.to_owned(),
        detected_mime_type: file.detected_mime_type.map(str::to_owned),
        content_encoding: None,
        cache_control: "no-cache".to_owned(),
        user_metadata: place.metadata.map(str::to_owned),
    };
    let object = object::insert(tx, &object, &file.blob, true, now)?;
    quota::check(tx, app, &object.bucket_id, &object.name, 0)?;
    Ok(object)
}
