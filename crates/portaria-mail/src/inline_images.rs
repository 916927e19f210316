//! Turns `data:` images of a mail's HTML into parts of the message, referenced by `cid:` URLs (RFC 2392).
//!
//! Outlook and Gmail do not display `data:` images; every mail program displays inline parts.

use base64::{Engine, prelude::BASE64_STANDARD as BASE64};
use lettre::message::{Attachment, SinglePart, header::ContentType};

use crate::html_tags::start_tags;

/// An image embedded in HTML.
#[derive(Debug, PartialEq, Eq)]
struct InlineImage<'a> {
    /// The `data:` URL. The HTML contains it as it is, because none of its characters is escaped.
    url: &'a str,
    /// Media subtype: `png`, `jpeg`.
    subtype: &'a str,
    bytes: Vec<u8>,
}

/// Returns the HTML with `cid:` URLs, and the message parts of the images. An image that occurs twice becomes one part.
pub(crate) fn extract_inline_images(html: &str, id: &str, host: &str) -> (String, Vec<SinglePart>) {
    let tags = start_tags(html);
    let mut images: Vec<InlineImage<'_>> = Vec::new();
    let mut out = String::with_capacity(html.len());
    let mut copied = 0;
    for tag in tags.iter().filter(|tag| tag.name == "img") {
        let Some(image) = tag.get("src").and_then(decode) else { continue };
        let url = image.url;
        let index = images.iter().position(|other| other.url == url);
        let index = index.unwrap_or_else(|| {
            images.push(image);
            images.len() - 1
        });
        let cid = format!("cid:{}", content_id(index, id, host));
        let tag_text = html.get(tag.span.clone()).unwrap_or_default();
        out.push_str(html.get(copied..tag.span.start).unwrap_or_default());
        out.push_str(&tag_text.replacen(url, &cid, 1));
        copied = tag.span.end;
    }
    out.push_str(html.get(copied..).unwrap_or_default());

    let parts = images.into_iter().enumerate();
    (out, parts.map(|(index, image)| part(index, image, id, host)).collect())
}

/// Decodes a `data:image/…;base64,` URL.
fn decode(url: &str) -> Option<InlineImage<'_>> {
    let (subtype, text) = url.strip_prefix("data:image/")?.split_once(";base64,")?;
    let bytes = BASE64.decode(text).ok()?;
    Some(InlineImage { url, subtype, bytes })
}

/// Builds the inline part of an image.
fn part(index: usize, image: InlineImage<'_>, id: &str, host: &str) -> SinglePart {
    let InlineImage { subtype, bytes, .. } = image;
    let name = format!("imagem-{}.{subtype}", index + 1);
    // Sanitized HTML contains known image types only, so parsing succeeds.
    let content_type =
        ContentType::parse(&format!("image/{subtype}")).unwrap_or(ContentType::TEXT_PLAIN);
    Attachment::new_inline_with_name(content_id(index, id, host), name).body(bytes, content_type)
}

fn content_id(index: usize, id: &str, host: &str) -> String {
    format!("{}.{id}@{host}", index + 1)
}

#[cfg(test)]
mod tests {
    use crate::inline_images::{decode, extract_inline_images};

    #[test]
    fn extract_inline_images_makes_one_part_per_image() {
        let html = r#"<p>a</p><img src="data:image/png;base64,AAAA" alt="Um"><IMG SRC='data:image/gif;base64,BBBB'><img alt="" src="data:image/png;base64,AAAA">b"#;
        let (html, parts) = extract_inline_images(html, "id", "a.b");
        assert_eq!(
            html,
            r#"<p>a</p><img src="cid:1.id@a.b" alt="Um"><IMG SRC='cid:2.id@a.b'><img alt="" src="cid:1.id@a.b">b"#
        );
        assert_eq!(parts.len(), 2);
    }

    #[test]
    fn extract_inline_images_ignores_other_images() {
        for html in [
            r#"<img src="https://a.b/c.png">"#,
            r#"<img src="data:image/png;base64,não">"#,
            r#"<a href="data:image/png;base64,AAAA">a</a>"#,
            "<img>data:image/png;base64,AAAA",
        ] {
            let (result, parts) = extract_inline_images(html, "id", "a.b");
            assert_eq!((result.as_str(), parts.len()), (html, 0));
        }
        assert_eq!(decode("data:image/png,AAAA"), None);
    }
}
