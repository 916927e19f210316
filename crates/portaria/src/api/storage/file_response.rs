//! Sends stored bytes: ranges, conditional requests (RFC 9110) and response headers. No other module does.
//!
//! The headers ensure that no uploaded content runs with the portal's origin (`docs/protocol/storage.md`, section 5.2).
//! Ranges are parsed by `http-range-header`. The rest is written by hand: `ServeDir` of `tower-http` serves paths of a
//! file system, not blobs.

use std::{
    convert::Infallible,
    ops::Range,
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{
    body::{Body, Bytes},
    extract::FromRequestParts,
    http::{HeaderMap, HeaderValue, Method, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use futures_util::stream;
use http_range_header::StartPosition;
use jiff::Timestamp;

use crate::api::storage::{
    ReadableFile, StorageError, access_audit, bucket_redirect,
    content_disposition::{attachment, decode_file_name},
    content_type,
    extract::query_param,
    response::etag,
};
use crate::{
    app::{App, InFlightGuard},
    audit::EventName,
    blob::BlobReader,
    db::Tx,
    stored_files::object::Object,
};

/// The parts of a download request that determine its response.
#[derive(Debug)]
pub struct FileRequest {
    method: Method,
    headers: HeaderMap,
    /// File name for a forced download, empty for the object's own name. `None` permits inline display.
    download: Option<String>,
    /// Token of a signed URL.
    pub(crate) token: Option<String>,
    /// Expiry of the signed URL, in Unix seconds.
    expires_at: Option<i64>,
    /// How the image was transformed.
    transformations: Option<String>,
    /// Lifetime of the bucket's URL to which the response leads, if it does not send the bytes.
    redirect: Option<Duration>,
}

impl<S: Sync> FromRequestParts<S> for FileRequest {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let query = parts.uri.query();
        Ok(Self {
            method: parts.method.clone(),
            headers: parts.headers.clone(),
            download: query_param(query, "download"),
            token: query_param(query, "token"),
            expires_at: None,
            transformations: None,
            redirect: None,
        })
    }
}

impl FileRequest {
    /// Announces the expiry of the signed URL, in Unix seconds, in the response.
    pub(crate) fn expires_at(self, exp: i64) -> Self {
        Self { expires_at: Some(exp), ..self }
    }

    /// Finds the file of this request, and whether its opening is in the audit log, in one transaction.
    ///
    /// # Errors
    /// Those of `find`; a database error.
    pub(crate) async fn find<T: Send + 'static>(
        self,
        app: &Arc<App>,
        find: impl FnOnce(&mut Tx<'_>, &Arc<App>) -> Result<(ReadableFile, T), StorageError>
        + Send
        + 'static,
    ) -> Result<(ReadableFile, T, Self), StorageError> {
        app.read(move |tx, app| {
            let (mut file, rest) = find(tx, app)?;
            if let Some(event) = self.opening(&file)
                && access_audit::is_recorded(tx, app, &file, event)?
            {
                file.recorded = Some(event);
            }
            Ok((file, rest, self))
        })
        .await
    }

    /// Returns the audit event of the response, which contains the first byte of the file, or leads to all of them.
    fn opening(&self, file: &ReadableFile) -> Option<EventName> {
        let range = requested_range(&file.object, &self.headers).ok()?;
        let sends_start = range.is_none_or(|range| range.start == 0) || self.redirect.is_some();
        if self.method != Method::GET || !sends_start {
            return None;
        }
        access_audit::event_of(file, self.is_attachment(&file.object))
    }

    /// Whether the browser is to save the file instead of displaying it.
    fn is_attachment(&self, object: &Object) -> bool {
        let detected = object.detected_mime_type.as_deref();
        let (_, may_display) = content_type::response_mime(&object.mime_type, detected);
        // The type of encoded content is not detected.
        self.download.is_some() || !may_display || object.content_encoding.is_some()
    }

    /// Announces in the response how the image was transformed.
    pub(crate) fn transformed(self, transformations: String) -> Self {
        Self { transformations: Some(transformations), ..self }
    }
}

/// Responds with a file: 200 with all bytes, 206 with a range, or 304 if the client's copy is current (RFC 9110).
/// Records the read in the audit log if the response contains the first byte.
///
/// # Errors
/// `InvalidRange` for a range beyond the end; a fault of the database or the blob store.
pub(crate) async fn file_response(
    app: &Arc<App>,
    file: ReadableFile,
    mut request: FileRequest,
) -> Result<Response, StorageError> {
    request.redirect = bucket_redirect::lifetime(app, &request.headers, request.expires_at);
    let blob = file.object.blob.clone();
    let open = async |part: Range<u64>| {
        Ok::<_, StorageError>(app.files.open_blob(&blob, part.start, part.end).await?)
    };
    response_from(app, file, request, open).await
}

/// [`file_response`] with bytes that `open` provides. They agree with the size and the checksum of the object.
///
/// # Errors
/// As [`file_response`]; those of `open`.
pub(crate) async fn response_from(
    app: &Arc<App>,
    file: ReadableFile,
    request: FileRequest,
    open: impl AsyncFnOnce(Range<u64>) -> Result<BlobReader, StorageError>,
) -> Result<Response, StorageError> {
    let object = &file.object;
    let mut headers = headers(&file, &request);
    if let Some(event) = request.opening(&file) {
        access_audit::record_file_access(app, &file, event).await?;
    }

    if is_fresh(object, &request.headers) {
        headers.remove(header::CONTENT_DISPOSITION);
        return Ok((StatusCode::NOT_MODIFIED, headers).into_response());
    }

    let full_range = 0..object.size;
    let range = requested_range(object, &request.headers)?;
    let status = if range.is_some() { StatusCode::PARTIAL_CONTENT } else { StatusCode::OK };
    if let Some(range) = &range {
        let text = format!("bytes {}-{}/{}", range.start, range.end.saturating_sub(1), object.size);
        headers.insert(
            header::CONTENT_RANGE,
            HeaderValue::try_from(text).expect("a content range is ASCII"),
        );
    }
    let bytes = range.unwrap_or(full_range);
    headers.insert(header::CONTENT_LENGTH, (bytes.end - bytes.start).into());

    let body = if request.method == Method::HEAD {
        Body::empty()
    } else if let Some(lifetime) = request.redirect {
        return bucket_redirect::response(app, &object.blob, lifetime, &headers).await;
    } else {
        let reader = open(bytes).await?;
        Body::from_stream(chunk_stream(reader, app.downloads.begin()))
    };
    Ok((status, headers, body).into_response())
}

/// Streams a blob. Memory holds one chunk per download.
fn chunk_stream(
    reader: BlobReader,
    in_flight: InFlightGuard,
) -> impl stream::Stream<Item = std::io::Result<Bytes>> {
    let state = (reader, AdaptiveChunkSize::default(), in_flight);
    stream::try_unfold(state, async |(mut reader, mut chunk_size, in_flight)| {
        let limit = chunk_size.next(Instant::now(), in_flight.count());
        let chunk = reader.read_up_to(limit).await?;
        Ok((!chunk.is_empty()).then_some((chunk, (reader, chunk_size, in_flight))))
    })
}

/// Chunk size of one download. A chunk waits in memory until the client takes it, so slow clients get small chunks, and
/// all fast clients share a fixed amount of memory.
#[derive(Debug, Default)]
struct AdaptiveChunkSize {
    /// Size of the last chunk, in bytes.
    current: usize,
    last_chunk_at: Option<Instant>,
}

impl AdaptiveChunkSize {
    /// Size of every chunk for a slow client. Bytes.
    const MIN_CHUNK: usize = 64 << 10;
    /// Size of the first chunk, which contains most documents. Bytes.
    const FIRST_CHUNK: usize = 256 << 10;
    /// Maximum size of a chunk. Bytes.
    const MAX_CHUNK: usize = 1 << 20;
    /// Maximum size of one chunk of every download together, unless all are at [`Self::MIN_CHUNK`]. Bytes.
    const TOTAL: usize = 8 << 20;
    /// Time within which a fast client takes a chunk.
    const FAST_CLIENT: Duration = Duration::from_millis(100);

    /// Returns the size of the next chunk, in bytes, when the client has taken the previous one.
    /// `downloads` is the number of downloads in progress.
    fn next(&mut self, now: Instant, downloads: usize) -> usize {
        let wanted = match self.last_chunk_at {
            None => Self::FIRST_CHUNK,
            Some(last) if now.duration_since(last) < Self::FAST_CLIENT => self.current * 2,
            Some(_) => Self::MIN_CHUNK,
        };
        let limit = (Self::TOTAL / downloads.max(1)).clamp(Self::MIN_CHUNK, Self::MAX_CHUNK);
        self.current = wanted.min(limit);
        self.last_chunk_at = Some(now);
        self.current
    }
}

/// Returns the requested range. `None` means the whole file: without a `Range` header, with one that cannot be parsed,
/// and with several ranges, for which RFC 9110, section 14.2, permits it.
fn requested_range(
    object: &Object,
    headers: &HeaderMap,
) -> Result<Option<Range<u64>>, StorageError> {
    let Some(text) = headers.get(header::RANGE) else { return Ok(None) };
    // No range of an empty file is satisfiable.
    if object.size == 0 {
        return Ok(None);
    }
    // The client would append a range of the new content to the old content (RFC 9110, section 13.1.5).
    if headers
        .get(header::IF_RANGE)
        .is_some_and(|version| version.as_bytes() != etag(object).as_bytes())
    {
        return Ok(None);
    }
    let parsed =
        text.to_str().ok().and_then(|text| http_range_header::parse_range_header(text).ok());
    // Several ranges are answered with the whole file.
    let Some(mut parsed) = parsed.filter(|parsed| parsed.ranges.len() == 1) else {
        return Ok(None);
    };
    // A suffix range longer than the file means the whole file (RFC 9110, section 14.1.2).
    for range in &mut parsed.ranges {
        if let StartPosition::FromLast(last) = &mut range.start {
            // The last zero bytes are no range.
            if *last == 0 {
                return Err(StorageError::invalid_range());
            }
            *last = object.size.min(*last);
        }
    }
    let ranges = parsed.validate(object.size).map_err(|_| StorageError::invalid_range())?;
    Ok(match ranges.as_slice() {
        [one] => Some(*one.start()..one.end() + 1),
        _ => None,
    })
}

/// Whether the client's copy is current. `If-None-Match` takes precedence over `If-Modified-Since` (RFC 9110).
fn is_fresh(object: &Object, headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(tags) = text(header::IF_NONE_MATCH) {
        let current = etag(object);
        return tags
            .split(',')
            .map(|tag| tag.trim().trim_start_matches("W/"))
            .any(|tag| tag == "*" || tag == current);
    }
    let since =
        text(header::IF_MODIFIED_SINCE).and_then(|since| jiff::fmt::rfc2822::parse(since).ok());
    since.is_some_and(|since| modified(object).as_second() <= since.timestamp().as_second())
}

fn modified(object: &Object) -> Timestamp {
    object.updated_at.parse().unwrap_or_default()
}

/// Builds the response headers except those of the range.
fn headers(file: &ReadableFile, request: &FileRequest) -> HeaderMap {
    let object = &file.object;
    let mut headers = HeaderMap::new();
    let mut set = |name: &'static str, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    };
    let (mime_type, _) =
        content_type::response_mime(&object.mime_type, object.detected_mime_type.as_deref());
    set("content-type", mime_type);
    set("etag", &etag(object));
    set("last-modified", &http_date(modified(object)));
    set("accept-ranges", "bytes");
    // Access to a document may end at any time, so caches must revalidate.
    set("cache-control", if file.public { &object.cache_control } else { "private, no-cache" });
    if let Some(expires_at) = request.expires_at.and_then(|exp| Timestamp::from_second(exp).ok()) {
        set("expires", &http_date(expires_at));
    }
    if let Some(encoding) = &object.content_encoding {
        set("content-encoding", encoding);
    }
    if let Some(transformations) = &request.transformations {
        set("x-transformations", transformations);
    }

    set("x-robots-tag", "none");
    set("x-content-type-options", "nosniff");
    set("content-security-policy", "default-src 'none'; sandbox");
    set("cross-origin-resource-policy", "same-origin");

    if request.is_attachment(object) {
        let file_name = object.name.rsplit('/').next().unwrap_or_default();
        let name =
            request.download.as_deref().filter(|name| !name.is_empty()).map(decode_file_name);
        set("content-disposition", &attachment(name.as_deref().unwrap_or(file_name)));
    }
    headers
}

/// Formats a timestamp as an HTTP date (IMF-fixdate, RFC 9110, section 5.6.7).
pub(crate) fn http_date(timestamp: Timestamp) -> String {
    timestamp.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use crate::api::storage::file_response::AdaptiveChunkSize;

    #[test]
    fn adaptive_chunk_size_grows_for_fast_client_and_resets_for_slow_client() {
        let (mut chunk_size, mut now) = (AdaptiveChunkSize::default(), Instant::now());
        let mut next_size_after = |millis| {
            now += Duration::from_millis(millis);
            chunk_size.next(now, 1) >> 10
        };
        assert_eq!([0, 9, 9, 9].map(&mut next_size_after), [256, 512, 1024, 1024]);
        assert_eq!([100, 100, 9, 9].map(next_size_after), [64, 64, 128, 256]);
        assert_eq!(AdaptiveChunkSize::default().next(now, 1000) >> 10, 64);
    }

    #[test]
    fn adaptive_chunk_size_shrinks_with_number_of_downloads() {
        let (mut chunk_size, mut now) = (AdaptiveChunkSize::default(), Instant::now());
        let mut next_size = |downloads| {
            now += Duration::from_millis(9);
            chunk_size.next(now, downloads) >> 10
        };
        assert_eq!([8, 8, 8].map(&mut next_size), [256, 512, 1024]);
        assert_eq!([32, 100_000, 32, 32].map(next_size), [256, 64, 128, 256]);
    }
}
