//! Media types of stored files in answers.
//!
//! The declared type is not trusted: a type that a browser executes would run with the portal's origin. A file is shown
//! inline only if its declared and its detected type agree on a PDF or a raster image (`docs/security-model.md`,
//! Files). `stored_files/file_type.rs` detects the type.

/// Media types that a browser may display. All others are sent as downloads.
const INLINE_TYPES: [&str; 5] =
    ["application/pdf", "image/png", "image/jpeg", "image/webp", "image/gif"];

/// Returns the declared type if it is a plausible media type of at most 255 bytes, otherwise the generic one.
pub(crate) fn sanitize_mime(declared: &str) -> String {
    let is_valid = declared.len() <= 255
        && declared.contains('/')
        && declared.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
    if is_valid { declared.to_owned() } else { "application/octet-stream".to_owned() }
}

/// Returns the `Content-Type` of a download, and whether a browser may display it, which requires that the declared
/// type equals the detected type. The result is one of a fixed list, so declared text never reaches a header.
pub(crate) fn response_mime(mime_type: &str, sniffed: Option<&str>) -> (&'static str, bool) {
    let essence = mime_type.split(';').next().unwrap_or_default().trim();
    if let Some(inline) =
        INLINE_TYPES.into_iter().find(|kind| *kind == essence && Some(*kind) == sniffed)
    {
        return (inline, true);
    }
    match essence {
        // The app's preview fetches these as text. A browser that opens the address saves the file.
        "text/plain" => ("text/plain; charset=utf-8", false),
        "text/csv" => ("text/csv; charset=utf-8", false),
        _ => ("application/octet-stream", false),
    }
}

/// Whether a detected type is an image that a browser may display.
pub(crate) fn is_displayable_image(sniffed: &str) -> bool {
    sniffed.starts_with("image/") && INLINE_TYPES.contains(&sniffed)
}

/// Whether a declared type is that of a drawing in SVG.
pub(crate) fn is_svg(mime_type: &str) -> bool {
    let essence = mime_type.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("image/svg+xml")
}

#[cfg(test)]
mod tests {
    use crate::api::storage::content_type::{response_mime, sanitize_mime};

    #[test]
    fn response_mime_is_inline_only_if_declared_and_detected_types_agree() {
        for (declared, sniffed, expected) in [
            ("application/pdf", Some("application/pdf"), ("application/pdf", true)),
            ("image/png", Some("image/jpeg"), ("application/octet-stream", false)),
            ("image/svg+xml", Some("text/xml"), ("application/octet-stream", false)),
            ("text/html", Some("text/html"), ("application/octet-stream", false)),
            ("text/plain;charset=UTF-8", Some("image/png"), ("text/plain; charset=utf-8", false)),
            ("image/png", None, ("application/octet-stream", false)),
        ] {
            assert_eq!(response_mime(declared, sniffed), expected, "{declared} {sniffed:?}");
        }
        assert_eq!(sanitize_mime("text/html; charset=x"), "text/html; charset=x");
        for none in ["", "text", "a/b\r\nX: y", "a/ç", &"a/".repeat(200)] {
            assert_eq!(sanitize_mime(none), "application/octet-stream");
        }
    }
}
