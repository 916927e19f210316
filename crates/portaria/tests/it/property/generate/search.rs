//! Operands of searches: regular expressions, JSON, and queries of the text search.

use portaria::schema::{Column, Table};
use serde_json::Value;

use crate::property::{edge_strings::METADATA, generate::Pool, rng::Rng};

/// Parts of regular expressions.
const FRAGMENTS: [&str; 30] = [
    ".",
    ".*",
    ".+?",
    "[a-z]+",
    "[^a-z]",
    r"\w+",
    r"\W",
    r"\d",
    r"\s*",
    r"\b",
    r"\B",
    "(a|b|)",
    "(?:ção|nota)?",
    "^",
    "$",
    r"\A",
    r"\z",
    "{2}",
    "*",
    "?",
    "{0,3}",
    r"\p{L}",
    r"\p{Lu}",
    "(?i)",
    "(?m)^",
    "(?s).",
    "[[:alpha:]]",
    "(?-u:\\w)",
    r"\b{start}",
    "[[:<:]]",
];
/// Operands of containment.
const OPERANDS: [&str; 14] = [
    "{}",
    "[]",
    "null",
    "true",
    "10",
    "10.0",
    "\"a\"",
    "[\"a\"]",
    "[{\"b\":1.5}]",
    "{\"n\":10.0}",
    "{\"tags\":[[2]]}",
    "{\"address\":{}}",
    "{\"full_name\":null}",
    "{a,b}",
];
/// Words of text searches, with operators of all syntaxes.
const TOKENS: [&str; 16] = [
    "contrato",
    "contratos",
    "prestacao",
    "PAGAMENTO",
    "folha",
    "de",
    "mensagem",
    "longa",
    "straße",
    "οδος",
    "& folha",
    "| nota",
    "! pago",
    "<-> pagamento",
    "contr:*",
    "<2> bastante",
];

impl Pool {
    /// A regular expression: parts of some value between fragments.
    pub(crate) fn regex(&self, rng: &mut Rng, table: &Table, column: &Column) -> String {
        let text = self.real(rng, table, column).unwrap_or_default();
        let letters: Vec<char> = text.chars().take(40).collect();
        let mut regex = String::new();
        for _ in 0..=rng.below(3) {
            let from = rng.below(letters.len() + 1);
            let to = from + rng.below(letters.len() + 1 - from).min(6);
            let part: String = letters[from..to].iter().collect();
            regex.push_str(&regex::escape(&part));
            if rng.percent(70) {
                let fragment: &str = rng.pick::<&str>(&FRAGMENTS);
                regex.push_str(fragment);
            }
        }
        regex
    }

    /// JSON to compare a column with: a part of some value, or another one.
    pub(crate) fn json(&self, rng: &mut Rng, table: &Table, column: &Column) -> String {
        if rng.percent(40) {
            return (*rng.pick(&OPERANDS)).to_owned();
        }
        let real = self.real(rng, table, column);
        let text = real.unwrap_or_else(|| (*rng.pick(&METADATA)).to_owned());
        let Ok(mut value) = serde_json::from_str::<Value>(&text) else { return text };
        while rng.percent(60) {
            value = match value {
                Value::Object(fields) if !fields.is_empty() => {
                    let number = rng.below(fields.len());
                    let (key, inner) = fields.into_iter().nth(number).unwrap();
                    if rng.percent(60) {
                        return Value::from_iter([(key, inner)]).to_string();
                    }
                    inner
                }
                Value::Array(values) if !values.is_empty() => {
                    let number = rng.below(values.len());
                    Value::Array(vec![values[number].clone()])
                }
                other => other,
            };
        }
        value.to_string()
    }

    /// A text search: words of some value, and other words.
    pub(crate) fn search(
        &self,
        rng: &mut Rng,
        table: &Table,
        column: &Column,
        has_operators: bool,
    ) -> String {
        let text = self.real(rng, table, column).unwrap_or_default();
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut query = match words.as_slice() {
            [] => "nota".to_owned(),
            words if has_operators => format!("'{}'", rng.pick(words).replace('\'', "''")),
            words => {
                let from = rng.below(words.len());
                words[from..].join(" ")
            }
        };
        for _ in 0..rng.below(3) {
            let known = if has_operators { 10..TOKENS.len() } else { 0..TOKENS.len() };
            let number = known.start + rng.below(known.len());
            query = format!("{query} {}", TOKENS[number]);
        }
        match rng.below(8) {
            0 if !has_operators => format!("\"{query}\""),
            1 if !has_operators => format!("-{query}"),
            2 if !has_operators => query.replace(' ', " or "),
            3 => query.to_uppercase(),
            _ => query.chars().take(200).collect(),
        }
    }
}
