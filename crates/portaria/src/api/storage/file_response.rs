//! The one place where stored bytes leave: their headers are such that nothing uploaded can run in our origin.

use std::{
    convert::Infallible,
    ops::Range,
    sync::{Arc, atomic::Ordering},
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
    DOWNLOADS, InFlight, ReadableFile, StorageError, access_audit,
    content_disposition::{attachment, decoded_again},
    content_type,
    extract::query_param,
    response::etag,
};
use crate::{app::App, blob::Reader, stored_files::object::Object};

/// What a request wants of a file's bytes.
#[derive(Debug)]
pub struct FileRequest {
    method: Method,
    headers: HeaderMap,
    /// The name to save the file under, empty for the object's own; `None` to show it if it may be shown.
    download: Option<String>,
    /// The link that is followed.
    pub(crate) token: Option<String>,
    /// When that link ends. Unix seconds.
    until: Option<i64>,
    picture: bool,
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
            until: None,
            picture: false,
        })
    }
}

impl FileRequest {
    pub(crate) fn expires_at(self, exp: i64) -> Self {
        Self { until: Some(exp), ..self }
    }

    /// Only if the file is a picture.
    pub(crate) fn image_only(self) -> Self {
        Self { picture: true, ..self }
    }
}

/// Answers with a file's bytes: all of them, a range, or nothing if the caller has them already (RFC 9110).
///
/// # Errors
/// `InvalidRange` for a range beyond the end; `InvalidRequest` for no picture where one is asked for.
pub(crate) async fn file_response(
    app: &Arc<App>,
    found: ReadableFile,
    asked: FileRequest,
) -> Result<Response, StorageError> {
    let found = if asked.picture { picture(found)? } else { found };
    let object = &found.object;
    let mut headers = headers(&found, &asked);
    let part = range(object, &asked.headers);
    let begins = part.as_ref().is_ok_and(|part| part.as_ref().is_none_or(|part| part.start == 0));
    if asked.method == Method::GET && begins {
        access_audit::tell(app, &found, headers.contains_key(header::CONTENT_DISPOSITION)).await?;
    }
    if is_fresh(object, &asked.headers) {
        headers.remove(header::CONTENT_DISPOSITION);
        return Ok((StatusCode::NOT_MODIFIED, headers).into_response());
    }
    let whole = 0..object.size;
    let part = part?;
    let status = if part.is_some() { StatusCode::PARTIAL_CONTENT } else { StatusCode::OK };
    if let Some(part) = &part {
        let text = format!("bytes {}-{}/{}", part.start, part.end.saturating_sub(1), object.size);
        headers.insert(
            header::CONTENT_RANGE,
            HeaderValue::try_from(text).expect("digits are a header value"),
        );
    }
    let bytes = part.unwrap_or(whole);
    headers.insert(header::CONTENT_LENGTH, (bytes.end - bytes.start).into());
    let body = if asked.method == Method::HEAD {
        Body::empty()
    } else {
        Body::from_stream(chunk_stream(
            app.files.open_blob(&object.blob, bytes.start, bytes.end).await?,
        ))
    };
    Ok((status, headers, body).into_response())
}

/// The file under the type that its content shows.
fn picture(mut found: ReadableFile) -> Result<ReadableFile, StorageError> {
    let sniffed = found.object.sniffed.as_deref().filter(|kind| content_type::is_picture(kind));
    let kind = sniffed.ok_or_else(|| StorageError::invalid_request("The file is not an image"))?;
    found.object.mime_type = kind.to_owned();
    Ok(found)
}

/// One piece is read while the last one is sent; memory holds two at most.
fn chunk_stream(reader: Reader) -> impl stream::Stream<Item = std::io::Result<Bytes>> {
    let begun = (reader, AdaptiveChunkSize::default(), InFlight::begin(&DOWNLOADS));
    stream::try_unfold(begun, async |(mut reader, mut pace, under_way)| {
        let most = pace.next(Instant::now(), DOWNLOADS.load(Ordering::Relaxed));
        let piece = reader.read_up_to(most).await?;
        Ok((!piece.is_empty()).then_some((piece, (reader, pace, under_way))))
    })
}

/// How large the pieces are that somebody is sent: what waits for a reader waits in memory, and there may be many of them.
#[derive(Debug, Default)]
struct AdaptiveChunkSize {
    piece: usize,
    handed_out: Option<Instant>,
}

impl AdaptiveChunkSize {
    /// For everybody to begin with, and for whoever takes them slowly. Bytes.
    const SMALL: usize = 64 << 10;
    /// For whoever takes them at once.
    const LARGE: usize = 1 << 20;
    /// For all of those together. Bytes.
    const TOGETHER: usize = 8 << 20;
    /// Whoever takes no more than one in this time is slow.
    const SLOW: Duration = Duration::from_millis(100);

