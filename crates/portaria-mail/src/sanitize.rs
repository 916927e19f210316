//! Sanitizes the HTML of templates: keeps what mail programs display, and removes what could execute, hide content or
//! track the recipient.
//!
//! A template is stored as typed. It is sanitized when it is sent or displayed, before its placeholders are replaced:
//! values are escaped, and occur in text, in quoted attributes, or after the fixed beginning of a URL
//! (`docs/decisions/0032-templates-are-sanitized-before-substitution.md`).
//!
//! The sanitizer is `ammonia`. The lists of permitted elements, attributes and properties are ours, because its
//! defaults are made for web pages and lack what mails need.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap, HashSet},
    sync::LazyLock,
};

use ammonia::{Builder, UrlRelative};
use url::Url;

use crate::html_tags::{Tag, escape_attribute, start_tags};

/// Maximum length of an embedded image in a template, as a `data:` URL. Bytes.
pub const MAX_IMAGE_BYTES: usize = 100_000;

/// Permitted elements. [`MORE_TAGS`] continues the list.
const TAGS: [&str; 49] = [
    "a",
    "abbr",
    "b",
    "big",
    "blockquote",
    "br",
    "caption",
    "center",
    "cite",
    "code",
    "col",
    "colgroup",
    "dd",
    "del",
    "div",
    "dl",
    "dt",
    "em",
    "figcaption",
    "figure",
    "font",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "i",
    "img",
    "ins",
    "kbd",
    "li",
    "mark",
    "ol",
    "p",
    "pre",
    "s",
    "small",
    "span",
    "strike",
    "strong",
    "sub",
    "sup",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
];
/// Permitted elements, continued.
const MORE_TAGS: [&str; 4] = ["tfoot", "tr", "u", "ul"];

/// Elements that are removed together with their content.
const STRIPPED_WITH_CONTENT: [&str; 16] = [
    "script", "style", "title", "noscript", "template", "iframe", "object", "embed", "applet",
    "svg", "math", "select", "textarea", "audio", "video", "canvas",
];

/// Permitted attributes of all elements.
const ATTRIBUTES: [&str; 6] = ["align", "dir", "lang", "style", "title", "valign"];

/// Permitted attributes by element.
const TAG_ATTRIBUTES: [(&str, &[&str]); 9] = [
    ("a", &["href"]),
    ("col", &["span", "width"]),
    ("font", &["color", "face", "size"]),
    ("img", &["src", "alt", "width", "height", "border"]),
    ("ol", &["start", "type"]),
    ("table", &["border", "cellpadding", "cellspacing", "width", "bgcolor", "role"]),
    ("td", &["colspan", "rowspan", "width", "height", "bgcolor"]),
    ("th", &["colspan", "rowspan", "width", "height", "bgcolor", "scope"]),
    ("tr", &["bgcolor"]),
];

/// Permitted CSS properties. None of them can load a URL.
const STYLES: [&str; 45] = [
    "background-color",
    "border",
    "border-bottom",
    "border-collapse",
    "border-color",
    "border-left",
    "border-radius",
    "border-right",
    "border-spacing",
    "border-style",
    "border-top",
    "border-width",
    "color",
    "direction",
    "display",
    "font-family",
    "font-size",
    "font-style",
    "font-weight",
    "height",
    "letter-spacing",
    "line-height",
    "list-style-type",
    "margin",
    "margin-bottom",
    "margin-left",
    "margin-right",
    "margin-top",
    "max-width",
    "min-width",
    "padding",
    "padding-bottom",
    "padding-left",
    "padding-right",
    "padding-top",
    "text-align",
    "text-decoration",
    "text-decoration-line",
    "text-indent",
    "text-transform",
    "vertical-align",
    "white-space",
    "width",
    "word-break",
    "word-wrap",
];

/// Classes that the layout styles (`layout.rs`).
const CLASSES: [(&str, &str); 2] = [("a", "button"), ("p", "code")];

/// Elements of a page outside its content, whose removal is not reported.
const PAGE_TAGS: [&str; 5] = ["html", "head", "body", "meta", "title"];

