//! Templates: text with `{{name}}` placeholders and no other syntax.
//!
//! Written by hand: a template engine would add logic, which templates of the office must not have.

use std::collections::BTreeMap;

/// Values by placeholder name.
pub type Values<'a> = BTreeMap<&'a str, String>;

/// A segment of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Segment<'a> {
    Text(&'a str),
    /// `{{name}}`, optionally with spaces inside the braces.
    Name(&'a str),
    /// Braces that are not closed, or that contain no valid name. They are rendered as text.
    Malformed(&'a str),
}

/// Replaces the placeholders of an HTML template by escaped values, in one pass: placeholders in values are not
/// replaced. A name without a value is replaced by nothing. Line breaks of a value become `<br>`.
#[must_use]
pub fn render(template: &str, values: &Values<'_>) -> String {
    substitute(template, values, |value, html| {
        for (index, line) in value.lines().enumerate() {
            if index > 0 {
                html.push_str("<br>");
            }
            escape(line, html);
        }
    })
}

/// Replaces the placeholders of a plain-text template by unescaped values. The result is one line: control characters
/// and line breaks become spaces, and runs of spaces collapse.
#[must_use]
pub fn render_line(template: &str, values: &Values<'_>) -> String {
    let line = substitute(template, values, |value, line| line.push_str(value));
    let line: String =
        line.chars().map(|c| if is_control_or_line_break(c) { ' ' } else { c }).collect();
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the placeholder names of a template.
pub fn names(template: &str) -> impl Iterator<Item = &str> {
    Segments(template)
        .filter_map(|segment| if let Segment::Name(name) = segment { Some(name) } else { None })
}

/// Returns the malformed placeholders of a template as typed.
pub fn malformed(template: &str) -> impl Iterator<Item = &str> {
    Segments(template).filter_map(|segment| {
        if let Segment::Malformed(text) = segment { Some(text) } else { None }
    })
}

/// Appends `text` to `html`, escaped for HTML text and quoted attributes.
pub fn escape(text: &str, html: &mut String) {
    for c in text.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            c => html.push(c),
        }
    }
}

/// Whether a character is a control character or a Unicode line or paragraph separator.
#[must_use]
pub fn is_control_or_line_break(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

/// Replaces the placeholders and passes each value to `write`.
fn substitute(template: &str, values: &Values<'_>, write: impl Fn(&str, &mut String)) -> String {
    let mut out = String::with_capacity(template.len());
    for segment in Segments(template) {
        match segment {
            Segment::Text(text) | Segment::Malformed(text) => out.push_str(text),
            Segment::Name(name) => {
                if let Some(value) = values.get(name) {
                    write(value, &mut out);
                }
            }
        }
    }
    out
}

/// Iterator over the segments of a template. It holds the unread rest.
struct Segments<'a>(&'a str);

impl<'a> Iterator for Segments<'a> {
    type Item = Segment<'a>;

    fn next(&mut self) -> Option<Segment<'a>> {
        /// Maximum length of an unclosed placeholder in a report. Characters.
        const MAX_UNCLOSED: usize = 40;
        let input = self.0;
        let (segment, rest) = match input.find("{{") {
            None if input.is_empty() => return None,
            None => (Segment::Text(input), ""),
            Some(0) => {
                let content = input.get(2..).unwrap_or_default();
                let next_open = content.find("{{");
                // The search ends at the next opening braces, so that all searches together read the text once.
                let close = content.get(..next_open.unwrap_or(content.len()));
                let close = close.and_then(|content| content.find("}}"));
                if let Some(end) = close {
                    let (typed, rest) = input.split_at(end + 4);
                    let name = name(content.get(..end).unwrap_or_default());
                    (name.map_or(Segment::Malformed(typed), Segment::Name), rest)
                } else {
                    let end = next_open.map_or(input.len(), |open| open + 2);
                    let limit = input
                        .char_indices()
                        .nth(MAX_UNCLOSED)
                        .map_or(input.len(), |(index, _)| index);
                    let (typed, rest) = input.split_at(end.min(limit));
                    (Segment::Malformed(typed), rest)
                }
            }
            Some(start) => {
                let (text, rest) = input.split_at(start);
                (Segment::Text(text), rest)
            }
        };
        self.0 = rest;
        Some(segment)
    }
}

/// Parses the content of braces as a name. Rich-text editors write spaces as `&nbsp;`.
fn name(content: &str) -> Option<&str> {
    let mut name = content.trim();
    while let Some(rest) = name.strip_prefix("&nbsp;").or_else(|| name.strip_suffix("&nbsp;")) {
        name = rest.trim();
    }
    let is_allowed = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_');
    (!name.is_empty() && name.chars().all(is_allowed)).then_some(name)
}

#[cfg(test)]
mod tests {
    use crate::template::{Values, malformed, names, render, render_line};

    fn values() -> Values<'static> {
        Values::from([
            ("client.name", "<b>{{link}}</b>".to_owned()),
            ("link", "https://a/".to_owned()),
            ("long", "a\r\nBcc: x@y\0\u{2028}b".to_owned()),
        ])
    }

    #[test]
    fn render_escapes_values_and_does_not_expand_them() {
        for (template, expected) in [
            ("Olá {{client.name}}", "Olá &lt;b&gt;{{link}}&lt;/b&gt;"),
            ("{{ link }}{{&nbsp;link&nbsp;}}", "https://a/https://a/"),
            ("{{client.cpf}}|{{7*7}}", "|{{7*7}}"),
            ("{{link", "{{link"),
            ("{{link {{link}}", "{{link https://a/"),
            ("{{{link}}}", "{{{link}}}"),
            ("${7*7} <%= %> #{x} {% for %}", "${7*7} <%= %> #{x} {% for %}"),
            ("{{ {{link}} }}", "{{ https://a/ }}"),
        ] {
            assert_eq!(render(template, &values()), expected, "{template}");
        }
    }

    #[test]
    fn render_line_returns_one_line() {
        assert_eq!(
            render_line("A {{long}}  {{client.name}}", &values()),
            "A a Bcc: x@y b <b>{{link}}</b>"
        );
    }

    #[test]
    fn names_and_malformed_return_placeholders_as_typed() {
        for (template, valid, invalid) in [
            ("{{client.cpf}} {{ link }}", vec!["client.cpf", "link"], vec![]),
            ("{{7*7}}{{}}", vec![], vec!["{{7*7}}", "{{}}"]),
            ("{{{client.name}}}", vec![], vec!["{{{client.name}}"]),
            ("{{ {{x}} }}", vec!["x"], vec!["{{ "]),
            ("{{client.<b>name</b>}}", vec![], vec!["{{client.<b>name</b>}}"]),
            ("{{config}}{{self.__init__}}", vec!["config", "self.__init__"], vec![]),
            ("fim {{client.name", vec![], vec!["{{client.name"]),
        ] {
            assert_eq!(names(template).collect::<Vec<_>>(), valid, "{template}");
            assert_eq!(malformed(template).collect::<Vec<_>>(), invalid, "{template}");
        }
    }
}
