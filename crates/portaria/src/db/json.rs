//! Ways into JSON, the same on both databases.

use query::JsonPathStep;
use serde_json::Value;

/// The place that a path leads to.
#[must_use]
pub fn place<'v>(whole: &'v Value, path: &[JsonPathStep]) -> Option<&'v Value> {
    path.iter().try_fold(whole, |value, step| match step {
        JsonPathStep::Key(key) => value.get(key),
        JsonPathStep::Index(index) => {
            let array = value.as_array()?;
            let index = if *index < 0 {
                array.len().checked_add_signed(isize::try_from(*index).ok()?)?
            } else {
                usize::try_from(*index).ok()?
            };
            array.get(index)
        }
    })
}

/// A place's text, as `->>` gives it: a string's own, anything else as JSON, nothing for null.
#[must_use]
pub fn text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// Whether a NUL stands in a text or a name: PostgreSQL stores no such text, and cannot even look for it.
#[must_use]
pub fn holds_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(values) => values.iter().any(holds_nul),
        Value::Object(fields) => {
            fields.iter().any(|(key, value)| key.contains('\0') || holds_nul(value))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// A path as one parameter of the function that SQLite calls.
pub(crate) fn encode(path: &[JsonPathStep]) -> String {
    let steps = path.iter().map(|step| match step {
        JsonPathStep::Key(key) => Value::from(key.as_str()),
        JsonPathStep::Index(index) => Value::from(*index),
    });
    Value::Array(steps.collect()).to_string()
}

/// What [`encode`] made, applied to a column's JSON.
pub(crate) fn text_at(json: &str, path: &str) -> Option<String> {
    let whole: Value = serde_json::from_str(json).ok()?;
    let steps: Vec<Value> = serde_json::from_str(path).ok()?;
    let steps: Vec<JsonPathStep> = steps
        .into_iter()
        .map(|step| match step {
            Value::String(key) => Some(JsonPathStep::Key(key)),
            other => {
                other.as_i64().and_then(|index| i32::try_from(index).ok()).map(JsonPathStep::Index)
            }
        })
        .collect::<Option<_>>()?;
    text(place(&whole, &steps)?)
}

#[cfg(test)]
mod tests {
    use query::JsonPathStep;

    use crate::db::json::{encode, text_at};

    #[test]
    fn a_path_reads_as_the_arrows_do() {
        let json = r#"{"a":{"b":[1,"two",true,null]}}"#;
        let at = |index| {
            text_at(
                json,
                &encode(&[
                    JsonPathStep::Key("a".into()),
                    JsonPathStep::Key("b".into()),
                    JsonPathStep::Index(index),
                ]),
            )
        };
        assert_eq!(at(0).as_deref(), Some("1"));
        assert_eq!(at(1).as_deref(), Some("two"));
        assert_eq!(at(2).as_deref(), Some("true"));
        assert_eq!(at(3), None);
        assert_eq!(at(-4).as_deref(), Some("1"));
        assert_eq!(at(9), None);
        assert_eq!(text_at(json, "[\"a\"]").as_deref(), Some(r#"{"b":[1,"two",true,null]}"#));
    }
}
