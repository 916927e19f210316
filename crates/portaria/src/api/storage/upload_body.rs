//! How a file comes in: the one file of a form, or the raw body, streamed to the disk and counted on its way.

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
    StorageError, text, upload_policy::UploadPolicy, upload_target::UploadHeaders,
};
use crate::{app::App, blob::BlobWriter};

/// How much room each, the form before a file and the form behind it, may take. Bytes.
const MAX_FORM_OVERHEAD: u64 = 128 * 1024;
/// The longest text field of a form. Bytes.
const MAX_FIELD: usize = 64 * 1024;
/// Fields in one form at most, besides the file.
const FIELDS: usize = 10;
/// The longest boundary that RFC 2046 allows.
const BOUNDARY: usize = 70;
/// Who sends nothing for so long has gone.
pub(crate) const IDLE_TIMEOUT: Duration = Duration::from_secs(20);
/// So much of a refused body is still read, and for so long, because a browser hears the refusal only then.
const DRAIN_LIMIT: u64 = 16 * 1024 * 1024;
const DRAIN_TIME: Duration = Duration::from_secs(5);

/// A request's body on its way in.
#[derive(Debug)]
pub(crate) struct BodyReader {
    body: BodyDataStream,
    declared: Option<u64>,
    /// Whether the sender waits to be told to go on.
    asks_first: bool,
    read: u64,
    /// How much may be read.
    allowed: Arc<AtomicU64>,
}

/// Why no more comes.
#[derive(Debug, thiserror::Error)]
#[error("the body ends before its end")]
pub(crate) struct BodyAborted;

impl BodyReader {
    pub(crate) fn new(headers: &HeaderMap, body: Body) -> Self {
        let declared = text(headers, header::CONTENT_LENGTH.as_str());
        Self {
            body: body.into_data_stream(),
            declared: declared.and_then(|length| length.parse().ok()),
            asks_first: headers.contains_key(header::EXPECT),
            read: 0,
            allowed: Arc::new(AtomicU64::new(u64::MAX)),
        }
    }

    /// What the sender said of the length.
    pub(crate) fn declared(&self) -> Option<u64> {
        self.declared
    }

    /// The next bytes; `None` at the end.
    ///
    /// # Errors
    /// [`Cut`] when the sender is gone, is silent, or sends more than is allowed.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, BodyAborted> {
        match timeout(IDLE_TIMEOUT, self.body.next()).await {
            Ok(None) => Ok(None),
            Ok(Some(Ok(bytes))) => {
                self.read = self.read.saturating_add(bytes.len() as u64);
                if self.read > self.allowed.load(Ordering::Relaxed) {
                    return Err(BodyAborted);
                }
                Ok(Some(bytes))
            }
            Ok(Some(Err(_))) | Err(_) => Err(BodyAborted),
        }
    }

    fn chunks(&mut self) -> impl Stream<Item = Result<Bytes, BodyAborted>> {
        stream::unfold(self, async |incoming| {
            // The reader of forms takes all that is ready; it shall have one piece at a time.
            yield_now().await;
            Some((incoming.next().await.transpose()?, incoming))
        })
    }

    /// Reads what is left of a refused body, within reason.
    pub(crate) async fn drain(&mut self) {
        if self.asks_first || self.declared.is_some_and(|length| length > DRAIN_LIMIT) {
            return;
        }
        let end = Instant::now() + DRAIN_TIME;
        let most = self.read.saturating_add(DRAIN_LIMIT);
        while let Ok(Some(Ok(bytes))) = timeout_at(end, self.body.next()).await {
            self.read = self.read.saturating_add(bytes.len() as u64);
            if self.read > most {
                return;
            }
        }
    }
}

/// Writes the file to the disk, not yet kept; and what came with it.
///
/// # Errors
/// `EntityTooLarge`, at once when it is announced; `InvalidMimeType` for a type that the bucket does not take;
/// `InvalidRequest` for a body that breaks off or makes no sense.
pub(crate) async fn receive(
    app: &App,
    rules: &UploadPolicy,
    headers: &HeaderMap,
    incoming: &mut BodyReader,
) -> Result<(BlobWriter, UploadHeaders), StorageError> {
    let kind = text(headers, header::CONTENT_TYPE.as_str()).unwrap_or_default();
    let is_form = kind.to_ascii_lowercase().starts_with("multipart/form-data");
    let around = if is_form { 2 * MAX_FORM_OVERHEAD } else { 0 };
    if incoming.declared().is_some_and(|length| length > rules.max().saturating_add(around)) {
        return Err(StorageError::too_large());
    }
    if is_form {
        return form(app, rules, kind, incoming).await;
    }
    let metadata = text(headers, "x-metadata")
        .and_then(|encoded| BASE64_STANDARD.decode(encoded).ok())
        .and_then(|bytes| json_object(&bytes));
    let extra = UploadHeaders {
        claimed: if kind.is_empty() { "application/octet-stream" } else { kind }.to_owned(),
        cache_control: text(headers, "cache-control").map(str::to_owned),
        content_encoding: text(headers, "content-encoding").map(str::to_owned),
        metadata,
    };
    rules.check_declared_type(&extra.claimed)?;
    let mut writer = app.files.create().await?;
    while let Some(bytes) = incoming.next().await.map_err(|BodyAborted| cut_off())? {
        writer = write(writer, bytes, rules).await?;
    }
    Ok((writer, extra))
}

