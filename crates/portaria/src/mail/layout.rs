//! How a mail looks: one layout around what it says, and our few styles written into its tags.
//!
//! Mail programs ignore style sheets, or most of them; what stands in the layout's own is for those that know dark
//! colours and narrow screens. Outlook lays out by tables, so the layout is one.

use crate::mail::{
    html_tags::{Tag, start_tags},
    sanitize::sanitize,
    template::{Values, render, render_line},
};

const LAYOUT: &str = include_str!("../../templates/layout.html");
/// Follows the reader's system.
const THEME: &str = include_str!("../../templates/theme.html");
/// For mails that name colours: those were chosen for a white page.
const LIGHT: &str = include_str!("../../templates/theme_light.html");

/// The style sheets that a mail may bring, for whoever shows one in a page.
#[must_use]
pub fn style_sheets() -> [&'static str; 2] {
    [THEME, LIGHT].map(|theme| {
        let sheet = theme.split_once("<style>").and_then(|(_, rest)| rest.split_once("</style>"));
        sheet.expect("a theme holds one style sheet").0
    })
}

/// Of tags, and of tags with a class.
const STYLES: [(&str, &str, &str); 15] = [
    (
        "h1",
        "",
        "margin:0 0 16px;font-size:24px;line-height:1.25;font-weight:600;letter-spacing:-0.01em",
    ),
    ("h2", "", "margin:0 0 12px;font-size:20px;line-height:1.3;font-weight:600"),
    ("h3", "", "margin:0 0 8px;font-size:17px;line-height:1.35;font-weight:600"),
    ("p", "", "margin:0 0 16px;line-height:1.5"),
    (
        "p",
        "code",
        "margin:0 0 16px;font-size:28px;line-height:1.25;letter-spacing:6px;font-weight:600",
    ),
    ("a", "", "color:#0E5A6B"),
    (
        "a",
        "button",
        "display:inline-block;margin:4px 0;padding:12px 20px;background:#0E5A6B;color:#FFFFFF;border-radius:8px;text-decoration:none;font-weight:600",
    ),
    ("ul", "", "margin:0 0 16px;padding:0 0 0 24px;line-height:1.5"),
    ("ol", "", "margin:0 0 16px;padding:0 0 0 24px;line-height:1.5"),
    ("li", "", "margin:0 0 4px"),
    (
        "blockquote",
        "",
        "margin:0 0 16px;padding:0 0 0 16px;border-left:3px solid #E6E6E1;color:#5C6670",
    ),
    ("img", "", "max-width:100%;height:auto;border:0"),
    ("hr", "", "margin:24px 0;border:0;border-top:1px solid #E6E6E1"),
    (
        "pre",
        "",
        "margin:0 0 16px;padding:12px;background:#F3F3EF;border-radius:8px;white-space:pre-wrap;font-size:14px",
    ),
    ("table", "", "max-width:100%"),
];

/// A mail whose values are yet to be put in: made once, however many people get it.
#[derive(Debug, Clone)]
pub struct MailLayout {
    subject: String,
    html: String,
}

/// A mail as it waits to be sent.
#[derive(Debug, Clone)]
pub struct RenderedMail {
    /// One line.
    pub subject: String,
    /// The whole page.
    pub html: String,
}

impl MailLayout {
    /// Of words of ours. The footer too may name values.
    #[must_use]
    pub fn built_in(subject: &str, body: &str, footer: &str) -> Self {
        Self { subject: subject.to_owned(), html: laid_out(body, footer) }
    }

    /// Of what somebody of the office wrote: cleaned first.
    #[must_use]
    pub fn custom(subject: &str, body: &str, footer: &str) -> Self {
        Self::built_in(subject, &sanitize(body), footer)
    }

    /// With its values.
    #[must_use]
    pub fn render(&self, values: &Values<'_>) -> RenderedMail {
        /// A longer subject nobody reads.
        const MOST_SUBJECT: usize = 200;
        let mut subject = render_line(&self.subject, values);
        if let Some((end, _)) = subject.char_indices().nth(MOST_SUBJECT) {
            let kept = subject.char_indices().nth(MOST_SUBJECT - 1).map_or(end, |(at, _)| at);
            subject.truncate(kept);
            subject.push('…');
        }
        RenderedMail { subject, html: render(&self.html, values) }
    }
}

