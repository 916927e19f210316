//! The start tags of HTML text, found without building its tree.
//!
//! Good for what a parser wrote, and for telling people what they typed. What is safe is said by `clean.rs` alone.

use std::ops::Range;

/// A start tag.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tag<'a> {
    /// In lower case.
    pub(crate) name: String,
    /// Names in lower case; values as they are written, without their quotes.
    pub(crate) attributes: Vec<(String, &'a str)>,
    /// Where it stands.
    pub(crate) place: Range<usize>,
}

impl<'a> Tag<'a> {
    /// An attribute's value.
    pub(crate) fn get(&self, name: &str) -> Option<&'a str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| *value)
    }
}

/// The start tags, in their order. What scripts and the like hold is no tag.
pub(crate) fn start_tags(html: &str) -> Vec<Tag<'_>> {
    let mut tags = Vec::new();
    let mut at = 0;
    while let Some(rest) = html.get(at..)
        && let Some(found) = rest.find('<')
    {
        at += found;
        let rest = html.get(at..).unwrap_or_default();
        if let Some(comment) = rest.strip_prefix("<!--") {
            at += comment.find("-->").map_or(rest.len(), |end| end + "<!---->".len());
        } else if rest.get(1..2).is_some_and(|c| c.starts_with(|c: char| c.is_ascii_alphabetic())) {
            let (tag, end) = tag(html, at);
            at = end;
            if matches!(tag.name.as_str(), "script" | "style" | "title" | "textarea" | "noscript") {
                let close = format!("</{}", tag.name);
                let inside = html.get(at..).unwrap_or_default().to_ascii_lowercase();
                at += inside.find(&close).unwrap_or(inside.len());
            }
            tags.push(tag);
        } else {
            at += 1;
        }
    }
    tags
}

/// The tag that begins at a place, and where it ends.
fn tag(html: &str, start: usize) -> (Tag<'_>, usize) {
    let mut scan = Scan { html, at: start + 1 };
    let name = scan.until(|c| c.is_whitespace() || matches!(c, '>' | '/')).to_ascii_lowercase();
    let mut attributes = Vec::new();
    loop {
        scan.until(|c| !c.is_whitespace() && c != '/');
        match scan.peek() {
            None => break,
            Some('>') => {
                scan.at += 1;
                break;
            }
            Some(_) => {}
        }
        let before = scan.at;
        let name = scan.until(|c| c.is_whitespace() || matches!(c, '>' | '/' | '='));
        let name = name.to_ascii_lowercase();
        scan.until(|c| !c.is_whitespace());
        let value = if scan.peek() == Some('=') {
            scan.at += 1;
            scan.until(|c| !c.is_whitespace());
            scan.value()
        } else {
            ""
        };
        attributes.push((name, value));
        if scan.at == before {
            break;
        }
    }
    (Tag { name, attributes, place: start..scan.at }, scan.at)
}

struct Scan<'a> {
    html: &'a str,
    at: usize,
}

impl<'a> Scan<'a> {
    fn rest(&self) -> &'a str {
        self.html.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn until(&mut self, ends: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let text = rest.get(..rest.find(ends).unwrap_or(rest.len())).unwrap_or_default();
        self.at += text.len();
        text
    }

    fn value(&mut self) -> &'a str {
        match self.peek() {
            Some(quote @ ('"' | '\'')) => {
                self.at += 1;
                let value = self.until(|c| c == quote);
                self.at = (self.at + 1).min(self.html.len());
                value
            }
            _ => self.until(|c| c.is_whitespace() || c == '>'),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::mail::html_tags::start_tags;

    #[test]
    fn tags_are_found_and_read() {
        let html = r#"a < b <P Class='x y'>1<img src="a>b" alt=c/><br/><!-- <i> --><script>if (a<b) {}</script></p>
            <a href = "{{document.link}}" title="">x</a><b"#;
        let found: Vec<String> = start_tags(html)
            .iter()
            .map(|tag| {
                assert!(html.get(tag.place.clone()).unwrap().starts_with('<'));
                let attributes = tag.attributes.iter();
                let attributes = attributes.map(|(name, value)| format!(" {name}={value}"));
                format!("{}{}", tag.name, attributes.collect::<String>())
            })
            .collect();
        assert_eq!(
            found,
            [
                "p class=x y",
                "img src=a>b alt=c/",
                "br",
                "script",
                "a href={{document.link}} title=",
                "b"
            ]
        );
    }

    #[test]
    fn nothing_hangs_or_breaks() {
        for html in [
            "<",
            "<a",
            "<a ",
            "<a b",
            "<a b=",
            "<a b='",
            "<a =>",
            "<a \"'>",
            "<é>",
            "<a é='ç'",
            "<!--",
            "<script",
            "</a>",
        ] {
            let _: usize = start_tags(html).len();
        }
    }
}
