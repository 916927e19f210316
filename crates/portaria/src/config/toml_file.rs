//! Files in TOML, such as `portaria.toml`, with messages for people who do not know the format.

use anyhow::{anyhow, bail};
use toml::{Spanned, Table, Value, de::DeTable};

use crate::config::sources::may_be_secret;

/// Settings that may be a number or text.
pub(super) const NUMBER_OR_TEXT: [&str; 6] = [
    "max_upload",
    "max_answer",
    "min_free_space",
    "expiring_soon_days",
    "quota",
    "quota_per_client",
];

/// A setting, with its line.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) line: usize,
    pub(crate) name: String,
    pub(crate) value: Value,
}

/// Parses the settings of a file. `known` holds the default of each setting.
///
/// # Errors
/// A sentence that begins with the number of the line.
pub(crate) fn parse(text: &str, known: &Table) -> anyhow::Result<Vec<Entry>> {
    let line =
        |offset: usize| text.get(..offset).map_or(1, |before| before.matches('\n').count() + 1);
    let explain = |error: &toml::de::Error| {
        let number = error.span().map_or(1, |span| line(span.start));
        let why = text.lines().nth(number - 1).and_then(|content| explain_value(content, known));
        anyhow!("line {number}: {}", why.unwrap_or_else(|| error.message().to_owned()))
    };
    let spans = DeTable::parse(text).map_err(|error| explain(&error))?;
    let mut values: Table = text.parse().map_err(|error| explain(&error))?;
    let entry = |name: &Spanned<_>| {
        let (line, name) =
            (line(name.span().start), AsRef::<str>::as_ref(name.get_ref()).to_owned());
        values.remove(&name).map(|value| Entry { line, name, value })
    };
    let mut entries: Vec<Entry> = spans.get_ref().keys().filter_map(entry).collect();
    entries.sort_by_key(|entry| entry.line);
    Ok(entries)
}

/// Explains a line that is no TOML, if it sets a known setting.
fn explain_value(content: &str, known: &Table) -> Option<String> {
    let (name, value) = content.split_once('=')?;
    let (name, value) = (name.trim(), value.trim());
    let default = known.get(name)?;
    let is_unquoted = default.is_str() && !value.starts_with(['"', '\'']);
    let value = if may_be_secret(name) { "…" } else { value };
    if is_unquoted {
        return Some(format!("{name} needs quotation marks: {name} = \"{value}\""));
    }
    Some(format!("{name} must be {}, not {value}", expected_kind(default)))
}

/// Checks that a value is of the type of its default.
///
/// # Errors
/// A sentence that names the setting.
pub(crate) fn check_type(name: &str, default: &Value, value: &Value) -> anyhow::Result<()> {
    if default.same_type(value) || NUMBER_OR_TEXT.contains(&name) {
        return Ok(());
    }
    if may_be_secret(name) {
        bail!("{name} must be {}", expected_kind(default));
    }
    bail!("{name} must be {}, not {value}", expected_kind(default))
}

fn expected_kind(default: &Value) -> &'static str {
    match default {
        Value::Boolean(_) => "true or false, without quotation marks",
        Value::Integer(_) => "a whole number, without quotation marks",
        Value::Array(_) => "a list like [\"one\", \"two\"]",
        _ => "a text in quotation marks",
    }
}
