//! The one place where stored bytes leave: their headers are such that nothing uploaded can run in our origin.

use std::ops::Range;

use axum::{
    body::{Body, Bytes},
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use futures_util::stream;
use jiff::Timestamp;

use super::{
    StorageError,
    disposition::{attachment, decoded_again},
    kind,
};
use crate::{app::App, files::Reader, objects::Object};

/// What a request wants of an object's bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'a> {
    pub(super) method: &'a Method,
    pub(super) headers: &'a HeaderMap,
    /// The name to save the file under, empty for the object's own; `None` to show it if it may be shown.
    pub(super) download: Option<&'a str>,
}

/// Answers with an object's bytes: all of them, a range, or nothing if the caller has them already (RFC 9110).
///
/// # Errors
/// `InvalidRange` for a range beyond the end.
pub(super) async fn serve(
    app: &App,
    object: &Object,
    asked: Asked<'_>,
) -> Result<Response, StorageError> {
    let mut headers = headers(object, asked.download);
    if is_fresh(object, asked.headers) {
        headers.remove(header::CONTENT_DISPOSITION);
        return Ok((StatusCode::NOT_MODIFIED, headers).into_response());
    }
    let whole = 0..object.size;
    let part = range(object, asked.headers)?;
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
        Body::from_stream(pieces(app.files.open_blob(&object.blob).await?, bytes))
    };
    Ok((status, headers, body).into_response())
}

/// One piece is read while the last one is sent; memory holds two at most.
fn pieces(reader: Reader, bytes: Range<u64>) -> impl stream::Stream<Item = std::io::Result<Bytes>> {
    stream::try_unfold(bytes.start, move |from| {
        let reader = reader.clone();
        async move {
            if from >= bytes.end {
                return Ok(None);
            }
            let piece = reader.read(from, bytes.end).await?;
            if piece.is_empty() {
                // Cut off rather than end short: the caller was told how much there is.
                return Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof));
            }
            let next = from + piece.len() as u64;
            Ok(Some((piece, next)))
        }
    })
}

/// The range asked for, if it is one; several at once are answered with the whole, as RFC 9110 lets us.
fn range(object: &Object, asked: &HeaderMap) -> Result<Option<Range<u64>>, StorageError> {
    let Some(text) = asked.get(header::RANGE) else { return Ok(None) };
    // A range of something that has changed since would be stitched to other bytes.
    if asked
        .get(header::IF_RANGE)
        .is_some_and(|version| version.as_bytes() != etag(object).as_bytes())
    {
        return Ok(None);
    }
    let parsed =
        text.to_str().ok().and_then(|text| http_range_header::parse_range_header(text).ok());
    let Some(parsed) = parsed else { return Ok(None) };
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

fn etag(object: &Object) -> String {
    format!("\"{}\"", object.sha256)
}

fn modified(object: &Object) -> Timestamp {
    object.updated_at.parse().unwrap_or_default()
}

fn headers(object: &Object, download: Option<&str>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let mut set = |name: &'static str, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    };
    let inline = kind::is_inline(&object.mime_type);
    let shown = inline || kind::is_plain(&object.mime_type);
    set("content-type", if shown { &object.mime_type } else { "application/octet-stream" });
    set("etag", &etag(object));
    set("last-modified", &modified(object).strftime("%a, %d %b %Y %H:%M:%S GMT").to_string());
    set("accept-ranges", "bytes");
    // A document may be withdrawn at any moment, so no cache may answer for us.
    set("cache-control", "private, no-cache");
    set("x-robots-tag", "none");
    set("x-content-type-options", "nosniff");
    set("content-security-policy", "default-src 'none'; sandbox");
    set("cross-origin-resource-policy", "same-origin");
    if download.is_some() || !inline {
        let own = object.name.rsplit('/').next().unwrap_or_default();
        let name = download.filter(|name| !name.is_empty()).map(decoded_again);
        set("content-disposition", &attachment(name.as_deref().unwrap_or(own)));
    }
    headers
}
