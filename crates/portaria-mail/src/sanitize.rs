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
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    sync::LazyLock,
};

use ammonia::{Builder, UrlRelative};
use url::Url;

use crate::{
    html_limits::{LimitExceeded, check_limits},
    html_tags::{Tag, start_tags},
    videos::replace_videos,
};

/// The placeholders whose values are links to the portal.
const LINKS: [&str; 2] = ["document.link", "request.link"];
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
        .attribute_filter(|tag, attribute, value| match attribute {
            "style" => Some(remove_active_styles(value)),
            _ => is_allowed_value(tag, attribute, value).then_some(Cow::Borrowed(value)),
        });
    builder
});

/// Returns the HTML as it is mailed.
///
/// # Errors
/// [`LimitExceeded`], before anything is parsed that exceeds a limit.
pub fn sanitize(html: &str) -> Result<String, LimitExceeded> {
    check_limits(html)?;
    Ok(CLEANER.clean(&replace_videos(html)).to_string())
}

/// Returns the names of the elements, attributes and CSS properties that [`sanitize`] removes, each once.
///
/// # Errors
/// Like [`sanitize`].
pub fn removed_elements(html: &str) -> Result<Vec<String>, LimitExceeded> {
    let clean = sanitize(html)?;
    let mut removed = count_names(&replace_videos(html));
    for (name, count) in count_names(&clean) {
        if let Some(before) = removed.get_mut(&name) {
            *before = before.saturating_sub(count);
        }
    }
    let mut listed = BTreeSet::new();
    let names = removed.into_iter().filter(|(_, count)| *count > 0).map(|((_, name), _)| name);
    Ok(names.filter(|name| listed.insert(name.clone())).collect())
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

pub(crate) fn is_data_url(url_text: &str) -> bool {
    let start = url_text.trim_start().get(..5).unwrap_or_default();
    start.eq_ignore_ascii_case("data:")
}

/// Removes CSS declarations with functions other than colors and `calc()`: old mail programs execute `expression()`.
/// Removes declarations with comments and escapes as well, which could disguise a function.
fn remove_active_styles(style: &str) -> Cow<'_, str> {
    const FUNCTIONS: [&str; 5] = ["calc", "hsl", "hsla", "rgb", "rgba"];
    let is_constant = |declaration: &&str| {
        let lower = declaration.to_ascii_lowercase();
        let has_allowed_name = |(bracket, _): (usize, &str)| {
            let before = lower.get(..bracket).unwrap_or_default();
            FUNCTIONS.iter().any(|name| {
                let rest = before.strip_suffix(name);
                rest.is_some_and(|rest| rest.ends_with([' ', ':', ',', '(']))
            })
        };
        let is_disguised = lower.contains('\\') || lower.contains("/*");
        !is_disguised && lower.match_indices('(').all(has_allowed_name)
    };
    if style.split(';').all(|declaration| is_constant(&declaration)) {
        return style.into();
    }
    style.split(';').filter(is_constant).collect::<Vec<_>>().join(";").into()
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

/// Whether a link may be mailed: its scheme is http, https, mailto or tel, or it is a placeholder of [`LINKS`].
fn is_allowed_link(url_text: &str) -> bool {
    let url_text = url_text.trim_start();
    if let Some(rest) = url_text.strip_prefix("{{") {
        return rest.split("}}").next().is_some_and(|name| LINKS.contains(&name.trim()));
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
                "<p style=\"width:expression(alert(1));color:rgb(1, 2, 3)\">x</p>",
                "<p style=\"color:rgb(1, 2, 3)\">x</p>",
                vec!["width"],
            ),
            (
                "<p style=\"width:exp/**/ression(a);height:\\65 xpression(a);color:var(--a)\">x</p>",
                "<p style=\"\">x</p>",
                vec!["color", "height", "width"],
            ),
            (
                "<form action=\"https://a.b\"><input name=a>x</form>",
                "x",
                vec!["form", "input", "action", "name"],
            ),
            ("<style>p{color:red}</style><p>x</p>", "<p>x</p>", vec!["style"]),
            ("<iframe src=\"http://a.b\"></iframe>x", "x", vec!["iframe", "src"]),
        ] {
            assert_eq!(sanitize(html).unwrap(), expected, "{html}");
            assert_eq!(removed_elements(html).unwrap(), names, "{html}");
        }
    }

    #[test]
    fn sanitize_keeps_displayable_html() {
        for html in [
            "<h1>Olá, {{client.name}}</h1><p style=\"text-align:center\">a<br>b</p>",
            "<a href=\"{{document.link}}\" class=\"button\">Ver</a>",
            "<a href=\"{{ request.link }}\">Enviar</a>",
            "<a href=\"https://portal/tickets/{{ticket.id}}\">Ver</a>",
            "<a href=\"mailto:ana@escritorio.com.br\">Ana</a>",
            "<table cellpadding=\"4\" width=\"100%\"><tbody><tr><td style=\"padding:4px\">a</td></tr></tbody></table>",
            "<img src=\"https://a.b/c.png\" alt=\"Logo\" width=\"80\">",
            "<img src=\"data:image/png;base64,AAAA\">",
            "<blockquote>a</blockquote><ol><li>a</li></ol><s>b</s><u>c</u>",
        ] {
            assert_eq!(sanitize(html).unwrap(), html);
            assert_eq!(removed_elements(html).unwrap(), [""; 0], "{html}");
        }
    }

    #[test]
    fn sanitize_reduces_page_to_its_content() {
        let page = "<!doctype html><html><head><meta charset=utf-8><title>T</title></head><body><p>a</p></body></html>";
        assert_eq!(sanitize(page).unwrap(), "<p>a</p>");
        assert_eq!(removed_elements(page).unwrap(), ["charset"; 0]);
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
