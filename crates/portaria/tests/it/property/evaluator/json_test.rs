//! Evaluates a comparison of JSON: a column of JSON, or a path with `->`. `None` is no opinion; `Some(None)` is SQL's NULL.

#![expect(clippy::option_option, reason = "no opinion and NULL are distinct")]

use std::cmp::Ordering;

use portaria_query::{JsonPathStep, Operand, Operator};
use serde_json::Value as Json;

use crate::property::{
    evaluator::condition::{quantified, texts},
    fixture::Value,
};

/// Whether an operator compares JSON. The others have no opinion here.
pub(crate) fn is_comparison(operator: &Operator) -> bool {
    use Operator as O;
    matches!(
        operator,
        O::Eq(_) | O::Neq | O::Gt(_) | O::Gte(_) | O::Lt(_) | O::Lte(_) | O::In | O::IsDistinct
    )
}

pub(crate) fn test(
    value: &Value,
    path: &[JsonPathStep],
    operator: &Operator,
    operand: &Operand,
) -> Option<Option<bool>> {
    use Operator as O;
    let root = match value {
        Value::Text(text) => serde_json::from_str(text).ok(),
        _ => None,
    };
    let place = root.and_then(|root| walk(root, path));
    let (texts, any) = texts(operator, operand);
    let mut parts = Vec::new();
    for text in texts {
        let operand: Json = serde_json::from_str(text).ok()?;
        let Some(place) = &place else {
            parts.push(if matches!(operator, O::IsDistinct) { Some(true) } else { None });
            continue;
        };
        let order = || compare(place, &operand);
        parts.push(Some(match operator {
            O::Eq(_) | O::In => is_equal(place, &operand),
            O::Neq | O::IsDistinct => !is_equal(place, &operand),
            O::Gt(_) => order()? == Ordering::Greater,
            O::Gte(_) => order()? != Ordering::Less,
            O::Lt(_) => order()? == Ordering::Less,
            O::Lte(_) => order()? != Ordering::Greater,
            _ => return None,
        }));
    }
    Some(quantified(any, &parts))
}

fn walk(root: Json, path: &[JsonPathStep]) -> Option<Json> {
    let mut place = root;
    for step in path {
        place = match (place, step) {
            (Json::Object(mut fields), JsonPathStep::Key(key)) => fields.remove(key)?,
            (Json::Array(mut values), JsonPathStep::Index(index)) => {
                let length = i32::try_from(values.len()).unwrap();
                let index = if *index < 0 { length.checked_add(*index)? } else { *index };
                let index = usize::try_from(index).ok().filter(|index| *index < values.len())?;
                values.swap_remove(index)
            }
            _ => return None,
        };
    }
    Some(place)
}

fn is_equal(one: &Json, other: &Json) -> bool {
    match (one, other) {
        (Json::Array(one), Json::Array(other)) => {
            one.len() == other.len()
                && one.iter().zip(other).all(|(one, other)| is_equal(one, other))
        }
        (Json::Object(one), Json::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(key, value)| other.get(key).is_some_and(|other| is_equal(value, other)))
        }
        (Json::Number(_), Json::Number(_)) => compare(one, other) == Some(Ordering::Equal),
        (one, other) => one == other,
    }
}

/// Compares JSON with a value that is neither an array nor an object.
fn compare(one: &Json, other: &Json) -> Option<Ordering> {
    let rank = |value: &Json| match value {
        Json::Null => 0,
        Json::String(_) => 1,
        Json::Number(_) => 2,
        Json::Bool(_) => 3,
        Json::Array(_) => 4,
        Json::Object(_) => 5,
    };
    match (one, other) {
        (Json::String(one), Json::String(other)) => Some(one.cmp(other)),
        (Json::Bool(one), Json::Bool(other)) => Some(one.cmp(other)),
        (Json::Number(one), Json::Number(other)) => match (one.as_i64(), other.as_i64()) {
            (Some(one), Some(other)) => Some(one.cmp(&other)),
            _ => one.as_f64()?.partial_cmp(&other.as_f64()?),
        },
        (one, other) => Some(rank(one).cmp(&rank(other))),
    }
}
