//! The pictures that stand in a mail's HTML itself, as parts of the message (RFC 2392).
//!
//! Outlook and Gmail show no picture whose bytes are in the text, and every mail program shows one that came along.

use base64::{Engine, prelude::BASE64_STANDARD as BASE64};
use lettre::message::{Attachment, SinglePart, header::ContentType};

use crate::mail::html_tags::start_tags;

/// A picture that comes along.
#[derive(Debug, PartialEq, Eq)]
struct Picture<'a> {
    /// As it stands in the text.
    address: &'a str,
    /// Of its bytes: `png`, `jpeg`.
    kind: &'a str,
    bytes: Vec<u8>,
}

/// The HTML with its pictures named, and the parts that they are. The same picture twice is one part.
pub(crate) fn extract_inline_images(html: &str, id: &str, host: &str) -> (String, Vec<SinglePart>) {
    let mut pictures: Vec<Picture<'_>> = Vec::new();
    let mut out = String::with_capacity(html.len());
    let mut at = 0;
    for tag in start_tags(html).into_iter().filter(|tag| tag.name == "img") {
        let Some(picture) = tag.get("src").and_then(picture) else { continue };
        let address = picture.address;
        let place = pictures.iter().position(|known| known.address == address);
        let place = place.unwrap_or_else(|| {
            pictures.push(picture);
            pictures.len() - 1
        });
        let name = format!("cid:{}", content_id(place, id, host));
        let written = html.get(tag.place.clone()).unwrap_or_default();
        out.push_str(html.get(at..tag.place.start).unwrap_or_default());
        out.push_str(&written.replacen(address, &name, 1));
        at = tag.place.end;
    }
    out.push_str(html.get(at..).unwrap_or_default());
    let parts = pictures.into_iter().enumerate();
    (out, parts.map(|(place, picture)| part(place, picture, id, host)).collect())
}

fn picture(address: &str) -> Option<Picture<'_>> {
    let (kind, text) = address.strip_prefix("data:image/")?.split_once(";base64,")?;
    let bytes = BASE64.decode(text).ok()?;
    Some(Picture { address, kind, bytes })
}

fn part(place: usize, picture: Picture<'_>, id: &str, host: &str) -> SinglePart {
    let Picture { kind, bytes, .. } = picture;
    let name = format!("imagem-{}.{kind}", place + 1);
    // What is mailed was cleaned: only kinds of pictures with such names are left.
    let kind = ContentType::parse(&format!("image/{kind}")).unwrap_or(ContentType::TEXT_PLAIN);
    Attachment::new_inline_with_name(content_id(place, id, host), name).body(bytes, kind)
}

fn content_id(place: usize, id: &str, host: &str) -> String {
    format!("{}.{id}@{host}", place + 1)
}

#[cfg(test)]
mod tests {
    use crate::mail::inline_images::{extract_inline_images, picture};

    #[test]
    fn each_picture_comes_along_once() {
        let html = r#"<p>a</p><img src="data:image/png;base64,AAAA" alt="Um"><IMG SRC='data:image/gif;base64,BBBB'><img alt="" src="data:image/png;base64,AAAA">b"#;
        let (html, parts) = extract_inline_images(html, "id", "a.b");
        assert_eq!(
            html,
            r#"<p>a</p><img src="cid:1.id@a.b" alt="Um"><IMG SRC='cid:2.id@a.b'><img alt="" src="cid:1.id@a.b">b"#
        );
        assert_eq!(parts.len(), 2);
    }

    #[test]
    fn other_pictures_stay_where_they_are() {
        for html in [
            r#"<img src="https://a.b/c.png">"#,
            r#"<img src="data:image/png;base64,não">"#,
            r#"<a href="data:image/png;base64,AAAA">a</a>"#,
            "<img>data:image/png;base64,AAAA",
        ] {
            let (left, parts) = extract_inline_images(html, "id", "a.b");
            assert_eq!((left.as_str(), parts.len()), (html, 0));
        }
        assert_eq!(picture("data:image/png,AAAA"), None);
    }
}
