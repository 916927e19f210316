//! The layout of mails: one page around the body, with inline styles in the body's tags.
//!
//! Most mail programs ignore style sheets, so styles are inlined. The layout's style sheet serves programs that support
//! dark mode and narrow screens. The layout is a table, because Outlook does not support other layouts.

use std::sync::Arc;

use crate::{
    html_limits::LimitExceeded,
    html_tags::{Tag, escape_attribute, start_tags},
    sanitize::sanitize,
    template::{Values, render, render_line},
};

const LAYOUT: &str = include_str!("../templates/layout.html");
/// Path of the office's logo at the portal. [`crate::mime::compose`] replaces it by a part of the message.
pub const LOGO_PATH: &str = "/office/logo.png";
/// The place of the logo in the layout.
const LOGO_MARK: &str = "{{logo}}";
/// The logo, on white, because logos are drawn for light grounds.
pub(crate) const LOGO: &str = r#"<img src="/office/logo.png" alt="" height="40" style="display:block;height:40px;width:auto;max-width:240px;margin:0 0 12px;padding:6px;background:#FFFFFF;border-radius:8px">"#;
/// Style sheet that follows the recipient's color scheme. It contains no color of the office: the content security policy
/// of the preview permits only sheets that never change.
const THEME: &str = include_str!("../templates/theme.html");
/// Style sheet for bodies that set colors, which were chosen for a white page.
const LIGHT: &str = include_str!("../templates/theme_light.html");

/// Returns the style sheets that a mail can contain. The content security policy of the preview permits them by hash.
#[must_use]
pub fn style_sheets() -> [&'static str; 2] {
    [THEME, LIGHT].map(|theme| {
        let sheet = theme.split_once("<style>").and_then(|(_, rest)| rest.split_once("</style>"));
        sheet.expect("a theme contains one style sheet").0
    })
}

/// Inline styles by tag and class. An empty class applies to the tag without one of the listed classes.
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
    ("a", "", "color:{{office.color}}"),
    (
        "a",
        "button",
        "display:inline-block;margin:4px 0;padding:12px 20px;background:{{office.color}};color:#FFFFFF;border-radius:8px;text-decoration:none;font-weight:600",
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

/// The office, which every mail shows.
#[derive(Debug, Clone)]
pub struct Letterhead {
    /// Name.
    pub name: String,
    /// Color of links and buttons, `#rrggbb`, readable on white.
    pub color: String,
    /// Whether the office has a logo.
    pub has_logo: bool,
    /// Text below every mail; empty for none.
    pub footer: String,
}

/// A mail with placeholders, built once and rendered for each recipient.
#[derive(Debug, Clone)]
pub struct MailLayout {
    pub(crate) subject: String,
    pub(crate) html: Arc<str>,
}

/// A mail without placeholders, ready for the outbox.
#[derive(Debug, Clone)]
pub struct RenderedMail {
    /// Subject, one line.
    pub subject: String,
    /// Complete HTML page.
    pub html: String,
}

impl MailLayout {
    /// Builds a mail of a built-in template. Subject, body and footer may contain placeholders.
    #[must_use]
    pub fn built_in(subject: &str, body: &str, footer: &str) -> Self {
        Self { subject: subject.to_owned(), html: apply_layout(body, footer).into() }
    }

    /// Builds a mail of a template that the office wrote. The body is sanitized.
    ///
    /// # Errors
    /// [`LimitExceeded`] for a body that is too large or nested too deeply.
    pub fn custom(subject: &str, body: &str, footer: &str) -> Result<Self, LimitExceeded> {
        Ok(Self::built_in(subject, &sanitize(body)?, footer))
    }

    /// Replaces the placeholders, also those of the letterhead. A longer subject is cut and ends with an ellipsis.
    #[must_use]
    pub fn render(&self, office: &Letterhead, mut values: Values<'_>) -> RenderedMail {
        /// Maximum length of a subject. Characters.
        const MAX_SUBJECT: usize = 200;
        values.insert("office.name", office.name.clone());
        values.insert("office.color", office.color.clone());
        values.insert("office.footer", office.footer.clone());
        let mut subject = render_line(&self.subject, &values);
        if let Some((end, _)) = subject.char_indices().nth(MAX_SUBJECT) {
            let cut = subject.char_indices().nth(MAX_SUBJECT - 1).map_or(end, |(index, _)| index);
            subject.truncate(cut);
            subject.push('…');
        }
        let html = if office.has_logo {
            // The first mark is that of the layout, which precedes the body.
            render(&self.html.replacen(LOGO_MARK, LOGO, 1), &values)
        } else {
            render(&self.html, &values)
        };
        RenderedMail { subject, html }
    }
}

/// Puts a body and a footer into the layout and inlines the styles. Placeholders are kept.
#[must_use]
pub fn apply_layout(body: &str, footer: &str) -> String {
    let sets_colors = start_tags(body).iter().any(|tag| {
        tag.attributes.iter().any(|(name, value)| name.contains("color") || value.contains("color"))
    });
    LAYOUT
        .replace("{{theme}}", if sets_colors { LIGHT } else { THEME }.trim_end())
        .replace("{{footer}}", &styled(footer.trim_end()))
        // Replaced last, so that `{{theme}}` and `{{footer}}` in a body are not expanded.
        .replace("{{content}}", &styled(body.trim_end()))
}

/// Inlines the styles of [`STYLES`] before a tag's own declarations, which override them. Images without a source,
/// which the sanitizer removed, are dropped.
fn styled(html: &str) -> String {
    let mut out = String::with_capacity(html.len() * 2);
    let mut copied = 0;
    for tag in start_tags(html) {
        out.push_str(html.get(copied..tag.span.start).unwrap_or_default());
        copied = tag.span.end;
        if tag.name == "img" && tag.get("src").is_none() {
            continue;
        }
        match style(&tag) {
            None => out.push_str(html.get(tag.span).unwrap_or_default()),
            Some(base_style) => write_tag(&tag, base_style, &mut out),
        }
    }
    out.push_str(html.get(copied..).unwrap_or_default());
    out
}

/// Finds the style of a tag: by class, otherwise by name.
fn style(tag: &Tag) -> Option<&'static str> {
    let class = tag.get("class").unwrap_or_default();
    let find = |class_name: &str| {
        let mut styles = STYLES.iter();
        styles
            .find(|(name, class, _)| *name == tag.name && *class == class_name)
            .map(|style| style.2)
    };
    find(class).or_else(|| find(""))
}

