//! What of a template's HTML is mailed: what mail programs show, and nothing that could run, hide or follow.
//!
//! A template is kept as it was typed and cleaned when it is sent or shown, before its values are put in: they are
//! escaped, and stand in text, in quoted attributes, or behind an address's fixed beginning.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashMap, HashSet},
    sync::LazyLock,
};

use ammonia::{Builder, UrlRelative};
use url::Url;

use crate::mail::html_tags::{Tag, start_tags};

/// A picture inside a template may be this large. Bytes, as it is written.
pub const MAX_IMAGE_BYTES: usize = 100_000;

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
const MORE_TAGS: [&str; 4] = ["tfoot", "tr", "u", "ul"];

/// What goes with all that is inside of it.
const STRIPPED_WITH_CONTENT: [&str; 16] = [
    "script", "style", "title", "noscript", "template", "iframe", "object", "embed", "applet",
    "svg", "math", "select", "textarea", "audio", "video", "canvas",
];

/// Of any tag.
const ATTRIBUTES: [&str; 6] = ["align", "dir", "lang", "style", "title", "valign"];

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

/// None of them can name an address.
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

/// The classes that our own style knows (`letter.rs`).
const CLASSES: [(&str, &str); 2] = [("a", "button"), ("p", "code")];

/// Parts of a whole page around what is mailed: nobody misses them.
const PAGE: [&str; 5] = ["html", "head", "body", "meta", "title"];

static CLEANER: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::empty();
    let of_tags = TAG_ATTRIBUTES.iter().map(|(tag, names)| (*tag, names.iter().copied().collect()));
    let classes = CLASSES.iter().map(|(tag, class)| (*tag, HashSet::from([*class])));
    builder
        .tags(TAGS.iter().chain(&MORE_TAGS).copied().collect())
        .clean_content_tags(HashSet::from(STRIPPED_WITH_CONTENT))
        .generic_attributes(HashSet::from(ATTRIBUTES))
        .tag_attributes(of_tags.collect::<HashMap<_, _>>())
        .allowed_classes(classes.collect::<HashMap<_, _>>())
        .filter_style_properties(HashSet::from(STYLES))
        .url_schemes(HashSet::from(["http", "https", "mailto", "tel", "data"]))
        // A placeholder looks like a relative address; the filter tells them apart.
        .url_relative(UrlRelative::PassThrough)
        .link_rel(None)
        .attribute_filter(|tag, attribute, value| {
            keep(tag, attribute, value).then_some(Cow::Borrowed(value))
        });
    builder
});

/// The HTML as it is mailed.
#[must_use]
pub fn sanitize(html: &str) -> String {
    CLEANER.clean(&replace_videos(html)).to_string()
}

/// What [`clean`] takes out: names of tags, attributes and styles, each once.
#[must_use]
pub fn removed_elements(html: &str) -> Vec<String> {
    let before = replace_videos(html);
    let mut left = counted(&before);
    for (name, count) in counted(&sanitize(html)) {
        if let Some(before) = left.get_mut(&name) {
            *before = before.saturating_sub(count);
        }
    }
    let mut names: Vec<String> = Vec::new();
    for ((_, name), _) in left.into_iter().filter(|(_, count)| *count > 0) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Whether the HTML holds a picture of its own that is too large to be mailed with it.
#[must_use]
pub fn holds_large_image(html: &str) -> bool {
    let is_large = |tag: &Tag<'_>| {
        tag.attributes.iter().any(|(_, value)| value.len() > MAX_IMAGE_BYTES && is_data(value))
    };
    // Whatever it stands in: a large style is no picture, but neither is it mail.
    start_tags(html).iter().any(is_large)
}

fn is_data(address: &str) -> bool {
    let start = address.trim_start().get(..5).unwrap_or_default();
    start.eq_ignore_ascii_case("data:")
}

fn keep(tag: &str, attribute: &str, value: &str) -> bool {
    match (tag, attribute) {
        ("img", "src") => is_picture(value),
        (_, "href") => is_link(value),
        _ => true,
    }
}

/// Pictures come from where nobody on the way can change them, or with the mail.
fn is_picture(address: &str) -> bool {
    const KINDS: [&str; 4] = ["png", "jpeg", "gif", "webp"];
    if is_data(address) {
        let is_of = |kind: &&str| address.starts_with(&format!("data:image/{kind};base64,"));
        return address.len() <= MAX_IMAGE_BYTES && KINDS.iter().any(is_of);
    }
    Url::parse(address).is_ok_and(|url| url.scheme() == "https")
}

/// An address of the web, of mail or of the telephone, or the one that the portal puts in.
fn is_link(address: &str) -> bool {
    let address = address.trim_start();
    if let Some(rest) = address.strip_prefix("{{") {
        return rest.split("}}").next().is_some_and(|name| name.trim() == "document.link");
    }
    Url::parse(address).is_ok_and(|url| matches!(url.scheme(), "http" | "https" | "mailto" | "tel"))
}

