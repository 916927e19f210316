//! Media types of files, detected from their names and their content. The type that a sender declares is not trusted.

/// A file whose type is not accepted.
#[derive(Debug)]
pub(crate) enum UnacceptedType {
    /// The name has no extension.
    NoExtension,
    /// The extension, or the type of the content.
    Found(String),
}

/// File extensions accepted in the portal's own buckets.
pub(crate) const DOCUMENT_EXTENSIONS: &[&str] = &[
    "pdf", "doc", "docx", "xls", "xlsx", "odt", "ods", "png", "jpg", "jpeg", "webp", "gif", "txt",
    "csv", "xml", "ofx", "p7s",
];

/// Further extensions, in the buckets of what people send to each other: photos and videos of a phone, and archives
/// (docs/decisions/0123-archives-and-phone-files-where-people-send-them.md).
pub(crate) const SENT_EXTENSIONS: &[&str] = &["heic", "heif", "mp4", "mov", "zip"];

/// Checks the extension of a name.
///
/// # Errors
/// [`UnacceptedType`] if none of the lists in `accepted` contains the extension.
pub(crate) fn check_extension(name: &str, accepted: &[&[&str]]) -> Result<(), UnacceptedType> {
    match extension(name) {
        extension if accepted.iter().any(|list| list.contains(&extension.as_str())) => Ok(()),
        extension if extension.is_empty() => Err(UnacceptedType::NoExtension),
        extension => Err(UnacceptedType::Found(extension)),
    }
}

pub(crate) fn extension(name: &str) -> String {
    let file = name.rsplit('/').next().unwrap_or(name);
    file.rsplit_once('.').map(|(_, extension)| extension.to_lowercase()).unwrap_or_default()
}

/// Determines the media type of a file from its name and its first bytes.
///
/// # Errors
/// [`UnacceptedType`] if the extension is in no list or the content does not agree with it.
pub(crate) fn detect_strict(name: &str, head: &[u8]) -> Result<&'static str, UnacceptedType> {
    let detected = detect(head);
    let accept = |accepted: &[&'static str]| {
        detected.filter(|detected| accepted.contains(detected)).ok_or_else(|| {
            UnacceptedType::Found(detected.unwrap_or("application/octet-stream").into())
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
        _ => Err(UnacceptedType::Found(detected.unwrap_or("application/octet-stream").into())),
    }
}

/// Detects a media type from the first bytes of a file, if they have a known signature.
pub(crate) fn detect(head: &[u8]) -> Option<&'static str> {
    infer::get(head).map(|kind| kind.mime_type())
}

/// Accepts `kind`, and ZIP, because the signature of a small or unusual archive shows the container only.
fn check_zip_based(
    detected: Option<&str>,
    kind: &'static str,
) -> Result<&'static str, UnacceptedType> {
    match detected {
        Some(detected) if detected == kind || detected == "application/zip" => Ok(kind),
        other => Err(UnacceptedType::Found(other.unwrap_or("application/octet-stream").into())),
    }
}

/// Checks the signature of a Compound File, the container of Office files before 2007.
fn check_compound_file(head: &[u8], kind: &'static str) -> Result<&'static str, UnacceptedType> {
    if head.starts_with(&[0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]) {
        Ok(kind)
    } else {
        Err(UnacceptedType::Found("application/octet-stream".into()))
    }
}

/// Whether the content can be text: it has no NUL. UTF-8 is not required, because accounting programs write Latin-1.
fn is_text(head: &[u8]) -> bool {
    !head.contains(&0)
}

#[cfg(test)]
mod tests {
    use crate::stored_files::file_type::detect_strict;

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
}
