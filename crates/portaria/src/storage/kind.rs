//! What a file is: by its content, never as claimed (security S-16, S-17).

use super::StorageError;

/// Last extensions that an office's documents have.
const EXTENSIONS: [&str; 17] = [
    "pdf", "doc", "docx", "xls", "xlsx", "odt", "ods", "png", "jpg", "jpeg", "webp", "gif", "txt",
    "csv", "xml", "ofx", "p7s",
];

/// Shown in the browser; everything else is downloaded.
const INLINE: [&str; 5] = ["application/pdf", "image/png", "image/jpeg", "image/webp", "image/gif"];

/// The type to store for a file of this name that begins like this.
///
/// # Errors
/// `InvalidMimeType` when the name's extension is not one of an office's, or the content is of another kind.
pub(super) fn sniff(name: &str, head: &[u8]) -> Result<&'static str, StorageError> {
    let file = name.rsplit('/').next().unwrap_or(name);
    let extension =
        file.rsplit_once('.').map(|(_, extension)| extension.to_lowercase()).unwrap_or_default();
    if !EXTENSIONS.contains(&extension.as_str()) {
        return Err(StorageError::mime_type(if extension.is_empty() {
            "without an extension"
        } else {
            &extension
        }));
    }
    let found = infer::get(head).map(|kind| kind.mime_type());
    let fits = |kinds: &[&'static str]| {
        found
            .filter(|found| kinds.contains(found))
            .ok_or_else(|| StorageError::mime_type(found.unwrap_or("application/octet-stream")))
    };
    match extension.as_str() {
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

/// Whether a browser may show a file of this type in our origin.
pub(super) fn is_inline(mime_type: &str) -> bool {
    INLINE.contains(&mime_type)
}

/// Whether the preview may read a file of this type as text.
pub(super) fn is_plain(mime_type: &str) -> bool {
    mime_type.starts_with("text/plain") || mime_type.starts_with("text/csv")
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
    use super::sniff;

    #[test]
    fn content_decides() {
        assert_eq!(sniff("a/b.pdf", b"%PDF-1.7\n").unwrap(), "application/pdf");
        assert_eq!(sniff("a/b.JPG", b"\x89PNG\r\n\x1a\n").unwrap(), "image/png");
        assert_eq!(sniff("n.csv", "nome;ação".as_bytes()).unwrap(), "text/csv; charset=utf-8");
        for (name, head) in [
            ("a.pdf", b"<html><script>".as_slice()),
            ("a.docx", b"MZ\x90\x00\x03\x00\x00\x00"),
            ("a.html", b"<html>"),
            ("a.svg", b"<svg>"),
            ("nota.pdf.exe", b"%PDF-1.7"),
            ("sem", b"%PDF-1.7"),
            ("a.txt", b"a\0b"),
        ] {
            assert!(sniff(name, head).is_err(), "{name}");
        }
    }
}
