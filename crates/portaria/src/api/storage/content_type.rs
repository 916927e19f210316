//! What a file is: by its content, never as claimed (security S-16, S-17).

use crate::api::storage::StorageError;

/// Last extensions that an office's documents have.
const EXTENSIONS: [&str; 17] = [
    "pdf", "doc", "docx", "xls", "xlsx", "odt", "ods", "png", "jpg", "jpeg", "webp", "gif", "txt",
    "csv", "xml", "ofx", "p7s",
];

/// Shown in the browser; everything else is downloaded.
const INLINE: [&str; 5] = ["application/pdf", "image/png", "image/jpeg", "image/webp", "image/gif"];

/// Whether a document may have this name.
///
/// # Errors
/// `InvalidMimeType` when its extension is not one of an office's.
pub(crate) fn check_extension(name: &str) -> Result<(), StorageError> {
    match extension(name) {
        extension if EXTENSIONS.contains(&extension.as_str()) => Ok(()),
        extension if extension.is_empty() => Err(StorageError::mime_type("without an extension")),
        extension => Err(StorageError::mime_type(&extension)),
    }
}

fn extension(name: &str) -> String {
    let file = name.rsplit('/').next().unwrap_or(name);
    file.rsplit_once('.').map(|(_, extension)| extension.to_lowercase()).unwrap_or_default()
}

/// The type of a document of this name that begins like this.
///
/// # Errors
/// `InvalidMimeType` when the name's extension is not one of an office's, or the content is of another kind.
pub(crate) fn detect_strict(name: &str, head: &[u8]) -> Result<&'static str, StorageError> {
    check_extension(name)?;
    let found = detect(head);
    let fits = |kinds: &[&'static str]| {
        found
            .filter(|found| kinds.contains(found))
            .ok_or_else(|| StorageError::mime_type(found.unwrap_or("application/octet-stream")))
    };
    match extension(name).as_str() {
        "pdf" => fits(&["application/pdf"]),
        // One picture under another's name does no harm: it is shown as what it is.
        "png" | "jpg" | "jpeg" | "webp" | "gif" => {
            fits(&["image/png", "image/jpeg", "image/webp", "image/gif"])
        }
        "docx" => {
            zipped(found, "application/vnd.openxmlformats-officedocument.wordprocessingml.document")
        }
        "xlsx" => {
            zipped(found, "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet")
        }
        "odt" => zipped(found, "application/vnd.oasis.opendocument.text"),
        "ods" => zipped(found, "application/vnd.oasis.opendocument.spreadsheet"),
        "doc" => compound(head, "application/msword"),
        "xls" => compound(head, "application/vnd.ms-excel"),
        "p7s" if found.is_none() => Ok("application/pkcs7-signature"),
        "csv" if is_text(head) => Ok("text/csv; charset=utf-8"),
        "txt" | "xml" | "ofx" if is_text(head) => Ok("text/plain; charset=utf-8"),
        _ => Err(StorageError::mime_type(found.unwrap_or("application/octet-stream"))),
    }
}

/// What a file is by its first bytes, if they tell.
pub(crate) fn detect(head: &[u8]) -> Option<&'static str> {
    infer::get(head).map(|kind| kind.mime_type())
}

/// What is kept of a claimed type: the text, if it can be one.
pub(crate) fn sanitize_mime(claimed: &str) -> String {
    let is_one = claimed.len() <= 255
        && claimed.contains('/')
        && claimed.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
    if is_one { claimed.to_owned() } else { "application/octet-stream".to_owned() }
}

/// The type under which a file leaves, and whether a browser may show it: only what it says of itself *and* is.
/// The claimed text itself never leaves in a header.
pub(crate) fn response_mime(mime_type: &str, sniffed: Option<&str>) -> (&'static str, bool) {
    let essence = mime_type.split(';').next().unwrap_or_default().trim();
    if let Some(shown) = INLINE.into_iter().find(|kind| *kind == essence && Some(*kind) == sniffed)
    {
        return (shown, true);
    }
    match essence {
        // The preview reads these as text; a browser that is sent to them saves them.
        "text/plain" => ("text/plain; charset=utf-8", false),
        "text/csv" => ("text/csv; charset=utf-8", false),
        _ => ("application/octet-stream", false),
    }
}

/// Whether a file is a picture that a browser may show.
pub(crate) fn is_picture(sniffed: &str) -> bool {
    sniffed.starts_with("image/") && INLINE.contains(&sniffed)
}

fn zipped(found: Option<&str>, kind: &'static str) -> Result<&'static str, StorageError> {
    match found {
        Some(found) if found == kind || found == "application/zip" => Ok(kind),
        other => Err(StorageError::mime_type(other.unwrap_or("application/octet-stream"))),
    }
}

/// The container of Office files before 2007.
fn compound(head: &[u8], kind: &'static str) -> Result<&'static str, StorageError> {
    if head.starts_with(&[0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]) {
        Ok(kind)
    } else {
        Err(StorageError::mime_type("application/octet-stream"))
    }
}

/// Text holds no NUL; Brazilian programs still write Latin-1, so UTF-8 is not asked for.
fn is_text(head: &[u8]) -> bool {
    !head.contains(&0)
}

#[cfg(test)]
mod tests {
    use crate::api::storage::content_type::{detect_strict, response_mime, sanitize_mime};

    #[test]
    fn content_decides() {
        assert_eq!(detect_strict("a/b.pdf", b"%PDF-1.7\n").unwrap(), "application/pdf");
        assert_eq!(detect_strict("a/b.JPG", b"\x89PNG\r\n\x1a\n").unwrap(), "image/png");
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
        ] {
            assert!(detect_strict(name, head).is_err(), "{name}");
        }
    }
    #[test]
    fn a_browser_is_shown_only_what_a_file_claims_and_is() {
        for (claimed, sniffed, expected) in [
            ("application/pdf", Some("application/pdf"), ("application/pdf", true)),
            ("image/png", Some("image/jpeg"), ("application/octet-stream", false)),
            ("image/svg+xml", Some("text/xml"), ("application/octet-stream", false)),
            ("text/html", Some("text/html"), ("application/octet-stream", false)),
            ("text/plain;charset=UTF-8", Some("image/png"), ("text/plain; charset=utf-8", false)),
            ("image/png", None, ("application/octet-stream", false)),
        ] {
            assert_eq!(response_mime(claimed, sniffed), expected, "{claimed} {sniffed:?}");
        }
        assert_eq!(sanitize_mime("text/html; charset=x"), "text/html; charset=x");
        for none in ["", "text", "a/b\r\nX: y", "a/ç", &"a/".repeat(200)] {
            assert_eq!(sanitize_mime(none), "application/octet-stream");
        }
    }
}
