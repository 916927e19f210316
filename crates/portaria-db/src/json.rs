//! JSON paths and containment, evaluated in the same way for both databases.

use portaria_query::JsonPathStep;
use serde_json::{Number, Value};

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
    to_text(value_at(&root, &decode(path)?)?)
}

/// Returns whether the value at a path from [`encode`] in a column's JSON contains `other`, or is contained in it.
pub(crate) fn contains_at(json: &str, path: &str, other: &str, is_contained: bool) -> Option<bool> {
    let root: Value = serde_json::from_str(json).ok()?;
    let other: Value = serde_json::from_str(other).ok()?;
    let value = value_at(&root, &decode(path)?)?;
    Some(if is_contained { contains(&other, value) } else { contains(value, &other) })
}

/// Returns whether `whole` contains `part`, like `@>` of PostgreSQL's jsonb: objects by keys, arrays as sets. An array
/// also contains a scalar that is one of its elements, but only at the top.
#[must_use]
pub fn contains(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Array(values), scalar) if !scalar.is_array() && !scalar.is_object() => {
            values.iter().any(|value| contains_nested(value, scalar))
        }
        (whole, part) => contains_nested(whole, part),
    }
}

fn contains_nested(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => part
            .iter()
            .all(|(key, part)| whole.get(key).is_some_and(|value| contains_nested(value, part))),
        (Value::Array(whole), Value::Array(part)) => {
            part.iter().all(|part| whole.iter().any(|value| contains_nested(value, part)))
        }
        (Value::Number(one), Value::Number(other)) => equal_numbers(one, other),
        (one, other) => one == other,
    }
}

/// Compares numbers by their decimal digits, as PostgreSQL does.
fn equal_numbers(one: &Number, other: &Number) -> bool {
    let digits = |number: &Number| match number.as_f64() {
        Some(real) if number.is_f64() && real != 0.0 => real.to_string(),
        Some(0.0) => "0".to_owned(),
        _ => number.to_string(),
    };
    one == other || digits(one) == digits(other)
}

fn decode(path: &str) -> Option<Vec<JsonPathStep>> {
    let steps: Vec<Value> = serde_json::from_str(path).ok()?;
    steps
        .into_iter()
        .map(|step| match step {
            Value::String(key) => Some(JsonPathStep::Key(key)),
            other => {
                other.as_i64().and_then(|index| i32::try_from(index).ok()).map(JsonPathStep::Index)
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use portaria_query::JsonPathStep;

    use serde_json::json;

    use crate::json::{contains, encode, text_at};

    #[test]
    fn contains_matches_postgres_operator() {
        for (whole, part, expected) in [
            (json!({"a": 1, "b": [1, 2]}), json!({"b": [2]}), true),
            (json!({"a": 1}), json!({}), true),
            (json!({"a": 1}), json!([]), false),
            (json!({"a": null}), json!({"a": null}), true),
            (json!({}), json!({"a": null}), false),
            (json!([1, 2, 2]), json!([2, 2, 1, 1]), true),
            (json!([1, [2, 3]]), json!([[3]]), true),
            (json!([1, [2, 3]]), json!([3]), false),
            (json!(["a", "b"]), json!("a"), true),
            (json!([["a"]]), json!("a"), false),
            (json!({"a": ["x"]}), json!({"a": "x"}), false),
            (json!("a"), json!(["a"]), false),
            (json!("a"), json!("a"), true),
            (json!(1), json!(1.0), true),
            (json!(0), json!(-0.0), true),
            (json!(1_152_921_504_606_846_976_i64), json!(1_152_921_504_606_846_976.0), false),
            (json!(1e300), json!(1e300), true),
            (json!(1), json!("1"), false),
        ] {
            assert_eq!(contains(&whole, &part), expected, "{whole} @> {part}");
        }
    }

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
