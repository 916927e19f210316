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

/// Returns whether two values are equal, as `=` of jsonb compares: numbers by value, objects in any order of their keys.
#[must_use]
pub fn equals(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(key, value)| other.get(key).is_some_and(|other| equals(value, other)))
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equals(one, other))
        }
        (Value::Number(one), Value::Number(other)) => equal_numbers(one, other),
        (one, other) => one == other,
    }
}

/// Returns whether the value at a path from [`encode`] in a column's JSON equals `other`.
pub(crate) fn equals_at(json: &str, path: &str, other: &str) -> Option<bool> {
    let root: Value = serde_json::from_str(json).ok()?;
    let other: Value = serde_json::from_str(other).ok()?;
    Some(equals(value_at(&root, &decode(path)?)?, &other))
}

/// Returns bytes that sort like the value at a path from [`encode`] in a column's JSON: null, texts by code point,
/// numbers, `false`, `true`, arrays, objects. Arrays and objects sort by their text.
pub(crate) fn sort_key_at(json: &str, path: &str) -> Option<Vec<u8>> {
    let root: Value = serde_json::from_str(json).ok()?;
    Some(sort_key(value_at(&root, &decode(path)?)?))
}

fn sort_key(value: &Value) -> Vec<u8> {
    let (rank, bytes) = match value {
        Value::Null => (0, Vec::new()),
        Value::String(text) => (1, text.as_bytes().to_vec()),
        Value::Number(number) => (2, number_key(&number.to_string())),
        Value::Bool(value) => (3, vec![u8::from(*value)]),
        Value::Array(_) => (4, value.to_string().into_bytes()),
        Value::Object(_) => (5, value.to_string().into_bytes()),
    };
    [vec![rank], bytes].concat()
}

/// Returns bytes that sort like a number in JSON: the sign, the exponent, and the significant digits. The bytes of a
/// negative number are inverted.
fn number_key(number: &str) -> Vec<u8> {
    let (is_negative, magnitude) =
        number.strip_prefix('-').map_or((false, number), |magnitude| (true, magnitude));
    let (mantissa, exponent) = magnitude.split_once(['e', 'E']).unwrap_or((magnitude, "0"));
    let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{integer}{fraction}");
    let significant = digits.trim_start_matches('0');
    let leading_zeros = digits.len() - significant.len();
    let significant = significant.trim_end_matches('0');
    if significant.is_empty() {
        return vec![1];
    }
    let point =
        i64::try_from(integer.len()).unwrap_or(0) - i64::try_from(leading_zeros).unwrap_or(0);
    let exponent = exponent.parse::<i64>().unwrap_or(0) + point;
    let mut key = exponent.wrapping_sub(i64::MIN).to_be_bytes().to_vec();
    key.extend_from_slice(significant.as_bytes());
    if is_negative {
        for byte in &mut key {
            *byte = !*byte;
        }
        // The longer of two numbers that begin alike is the smaller one.
        key.push(u8::MAX);
    }
    key.insert(0, if is_negative { 0 } else { 2 });
    key
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

    use crate::json::{contains, encode, equals, sort_key, text_at};

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
    fn equality_ignores_the_notation() {
        for (one, other, expected) in [
            (json!({"a": 1, "b": [2.0]}), json!({"b": [2], "a": 1.0}), true),
            (json!({"a": 1}), json!({"a": 1, "b": null}), false),
            (json!([1, 2]), json!([2, 1]), false),
            (json!(null), json!(null), true),
            (json!("1"), json!(1), false),
        ] {
            assert_eq!(equals(&one, &other), expected, "{one} = {other}");
        }
    }

    #[test]
    fn sort_keys_have_the_order_of_the_values() {
        let sorted = [
            json!(null),
            json!(""),
            json!("Zé"),
            json!("a"),
            json!("ab"),
            json!(-1e300),
            json!(-10),
            json!(-2),
            json!(-1.55),
            json!(-1.5),
            json!(-0.001),
            json!(0),
            json!(1e-7),
            json!(0.05),
            json!(0.5),
            json!(1),
            json!(1.5),
            json!(2),
            json!(10),
            json!(10.25),
            json!(9_007_199_254_740_992_i64),
            json!(9_007_199_254_740_993_i64),
            json!(u64::MAX),
            json!(1e21),
            json!(false),
            json!(true),
            json!(["a"]),
            json!([]),
            json!({}),
        ];
        for pair in sorted.windows(2) {
            let [one, other] = pair else { panic!() };
            assert!(sort_key(one) < sort_key(other), "{one} < {other}");
        }
        for (one, other) in [(json!(100), json!(1e2)), (json!(0), json!(-0.0))] {
            assert_eq!(sort_key(&one), sort_key(&other), "{one} = {other}");
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
