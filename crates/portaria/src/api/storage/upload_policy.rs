//! Which files a bucket takes: its limits, and for documents and what comes with messages what an office's files are
//! (security S-15 to S-17).

use std::cmp::min;

use sea_query::{Condition, Expr, ExprTrait, Query};

use crate::{
    api::storage::{StorageError, content_type, extract::ObjectPath},
    tickets::attachment_upload,
};
use crate::{
    app::App,
    db::Tx,
    stored_files::{
        bucket::Bucket,
        object::{self, ATTACHMENTS_BUCKET, DOCUMENTS_BUCKET},
    },
};

/// What a bucket takes.
#[derive(Debug, Clone)]
pub(crate) struct UploadPolicy {
    /// Whether a file is what its bytes are.
    strict: bool,
    max: u64,
    /// Empty: every type.
    types: Vec<String>,
}

/// What a file is.
#[derive(Debug, Clone)]
pub(crate) struct FileType {
    pub(crate) mime_type: String,
    pub(crate) sniffed: Option<String>,
}

impl UploadPolicy {
    pub(crate) fn of(bucket: &Bucket, app: &App) -> Self {
        Self {
            strict: is_strict(&bucket.id),
            max: min(bucket.file_size_limit.unwrap_or(u64::MAX), app.config.max_upload),
            types: bucket.allowed_mime_types.clone().unwrap_or_default(),
        }
    }

    /// The largest file. Bytes.
    pub(crate) fn max(&self) -> u64 {
        self.max
    }

    /// Whether a file of this name may come at all, asked before its first byte does.
    ///
    /// # Errors
    /// `InvalidMimeType` for an extension that no document has, `InvalidKey` for a folder or a ticket that is none,
    /// `KeyAlreadyExists` when the name is taken and not to be replaced.
    pub(crate) fn check_name(
        &self,
        tx: &mut Tx<'_>,
        place: &ObjectPath,
        replace: bool,
    ) -> Result<(), StorageError> {
        if self.strict {
            content_type::check_extension(&place.name)?;
        }
        match place.bucket.as_str() {
            DOCUMENTS_BUCKET => check_folder(tx, &place.name)?,
            ATTACHMENTS_BUCKET => attachment_upload::check_ticket(tx, &place.name)?,
            _ => {}
        }
        let mut taken =
            || object::existing_names(tx, &place.bucket, &[&place.name], Condition::all());
        if replace || taken()?.is_empty() { Ok(()) } else { Err(StorageError::exists()) }
    }

    /// Whether a file that claims to be of this type may come. What is said of a document counts for nothing.
    ///
    /// # Errors
    /// `InvalidMimeType`.
    pub(crate) fn check_declared_type(&self, claimed: &str) -> Result<(), StorageError> {
        if self.strict { Ok(()) } else { self.admit_type(claimed) }
    }

    /// What a file is, once it is there.
    ///
    /// # Errors
    /// `InvalidMimeType`; `InvalidRequest` for an empty document.
    pub(crate) fn check_content(
        &self,
        name: &str,
        claimed: &str,
        size: u64,
        head: &[u8],
    ) -> Result<FileType, StorageError> {
        let sniffed = content_type::detect(head).map(str::to_owned);
        if !self.strict {
            self.admit_type(claimed)?;
            return Ok(FileType { mime_type: content_type::sanitize_mime(claimed), sniffed });
        }
        if size == 0 {
            return Err(StorageError::invalid_request("O arquivo está vazio."));
        }
        let mime_type = content_type::detect_strict(name, head)?;
        self.admit_type(mime_type)?;
        Ok(FileType { mime_type: mime_type.into(), sniffed })
    }

    fn admit_type(&self, mime_type: &str) -> Result<(), StorageError> {
        let wanted = essence(mime_type);
        let fits = |allowed: &String| match essence(allowed).as_str() {
            "*" | "*/*" => true,
            allowed => match allowed.strip_suffix("/*") {
                Some(family) => wanted.split_once('/').is_some_and(|(kind, _)| kind == family),
                None => wanted == allowed,
            },
        };
        if self.types.is_empty() || self.types.iter().any(fits) {
            Ok(())
        } else {
            Err(StorageError::mime_type(mime_type))
        }
    }
}

/// Whether in this bucket the sender's word counts for nothing.
pub(crate) fn is_strict(bucket: &str) -> bool {
    [DOCUMENTS_BUCKET, ATTACHMENTS_BUCKET].contains(&bucket)
}

/// A type without its parameters.
fn essence(mime_type: &str) -> String {
    mime_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// A document's name is `public/{client}/{folder}/{file}`; a folder that does not exist shows none.
fn check_folder(tx: &mut Tx<'_>, name: &str) -> Result<(), StorageError> {
    let segments: Vec<&str> = name.split('/').collect();
    let ["public", _, folder, _] = segments[..] else { return Ok(()) };
    let mut query = Query::select();
    query.column("id").from("folders").and_where(Expr::col("id_supabase").eq(folder));
    if tx.rows(&query)?.is_empty() { Err(StorageError::invalid_key(name)) } else { Ok(()) }
}
