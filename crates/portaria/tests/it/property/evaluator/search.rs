//! Evaluates regular expressions, containment of JSON, and text searches.

use portaria::schema::search_words::search_words;
use portaria_query::{Operator, TextQuery};
use serde_json::Value as Json;
use unicode_normalization::UnicodeNormalization;

use crate::property::fixture::Value;

/// Whether a value passes a test; `None` for other operators.
pub(crate) fn test(value: &Value, operator: &Operator, text: &str) -> Option<bool> {
    use Operator as O;
    let Value::Text(whole) = value else {
        let is_search = matches!(
            operator,
            O::Match(_) | O::Imatch(_) | O::Contains | O::Contained | O::TextSearch(..)
        );
        return is_search.then_some(false);
    };
    Some(match operator {
        O::Match(_) | O::Imatch(_) => {
            let mut regex = regex::RegexBuilder::new(&text.nfc().collect::<String>());
            regex.case_insensitive(matches!(operator, O::Imatch(_))).build().ok()?.is_match(whole)
        }
        O::Contains | O::Contained => {
            let whole: Json = serde_json::from_str(whole).ok()?;
            let other: Json = serde_json::from_str(text).ok()?;
            let (whole, part) =
                if *operator == O::Contains { (whole, other) } else { (other, whole) };
            let is_scalar = !part.is_array() && !part.is_object();
            if whole.is_array() && is_scalar {
                contains(&whole, &Json::Array(vec![part]))
            } else {
                contains(&whole, &part)
            }
        }
        O::TextSearch(syntax, _) => {
            let stems = search_words(whole);
            finds(
                &stems.split_whitespace().collect::<Vec<_>>(),
                &TextQuery::parse(*syntax, text).ok()?,
            )?
        }
        _ => return None,
    })
}

/// Containment as PostgreSQL documents it. Texts of the fixtures are equal only if their NFC is.
fn contains(whole: &Json, part: &Json) -> bool {
    match (whole, part) {
        (Json::Object(whole), Json::Object(part)) => {
            part.iter().all(|(key, part)| whole.get(key).is_some_and(|value| contains(value, part)))
        }
        (Json::Array(whole), Json::Array(part)) => {
            part.iter().all(|part| whole.iter().any(|value| contains(value, part)))
        }
        (Json::Number(one), Json::Number(other)) if one.is_f64() || other.is_f64() => {
            one.as_f64() == other.as_f64()
        }
        (Json::String(one), Json::String(other)) => *one == other.nfc().collect::<String>(),
        (one, other) => one == other,
    }
}

/// Whether stems meet a query. No opinion on queries with ignored words, which leave gaps or are left out.
fn finds(stems: &[&str], query: &TextQuery) -> Option<bool> {
    let all = |queries: &[TextQuery]| -> Option<Vec<bool>> {
        queries.iter().map(|query| finds(stems, query)).collect()
    };
    Some(match query {
        TextQuery::Words(text) => {
            let words = wanted(text)?;
            words.iter().all(|word| stems.contains(&word.as_str()))
        }
        TextQuery::Sequence(parts) => {
            // The place and the form of each word.
            let mut places: Vec<(usize, String, bool)> = Vec::new();
            for part in parts {
                let words = wanted(&part.text)?;
                let count = words.len();
                for (number, word) in words.into_iter().enumerate() {
                    let distance = if number == 0 { part.distance as usize } else { 1 };
                    let place = places.last().map_or(0, |(place, ..)| place + distance);
                    places.push((place, word, part.is_prefix && number + 1 == count));
                }
            }
            (0..stems.len()).any(|start| {
                places.iter().all(|(place, word, is_prefix)| {
                    stems.get(start + place).is_some_and(|stem| {
                        stem == word || (*is_prefix && stem.starts_with(word.as_str()))
                    })
                })
            })
        }
        TextQuery::Not(query) => !finds(stems, query)?,
        TextQuery::All(queries) if !queries.is_empty() => !all(queries)?.contains(&false),
        TextQuery::Any(queries) if !queries.is_empty() => all(queries)?.contains(&true),
        TextQuery::All(_) | TextQuery::Any(_) => return None,
    })
}

/// The stems of a query's text; `None` if there are none, or if one may be ignored.
fn wanted(text: &str) -> Option<Vec<String>> {
    let stems: Vec<String> = search_words(text).split_whitespace().map(str::to_owned).collect();
    (!stems.is_empty() && stems.iter().all(|stem| stem.chars().count() > 3)).then_some(stems)
}