/// Writes a tag with `base_style` before its own style.
fn write_tag(tag: &Tag, base_style: &str, out: &mut String) {
    out.push('<');
    out.push_str(&tag.name);
    let own = tag.get("style").unwrap_or_default();
    let others = tag.attributes.iter().filter(|(name, _)| name != "style");
    for (name, value) in others {
        out.extend([" ", name, "=\""]);
        escape_attribute(value, out);
        out.push('"');
    }
    let separator = if own.is_empty() { "" } else { ";" };
    out.extend([" style=\"", base_style, separator]);
    escape_attribute(own, out);
    out.push_str("\">");
}

#[cfg(test)]
mod tests {
    use crate::layout::{LOGO_PATH, Letterhead, MailLayout, Values, styled};

    fn office() -> Letterhead {
        Letterhead {
            name: "Prado <Contábil>".to_owned(),
            color: "#7A1F3D".to_owned(),
            has_logo: false,
            footer: String::new(),
        }
    }

    #[test]
    fn letterhead_is_part_of_every_mail() {
        let layout =
            MailLayout::custom("", "<a class=\"button\" href=\"/\">{{logo}}</a>", "").unwrap();
        let plain = layout.render(&office(), Values::new()).html;
        assert!(
            plain.contains(">Prado &lt;Contábil&gt;</td>") && !plain.contains("<img"),
            "{plain}"
        );
        assert!(plain.contains("background:#7A1F3D;color:#FFFFFF"), "{plain}");
        assert!(!plain.contains("{{"), "{plain}");
        let office = Letterhead { has_logo: true, footer: "a\n<b>".to_owned(), ..office() };
        let html = layout.render(&office, Values::new()).html;
        assert_eq!(html.matches(LOGO_PATH).count(), 1);
        assert!(html.contains("a<br>&lt;b&gt;"), "{html}");
    }

    #[test]
    fn inlined_styles_precede_own_styles() {
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
            styled("<a class=\"button\" href=\"{{link}}\">x</a>")
                .contains("background:{{office.color}}")
        );
    }

    #[test]
    fn mail_that_sets_colors_uses_light_theme() {
        let page =
            |body| MailLayout::custom("", body, "").unwrap().render(&office(), Values::new()).html;
        assert!(page("<p>a</p>").contains("prefers-color-scheme: dark"));
        for body in ["<p style=\"background-color:#fff\">a</p>", "<font color=\"red\">a</font>"] {
            assert!(page(body).contains("light only"), "{body}");
        }
    }

    #[test]
    fn layout_placeholders_in_body_or_values_are_not_expanded() {
        let values = Values::from([("client.name", "{{footer}}{{content}}".to_owned())]);
        let layout = MailLayout::custom("", "<p>{{client.name}} {{footer}}</p>", "pé").unwrap();
        let html = layout.render(&office(), values).html;
        assert!(html.contains(">{{footer}}{{content}} </p>"), "{html}");
        assert_eq!(html.matches("pé").count(), 1);
    }

    #[test]
    fn subject_is_one_line_of_bounded_length() {
        let values = Values::from([("client.name", "a\r\nBcc: x@y".repeat(40))]);
        let layout = MailLayout::built_in("Olá {{client.name}}", "", "");
        let subject = layout.render(&office(), values).subject;
        assert!(subject.starts_with("Olá a Bcc: x@ya Bcc"), "{subject}");
        assert_eq!(subject.chars().count(), 200);
        assert!(subject.ends_with('…'));
    }
}
