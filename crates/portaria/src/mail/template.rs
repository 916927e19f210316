//! Templates: text in which `{{name}}` stands for a value, and nothing else means anything.

use std::collections::BTreeMap;

/// What the names of a template stand for.
pub type Values<'a> = BTreeMap<&'a str, String>;

/// A stretch of a template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece<'a> {
    Text(&'a str),
    /// `{{name}}`, with or without blanks.
    Name(&'a str),
    /// Braces around what can be no name, or that are never closed: they are just text.
    Malformed(&'a str),
}

/// The HTML with each `{{name}}` replaced, in a single pass: what a value holds is never read as a template.
/// A name without a value becomes nothing.
#[must_use]
pub fn render(template: &str, values: &Values<'_>) -> String {
    fill(template, values, escape)
}

/// The same for plain text, on one line: what would break it becomes a blank.
#[must_use]
pub fn render_line(template: &str, values: &Values<'_>) -> String {
    let line = fill(template, values, |value, line| line.push_str(value));
    let line: String = line.chars().map(|c| if is_break(c) { ' ' } else { c }).collect();
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The names that a template uses.
pub fn names(template: &str) -> impl Iterator<Item = &str> {
    Pieces(template)
        .filter_map(|piece| if let Piece::Name(name) = piece { Some(name) } else { None })
}

/// The braces in a template that are around no name, as they were typed.
pub fn malformed(template: &str) -> impl Iterator<Item = &str> {
    Pieces(template)
        .filter_map(|piece| if let Piece::Malformed(text) = piece { Some(text) } else { None })
}

/// Text as HTML says it.
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

/// What cannot stand in a line: controls, and what Unicode breaks lines at.
#[must_use]
pub fn is_break(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

fn fill(template: &str, values: &Values<'_>, write: impl Fn(&str, &mut String)) -> String {
    let mut filled = String::with_capacity(template.len());
    for piece in Pieces(template) {
        match piece {
            Piece::Text(text) | Piece::Malformed(text) => filled.push_str(text),
            Piece::Name(name) => {
                if let Some(value) = values.get(name) {
                    write(value, &mut filled);
                }
            }
        }
    }
    filled
}

/// What is left of a template to be read.
struct Pieces<'a>(&'a str);

impl<'a> Iterator for Pieces<'a> {
    type Item = Piece<'a>;

    fn next(&mut self) -> Option<Piece<'a>> {
        /// So much of braces that are never closed is shown to whoever typed them.
        const SHOWN: usize = 40;
        let all = self.0;
        let (piece, rest) = match all.find("{{") {
            None if all.is_empty() => return None,
            None => (Piece::Text(all), ""),
            Some(0) => {
                let inner = all.get(2..).unwrap_or_default();
                let again = inner.find("{{");
                let closed = inner.find("}}").filter(|end| again.is_none_or(|again| *end < again));
                if let Some(end) = closed {
                    let (typed, rest) = all.split_at(end + 4);
                    let name = name(inner.get(..end).unwrap_or_default());
                    (name.map_or(Piece::Malformed(typed), Piece::Name), rest)
                } else {
                    let end = again.map_or(all.len(), |again| again + 2);
                    let short = all.char_indices().nth(SHOWN).map_or(all.len(), |(at, _)| at);
                    let (typed, rest) = all.split_at(end.min(short));
                    (Piece::Malformed(typed), rest)
                }
            }
            Some(start) => {
                let (text, rest) = all.split_at(start);
                (Piece::Text(text), rest)
            }
        };
        self.0 = rest;
        Some(piece)
    }
}

/// The name inside of braces. Editors write blanks as `&nbsp;`.
fn name(inner: &str) -> Option<&str> {
    let mut name = inner.trim();
    while let Some(rest) = name.strip_prefix("&nbsp;").or_else(|| name.strip_suffix("&nbsp;")) {
        name = rest.trim();
    }
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_');
    (!name.is_empty() && name.chars().all(fits)).then_some(name)
}

#[cfg(test)]
mod tests {
    use crate::mail::template::{Values, malformed, names, render, render_line};

    fn values() -> Values<'static> {
        Values::from([
            ("client.name", "<b>{{link}}</b>".to_owned()),
            ("link", "https://a/".to_owned()),
            ("long", "a\r\nBcc: x@y\0\u{2028}b".to_owned()),
        ])
    }

    #[test]
    fn values_are_inert() {
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
    fn a_line_stays_one() {
        assert_eq!(
            render_line("A {{long}}  {{client.name}}", &values()),
            "A a Bcc: x@y b <b>{{link}}</b>"
        );
    }

    #[test]
    fn what_is_no_name_is_told_as_it_was_typed() {
        for (template, known, odd) in [
            ("{{client.cpf}} {{ link }}", vec!["client.cpf", "link"], vec![]),
            ("{{7*7}}{{}}", vec![], vec!["{{7*7}}", "{{}}"]),
            ("{{{client.name}}}", vec![], vec!["{{{client.name}}"]),
            ("{{ {{x}} }}", vec!["x"], vec!["{{ "]),
            ("{{client.<b>name</b>}}", vec![], vec!["{{client.<b>name</b>}}"]),
            ("{{config}}{{self.__init__}}", vec!["config", "self.__init__"], vec![]),
            ("fim {{client.name", vec![], vec!["{{client.name"]),
        ] {
            assert_eq!(names(template).collect::<Vec<_>>(), known, "{template}");
            assert_eq!(malformed(template).collect::<Vec<_>>(), odd, "{template}");
        }
    }
}
