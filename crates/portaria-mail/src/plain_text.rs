//! The plain-text alternative of a mail: the text of the HTML, with its links as footnotes. The text of a received mail's
//! HTML has its lines, and no footnotes.

use std::sync::LazyLock;

use html2text::{
    config,
    render::{TaggedLine, TextDecorator},
};
use mail_parser::decoders::html::html_to_text;
use regex::Regex;

use crate::{html_limits::check_limits, reply_text::REPLY_LINE};

/// Maximum line width, below the 78 characters that RFC 5322, section 2.1.1, recommends. Characters.
const LINE_WIDTH: usize = 76;
/// Line width beyond which the lines of a received mail are wrapped. Characters.
const RECEIVED_LINE_WIDTH: usize = 10_000;

/// Tags at which a line ends, for HTML that is not converted as a tree.
static LINE_ENDS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:\s*</?(?:div|tr|li|h[1-6]|blockquote|pre)\b[^<>]*>)+")
        .expect("a test compiles the pattern")
});

/// Converts a mail's HTML to plain text.
#[must_use]
pub fn to_plain_text(html: &str) -> String {
    let text = config::with_decorator(PlainDecorator)
        .link_footnotes(true)
        // A wrapped URL is not clickable.
        .no_link_wrapping()
        // Tables are used for layout only.
        .raw_mode(true)
        .allow_width_overflow()
        .string_from_read(html.as_bytes(), LINE_WIDTH);
    // With overflow allowed only reading can fail, and the source is in memory.
    let text = text.unwrap_or_default();
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim().to_owned() + "\n"
}

/// Converts the HTML of a received mail to text, up to the quoted mail.
#[must_use]
pub(crate) fn received_html_to_text(html: &str) -> String {
    let end = html.find(REPLY_LINE).map(|at| at + REPLY_LINE.len());
    let html = end.and_then(|end| html.get(..end)).unwrap_or(html);
    // Anyone can send HTML. The conversion of a tree needs the limits.
    let tree = check_limits(html).ok().and_then(|()| {
        config::with_decorator(PlainDecorator)
            .raw_mode(true)
            .allow_width_overflow()
            .string_from_read(html.as_bytes(), RECEIVED_LINE_WIDTH)
            .ok()
    });
    let text = tree.unwrap_or_else(|| html_to_text(&LINE_ENDS.replace_all(html, "<br>")));
    let lines = text.lines().map(str::trim_end);
    // A horizontal rule is as wide as a line.
    let lines = lines.filter(|line| line.is_empty() || line.chars().any(|char| char != '─'));
    lines.collect::<Vec<_>>().join("\n").replace('\u{a0}', " ").trim().to_owned()
}

/// Renders text without emphasis marks. Lists keep their dashes and numbers, quotations their `>`.
#[derive(Debug, Clone)]
struct PlainDecorator;

impl TextDecorator for PlainDecorator {
    type Annotation = ();

    fn decorate_link_start(&mut self, _url: &str) -> (String, ()) {
        (String::new(), ())
    }

    fn decorate_link_end(&mut self) -> String {
        String::new()
    }

    fn decorate_em_start(&self) -> (String, ()) {
        (String::new(), ())
    }

    fn decorate_em_end(&self) -> String {
        String::new()
    }

    fn decorate_strong_start(&self) -> (String, ()) {
        (String::new(), ())
    }

    fn decorate_strong_end(&self) -> String {
        String::new()
    }

    fn decorate_strikeout_start(&self) -> (String, ()) {
        (String::new(), ())
    }

    fn decorate_strikeout_end(&self) -> String {
        String::new()
    }

    fn decorate_code_start(&self) -> (String, ()) {
        (String::new(), ())
    }

    fn decorate_code_end(&self) -> String {
        String::new()
    }

    fn decorate_preformat_first(&self) {}

    fn decorate_preformat_cont(&self) {}

    fn decorate_image(&mut self, _source: &str, title: &str) -> (String, ()) {
        (format!("[{title}]"), ())
    }

    fn header_prefix(&self, _level: usize) -> String {
        String::new()
    }

    fn quote_prefix(&self) -> String {
        "> ".to_owned()
    }

    fn unordered_item_prefix(&self) -> String {
        "- ".to_owned()
    }

    fn ordered_item_prefix(&self, number: i64) -> String {
        format!("{number}. ")
    }

    fn make_subblock_decorator(&self) -> Self {
        self.clone()
    }

    fn finalise(&mut self, urls: Vec<String>) -> Vec<TaggedLine<()>> {
        let line = |(number, url)| TaggedLine::from_string(format!("[{number}] {url}"), &());
        (1..).zip(urls).map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::plain_text::{received_html_to_text, to_plain_text};

    #[test]
    fn received_html_keeps_its_lines() {
        let long = "palavra ".repeat(1_000);
        let deep = "<div>".repeat(100_000);
        for (html, text) in [
            (
                "<html><head><style>p { margin: 0 }</style></head><body dir=auto>Bom dia<div>Guia de 100</div>\
                 <div>50 ficam para <a href=\"https://a.b/c\">dezembro</a></div><div><br></div><div>Obrigado</div></body></html>",
                "Bom dia\nGuia de 100\n50 ficam para dezembro\n\nObrigado",
            ),
            (
                "<p class=MsoNormal>Um<o:p></o:p></p><p class=MsoNormal>Dois</p><hr><ul><li>a</li><li>b</li></ul>",
                "Um\n\nDois\n- a\n- b",
            ),
            ("a<br>\nb&nbsp;c<blockquote>citado</blockquote>", "a\nb c\n\n> citado"),
            (&format!("<p>{long}</p>"), long.trim()),
            (&format!("<b>um</b>{deep}dois<div>três"), "um\ndois\ntrês"),
            ("", ""),
        ] {
            let found = received_html_to_text(html);
            let short = |text: &str| text.chars().take(200).collect::<String>();
            assert!(found == text, "{}\n{}", short(html), short(&found));
        }
    }

    #[test]
    fn to_plain_text_keeps_text_and_lists_links() {
        let html = "<table role=presentation><tr><td><h1>Olá, João &amp; Cia.</h1>\
            <p>Há um <b>novo</b> documento: <a href=\"https://portal.example.com.br/documents/view/00000000-0000-0000-0000-000000000000?de=um-email-com-endereco-longo\">abrir</a></p>\
            <ul><li>um</li><li>dois</li></ul></td></tr></table><script>alert(1)</script>";
        assert_eq!(
            to_plain_text(html),
            "Olá, João & Cia.\n\nHá um novo documento: abrir[1]\n- um\n- dois\n\n\
             [1] https://portal.example.com.br/documents/view/00000000-0000-0000-0000-000000000000?de=um-email-com-endereco-longo\n"
        );
        assert_eq!(to_plain_text(""), "\n");
    }
}
