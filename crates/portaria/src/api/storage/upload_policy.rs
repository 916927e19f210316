//! Decides which files a bucket accepts: its size limit and types, and in the portal's own buckets the extension, the
//! content and the folder or ticket (`docs/protocol/storage.md`, sections 3.2 to 4.3).

use std::cmp::min;

use sea_query::{Condition, Expr, ExprTrait, Query};

use crate::{
    api::storage::{StorageError, content_type, extract::ObjectPath},
    requests,
    tickets::attachment_upload,
};
use crate::{
    app::App,
    db::Tx,
    schema::{
        ATTACHMENTS_BUCKET, DOCUMENTS_BUCKET, INBOX_BUCKET, RECEIVED_BUCKET, TRASH_BUCKET,
        VERSIONS_BUCKET,
    },
    stored_files::{
        bucket::Bucket,
        file_type::{self, DOCUMENT_EXTENSIONS, SENT_EXTENSIONS},
        object,
    },
};

/// The rules of one bucket for uploads.
#[derive(Debug, Clone)]
pub(crate) struct UploadPolicy {
    /// Whether the type is detected from the content, and the declared type is ignored.
    strict: bool,
    /// The extensions that a strict bucket accepts.
    extensions: &'static [&'static [&'static str]],
    /// Maximum file size. Bytes.
    max_size: u64,
    /// Accepted media types, with wildcards. Empty accepts every type.
    types: Vec<String>,
    /// Whether the file only makes a folder visible. Dashboards create folders with it, so an empty one is accepted
    /// whatever the types are.
    marks_folder: bool,
}

/// Name of an empty file that makes a folder visible.
const FOLDER_MARKER: &str = ".emptyFolderPlaceholder";

/// The media types of a file: the one to store and the detected one, if any.
#[derive(Debug, Clone)]
pub(crate) struct FileType {
    pub(crate) mime_type: String,
    pub(crate) detected_mime_type: Option<String>,
}

impl UploadPolicy {
    /// Builds the policy of a bucket for a file. The setting `max_upload` caps the bucket's own limit.
    pub(crate) fn for_file(bucket: &Bucket, name: &str, app: &App) -> Self {
        Self {
            strict: is_strict(&bucket.id),
            extensions: match bucket.id.as_str() {
                ATTACHMENTS_BUCKET | RECEIVED_BUCKET => &[DOCUMENT_EXTENSIONS, SENT_EXTENSIONS],
                _ => &[DOCUMENT_EXTENSIONS],
            },
            max_size: min(bucket.file_size_limit.unwrap_or(u64::MAX), app.config.max_upload),
            types: bucket.allowed_mime_types.clone().unwrap_or_default(),
            marks_folder: name.rsplit('/').next() == Some(FOLDER_MARKER),
        }
    }

    /// Returns the maximum file size. Bytes.
    pub(crate) fn max(&self) -> u64 {
        self.max_size
    }

    /// Checks the name of a new file, before its first byte is read.
    ///
    /// # Errors
    /// `InvalidMimeType` for an extension that is not accepted, `InvalidKey` for a folder or ticket that does not
    /// exist, `AccessDenied` for the trash and for versions, `KeyAlreadyExists` if the name exists and `replace` is false.
    pub(crate) fn check_name(
        &self,
        tx: &mut Tx<'_>,
        path: &ObjectPath,
        replace: bool,
    ) -> Result<(), StorageError> {
        if self.strict {
            file_type::check_extension(&path.name, self.extensions)?;
        }
        match path.bucket.as_str() {
            DOCUMENTS_BUCKET => check_folder(tx, &path.name)?,
            ATTACHMENTS_BUCKET => attachment_upload::check_attachment_name(tx, &path.name)?,
            RECEIVED_BUCKET => requests::upload::check_name(tx, &path.name)?,
            TRASH_BUCKET | VERSIONS_BUCKET => {
                return Err(StorageError::denied("Only files of documents enter this bucket"));
            }
            _ => {}
        }
        let mut existing =
            || object::existing_names(tx, &path.bucket, &[&path.name], Condition::all());
        if replace || existing()?.is_empty() { Ok(()) } else { Err(StorageError::exists()) }
    }

    /// Checks the declared type against the bucket's types. In strict buckets the declared type is ignored.
    ///
    /// # Errors
    /// `InvalidMimeType`.
    pub(crate) fn check_declared_type(&self, declared: &str) -> Result<(), StorageError> {
        // Whether a folder's marker is empty is known at the end.
        if self.strict || self.marks_folder { Ok(()) } else { self.check_type(declared) }
    }

    /// Determines the type of a received file from its name, size and first bytes.
    ///
    /// # Errors
    /// `InvalidMimeType`; `InvalidRequest` for an empty file in a strict bucket.
    pub(crate) fn check_content(
        &self,
        name: &str,
        declared: &str,
        size: u64,
        head: &[u8],
    ) -> Result<FileType, StorageError> {
        let detected_mime_type = file_type::detect(head).map(str::to_owned);
        if !self.strict {
            if size > 0 || !self.marks_folder {
                self.check_type(declared)?;
            }
            return Ok(FileType {
                mime_type: content_type::sanitize_mime(declared),
                detected_mime_type,
            });
        }
        if size == 0 {
            return Err(StorageError::invalid_request("O arquivo está vazio."));
        }
        file_type::check_extension(name, self.extensions)?;
        let mime_type = file_type::detect_strict(name, head)?;
        self.check_type(mime_type)?;
        Ok(FileType { mime_type: mime_type.into(), detected_mime_type })
    }

    /// Checks a type against the bucket's list, in which `*` matches every type and `image/*` a family.
    fn check_type(&self, mime_type: &str) -> Result<(), StorageError> {
        let file_type = essence(mime_type);
        let is_match = |allowed: &String| match essence(allowed).as_str() {
            "*" | "*/*" => true,
            allowed => match allowed.strip_suffix("/*") {
                Some(family) => file_type.split_once('/').is_some_and(|(kind, _)| kind == family),
                None => file_type == allowed,
            },
        };
        if self.types.is_empty() || self.types.iter().any(is_match) {
            Ok(())
        } else if !file_type.contains('/') {
            Err(StorageError::invalid_content_type())
        } else {
            Err(StorageError::invalid_mime_type(mime_type))
        }
    }
}

/// Whether a bucket is one of the portal's own, in which types are detected and declared types are ignored.
pub(crate) fn is_strict(bucket: &str) -> bool {
    [
        DOCUMENTS_BUCKET,
        ATTACHMENTS_BUCKET,
        INBOX_BUCKET,
        RECEIVED_BUCKET,
        TRASH_BUCKET,
        VERSIONS_BUCKET,
    ]
    .contains(&bucket)
}

/// Returns a media type in lower case without its parameters.
fn essence(mime_type: &str) -> String {
    mime_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Checks that the folder in `public/{client}/{folder}/{file}` exists: a file elsewhere would be listed nowhere.
fn check_folder(tx: &mut Tx<'_>, name: &str) -> Result<(), StorageError> {
    let segments: Vec<&str> = name.split('/').collect();
    let ["public", _, folder, _] = segments[..] else { return Ok(()) };
    let mut query = Query::select();
    query.column("id").from("folders").and_where(Expr::col("id_supabase").eq(folder));
    if tx.rows(&query)?.is_empty() { Err(StorageError::invalid_key(name)) } else { Ok(()) }
}