static CLEANER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::empty();
    let tag_attributes =
        TAG_ATTRIBUTES.iter().map(|(tag, names)| (*tag, names.iter().copied().collect()));
    let classes = CLASSES.iter().map(|(tag, class)| (*tag, HashSet::from([*class])));
    builder
        .tags(TAGS.iter().chain(&MORE_TAGS).copied().collect())
        .clean_content_tags(HashSet::from(STRIPPED_WITH_CONTENT))
        .generic_attributes(HashSet::from(ATTRIBUTES))
        .tag_attributes(tag_attributes.collect::<HashMap<_, _>>())
        .allowed_classes(classes.collect::<HashMap<_, _>>())
        .filter_style_properties(HashSet::from(STYLES))
        .url_schemes(HashSet::from(["http", "https", "mailto", "tel", "data"]))
        // A placeholder looks like a relative URL; the attribute filter distinguishes them.
        .url_relative(UrlRelative::PassThrough)
        .link_rel(None)
        .attribute_filter(|tag, attribute, value| {
            is_allowed_value(tag, attribute, value).then_some(Cow::Borrowed(value))
        });
    builder
});

/// Returns the HTML as it is mailed.
#[must_use]
pub fn sanitize(html: &str) -> String {
    CLEANER.clean(&replace_videos(html)).to_string()
}

/// Returns the names of the elements, attributes and CSS properties that [`sanitize`] removes, each once.
#[must_use]
pub fn removed_elements(html: &str) -> Vec<String> {
    let before = replace_videos(html);
    let mut removed = count_names(&before);
    for (name, count) in count_names(&sanitize(html)) {
        if let Some(before) = removed.get_mut(&name) {
            *before = before.saturating_sub(count);
        }
    }
    let mut names: Vec<String> = Vec::new();
    for ((_, name), _) in removed.into_iter().filter(|(_, count)| *count > 0) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Whether the HTML contains an embedded image above [`MAX_IMAGE_BYTES`].
#[must_use]
pub fn holds_large_image(html: &str) -> bool {
    let is_large = |tag: &Tag| {
        tag.attributes.iter().any(|(_, value)| value.len() > MAX_IMAGE_BYTES && is_data_url(value))
    };
    // All attributes are checked: a large `data:` URL in a style is not an image, but too large as well.
    start_tags(html).iter().any(is_large)
}

fn is_data_url(url_text: &str) -> bool {
    let start = url_text.trim_start().get(..5).unwrap_or_default();
    start.eq_ignore_ascii_case("data:")
}

/// Checks the URL of an image or link. Values of other attributes are permitted.
fn is_allowed_value(tag: &str, attribute: &str, value: &str) -> bool {
    match (tag, attribute) {
        ("img", "src") => is_allowed_image(value),
        (_, "href") => is_allowed_link(value),
        _ => true,
    }
}

/// Whether an image may be mailed: its URL is https, or an embedded raster image of limited size.
fn is_allowed_image(url_text: &str) -> bool {
    const SUBTYPES: [&str; 4] = ["png", "jpeg", "gif", "webp"];
    if is_data_url(url_text) {
        let has_type =
            |subtype: &&str| url_text.starts_with(&format!("data:image/{subtype};base64,"));
        return url_text.len() <= MAX_IMAGE_BYTES && SUBTYPES.iter().any(has_type);
    }
    Url::parse(url_text).is_ok_and(|url| url.scheme() == "https")
}

/// Whether a link may be mailed: its scheme is http, https, mailto or tel, or it is the placeholder `document.link`.
fn is_allowed_link(url_text: &str) -> bool {
    let url_text = url_text.trim_start();
    if let Some(rest) = url_text.strip_prefix("{{") {
        return rest.split("}}").next().is_some_and(|name| name.trim() == "document.link");
    }
    Url::parse(url_text)
        .is_ok_and(|url| matches!(url.scheme(), "http" | "https" | "mailto" | "tel"))
}

/// Counts elements (0), attributes (1) and CSS properties (2) by name.
fn count_names(html: &str) -> BTreeMap<(u8, String), usize> {
    let mut counts = BTreeMap::new();
    let mut count = |kind, name: &str| *counts.entry((kind, name.to_owned())).or_insert(0) += 1;
    for tag in start_tags(html).into_iter().filter(|tag| !PAGE_TAGS.contains(&tag.name.as_str())) {
        count(0, &tag.name);
        for (name, value) in &tag.attributes {
            match name.as_str() {
                "style" => {
                    for style in value.split(';').filter_map(|style| style.split_once(':')) {
                        count(2, &style.0.trim().to_ascii_lowercase());
                    }
                }
                // Attributes of editors: their removal has no visible effect.
                "class" | "id" | "target" | "rel" => {}
                name if name.starts_with("data-") || name.starts_with("xmlns") => {}
                name => count(1, name),
            }
        }
    }
    counts
}

/// Replaces videos, which mail programs do not play, by a linked preview image.
fn replace_videos(html: &str) -> Cow<'_, str> {
    let is_video = |tag: &&Tag| matches!(tag.name.as_str(), "iframe" | "video");
    let tags = start_tags(html);
    if !tags.iter().any(|tag| is_video(&tag)) {
        return html.into();
    }
    let mut out = String::with_capacity(html.len());
    let mut copied = 0;
    for tag in tags.iter().filter(is_video) {
        let source = tag.get("src").map(str::to_owned).or_else(|| first_source(html, tag));
        let (Some(source), Some(before)) = (source, html.get(copied..tag.span.start)) else {
            continue;
        };
        let Some(link) = video_link(&source, tag.get("poster")) else { continue };
        out.push_str(before);
        out.push_str(&link);
        let close = format!("</{}>", tag.name);
        let rest = html.get(tag.span.end..).unwrap_or_default().to_ascii_lowercase();
        copied = tag.span.end + rest.find(&close).map_or(0, |end| end + close.len());
    }
    out.push_str(html.get(copied..).unwrap_or_default());
    out.into()
}

