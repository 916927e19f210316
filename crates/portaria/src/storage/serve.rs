//! The one place where stored bytes leave: their headers are such that nothing uploaded can run in our origin.

use axum::{
    body::{Body, Bytes},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use futures_util::stream;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::{StorageError, kind};
use crate::{app::App, objects::Object};

/// What RFC 5987 lets stand in an extended value.
const EXTENDED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'+');

/// Answers with an object's bytes. `download` is the name to save them under, empty for the object's own.
pub(super) async fn serve(
    app: &App,
    object: &Object,
    download: Option<&str>,
) -> Result<Response, StorageError> {
    let reader = app.files.open_blob(&object.blob).await?;
    let size = object.size;
    // One piece is read while the last one is sent; memory holds two at most.
    let pieces = stream::try_unfold(0, move |from| {
        let reader = reader.clone();
        async move {
            if from >= size {
                return Ok(None);
            }
            let piece: Bytes = reader.read(from, size).await?;
            if piece.is_empty() {
                return Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof));
            }
            let next = from + piece.len() as u64;
            Ok::<_, std::io::Error>(Some((piece, next)))
        }
    });
    let mut response =
        (StatusCode::OK, headers(object, download), Body::from_stream(pieces)).into_response();
    response.headers_mut().insert(header::CONTENT_LENGTH, size.into());
    Ok(response)
}

/// The headers of an object's answer, without its length.
pub(super) fn headers(object: &Object, download: Option<&str>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    let mut set = |name: &'static str, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    };
    let inline = kind::is_inline(&object.mime_type);
    let shown = inline || kind::is_plain(&object.mime_type);
    set("content-type", if shown { &object.mime_type } else { "application/octet-stream" });
    set("etag", &format!("\"{}\"", object.sha256));
    set("last-modified", &http_date(&object.updated_at));
    // A document may be withdrawn at any moment, so no cache may answer for us.
    set("cache-control", "private, no-cache");
    set("x-robots-tag", "none");
    set("x-content-type-options", "nosniff");
    set("content-security-policy", "default-src 'none'; sandbox");
    set("cross-origin-resource-policy", "same-origin");
    if download.is_some() || !inline {
        let own = object.name.rsplit('/').next().unwrap_or_default();
        let name = download.filter(|name| !name.is_empty()).unwrap_or(own);
        set("content-disposition", &attachment(name));
    }
    headers
}

/// `attachment` with the name in both forms of RFC 6266: plain ASCII for old programs, UTF-8 for the rest.
fn attachment(name: &str) -> String {
    // The client library encodes a name of other letters twice (contract §5).
    let decoded =
        percent_decode_str(name).decode_utf8().map_or_else(|_| name.to_owned(), Into::into);
    let name: String = decoded
        .chars()
        .filter(|c| {
            !c.is_control() && !matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
        })
        .map(|c| if matches!(c, '/' | '\\') { '_' } else { c })
        .take(200)
        .collect();
    let plain: String = name
        .chars()
        .map(|c| if c.is_ascii() && !matches!(c, '"' | '%' | ';') { c } else { '_' })
        .collect();
    format!(
        "attachment; filename=\"{plain}\"; filename*=UTF-8''{}",
        utf8_percent_encode(&name, EXTENDED)
    )
}

/// A stored moment as RFC 9110 wants it.
fn http_date(stamp: &str) -> String {
    let moment: jiff::Timestamp = stamp.parse().unwrap_or_default();
    moment.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

#[cfg(test)]
mod tests {
    use super::attachment;

    #[test]
    fn names_travel_in_both_forms_and_carry_nothing_else() {
        assert_eq!(
            attachment("Declaração nº 3 – João.pdf"),
            "attachment; filename=\"Declara__o n_ 3 _ Jo_o.pdf\"; \
             filename*=UTF-8''Declara%C3%A7%C3%A3o%20n%C2%BA%203%20%E2%80%93%20Jo%C3%A3o.pdf"
        );
        assert_eq!(attachment("nome %C3%A9.pdf"), attachment("nome é.pdf"));
        assert_eq!(
            attachment("a\"b\r\nSet-Cookie: x"),
            "attachment; filename=\"a_bSet-Cookie: x\"; filename*=UTF-8''a%22bSet-Cookie%3A%20x"
        );
        assert!(attachment("../../x").starts_with("attachment; filename=\".._.._x\""));
    }
}
