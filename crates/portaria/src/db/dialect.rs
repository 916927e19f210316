//! Every difference between the two databases' SQL, in one place.

use query::JsonPathStep;
use sea_query::{
    Expr, ExprTrait, Func,
    extension::{postgres::PgBinOper, sqlite::SqliteBinOper},
};

/// Which SQL a [`super::Tx`] speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Dialect {
    Sqlite,
    Postgres,
}

/// The name under which [`ilike`] is known to `SQLite`.
pub(crate) const ILIKE: &str = "portaria_ilike";
/// The name under which [`super::json::text_at`] is known to `SQLite`.
pub(crate) const JSON_TEXT: &str = "portaria_json_text";

impl Dialect {
    /// `text LIKE pattern`, with case. `SQLite`'s own LIKE ignores the case of ASCII letters, its GLOB does not.
    #[must_use]
    pub fn like(self, text: Expr, pattern: &str) -> Expr {
        match self {
            Self::Sqlite => text.binary(SqliteBinOper::Glob, glob(pattern)),
            Self::Postgres => text.like(pattern),
        }
    }

    /// `text ILIKE pattern`, for letters of every alphabet.
    #[must_use]
    pub fn ilike(self, text: Expr, pattern: &str) -> Expr {
        match self {
            Self::Sqlite => Func::cust(ILIKE).arg(text).arg(pattern).into(),
            // Columns compare by bytes (COLLATE "C"), and so would ILIKE fold ASCII alone. This lower() heeds
            // one letter's neighbours, which a pattern lacks: a sigma at a word's end.
            Self::Postgres => Expr::cust_with_exprs(
                "replace(lower(($1) COLLATE \"und-x-icu\"), 'ς', 'σ') LIKE $2",
                [text, fold(pattern).collect::<String>().into()],
            ),
        }
    }

    /// Where `part` first stands in `text`, counted in characters from 1; 0 if nowhere.
    #[must_use]
    pub fn position(self, text: Expr, part: &str) -> Expr {
        let function = match self {
            Self::Sqlite => "instr",
            Self::Postgres => "strpos",
        };
        Func::cust(function).arg(text).arg(part).into()
    }

    /// The text at a place inside a column that holds JSON, as `->>` gives it.
    #[must_use]
    pub fn json_text(self, json: Expr, path: &[JsonPathStep]) -> Expr {
        match self {
            // SQLite's own arrows give numbers and booleans as numbers.
            Self::Sqlite => {
                Func::cust(JSON_TEXT).arg(json).arg(crate::db::json::encode(path)).into()
            }
            Self::Postgres => {
                let (last, way) =
                    path.split_last().map_or((None, path), |(last, way)| (Some(last), way));
                let step = |step: &JsonPathStep| match step {
                    JsonPathStep::Key(key) => Expr::val(key.as_str()).cast_as("text"),
                    JsonPathStep::Index(index) => Expr::val(*index).cast_as("integer"),
                };
                // json, not jsonb: it keeps the text of what it holds.
                let place = way.iter().fold(json.cast_as("json"), |place, next| {
                    place.binary(PgBinOper::GetJsonField, step(next))
                });
                let text = last.map_or(place.clone(), |last| {
                    place.binary(PgBinOper::CastJsonField, step(last))
                });
                // What is made has the server's collation, not the column's.
                Expr::cust_with_exprs("($1) COLLATE \"C\"", [text])
            }
        }
    }

    /// A migration's portable text, as this database takes it.
    pub(crate) fn migration(self, sql: &str) -> String {
        match self {
            Self::Sqlite => sql.to_owned(),
            // Text compares and sorts by code point on both, whatever the server's locale.
            Self::Postgres => sql.replace(" TEXT", " TEXT COLLATE \"C\""),
        }
    }
}

/// A pattern for [`Dialect::like`] and [`Dialect::ilike`] that is this text and nothing else.
#[must_use]
pub fn literal(text: &str) -> String {
    text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_")
}

/// A LIKE pattern as a GLOB one: `%` → `*`, `_` → `?`, and what GLOB would read as special in brackets.
fn glob(pattern: &str) -> String {
    let mut glob = String::with_capacity(pattern.len());
    let mut escaped = false;
    for c in pattern.chars() {
        match c {
            '\\' if !escaped => {
                escaped = true;
                continue;
            }
            '%' if !escaped => glob.push('*'),
            '_' if !escaped => glob.push('?'),
            '*' | '?' | '[' => glob.extend(['[', c, ']']),
            _ => glob.push(c),
        }
        escaped = false;
    }
    glob
}

/// Whether `text` matches a LIKE pattern when case is ignored.
pub(crate) fn ilike(text: &str, pattern: &str) -> bool {
    matches(&fold(text).collect::<Vec<_>>(), &fold(pattern).collect::<Vec<_>>())
}

/// Text without case: lower-cased letter by letter, whatever stands beside it.
fn fold(text: &str) -> impl Iterator<Item = char> {
    text.chars().flat_map(char::to_lowercase).map(|c| if c == 'ς' { 'σ' } else { c })
}

/// The classic two-pointer match: linear but for the last `%`, to which it goes back.
fn matches(text: &[char], pattern: &[char]) -> bool {
    let (mut t, mut p) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while t < text.len() {
        let (wanted, width) = match pattern.get(p) {
            Some('\\') if p + 1 < pattern.len() => (pattern.get(p + 1), 2),
            other => (other, 1),
        };
        match (wanted, width) {
            (Some('%'), 1) => {
                back = Some((p + 1, t));
                p += 1;
            }
            (Some(c), width) if (*c == '_' && width == 1) || text.get(t) == Some(c) => {
                t += 1;
                p += width;
            }
            _ => match &mut back {
                Some((after, from)) => {
                    *from += 1;
                    (p, t) = (*after, *from);
                }
                None => return false,
            },
        }
    }
    pattern.get(p..).is_none_or(|rest| rest.iter().all(|c| *c == '%'))
}

#[cfg(test)]
mod tests {
    use crate::db::dialect::{glob, ilike};

    #[test]
    fn ilike_folds_accents_and_honours_wildcards() {
        for (text, pattern, expected) in [
            ("Declaração", "DECLARAÇÃO", true),
            ("Declaração nº 3", "%ção%", true),
            ("Declaração", "declaracao", false),
            ("abc", "a_c", true),
            ("abc", "a_", false),
            ("100%", "100\\%", true),
            ("1000", "100\\%", false),
            ("", "%", true),
            ("", "", true),
            ("aXbXc", "%x%c", true),
            ("ΟΔΟΣ", "%ος", true),
            ("οδος", "ΟΔΟΣ%", true),
        ] {
            assert_eq!(ilike(text, pattern), expected, "{text} ilike {pattern}");
        }
    }

    #[test]
    fn glob_keeps_the_meaning_of_like() {
        assert_eq!(glob("%a_b*[c]\\%"), "*a?b[*][[]c]%");
    }
}