    /// The size of the piece that is wanted now, because the last one is taken. So many readers share what there is.
    fn next(&mut self, now: Instant, readers: usize) -> usize {
        let is_fast = self.handed_out.is_some_and(|then| now.duration_since(then) < Self::SLOW);
        let most = (Self::TOGETHER / readers.max(1)).clamp(Self::SMALL, Self::LARGE);
        self.piece = if is_fast { (self.piece * 2).min(most) } else { Self::SMALL };
        self.handed_out = Some(now);
        self.piece
    }
}

/// The range asked for, if it is one; several at once are answered with the whole, as RFC 9110 lets us.
fn range(object: &Object, asked: &HeaderMap) -> Result<Option<Range<u64>>, StorageError> {
    let Some(text) = asked.get(header::RANGE) else { return Ok(None) };
    // No range can be told of nothing.
    if object.size == 0 {
        return Ok(None);
    }
    // A range of something that has changed since would be stitched to other bytes.
    if asked
        .get(header::IF_RANGE)
        .is_some_and(|version| version.as_bytes() != etag(object).as_bytes())
    {
        return Ok(None);
    }
    let parsed =
        text.to_str().ok().and_then(|text| http_range_header::parse_range_header(text).ok());
    let Some(mut parsed) = parsed else { return Ok(None) };
    // Who asks for more last bytes than there are gets all.
    for range in &mut parsed.ranges {
        if let StartPosition::FromLast(last) = &mut range.start {
            *last = object.size.min(*last);
        }
    }
    let ranges = parsed.validate(object.size).map_err(|_| StorageError::invalid_range())?;
    Ok(match ranges.as_slice() {
        [one] => Some(*one.start()..one.end() + 1),
        _ => None,
    })
}

/// Whether the caller's copy is the current one.
fn is_fresh(object: &Object, asked: &HeaderMap) -> bool {
    let text = |name| asked.get(name).and_then(|value| value.to_str().ok());
    if let Some(known) = text(header::IF_NONE_MATCH) {
        let current = etag(object);
        return known
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

fn headers(found: &ReadableFile, asked: &FileRequest) -> HeaderMap {
    let object = &found.object;
    let mut headers = HeaderMap::new();
    let mut set = |name: &'static str, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    };
    let (mime_type, shown) =
        content_type::response_mime(&object.mime_type, object.sniffed.as_deref());
    // Behind an encoding its first bytes tell nothing.
    let inline = shown && object.content_encoding.is_none();
    set("content-type", mime_type);
    set("etag", &etag(object));
    set("last-modified", &http_date(modified(object)));
    set("accept-ranges", "bytes");
    // A document may be withdrawn at any moment, so no cache may answer for us.
    set("cache-control", if found.public { &object.cache_control } else { "private, no-cache" });
    if let Some(until) = asked.until.and_then(|until| Timestamp::from_second(until).ok()) {
        set("expires", &http_date(until));
    }
    if let Some(encoding) = &object.content_encoding {
        set("content-encoding", encoding);
    }
    set("x-robots-tag", "none");
    set("x-content-type-options", "nosniff");
    set("content-security-policy", "default-src 'none'; sandbox");
    set("cross-origin-resource-policy", "same-origin");
    if asked.download.is_some() || !inline {
        let own = object.name.rsplit('/').next().unwrap_or_default();
        let name = asked.download.as_deref().filter(|name| !name.is_empty()).map(decoded_again);
        set("content-disposition", &attachment(name.as_deref().unwrap_or(own)));
    }
    headers
}

/// A moment as HTTP writes it.
pub(crate) fn http_date(moment: Timestamp) -> String {
    moment.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use crate::api::storage::file_response::AdaptiveChunkSize;

    #[test]
    fn whoever_takes_pieces_at_once_gets_larger_ones_until_they_are_slow() {
        let (mut pace, mut now) = (AdaptiveChunkSize::default(), Instant::now());
        let mut after = |millis| {
            now += Duration::from_millis(millis);
            pace.next(now, 1) >> 10
        };
        assert_eq!([0, 9, 9, 9, 9, 9].map(&mut after), [64, 128, 256, 512, 1024, 1024]);
        assert_eq!([100, 100, 9].map(after), [64, 64, 128]);
    }

    #[test]
    fn many_readers_share_the_memory_of_a_few() {
        let (mut pace, mut now) = (AdaptiveChunkSize::default(), Instant::now());
        let mut beside = |readers| {
            now += Duration::from_millis(9);
            pace.next(now, readers) >> 10
        };
        assert_eq!([8, 8, 8, 8, 8].map(&mut beside), [64, 128, 256, 512, 1024]);
        assert_eq!([32, 100_000, 32, 32].map(beside), [256, 64, 128, 256]);
    }
}
