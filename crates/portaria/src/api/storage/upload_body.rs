//! Receives the body of an upload: the file of a `multipart/form-data` body, or a raw body. The bytes are streamed to
//! the blob store's staging area, and limits are enforced while they arrive.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use axum::{
    body::{Body, BodyDataStream},
    http::{HeaderMap, header},
};
use base64::{Engine, prelude::BASE64_STANDARD};
use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use multer::{Field, Multipart};
use serde_json::Value;
use tokio::{
    task::yield_now,
    time::{Instant, timeout, timeout_at},
};

use crate::api::storage::{
    StorageError, header_text, upload_policy::UploadPolicy, upload_target::FileMetadata,
};
use crate::{app::App, blob::BlobWriter};

/// Maximum size of a form's parts before the file, and of those behind it. Bytes.
const MAX_FORM_OVERHEAD: u64 = 128 * 1024;
/// Maximum size of a form's text field. Bytes.
const MAX_FIELD: usize = 64 * 1024;
/// Maximum number of a form's text fields.
const MAX_FIELDS: usize = 10;
/// Maximum length of a multipart boundary (RFC 2046, section 5.1.1). Bytes.
const MAX_BOUNDARY: usize = 70;
/// Timeout for the next bytes of a body.
pub(crate) const IDLE_TIMEOUT: Duration = Duration::from_secs(20);
/// Maximum size of a refused body that is read and discarded. A browser reads the response only after it has sent the
/// body. Bytes.
const DRAIN_LIMIT: u64 = 16 * 1024 * 1024;
/// Timeout for reading a refused body.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(5);

/// Reads a request body with an idle timeout and a size limit.
#[derive(Debug)]
pub(crate) struct BodyReader {
    body: BodyDataStream,
    /// Value of `Content-Length`.
    content_length: Option<u64>,
    /// Whether the client waits for `100 Continue` before it sends the body.
    expects_continue: bool,
    /// Number of bytes read.
    read: u64,
    /// Maximum number of bytes to read. The form parser raises it when the file begins.
    limit: Arc<AtomicU64>,
}

/// The client disconnected, sent nothing within [`IDLE_TIMEOUT`], was below the minimum rate, or exceeded the size
/// limit.
#[derive(Debug, thiserror::Error)]
#[error("the request body was aborted")]
pub(crate) struct BodyAborted;

impl BodyReader {
    pub(crate) fn new(headers: &HeaderMap, body: Body) -> Self {
        let declared = header_text(headers, header::CONTENT_LENGTH.as_str());
        Self {
            body: body.into_data_stream(),
            content_length: declared.and_then(|length| length.parse().ok()),
            expects_continue: headers.contains_key(header::EXPECT),
            read: 0,
            limit: Arc::new(AtomicU64::new(u64::MAX)),
        }
    }

    /// Returns the value of `Content-Length`.
    pub(crate) fn declared(&self) -> Option<u64> {
        self.content_length
    }

    /// Returns the next bytes; `None` at the end of the body.
    ///
    /// # Errors
    /// [`BodyAborted`].
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, BodyAborted> {
        match timeout(IDLE_TIMEOUT, self.body.next()).await {
            Ok(None) => Ok(None),
            Ok(Some(Ok(bytes))) => {
                self.read = self.read.saturating_add(bytes.len() as u64);
                if self.read > self.limit.load(Ordering::Relaxed) {
                    return Err(BodyAborted);
                }
                Ok(Some(bytes))
            }
            Ok(Some(Err(_))) | Err(_) => Err(BodyAborted),
        }
    }

    fn chunks(&mut self) -> impl Stream<Item = Result<Bytes, BodyAborted>> {
        stream::unfold(self, async |body| {
            // The form parser buffers everything that is ready; a yield gives it one chunk at a time.
            yield_now().await;
            Some((body.next().await.transpose()?, body))
        })
    }

    /// Reads and discards the rest of a refused body, up to [`DRAIN_LIMIT`] and [`DRAIN_TIMEOUT`].
    pub(crate) async fn drain(&mut self) {
        if self.expects_continue || self.content_length.is_some_and(|length| length > DRAIN_LIMIT) {
            return;
        }
        let end = Instant::now() + DRAIN_TIMEOUT;
        let limit = self.read.saturating_add(DRAIN_LIMIT);
        while let Ok(Some(Ok(bytes))) = timeout_at(end, self.body.next()).await {
            self.read = self.read.saturating_add(bytes.len() as u64);
            if self.read > limit {
                return;
            }
        }
    }
}

/// Streams the file to the staging area. The blob is not published yet. Returns it with the headers or form fields of
/// the upload.
///
/// # Errors
/// `EntityTooLarge`, before the first byte if `Content-Length` is too large; `InvalidMimeType` for a type that the
/// bucket does not accept; `InvalidRequest` for an aborted body or a malformed form.
pub(crate) async fn receive(
    app: &App,
    policy: &UploadPolicy,
    headers: &HeaderMap,
    body: &mut BodyReader,
) -> Result<(BlobWriter, FileMetadata), StorageError> {
    let content_type = header_text(headers, header::CONTENT_TYPE.as_str()).unwrap_or_default();

    let is_form = content_type.to_ascii_lowercase().starts_with("multipart/form-data");
    let form_overhead = if is_form { 2 * MAX_FORM_OVERHEAD } else { 0 };
    if body.declared().is_some_and(|length| length > policy.max().saturating_add(form_overhead)) {
        return Err(StorageError::too_large());
    }
    if is_form {
        return receive_form(app, policy, content_type, body).await;
    }

    let upload_headers = FileMetadata {
        declared_type: if content_type.is_empty() {
            "application/octet-stream"
        } else {
            content_type
        }
        .to_owned(),
        cache_control: header_text(headers, "cache-control").map(str::to_owned),
        content_encoding: header_text(headers, "content-encoding").map(str::to_owned),
        metadata: user_metadata_header(headers),
    };
    policy.check_declared_type(&upload_headers.declared_type)?;

    let mut writer = app.files.create().await?;
    while let Some(bytes) = body.next().await.map_err(|BodyAborted| body_aborted())? {
        writer = write_chunk(writer, bytes, policy).await?;
    }
    Ok((writer, upload_headers))
}