async fn form(
    app: &App,
    rules: &UploadPolicy,
    kind: &str,
    incoming: &mut BodyReader,
) -> Result<(BlobWriter, UploadHeaders), StorageError> {
    let boundary = multer::parse_boundary(kind).ok().filter(|text| text.len() <= BOUNDARY);
    let boundary = boundary
        .ok_or_else(|| StorageError::invalid_request("The form names no usable boundary"))?;
    let allowed = Arc::clone(&incoming.allowed);
    allowed.store(MAX_FORM_OVERHEAD, Ordering::Relaxed);
    let mut parts = Multipart::new(incoming.chunks(), boundary);
    let mut extra = UploadHeaders::default();
    let (mut file, mut of_part) = (None, None);
    let mut fields = 0;
    // The text fields stand before the file in new clients, behind it in old ones.
    while let Some(mut part) = parts.next_field().await.map_err(|error| unreadable(&error))? {
        let name = part.name().unwrap_or_default().to_owned();
        if name.is_empty() || part.file_name().is_some() {
            if file.is_some() {
                return Err(StorageError::invalid_request("A form holds one file"));
            }
            of_part = text(part.headers(), header::CONTENT_TYPE.as_str()).map(str::to_owned);
            let claimed = claimed(&extra, of_part.as_deref());
            rules.check_declared_type(&claimed)?;
            allowed.store(rules.max().saturating_add(2 * MAX_FORM_OVERHEAD), Ordering::Relaxed);
            let mut writer = app.files.create().await?;
            while let Some(bytes) = part.chunk().await.map_err(|error| unreadable(&error))? {
                writer = write(writer, bytes, rules).await?;
            }
            file = Some(writer);
            continue;
        }
        fields += 1;
        if fields > FIELDS {
            return Err(StorageError::invalid_request("A form holds at most 10 fields and a file"));
        }
        let value = field(part).await?;
        match name.as_str() {
            "metadata" | "userMetadata" => extra.metadata = json_object(value.as_bytes()),
            "cacheControl" => extra.cache_control = Some(format!("max-age={value}")),
            "contentType" => extra.claimed = value,
            "contentEncoding" => extra.content_encoding = Some(value),
            _ => {}
        }
    }
    let file = file.ok_or_else(|| StorageError::invalid_request("No content provided"))?;
    extra.claimed = claimed(&extra, of_part.as_deref());
    Ok((file, extra))
}

/// What a form says of its file's type.
fn claimed(extra: &UploadHeaders, of_part: Option<&str>) -> String {
    let said = Some(extra.claimed.as_str()).filter(|claimed| !claimed.is_empty()).or(of_part);
    said.unwrap_or("application/octet-stream").to_owned()
}

async fn field(mut part: Field<'_>) -> Result<String, StorageError> {
    let mut value = Vec::new();
    while let Some(bytes) = part.chunk().await.map_err(|error| unreadable(&error))? {
        if value.len() + bytes.len() > MAX_FIELD {
            return Err(StorageError::invalid_request("A field of the form is too long"));
        }
        value.extend_from_slice(&bytes);
    }
    String::from_utf8(value)
        .map_err(|_| StorageError::invalid_request("A field of the form is no text"))
}

async fn write(
    writer: BlobWriter,
    bytes: Bytes,
    rules: &UploadPolicy,
) -> Result<BlobWriter, StorageError> {
    if writer.size().saturating_add(bytes.len() as u64) > rules.max() {
        return Err(StorageError::too_large());
    }
    Ok(writer.write(bytes).await?)
}

fn cut_off() -> StorageError {
    StorageError::invalid_request("The upload was cut off")
}

fn unreadable(error: &multer::Error) -> StorageError {
    match error {
        multer::Error::StreamReadFailed(_) => cut_off(),
        _ => StorageError::invalid_request("The form cannot be read"),
    }
}

/// A JSON object as it is stored; anything else is nothing.
pub(crate) fn json_object(bytes: &[u8]) -> Option<String> {
    let value: Value = serde_json::from_slice(bytes).ok()?;
    value.is_object().then(|| value.to_string())
}