/// The layout around what a mail says, and our styles in its tags. What it names is yet to be put in.
#[must_use]
pub fn laid_out(body: &str, footer: &str) -> String {
    let names_colours = start_tags(body).iter().any(|tag| {
        tag.attributes.iter().any(|(name, value)| name.contains("color") || value.contains("color"))
    });
    LAYOUT
        .replace("{{theme}}", if names_colours { LIGHT } else { THEME }.trim_end())
        .replace("{{footer}}", &styled(footer.trim_end()))
        // Last: nothing in it is the layout's.
        .replace("{{content}}", &styled(body.trim_end()))
}

/// The HTML with our styles before its own, which win. A picture that may not be shown leaves nothing behind.
fn styled(html: &str) -> String {
    let mut out = String::with_capacity(html.len() * 2);
    let mut at = 0;
    for tag in start_tags(html) {
        out.push_str(html.get(at..tag.place.start).unwrap_or_default());
        at = tag.place.end;
        if tag.name == "img" && tag.get("src").is_none() {
            continue;
        }
        match style(&tag) {
            None => out.push_str(html.get(tag.place).unwrap_or_default()),
            Some(ours) => write(&tag, ours, &mut out),
        }
    }
    out.push_str(html.get(at..).unwrap_or_default());
    out
}

fn style(tag: &Tag<'_>) -> Option<&'static str> {
    let class = tag.get("class").unwrap_or_default();
    let of = |wanted: &str| {
        let mut styles = STYLES.iter();
        styles.find(|(name, class, _)| *name == tag.name && *class == wanted).map(|found| found.2)
    };
    of(class).or_else(|| of(""))
}

fn write(tag: &Tag<'_>, ours: &str, out: &mut String) {
    out.push('<');
    out.push_str(&tag.name);
    let theirs = tag.get("style").unwrap_or_default();
    let others = tag.attributes.iter().filter(|(name, _)| name != "style");
    for (name, value) in others.map(|(name, value)| (name.as_str(), *value)) {
        out.extend([" ", name, "=\"", value, "\""]);
    }
    let between = if theirs.is_empty() { "" } else { ";" };
    out.extend([" style=\"", ours, between, theirs, "\">"]);
}

#[cfg(test)]
mod tests {
    use crate::mail::layout::{MailLayout, Values, styled};

    #[test]
    fn our_styles_stand_before_theirs() {
        for (html, expected) in [
            ("<li>a</li>", "<li style=\"margin:0 0 4px\">a</li>"),
            (
                "<li style=\"color:red\" title=\"x\">a</li>",
                "<li title=\"x\" style=\"margin:0 0 4px;color:red\">a</li>",
            ),
            ("<b>a</b> &lt;li> <br>", "<b>a</b> &lt;li> <br>"),
            ("a<img alt=\"x\">b", "ab"),
        ] {
            assert_eq!(styled(html), expected);
        }
        assert!(
            styled("<a class=\"button\" href=\"{{link}}\">x</a>").contains("background:#0E5A6B")
        );
    }

    #[test]
    fn a_mail_with_colours_of_its_own_stays_light() {
        let page = |body| MailLayout::custom("", body, "").render(&Values::new()).html;
        assert!(page("<p>a</p>").contains("prefers-color-scheme: dark"));
        for body in ["<p style=\"background-color:#fff\">a</p>", "<font color=\"red\">a</font>"] {
            assert!(page(body).contains("light only"), "{body}");
        }
    }

    #[test]
    fn nothing_in_a_mail_is_taken_for_the_layout() {
        let values = Values::from([("client.name", "{{footer}}{{content}}".to_owned())]);
        let html =
            MailLayout::custom("", "<p>{{client.name}} {{footer}}</p>", "pé").render(&values).html;
        assert!(html.contains(">{{footer}}{{content}} </p>"), "{html}");
        assert_eq!(html.matches("pé").count(), 1);
    }

    #[test]
    fn a_subject_is_one_line_of_bounded_length() {
        let values = Values::from([("client.name", "a\r\nBcc: x@y".repeat(40))]);
        let subject = MailLayout::built_in("Olá {{client.name}}", "", "").render(&values).subject;
        assert!(subject.starts_with("Olá a Bcc: x@ya Bcc"), "{subject}");
        assert_eq!(subject.chars().count(), 200);
        assert!(subject.ends_with('…'));
    }
}
