//! Evaluates a filter for a value. `None` is no opinion; `Some(None)` is SQL's NULL.

#![expect(clippy::option_option, reason = "no opinion and NULL are distinct")]

use std::cmp::Ordering;

use jiff::Timestamp;
use portaria::{clock::format_timestamp, schema::ColumnType};
use portaria_query::{Operand, Operator, Quantifier};
use unicode_normalization::UnicodeNormalization;

use crate::property::{evaluator::search, fixture::Value};

/// Disjunction or conjunction in three-valued logic.
pub(crate) fn quantified(any: bool, parts: &[Option<bool>]) -> Option<bool> {
    if parts.contains(&Some(any)) {
        Some(any)
    } else if parts.contains(&None) {
        None
    } else {
        Some(!any)
    }
}

/// The texts of an operand, and whether one of them is enough or all must hold.
pub(crate) fn texts<'o>(operator: &Operator, operand: &'o Operand) -> (&'o [String], bool) {
    use Operator as O;
    match (operand, operator) {
        (Operand::Value(text), _) => (std::slice::from_ref(text), true),
        (
            Operand::List(texts),
            O::Eq(quantifier)
            | O::Gt(quantifier)
            | O::Gte(quantifier)
            | O::Lt(quantifier)
            | O::Lte(quantifier)
            | O::Like(quantifier)
            | O::Ilike(quantifier)
            | O::Match(quantifier)
            | O::Imatch(quantifier),
        ) => (texts.as_slice(), *quantifier != Some(Quantifier::All)),
        (Operand::List(texts), _) => (texts.as_slice(), true),
    }
}

pub(crate) fn test(
    value: &Value,
    kind: ColumnType,
    operator: &Operator,
    operand: &Operand,
) -> Option<Option<bool>> {
    let (texts, any) = texts(operator, operand);
    let mut parts = Vec::new();
    for text in texts {
        parts.push(one(value, kind, operator, text)?);
    }
    Some(quantified(any, &parts))
}

fn one(value: &Value, kind: ColumnType, operator: &Operator, text: &str) -> Option<Option<bool>> {
    use Operator as O;
    if let O::Is = operator {
        return Some(Some(match text.to_lowercase().as_str() {
            "null" | "unknown" => *value == Value::Null,
            "not_null" => *value != Value::Null,
            word => {
                return Some(
                    (*value != Value::Null).then(|| *value == Value::Bool(word == "true")),
                );
            }
        }));
    }
    if let Some(holds) = search::test(value, operator, text) {
        return Some((*value != Value::Null).then_some(holds));
    }
    let order = compare(value, &read(kind, text)?);
    let holds = match operator {
        O::IsDistinct => return Some(Some(order != Ordering::Equal)),
        O::Eq(_) | O::In => order == Ordering::Equal,
        O::Neq => order != Ordering::Equal,
        O::Gt(_) => order == Ordering::Greater,
        O::Gte(_) => order != Ordering::Less,
        O::Lt(_) => order == Ordering::Less,
        O::Lte(_) => order != Ordering::Greater,
        O::Like(_) | O::Ilike(_) => {
            let fold = |text: &str| -> Vec<char> {
                let is_exact = matches!(operator, O::Like(_));
                let text = if is_exact { text.to_owned() } else { text.to_lowercase() };
                text.replace('ς', if is_exact { "ς" } else { "σ" }).chars().collect()
            };
            let Value::Text(whole) = value else { return Some(None) };
            like(&fold(whole), &fold(&text.nfc().collect::<String>().replace('*', "%")))
        }
        _ => return None,
    };
    Some((*value != Value::Null).then_some(holds))
}

fn like(text: &[char], pattern: &[char]) -> bool {
    let Some((first, rest)) = pattern.split_first() else { return text.is_empty() };
    let (wanted, rest) = match first {
        '%' => return (0..=text.len()).any(|from| like(&text[from..], rest)),
        '_' => (text.first(), rest),
        '\\' => rest.split_first().map_or((None, rest), |(c, rest)| (Some(c), rest)),
        c => (Some(c), rest),
    };
    wanted.is_some() && text.first() == wanted && like(&text[1..], rest)
}

/// The text of a filter as a value.
fn read(kind: ColumnType, text: &str) -> Option<Value> {
    Some(match kind {
        ColumnType::Text(_) => text.nfc().collect::<String>().into(),
        ColumnType::Uuid => uuid::Uuid::parse_str(text).ok()?.to_string().into(),
        ColumnType::Int => text.trim().parse::<i64>().ok()?.into(),
        ColumnType::Bool => match text.to_lowercase().as_str() {
            "true" | "t" | "yes" | "1" => true.into(),
            "false" | "f" | "off" | "0" => false.into(),
            _ => return None,
        },
        ColumnType::Timestamp(_) => format_timestamp(text.parse::<Timestamp>().ok()?).into(),
        ColumnType::Json => return None,
    })
}

pub(crate) fn compare(one: &Value, other: &Value) -> Ordering {
    match (one, other) {
        (Value::Text(one), Value::Text(other)) => one.cmp(other),
        (Value::Int(one), Value::Int(other)) => one.cmp(other),
        (Value::Bool(one), Value::Bool(other)) => one.cmp(other),
        (one, other) => (*one != Value::Null).cmp(&(*other != Value::Null)),
    }
}
