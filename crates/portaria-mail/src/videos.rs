//! Replaces videos in HTML, which mail programs do not play, by linked preview images.

use std::{borrow::Cow, collections::BTreeMap};

use url::Url;

use crate::html_tags::{Tag, escape_attribute, start_tags};

/// Replaces `<iframe>` and `<video>` by links. A video without an https source stays as it is.
pub(crate) fn replace_videos(html: &str) -> Cow<'_, str> {
    let tags = start_tags(html);
    if !tags.iter().any(is_video) {
        return html.into();
    }
    let lower = html.to_ascii_lowercase();
    let mut out = String::with_capacity(html.len());
    let mut copied = 0;
    // The end tag that was found last, by name, so that the text is searched once. `None` if there is no further one.
    let mut ends: BTreeMap<&str, Option<usize>> = BTreeMap::new();
    for (number, tag) in tags.iter().enumerate().filter(|(_, tag)| is_video(tag)) {
        let Some(before) = html.get(copied..tag.span.start) else { continue };
        let found = ends.get(tag.name.as_str()).copied();
        let end =
            found.filter(|end| end.is_none_or(|end| end > tag.span.end)).unwrap_or_else(|| {
                let close = format!("</{}>", tag.name);
                let at = lower.get(tag.span.end..).and_then(|rest| rest.find(&close));
                at.map(|at| tag.span.end + at + close.len())
            });
        ends.insert(&tag.name, end);
        let inner = tags.get(number + 1..).unwrap_or_default();
        let source = tag.get("src").or_else(|| first_source(inner, end.unwrap_or(html.len())));
        let Some(link) = source.and_then(|source| video_link(source, tag.get("poster"))) else {
            continue;
        };
        out.push_str(before);
        out.push_str(&link);
        copied = end.unwrap_or(tag.span.end);
    }
    out.push_str(html.get(copied..).unwrap_or_default());
    out.into()
}

fn is_video(tag: &Tag) -> bool {
    matches!(tag.name.as_str(), "iframe" | "video")
}

/// Returns the URL of the first `<source>` among the tags behind a video, up to its end or to the next video.
fn first_source(behind: &[Tag], end: usize) -> Option<&str> {
    let mut inner = behind.iter().take_while(|tag| tag.span.start < end && !is_video(tag));
    inner.find(|tag| tag.name == "source")?.get("src")
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
    use crate::sanitize::{removed_elements, sanitize};

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
            assert_eq!(sanitize(html).unwrap(), expected, "{html}");
            assert_eq!(removed_elements(html).unwrap(), [""; 0], "{html}");
        }
    }
}
