//! Numbers and booleans that clients send as texts. The original converts them, and its Python client relies on it
//! (`docs/protocol/storage.md`, section 1.4).

use serde::{Deserialize, Deserializer, de::Error};
use serde_json::Value;

/// Deserializes an integer.
pub(crate) fn integer<'de, D: Deserializer<'de>>(source: D) -> Result<i64, D::Error> {
    let value = Value::deserialize(source)?;
    to_integer(&value).ok_or_else(|| D::Error::custom("must be integer"))
}

/// Deserializes an optional number of things.
pub(crate) fn count<'de, D: Deserializer<'de>>(source: D) -> Result<Option<u64>, D::Error> {
    let Some(value) = Option::<Value>::deserialize(source)? else { return Ok(None) };
    let number = to_integer(&value).ok_or_else(|| D::Error::custom("must be integer"))?;
    u64::try_from(number).map(Some).map_err(|_| D::Error::custom("must be >= 0"))
}

/// Deserializes an optional number.
pub(crate) fn number<'de, D: Deserializer<'de>>(source: D) -> Result<Option<f64>, D::Error> {
    let Some(value) = Option::<Value>::deserialize(source)? else { return Ok(None) };
    to_number(&value).map(Some).ok_or_else(|| D::Error::custom("must be number"))
}

/// Deserializes an optional boolean.
pub(crate) fn boolean<'de, D: Deserializer<'de>>(source: D) -> Result<Option<bool>, D::Error> {
    let Some(value) = Option::<Value>::deserialize(source)? else { return Ok(None) };
    match value {
        Value::Bool(flag) => Ok(Some(flag)),
        Value::String(text) if text == "true" => Ok(Some(true)),
        Value::String(text) if text == "false" => Ok(Some(false)),
        _ => Err(D::Error::custom("must be boolean")),
    }
}

/// Returns the integer of a JSON number or of a text with one. A number outside of 64 bits is replaced by the nearest
/// one.
#[expect(clippy::cast_possible_truncation, reason = "the cast saturates")]
fn to_integer(value: &Value) -> Option<i64> {
    let number = to_number(value)?;
    (number.fract() == 0.0).then_some(number as i64)
}

/// Returns the finite number of a JSON number or of a text with one.
fn to_number(value: &Value) -> Option<f64> {
    let number: f64 = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => text.trim().parse().ok()?,
        _ => return None,
    };
    number.is_finite().then_some(number)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::api::storage::coercion::{boolean, count, integer};

    #[test]
    fn integers_are_read_from_numbers_and_texts() {
        for (value, expected) in [
            (json!(60), Some(60)),
            (json!("60"), Some(60)),
            (json!(" 60 "), Some(60)),
            (json!("6e1"), Some(60)),
            (json!(60.0), Some(60)),
            (json!("-1"), Some(-1)),
            (json!("1e300"), Some(i64::MAX)),
            (json!("60s"), None),
            (json!("1.5"), None),
            (json!(1.5), None),
            (json!(""), None),
            (json!("inf"), None),
            (json!("NaN"), None),
            (json!(null), None),
            (json!([60]), None),
        ] {
            assert_eq!(integer(&value).ok(), expected, "{value}");
        }
    }

    #[test]
    fn counts_and_booleans_may_be_absent() {
        assert_eq!(count(json!(null)).unwrap(), None);
        assert_eq!(count(json!("5")).unwrap(), Some(5));
        assert_eq!(count(json!("-5")).unwrap_err().to_string(), "must be >= 0");
        assert_eq!(boolean(json!(null)).unwrap(), None);
        assert_eq!(boolean(json!("true")).unwrap(), Some(true));
        assert_eq!(boolean(json!(false)).unwrap(), Some(false));
        assert!(boolean(json!("yes")).is_err());
    }
}
