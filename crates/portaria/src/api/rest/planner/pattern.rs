//! Operands of the filters that search in a text or in JSON, with their limits (docs/protocol/rest.md, section 2.4).

use serde_json::Value;
use unicode_normalization::UnicodeNormalization;

use crate::{
    api::rest::RestError,
    db::{json::contains_nul, regex::Regex},
    schema::{ColumnType, value::normalize_texts},
};

/// Maximum length of a pattern, in characters.
const MAX_PATTERN_CHARS: usize = 256;
/// Maximum number of wildcards of a pattern. The time of a match grows steeply with them, and one request could
/// otherwise occupy a core.
const MAX_WILDCARDS: usize = 8;
/// Maximum number of values in JSON that a column is compared with. Each is looked up in each array of a row.
const MAX_JSON_VALUES: usize = 100;

/// Builds a LIKE pattern: `*` is an alias of `%` in the query language.
///
/// # Errors
/// 42883 for a column that is not text, PGRST127 for a pattern above the limits, 22025 for a trailing backslash.
pub(crate) fn like_pattern(kind: ColumnType, text: &str) -> Result<String, RestError> {
    require_text(kind, "LIKE")?;
    // The form of stored text (`schema/value.rs`).
    let pattern: String = text.nfc().map(|c| if c == '*' { '%' } else { c }).collect();
    let length = pattern.chars().count();
    if length > MAX_PATTERN_CHARS || pattern.matches('%').count() > MAX_WILDCARDS {
        return Err(RestError::unsupported(format!(
            "a pattern has at most {MAX_PATTERN_CHARS} characters and {MAX_WILDCARDS} wildcards"
        )));
    }
    // PostgreSQL reports this error only if a text matches up to the backslash; here it does not depend on the rows.
    if pattern.chars().rev().take_while(|c| *c == '\\').count() % 2 == 1 {
        return Err(RestError::bad_request(
            "22025",
            "LIKE pattern must not end with escape character",
        ));
    }
    Ok(pattern)
}

/// Builds the regular expression of `match` and `imatch`.
///
/// # Errors
/// 42883 for a column that is not text, PGRST127 for a pattern that is too long, 2201B for an invalid one.
pub(crate) fn regex(kind: ColumnType, text: &str, ignore_case: bool) -> Result<Regex, RestError> {
    require_text(kind, "~")?;
    let pattern: String = text.nfc().collect();
    if pattern.chars().count() > MAX_PATTERN_CHARS {
        let limit = format!("a regular expression has at most {MAX_PATTERN_CHARS} characters");
        return Err(RestError::unsupported(limit));
    }
    Regex::parse(&pattern, ignore_case)
        .map_err(|error| RestError::bad_request("2201B", error.to_string()))
}

/// Parses an operand that is JSON.
///
/// # Errors
/// 22P02 for a text that is not JSON, 22P05 for a NUL character, PGRST127 above the limit.
pub(crate) fn json_operand(text: &str) -> Result<Value, RestError> {
    let mut value: Value = serde_json::from_str(text)
        .map_err(|_| RestError::bad_request("22P02", "invalid input syntax for type json"))?;
    if contains_nul(&value) {
        return Err(RestError::nul_byte());
    }
    if count_values(&value) > MAX_JSON_VALUES {
        let limit = format!("a JSON operand has at most {MAX_JSON_VALUES} values");
        return Err(RestError::unsupported(limit));
    }
    normalize_texts(&mut value);
    Ok(value)
}

fn count_values(value: &Value) -> usize {
    1 + match value {
        Value::Array(values) => values.iter().map(count_values).sum(),
        Value::Object(fields) => fields.values().map(count_values).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

fn require_text(kind: ColumnType, operator: &str) -> Result<(), RestError> {
    if matches!(kind, ColumnType::Text(_)) {
        return Ok(());
    }
    let message = format!("operator does not exist: {operator} on a column that holds no text");
    Err(RestError::undefined_function(message))
}
