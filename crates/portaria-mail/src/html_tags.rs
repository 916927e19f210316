//! The start tags of HTML text, with their places in it. The tokenizer is the one of the sanitizer (`sanitize.rs`):
//! html5ever.
//!
//! The tokenizer reports no places. It receives the text in pieces that begin or end at `<` and `>`. A tag ends with
//! the piece that completes its token, and begins at the first `<` behind the previous token.

use std::{
    cell::{Cell, RefCell},
    ops::Range,
};

use html5ever::{
    tendril::StrTendril,
    tokenizer::{
        BufferQueue, Tag as TagToken, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer,
        TokenizerOpts, states::RawKind,
    },
};

/// A start tag.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tag {
    /// Name in lower case.
    pub(crate) name: String,
    /// Attributes with names in lower case, and values without quotes and character references.
    pub(crate) attributes: Vec<(String, String)>,
    /// Byte range in the HTML.
    pub(crate) span: Range<usize>,
}

impl Tag {
    /// Returns an attribute's value.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// Returns the start tags in order. The content of scripts, styles and other raw text elements is skipped. A tag that
/// the end of the text cuts off counts as complete.
pub(crate) fn start_tags(html: &str) -> Vec<Tag> {
    let (mut tags, rest) = tokenize(html);
    if let Some(start) = tag_start(html, rest) {
        let rest = html.get(start..).unwrap_or_default();
        let cut_off =
            [">", "\">", "'>"].iter().find_map(|end| tokenize(&format!("{rest}{end}")).0.pop());
        tags.extend(cut_off.map(|tag| Tag { span: start..html.len(), ..tag }));
    }
    tags
}

/// Appends the value of an attribute, escaped as in serialized HTML (HTML Standard, section 13.3).
pub(crate) fn escape_attribute(value: &str, html: &mut String) {
    for c in value.chars() {
        match c {
            '&' => html.push_str("&amp;"),
            '\u{A0}' => html.push_str("&nbsp;"),
            '"' => html.push_str("&quot;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            c => html.push(c),
        }
    }
}

/// Returns the complete start tags, and the end of the last token.
fn tokenize(html: &str) -> (Vec<Tag>, usize) {
    // A byte order mark is text, so that every piece of text makes a token.
    let options = TokenizerOpts { discard_bom: false, ..TokenizerOpts::default() };
    let tokenizer = Tokenizer::new(Sink::default(), options);
    let queue = BufferQueue::default();
    let (mut tags, mut token_end, mut position) = (Vec::new(), 0, 0);
    for piece in pieces(html) {
        queue.push_back(StrTendril::from_slice(piece));
        // The result is for sinks that run scripts.
        let _done = tokenizer.feed(&queue);
        let start = position;
        position += piece.len();
        if let Some(token) = tokenizer.sink.start_tag.take()
            && let Some(start) = tag_start(html, token_end)
        {
            let attributes = token.attrs.iter();
            let attributes = attributes
                .map(|attribute| (attribute.name.local.to_string(), attribute.value.to_string()));
            tags.push(Tag {
                name: token.name.to_string(),
                attributes: attributes.collect(),
                span: start..position,
            });
        }
        if tokenizer.sink.has_token.take() {
            // A `<` completes the text before it, and begins the next token.
            token_end = if piece == "<" { start } else { position };
        }
    }
    (tags, token_end)
}

/// Splits text into `<`, `>`, and what is between them.
fn pieces(html: &str) -> impl Iterator<Item = &str> {
    html.split_inclusive(['<', '>']).flat_map(|piece| {
        let (text, bracket) = piece.split_at(piece.trim_end_matches(['<', '>']).len());
        [text, bracket].into_iter().filter(|piece| !piece.is_empty())
    })
}

/// Returns the place of a start tag that begins at `position`. An empty end tag, `</>`, makes no token.
fn tag_start(html: &str, mut position: usize) -> Option<usize> {
    while html.get(position..)?.starts_with("</>") {
        position += "</>".len();
    }
    let name = html.get(position..)?.strip_prefix('<')?;
    name.starts_with(|c: char| c.is_ascii_alphabetic()).then_some(position)
}

/// Receives the tokens of one piece.
#[derive(Default)]
struct Sink {
    has_token: Cell<bool>,
    start_tag: RefCell<Option<TagToken>>,
}

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        if matches!(token, Token::ParseError(_)) {
            return TokenSinkResult::Continue;
        }
        self.has_token.set(true);
        let Token::TagToken(tag) = token else { return TokenSinkResult::Continue };
        if tag.kind == TagKind::EndTag {
            return TokenSinkResult::Continue;
        }
        let content = match &*tag.name {
            "script" => TokenSinkResult::RawData(RawKind::ScriptData),
            "style" | "noscript" => TokenSinkResult::RawData(RawKind::Rawtext),
            "title" | "textarea" => TokenSinkResult::RawData(RawKind::Rcdata),
            _ => TokenSinkResult::Continue,
        };
        self.start_tag.replace(Some(tag));
        content
    }
}

#[cfg(test)]
mod tests {
    use crate::html_tags::{escape_attribute, start_tags};

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

    #[test]
    fn span_of_tag_is_its_source() {
        for (html, expected) in [
            ("1 < 2<<b>&lt<i title='<u>'>&amp;<p", vec!["<b>", "<i title='<u>'>", "<p"]),
            ("\u{FEFF}<b>\0<i>\r\n<u\r\n>", vec!["<b>", "<i>", "<u\r\n>"]),
            ("</></><b></b <i>><u>", vec!["<b>", "<u>"]),
            ("<title>&lt;<b></titl</title ><i>", vec!["<title>", "<i>"]),
            ("<!doctype html><?x?><!-- <b --!><i><!-- <u", vec!["<i>"]),
            ("<script><!--<script></script>--></script><i a='<", vec!["<script>", "<i a='<"]),
        ] {
            let tags = start_tags(html);
            let spans: Vec<&str> = tags.iter().map(|tag| &html[tag.span.clone()]).collect();
            assert_eq!(spans, expected, "{html}");
        }
    }

    #[test]
    fn cut_off_tag_has_its_attributes() {
        for html in ["<a b=c", "<a b=\"c", "<a b='c", "<a b=c "] {
            let tags = start_tags(html);
            assert_eq!(tags.first().and_then(|tag| tag.get("b")), Some("c"), "{html}");
        }
    }

    #[test]
    fn escaped_attribute_is_read_back() {
        let value = "a&b\u{A0}\"<c>'&lt;é";
        let mut html = String::from("<p title=\"");
        escape_attribute(value, &mut html);
        html.push_str("\">");
        assert_eq!(start_tags(&html).first().and_then(|tag| tag.get("title")), Some(value));
    }
}
