//! A scanner for the start tags of HTML text, which builds no tree.
//!
//! It serves HTML that a parser has serialized, and reports about what a person typed. Security does not depend on it:
//! the sanitizer (`sanitize.rs`, with html5ever) alone decides which HTML is mailed.

use std::ops::Range;

/// A start tag.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tag<'a> {
    /// Name in lower case.
    pub(crate) name: String,
    /// Attributes with names in lower case and values as written, without quotes.
    pub(crate) attributes: Vec<(String, &'a str)>,
    /// Byte range in the HTML.
    pub(crate) span: Range<usize>,
}

impl<'a> Tag<'a> {
    /// Returns an attribute's value.
    pub(crate) fn get(&self, name: &str) -> Option<&'a str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| *value)
    }
}

/// Returns the start tags in order. The content of scripts, styles and other raw text elements is skipped.
pub(crate) fn start_tags(html: &str) -> Vec<Tag<'_>> {
    let mut tags = Vec::new();
    let mut position = 0;
    while let Some(rest) = html.get(position..)
        && let Some(offset) = rest.find('<')
    {
        position += offset;
        let rest = html.get(position..).unwrap_or_default();
        if let Some(comment) = rest.strip_prefix("<!--") {
            position += comment.find("-->").map_or(rest.len(), |end| end + "<!---->".len());
        } else if rest.get(1..2).is_some_and(|c| c.starts_with(|c: char| c.is_ascii_alphabetic())) {
            let (tag, end) = parse_tag(html, position);
            position = end;
            if matches!(tag.name.as_str(), "script" | "style" | "title" | "textarea" | "noscript") {
                let close = format!("</{}", tag.name);
                let content = html.get(position..).unwrap_or_default().to_ascii_lowercase();
                position += content.find(&close).unwrap_or(content.len());
            }
            tags.push(tag);
        } else {
            position += 1;
        }
    }
    tags
}

/// Parses the tag at `start`. Returns it with the position after it.
fn parse_tag(html: &str, start: usize) -> (Tag<'_>, usize) {
    let mut scanner = Scanner { html, position: start + 1 };
    let name =
        scanner.take_until(|c| c.is_whitespace() || matches!(c, '>' | '/')).to_ascii_lowercase();
    let mut attributes = Vec::new();
    loop {
        scanner.take_until(|c| !c.is_whitespace() && c != '/');
        match scanner.peek() {
            None => break,
            Some('>') => {
                scanner.position += 1;
                break;
            }
            Some(_) => {}
        }

        let before = scanner.position;
        let name = scanner.take_until(|c| c.is_whitespace() || matches!(c, '>' | '/' | '='));
        let name = name.to_ascii_lowercase();
        scanner.take_until(|c| !c.is_whitespace());
        let value = if scanner.peek() == Some('=') {
            scanner.position += 1;
            scanner.take_until(|c| !c.is_whitespace());
            scanner.attribute_value()
        } else {
            ""
        };
        attributes.push((name, value));
        if scanner.position == before {
            break;
        }
    }
    (Tag { name, attributes, span: start..scanner.position }, scanner.position)
}

struct Scanner<'a> {
    html: &'a str,
    position: usize,
}

impl<'a> Scanner<'a> {
    fn rest(&self) -> &'a str {
        self.html.get(self.position..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn take_until(&mut self, is_end: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let text = rest.get(..rest.find(is_end).unwrap_or(rest.len())).unwrap_or_default();
        self.position += text.len();
        text
    }

    fn attribute_value(&mut self) -> &'a str {
        match self.peek() {
            Some(quote @ ('"' | '\'')) => {
                self.position += 1;
                let value = self.take_until(|c| c == quote);
                self.position = (self.position + 1).min(self.html.len());
                value
            }
            _ => self.take_until(|c| c.is_whitespace() || c == '>'),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::html_tags::start_tags;

    #[test]
    fn start_tags_returns_tags_with_attributes() {
        let html = r#"a < b <P Class='x y'>1<img src="a>b" alt=c/><br/><!-- <i> --><script>if (a<b) {}</script></p>
            <a href = "{{document.link}}" title="">x</a><b"#;
        let found: Vec<String> = start_tags(html)
            .iter()
            .map(|tag| {
                assert!(html.get(tag.span.clone()).unwrap().starts_with('<'));
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
    fn start_tags_terminates_on_malformed_html() {
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
