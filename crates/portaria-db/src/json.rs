//! JSON paths, evaluated in the same way for both databases.

use portaria_query::JsonPathStep;
use serde_json::Value;

/// Returns the value at a path.
#[must_use]
pub fn value_at<'v>(root: &'v Value, path: &[JsonPathStep]) -> Option<&'v Value> {
    path.iter().try_fold(root, |value, step| match step {
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

/// The text of a value, as `->>` returns it: the content of a string, any other value as JSON, `None` for null.
#[must_use]
pub fn to_text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// Returns whether a string or key contains NUL. PostgreSQL can neither store nor compare such text.
#[must_use]
pub fn contains_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(values) => values.iter().any(contains_nul),
        Value::Object(fields) => {
            fields.iter().any(|(key, value)| key.contains('\0') || contains_nul(value))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Encodes a path as one parameter of the function that SQLite calls.
pub(crate) fn encode(path: &[JsonPathStep]) -> String {
    let steps = path.iter().map(|step| match step {
        JsonPathStep::Key(key) => Value::from(key.as_str()),
        JsonPathStep::Index(index) => Value::from(*index),
    });
    Value::Array(steps.collect()).to_string()
}

/// Returns the text at a path from [`encode`] in a column's JSON.
pub(crate) fn text_at(json: &str, path: &str) -> Option<String> {
    let root: Value = serde_json::from_str(json).ok()?;
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
    to_text(value_at(&root, &steps)?)
}

#[cfg(test)]
mod tests {
    use portaria_query::JsonPathStep;

    use crate::json::{encode, text_at};

    #[test]
    fn text_at_matches_postgres_operators() {
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
