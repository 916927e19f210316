//! The plain-text alternative of a mail: the text of the HTML, with its links as footnotes.

use html2text::{
    config,
    render::{TaggedLine, TextDecorator},
};

/// Maximum line width, below the 78 characters that RFC 5322, section 2.1.1, recommends. Characters.
const LINE_WIDTH: usize = 76;

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
    use crate::plain_text::to_plain_text;

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