/// How often each tag, attribute and style stands in HTML, in the order of their kinds.
fn counted(html: &str) -> BTreeMap<(u8, String), usize> {
    let mut counts = BTreeMap::new();
    let mut count = |kind, name: &str| *counts.entry((kind, name.to_owned())).or_insert(0) += 1;
    for tag in start_tags(html).into_iter().filter(|tag| !PAGE.contains(&tag.name.as_str())) {
        count(0, &tag.name);
        for (name, value) in &tag.attributes {
            match name.as_str() {
                "style" => {
                    for one in value.split(';').filter_map(|one| one.split_once(':')) {
                        count(2, &one.0.trim().to_ascii_lowercase());
                    }
                }
                // Marks of editors: that they go changes nothing that anybody sees.
                "class" | "id" | "target" | "rel" => {}
                name if name.starts_with("data-") || name.starts_with("xmlns") => {}
                name => count(1, name),
            }
        }
    }
    counts
}

/// Videos do not play in mails: a picture that leads to them does what they can do.
fn replace_videos(html: &str) -> Cow<'_, str> {
    let videos = |tag: &&Tag<'_>| matches!(tag.name.as_str(), "iframe" | "video");
    let found = start_tags(html);
    if !found.iter().any(|tag| videos(&tag)) {
        return html.into();
    }
    let mut pictured = String::with_capacity(html.len());
    let mut at = 0;
    for tag in found.iter().filter(videos) {
        let (Some(source), Some(before)) =
            (tag.get("src").or_else(|| source_inside(html, tag)), html.get(at..tag.place.start))
        else {
            continue;
        };
        let Some(link) = video(source, tag.get("poster")) else { continue };
        pictured.push_str(before);
        pictured.push_str(&link);
        let close = format!("</{}>", tag.name);
        let rest = html.get(tag.place.end..).unwrap_or_default().to_ascii_lowercase();
        at = tag.place.end + rest.find(&close).map_or(0, |end| end + close.len());
    }
    pictured.push_str(html.get(at..).unwrap_or_default());
    pictured.into()
}

/// The first address that a video offers inside of it.
fn source_inside<'a>(html: &'a str, video: &Tag<'_>) -> Option<&'a str> {
    let inside = html.get(video.place.end..)?;
    let inside = inside.split("</video>").next()?;
    start_tags(inside).into_iter().find(|tag| tag.name == "source").and_then(|tag| tag.get("src"))
}

fn video(source: &str, poster: Option<&str>) -> Option<String> {
    let source = source.replace("&amp;", "&");
    let source = if source.starts_with("//") { format!("https:{source}") } else { source };
    let url = Url::parse(&source).ok().filter(|url| url.scheme() == "https")?;
    let (link, picture) = match youtube(&url) {
        Some(id) => (
            format!("https://www.youtube.com/watch?v={id}"),
            Some(format!("https://img.youtube.com/vi/{id}/hqdefault.jpg")),
        ),
        None => (url.to_string(), poster.map(str::to_owned)),
    };
    let mut html = String::from("<a href=\"");
    crate::mail::template::escape(&link, &mut html);
    html.push_str("\">");
    match picture {
        Some(picture) => {
            html.push_str("<img alt=\"Assistir ao vídeo\" src=\"");
            html.push_str(&picture.replace('"', "&quot;"));
            html.push_str("\">");
        }
        None => html.push_str("▶ Assistir ao vídeo"),
    }
    html.push_str("</a>");
    Some(html)
}

/// The name of a video at the place that most videos are at.
fn youtube(url: &Url) -> Option<String> {
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
    let fits = |id: &String| {
        (6..=20).contains(&id.len())
            && id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
    };
    id.filter(fits)
}

#[cfg(test)]
mod tests {
    use crate::mail::sanitize::{MAX_IMAGE_BYTES, holds_large_image, removed_elements, sanitize};

    #[test]
    fn what_could_run_or_hide_is_taken_out_and_named() {
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
    fn what_mail_programs_show_is_kept() {
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
    fn a_whole_page_is_its_content() {
        let page = "<!doctype html><html><head><meta charset=utf-8><title>T</title></head><body><p>a</p></body></html>";
        assert_eq!(sanitize(page), "<p>a</p>");
        assert_eq!(removed_elements(page), ["charset"; 0]);
    }

    #[test]
    fn a_video_becomes_a_picture_that_leads_to_it() {
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
    fn a_large_picture_is_told() {
        let image =
            |size| format!("<p>a</p><img src=\"data:image/png;base64,{}\">", "A".repeat(size));
        assert!(!holds_large_image(&image(MAX_IMAGE_BYTES - 22)));
        assert!(holds_large_image(&image(MAX_IMAGE_BYTES)));
        assert!(holds_large_image(&image(MAX_IMAGE_BYTES).replace("data:", " DATA:")));
    }
}
