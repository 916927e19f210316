//! Templates: text in which `{{name}}` stands for a value, and nothing else means anything.

use std::collections::BTreeMap;

/// The HTML with each `{{name}}` replaced, in a single pass: what a value holds is never read as a template.
/// A name without a value becomes nothing.
#[must_use]
pub fn render(template: &str, values: &BTreeMap<&str, String>) -> String {
    let mut html = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        html.push_str(before);
        let Some((name, after)) = after.split_once("}}") else {
            // Never closed: it is just text.
            html.push_str("{{");
            rest = after;
            continue;
        };
        if let Some(value) = values.get(name.trim()) {
            escape(value, &mut html);
        }
        rest = after;
    }
    html.push_str(rest);
    html
}

fn escape(value: &str, html: &mut String) {
    for c in value.chars() {
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::render;

    #[test]
    fn values_are_inert() {
        let values = BTreeMap::from([
            ("client.name", "<b>{{link}}</b>".to_owned()),
            ("link", "https://a/".to_owned()),
        ]);
        for (template, expected) in [
            ("Olá {{client.name}}", "Olá &lt;b&gt;{{link}}&lt;/b&gt;"),
            ("{{ link }}", "https://a/"),
            ("{{client.cpf}}|{{7*7}}", "|"),
            ("{{link", "{{link"),
            ("${7*7} <%= %>", "${7*7} <%= %>"),
        ] {
            assert_eq!(render(template, &values), expected, "{template}");
        }
    }
}