/// Returns the URL of the first `<source>` inside a video element.
fn first_source(html: &str, video: &Tag) -> Option<String> {
    let content = html.get(video.span.end..)?;
    let content = content.split("</video>").next()?;
    let tags = start_tags(content);
    tags.iter().find(|tag| tag.name == "source")?.get("src").map(str::to_owned)
}

/// Builds the link to a video, with a preview image if there is one. Only https videos are linked.
fn video_link(source: &str, poster: Option<&str>) -> Option<String> {
    let source = if source.starts_with("//") {
        Cow::Owned(format!("https:{source}"))
    } else {
        Cow::Borrowed(source)
    };
    let url = Url::parse(&source).ok().filter(|url| url.scheme() == "https")?;
    let (link, image) = match youtube_id(&url) {
        Some(id) => (
            format!("https://www.youtube.com/watch?v={id}"),
            Some(format!("https://img.youtube.com/vi/{id}/hqdefault.jpg")),
        ),
        None => (url.to_string(), poster.map(str::to_owned)),
    };
    let mut html = String::from("<a href=\"");
    escape_attribute(&link, &mut html);
    html.push_str("\">");
    match image {
        Some(image) => {
            html.push_str("<img alt=\"Assistir ao vídeo\" src=\"");
            escape_attribute(&image, &mut html);
            html.push_str("\">");
        }
        None => html.push_str("▶ Assistir ao vídeo"),
    }
    html.push_str("</a>");
    Some(html)
}

/// Returns the id of a video on youtube.com.
fn youtube_id(url: &Url) -> Option<String> {
    let host = url.host_str()?.trim_start_matches("www.");
    let mut path = url.path_segments()?;
    let id = match host {
        "youtu.be" => path.next().map(str::to_owned),
        "youtube.com" | "youtube-nocookie.com" | "m.youtube.com" => match path.next() {
            Some("embed" | "shorts" | "live") => path.next().map(str::to_owned),
            Some("watch") => {
                url.query_pairs().find(|(name, _)| name == "v").map(|(_, id)| id.into_owned())
            }
            _ => None,
        },
        _ => None,
    };
    let is_valid = |id: &String| {
        (6..=20).contains(&id.len())
            && id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
    };
    id.filter(is_valid)
}

#[cfg(test)]
mod tests {
    use crate::sanitize::{MAX_IMAGE_BYTES, holds_large_image, removed_elements, sanitize};