/// Receives the file of a form, as [`receive`] does.
async fn receive_form(
    app: &App,
    policy: &UploadPolicy,
    content_type: &str,
    body: &mut BodyReader,
) -> Result<(BlobWriter, FileMetadata), StorageError> {
    let boundary =
        multer::parse_boundary(content_type).ok().filter(|text| text.len() <= MAX_BOUNDARY);
    let boundary = boundary
        .ok_or_else(|| StorageError::invalid_request("The form names no usable boundary"))?;
    let limit = Arc::clone(&body.limit);
    limit.store(MAX_FORM_OVERHEAD, Ordering::Relaxed);
    let mut parts = Multipart::new(body.chunks(), boundary);
    let mut upload_headers = FileMetadata::default();
    let (mut file, mut part_type) = (None, None);
    let mut fields = 0;

    // New clients send the text fields before the file, old ones behind it.
    while let Some(mut part) = parts.next_field().await.map_err(|error| form_error(&error))? {
        let name = part.name().unwrap_or_default().to_owned();
        if name.is_empty() || part.file_name().is_some() {
            if file.is_some() {
                return Err(StorageError::invalid_request("A form holds one file"));
            }
            part_type =
                header_text(part.headers(), header::CONTENT_TYPE.as_str()).map(str::to_owned);
            let declared = declared_type(&upload_headers, part_type.as_deref());
            policy.check_declared_type(&declared)?;
            limit.store(policy.max().saturating_add(2 * MAX_FORM_OVERHEAD), Ordering::Relaxed);
            let mut writer = app.files.create().await?;
            while let Some(bytes) = part.chunk().await.map_err(|error| form_error(&error))? {
                writer = write_chunk(writer, bytes, policy).await?;
            }
            file = Some(writer);
            continue;
        }
        fields += 1;
        if fields > MAX_FIELDS {
            return Err(StorageError::invalid_request("A form holds at most 10 fields and a file"));
        }

        let value = read_field(part).await?;
        match name.as_str() {
            "metadata" | "userMetadata" => upload_headers.metadata = json_object(value.as_bytes()),
            "cacheControl" => upload_headers.cache_control = Some(format!("max-age={value}")),
            "contentType" => upload_headers.declared_type = value,
            "contentEncoding" => upload_headers.content_encoding = Some(value),
            _ => {}
        }
    }

    let file = file.ok_or_else(|| StorageError::invalid_request("No content provided"))?;
    upload_headers.declared_type = declared_type(&upload_headers, part_type.as_deref());
    Ok((file, upload_headers))
}

/// Returns the file's declared type: the field `contentType`, otherwise the part's header.
fn declared_type(upload_headers: &FileMetadata, part_type: Option<&str>) -> String {
    let declared =
        Some(upload_headers.declared_type.as_str()).filter(|text| !text.is_empty()).or(part_type);
    declared.unwrap_or("application/octet-stream").to_owned()
}

async fn read_field(mut part: Field<'_>) -> Result<String, StorageError> {
    let mut value = Vec::new();
    while let Some(bytes) = part.chunk().await.map_err(|error| form_error(&error))? {
        if value.len() + bytes.len() > MAX_FIELD {
            return Err(StorageError::invalid_request("A field of the form is too long"));
        }
        value.extend_from_slice(&bytes);
    }
    String::from_utf8(value)
        .map_err(|_| StorageError::invalid_request("A field of the form is no text"))
}

async fn write_chunk(
    writer: BlobWriter,
    bytes: Bytes,
    policy: &UploadPolicy,
) -> Result<BlobWriter, StorageError> {
    if writer.size().saturating_add(bytes.len() as u64) > policy.max() {
        return Err(StorageError::too_large());
    }
    Ok(writer.write(bytes).await?)
}

fn body_aborted() -> StorageError {
    StorageError::invalid_request("The upload was cut off")
}

fn form_error(error: &multer::Error) -> StorageError {
    match error {
        multer::Error::StreamReadFailed(_) => body_aborted(),
        _ => StorageError::invalid_request("The form cannot be read"),
    }
}

/// Returns the user metadata of the header `x-metadata`, a JSON object in base64; `None` for other input.
pub(crate) fn user_metadata_header(headers: &HeaderMap) -> Option<String> {
    let encoded = header_text(headers, "x-metadata")?;
    json_object(&BASE64_STANDARD.decode(encoded).ok()?)
}

/// Returns the normalized text of a JSON object; `None` for other input.
pub(crate) fn json_object(bytes: &[u8]) -> Option<String> {
    let value: Value = serde_json::from_slice(bytes).ok()?;
    value.is_object().then(|| value.to_string())
}
