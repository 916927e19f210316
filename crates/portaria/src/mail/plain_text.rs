//! A mail's text for who reads no HTML: the same words, links at the foot.

use html2text::{
    config,
    render::{TaggedLine, TextDecorator},
};

/// Where lines break, as mail has always done (RFC 5322).
const WIDTH: usize = 76;

/// The text of a mail's HTML.
#[must_use]
pub fn to_plain_text(html: &str) -> String {
    let text = config::with_decorator(Letter)
        .link_footnotes(true)
        // An address in two halves leads nowhere.
        .no_link_wrapping()
        // Tables are there for the layout.
        .raw_mode(true)
        .allow_width_overflow()
        .string_from_read(html.as_bytes(), WIDTH);
    // With wide lines allowed nothing is left that could fail but the reading, which is from memory.
    let text = text.unwrap_or_default();
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim().to_owned() + "\n"
}

/// Words without marks around them; a list keeps its dashes, a quotation its arrows.
#[derive(Debug, Clone)]
struct Letter;

impl TextDecorator for Letter {
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
    use crate::mail::plain_text::to_plain_text;

    #[test]
    fn text_says_what_the_html_says() {
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