    #[test]
    fn sanitize_removes_and_reports_active_and_hidden_content() {
        for (html, expected, names) in [
            ("<p>Olá</p><script>alert(1)</script>", "<p>Olá</p>", vec!["script"]),
            ("<p onclick=\"x()\">Olá</p>", "<p>Olá</p>", vec!["onclick"]),
            (
                "<svg><a><set attributeName=href to=javascript:alert(1)></a></svg>b",
                "b",
                vec!["a", "set", "svg", "attributename", "to"],
            ),
            ("<a href=\"javascript:alert(1)\">x</a>", "<a>x</a>", vec!["href"]),
            ("<a href=\"java\nscript:alert(1)\">x</a>", "<a>x</a>", vec!["href"]),
            ("<a href=\"/documents\">x</a>", "<a>x</a>", vec!["href"]),
            ("<a href=\"{{client.name}}\">x</a>", "<a>x</a>", vec!["href"]),
            ("<a href=\"data:text/html,x\">x</a>", "<a>x</a>", vec!["href"]),
            ("<img src=\"http://a.b/c.png\">", "<img>", vec!["src"]),
            ("<img src=\"data:image/svg+xml;base64,AA\">", "<img>", vec!["src"]),
            ("<img src=x onerror=alert(1)>", "<img>", vec!["onerror", "src"]),
            (
                "<p style=\"position:fixed;color:red;background:url(https://a.b/c)\">x</p>",
                "<p style=\"color:red\">x</p>",
                vec!["background", "position"],
            ),
            (
                "<form action=\"https://a.b\"><input name=a>x</form>",
                "x",
                vec!["form", "input", "action", "name"],
            ),
            ("<style>p{color:red}</style><p>x</p>", "<p>x</p>", vec!["style"]),
            ("<iframe src=\"http://a.b\"></iframe>x", "x", vec!["iframe", "src"]),
        ] {
            assert_eq!(sanitize(html), expected, "{html}");
            assert_eq!(removed_elements(html), names, "{html}");
        }
    }

    #[test]
    fn sanitize_keeps_displayable_html() {
        for html in [
            "<h1>Olá, {{client.name}}</h1><p style=\"text-align:center\">a<br>b</p>",
            "<a href=\"{{document.link}}\" class=\"button\">Ver</a>",
            "<a href=\"https://portal/tickets/{{ticket.id}}\">Ver</a>",
            "<a href=\"mailto:ana@escritorio.com.br\">Ana</a>",
            "<table cellpadding=\"4\" width=\"100%\"><tbody><tr><td style=\"padding:4px\">a</td></tr></tbody></table>",
            "<img src=\"https://a.b/c.png\" alt=\"Logo\" width=\"80\">",
            "<img src=\"data:image/png;base64,AAAA\">",
            "<blockquote>a</blockquote><ol><li>a</li></ol><s>b</s><u>c</u>",
        ] {
            assert_eq!(sanitize(html), html);
            assert_eq!(removed_elements(html), [""; 0], "{html}");
        }
    }

    #[test]
    fn sanitize_reduces_page_to_its_content() {
        let page = "<!doctype html><html><head><meta charset=utf-8><title>T</title></head><body><p>a</p></body></html>";
        assert_eq!(sanitize(page), "<p>a</p>");
        assert_eq!(removed_elements(page), ["charset"; 0]);
    }

    #[test]
    fn sanitize_replaces_video_by_linked_image() {
        let youtube = "<a href=\"https://www.youtube.com/watch?v=dQw4w9WgXcQ\">\
            <img alt=\"Assistir ao vídeo\" src=\"https://img.youtube.com/vi/dQw4w9WgXcQ/hqdefault.jpg\"></a>";
        for (html, expected) in [
            ("<div><iframe class=x src=\"https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?rel=0\"></iframe></div>", format!("<div>{youtube}</div>")),
            ("<iframe src=\"//www.youtube.com/embed/dQw4w9WgXcQ\"></iframe>b", format!("{youtube}b")),
            (
                "<video controls poster=\"https://a.b/c.jpg\"><source src=\"https://a.b/c.mp4\"></video>b",
                "<a href=\"https://a.b/c.mp4\"><img alt=\"Assistir ao vídeo\" src=\"https://a.b/c.jpg\"></a>b".to_owned(),
            ),
            ("<video src=\"https://a.b/c.mp4\"></video>", "<a href=\"https://a.b/c.mp4\">▶ Assistir ao vídeo</a>".to_owned()),
        ] {
            assert_eq!(sanitize(html), expected, "{html}");
            assert_eq!(removed_elements(html), [""; 0], "{html}");
        }
    }

    #[test]
    fn large_embedded_image_is_detected() {
        let image =
            |size| format!("<p>a</p><img src=\"data:image/png;base64,{}\">", "A".repeat(size));
        assert!(!holds_large_image(&image(MAX_IMAGE_BYTES - 22)));
        assert!(holds_large_image(&image(MAX_IMAGE_BYTES)));
        assert!(holds_large_image(&image(MAX_IMAGE_BYTES).replace("data:", " DATA:")));
    }
}
