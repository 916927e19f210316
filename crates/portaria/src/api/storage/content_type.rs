//! Media types of files, detected from their content.
//!
//! The declared type is not trusted: a type that a browser executes would run with the portal's origin. A file is shown
//! inline only if its declared and its detected type agree on a PDF or a raster image (`docs/security-model.md`,
//! Files).

use crate::api::storage::StorageError;

/// File extensions accepted in the portal's own buckets.
pub(crate) const DOCUMENT_EXTENSIONS: &[&str] = &[
    "pdf", "doc", "docx", "xls", "xlsx", "odt", "ods", "png", "jpg", "jpeg", "webp", "gif", "txt",
    "csv", "xml", "ofx", "p7s",
];

/// Further extensions, in the buckets of what people send to each other: photos and videos of a phone, and archives
/// (docs/decisions/0123-archives-and-phone-files-where-people-send-them.md).
pub(crate) const SENT_EXTENSIONS: &[&str] = &["heic", "heif", "mp4", "mov", "zip"];

/// Media types that a browser may display. All others are sent as downloads.
const INLINE_TYPES: [&str; 5] =
    ["application/pdf", "image/png", "image/jpeg", "image/webp", "image/gif"];

/// Checks the extension of a name.
///
/// # Errors
/// `InvalidMimeType` if none of the lists in `accepted` contains the extension.
pub(crate) fn check_extension(name: &str, accepted: &[&[&str]]) -> Result<(), StorageError> {
    match extension(name) {
        extension if accepted.iter().any(|list| list.contains(&extension.as_str())) => Ok(()),
        extension if extension.is_empty() => {
            Err(StorageError::invalid_mime_type("without an extension"))
        }
        extension => Err(StorageError::invalid_mime_type(&extension)),
    }
}

fn extension(name: &str) -> String {
    let file = name.rsplit('/').next().unwrap_or(name);
    file.rsplit_once('.').map(|(_, extension)| extension.to_lowercase()).unwrap_or_default()
}

/// Determines the media type of a file from its name and its first bytes.
///
/// # Errors
/// `InvalidMimeType` if the extension is in no list or the content does not agree with it.
pub(crate) fn detect_strict(name: &str, head: &[u8]) -> Result<&'static str, StorageError> {
    let detected = detect(head);
    let accept = |accepted: &[&'static str]| {
        detected.filter(|detected| accepted.contains(detected)).ok_or_else(|| {
            StorageError::invalid_mime_type(detected.unwrap_or("application/octet-stream"))
        })
    };
    match extension(name).as_str() {
        "pdf" => accept(&["application/pdf"]),
        // An image under another image's extension is harmless: it is served with the detected type.
        "png" | "jpg" | "jpeg" | "webp" | "gif" => {
            accept(&["image/png", "image/jpeg", "image/webp", "image/gif"])
        }
        "heic" | "heif" => accept(&["image/heif"]),
        "mp4" | "mov" => accept(&["video/mp4", "video/quicktime", "video/x-m4v"]),
        // Any container of this format: the signature of a document inside may come first.
        "zip" if head.starts_with(b"PK\x03\x04") => Ok("application/zip"),
        "docx" => check_zip_based(
            detected,
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        ),
        "xlsx" => check_zip_based(
            detected,
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        ),
        "odt" => check_zip_based(detected, "application/vnd.oasis.opendocument.text"),
        "ods" => check_zip_based(detected, "application/vnd.oasis.opendocument.spreadsheet"),
        "doc" => check_compound_file(head, "application/msword"),
        "xls" => check_compound_file(head, "application/vnd.ms-excel"),
        "p7s" if detected.is_none() => Ok("application/pkcs7-signature"),
        "csv" if is_text(head) => Ok("text/csv; charset=utf-8"),
        "txt" | "xml" | "ofx" if is_text(head) => Ok("text/plain; charset=utf-8"),
        _ => Err(StorageError::invalid_mime_type(detected.unwrap_or("application/octet-stream"))),
    }
}

/// Detects a media type from the first bytes of a file, if they have a known signature.
pub(crate) fn detect(head: &[u8]) -> Option<&'static str> {
    infer::get(head).map(|kind| kind.mime_type())
}

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

/// Accepts `kind`, and ZIP, because the signature of a small or unusual archive shows the container only.
fn check_zip_based(
    detected: Option<&str>,
    kind: &'static str,
) -> Result<&'static str, StorageError> {
    match detected {
        Some(detected) if detected == kind || detected == "application/zip" => Ok(kind),
        other => Err(StorageError::invalid_mime_type(other.unwrap_or("application/octet-stream"))),
    }
}

/// Checks the signature of a Compound File, the container of Office files before 2007.
fn check_compound_file(head: &[u8], kind: &'static str) -> Result<&'static str, StorageError> {
    if head.starts_with(&[0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]) {
        Ok(kind)
    } else {
        Err(StorageError::invalid_mime_type("application/octet-stream"))
    }
}

/// Whether the content can be text: it has no NUL. UTF-8 is not required, because accounting programs write Latin-1.
fn is_text(head: &[u8]) -> bool {
    !head.contains(&0)
}

#[cfg(test)]
mod tests {
    use crate::api::storage::content_type::{detect_strict, response_mime, sanitize_mime};

    #[test]
    fn document_type_comes_from_content() {
        assert_eq!(detect_strict("a/b.pdf", b"%PDF-1.7\n").unwrap(), "application/pdf");
        assert_eq!(detect_strict("a/b.JPG", b"\x89PNG\r\n\x1a\n").unwrap(), "image/png");
        let photo = b"\0\0\0\x18ftypheic\0\0\0\0mif1heic";
        assert_eq!(detect_strict("IMG_1.HEIC", photo).unwrap(), "image/heif");
        let video = b"\0\0\0\x18ftypmp42\0\0\0\0isommp42";
        assert_eq!(detect_strict("v.mp4", video).unwrap(), "video/mp4");
        assert_eq!(detect_strict("n.zip", b"PK\x03\x04\x14\0").unwrap(), "application/zip");
        assert_eq!(
            detect_strict("n.csv", "nome;ação".as_bytes()).unwrap(),
            "text/csv; charset=utf-8"
        );
        for (name, head) in [
            ("a.pdf", b"<html><script>".as_slice()),
            ("a.docx", b"MZ\x90\x00\x03\x00\x00\x00"),
            ("a.html", b"<html>"),
            ("a.svg", b"<svg>"),
            ("nota.pdf.exe", b"%PDF-1.7"),
            ("sem", b"%PDF-1.7"),
            ("a.txt", b"a\0b"),
            ("a.zip", b"MZ\x90\x00\x03\x00\x00\x00"),
            ("a.heic", b"<html><script>"),
            ("a.mp4", b"\0\0\0\x18ftypheic\0\0\0\0mif1heic"),
        ] {
            assert!(detect_strict(name, head).is_err(), "{name}");
        }
    }
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
