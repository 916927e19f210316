//! The differences between the SQL of SQLite and of PostgreSQL.

use portaria_query::JsonPathStep;
use sea_query::{
    BinOper, CaseStatement, Expr, ExprTrait, Func, SelectStatement,
    extension::{postgres::PgBinOper, sqlite::SqliteBinOper},
};

use crate::regex::Regex;

/// The SQL dialect of a [`super::Tx`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the variant names are sufficient")]
pub enum Dialect {
    Sqlite,
    Postgres,
}

/// The operator of [`in_rows`], which PostgreSQL receives in another form.
pub(crate) const IN_ROWS: &str = "IN /* rows */";
/// Name of the `SQLite` function that calls [`matches_ilike`].
pub(crate) const ILIKE: &str = "portaria_ilike";
/// Name of the `SQLite` function that evaluates a [`Regex`].
pub(crate) const REGEX: &str = "portaria_regex";
/// Name of the `SQLite` function that calls [`super::json::text_at`].
pub(crate) const JSON_TEXT: &str = "portaria_json_text";
/// Name of the `SQLite` function that calls [`super::json::contains_at`].
pub(crate) const JSON_CONTAINS: &str = "portaria_json_contains";
/// Name of the `SQLite` function that calls [`super::json::equals_at`].
pub(crate) const JSON_EQUALS: &str = "portaria_json_equals";
/// Name of the `SQLite` function that calls [`super::json::sort_key_at`].
pub(crate) const JSON_SORT_KEY: &str = "portaria_json_sort_key";
/// Names of the `SQLite` functions that return [`crate::decimal::Total`] as text.
pub(crate) const SUM: &str = "portaria_sum";
pub(crate) const AVERAGE: &str = "portaria_average";

/// `column IN (rows)`, for rows that depend on no column of the statement around them and are few. PostgreSQL reads them
/// first, as an array: its planner uses an index for an array, and none for a subquery beside an OR.
#[must_use]
pub fn in_rows(column: impl Into<Expr>, rows: SelectStatement) -> Expr {
    let rows = Expr::SubQuery(None, Box::new(rows.into()));
    column.into().binary(BinOper::Custom(IN_ROWS), rows)
}

impl Dialect {
    /// `text LIKE pattern`, case-sensitive. `SQLite`'s own LIKE ignores the case of ASCII letters, and its GLOB does
    /// not.
    #[must_use]
    pub fn like(self, text: Expr, pattern: &str) -> Expr {
        match self {
            Self::Sqlite => text.binary(SqliteBinOper::Glob, glob(pattern)),
            Self::Postgres => text.like(pattern),
        }
    }

    /// `text ILIKE pattern`, case-insensitive for the letters of all alphabets.
    #[must_use]
    pub fn ilike(self, text: Expr, pattern: &str) -> Expr {
        match self {
            Self::Sqlite => Func::cust(ILIKE).arg(text).arg(pattern).into(),
            // Columns have COLLATE "C", under which ILIKE folds ASCII letters only. lower() with an ICU collation
            // depends on the neighbors of a letter (a sigma at the end of a word), which a pattern lacks, so the
            // final sigma is replaced.
            Self::Postgres => Expr::cust_with_exprs(
                "replace(lower(($1) COLLATE \"und-x-icu\"), 'ς', 'σ') LIKE $2",
                [text, fold(pattern).collect::<String>().into()],
            ),
        }
    }

    /// Whether a part of `text` matches `regex`.
    #[must_use]
    pub fn matches(self, text: Expr, regex: &Regex) -> Expr {
        match self {
            Self::Sqlite => Func::cust(REGEX).arg(text).arg(regex.pattern.as_str()).into(),
            Self::Postgres => text.binary(PgBinOper::Regex, regex.postgres.as_str()),
        }
    }

    /// The time of the database's clock, as the rows contain times.
    #[must_use]
    pub fn current_time(self) -> Expr {
        Expr::cust(match self {
            Self::Sqlite => "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')",
            Self::Postgres => {
                "to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')"
            }
        })
    }

    /// The position of the first occurrence of `part` in `text`, in characters from 1; 0 if there is none.
    #[must_use]
    pub fn position(self, text: Expr, part: &str) -> Expr {
        let function = match self {
            Self::Sqlite => "instr",
            Self::Postgres => "strpos",
        };
        Func::cust(function).arg(text).arg(part).into()
    }

    /// The text at a path inside a column of JSON, as `->>` returns it.
    #[must_use]
    pub fn json_text(self, json: Expr, path: &[JsonPathStep]) -> Expr {
        match self {
            // SQLite's own operators return numbers and booleans as numbers.
            Self::Sqlite => Func::cust(JSON_TEXT).arg(json).arg(crate::json::encode(path)).into(),
            Self::Postgres => {
                let (last, parents) =
                    path.split_last().map_or((None, path), |(last, parents)| (Some(last), parents));
                let place = json_at(json, parents);
                let text = last.map_or(place.clone(), |last| {
                    place.binary(PgBinOper::CastJsonField, path_step(last))
                });
                // The result has the server's collation, not the column's.
                Expr::cust_with_exprs("($1) COLLATE \"C\"", [text])
            }
        }
    }

    /// Whether the value at a path inside a column of JSON contains `other`, or is contained in it, as `@>` and `<@` of
    /// jsonb compare. NULL without a value at the path.
    #[must_use]
    pub fn json_contains(
        self,
        json: Expr,
        path: &[JsonPathStep],
        other: &serde_json::Value,
        is_contained: bool,
    ) -> Expr {
        let other = other.to_string();
        match self {
            Self::Sqlite => Func::cust(JSON_CONTAINS)
                .arg(json)
                .arg(crate::json::encode(path))
                .arg(other)
                .arg(is_contained)
                .into(),
            Self::Postgres => {
                let operator =
                    if is_contained { PgBinOper::Contained } else { PgBinOper::Contains };
                json_at(json, path).cast_as("jsonb").binary(operator, jsonb(&other))
            }
        }
    }

    /// Whether the value at a path inside a column of JSON equals `other`, as `=` of jsonb compares. NULL without a value
    /// at the path.
    #[must_use]
    pub fn json_equals(self, json: Expr, path: &[JsonPathStep], other: &serde_json::Value) -> Expr {
        match self {
            Self::Sqlite => Func::cust(JSON_EQUALS)
                .arg(json)
                .arg(crate::json::encode(path))
                .arg(other.to_string())
                .into(),
            Self::Postgres => json_at(json, path).cast_as("jsonb").eq(jsonb(&other.to_string())),
        }
    }

    /// The values by which to sort the JSON at a path inside a column: null, texts by code point, numbers, `false`,
    /// `true`, arrays, objects. Arrays and objects sort by their text. The first value is NULL without JSON at the path.
    ///
    /// jsonb has the same order, except that its texts follow the collation of the database, and that an array without
    /// elements precedes null.
    #[must_use]
    pub fn json_sort_keys(self, json: Expr, path: &[JsonPathStep]) -> Vec<Expr> {
        match self {
            Self::Sqlite => vec![sqlite_sort_key(json, path)],
            Self::Postgres => {
                let place = json_at(json, path);
                let kind = || Expr::from(Func::cust("json_typeof").arg(place.clone()));
                let text = CaseStatement::new()
                    .case(kind().is_in(["string", "array", "object"]), text_of(place.clone()));
                vec![jsonb_rank(&place), text.into()]
            }
        }
    }

    /// Compares the JSON at a path inside a column with a value that is neither an array nor an object, in the order of
    /// [`Self::json_sort_keys`]. NULL without a value at the path.
    #[must_use]
    pub fn json_compare(
        self,
        json: Expr,
        path: &[JsonPathStep],
        operator: BinOper,
        other: &serde_json::Value,
    ) -> Expr {
        if self == Self::Sqlite {
            let other = sqlite_sort_key(Expr::val(other.to_string()), &[]);
            return sqlite_sort_key(json, path).binary(operator, other);
        }
        let place = json_at(json, path);
        let rank = jsonb_rank(&place);
        let serde_json::Value::String(text) = other else {
            return rank.binary(operator, jsonb(&other.to_string()));
        };
        let any_text = || jsonb(ANY_TEXT);
        let between_kinds =
            if matches!(operator, BinOper::GreaterThan | BinOper::GreaterThanOrEqual) {
                rank.clone().gt(any_text())
            } else {
                rank.clone().lt(any_text())
            };
        let between_texts = text_of(place).binary(operator, text.as_str());
        between_kinds.or(rank.eq(any_text()).and(between_texts))
    }

    /// The sum of integers, in digits; NULL without any. `SQLite`'s own sum fails above 64 bits.
    #[must_use]
    pub fn sum(self, number: Expr) -> Expr {
        match self {
            Self::Sqlite => Func::cust(SUM).arg(number).into(),
            Self::Postgres => number.sum().cast_as("text"),
        }
    }

    /// The average of integers, in the digits of PostgreSQL's numeric type; NULL without any.
    #[must_use]
    pub fn average(self, number: Expr) -> Expr {
        match self {
            Self::Sqlite => Func::cust(AVERAGE).arg(number).into(),
            Self::Postgres => Expr::from(Func::avg(number)).cast_as("text"),
        }
    }

    /// Translates a migration from portable SQL to this dialect.
    pub(crate) fn migration(self, sql: &str) -> String {
        match self {
            Self::Sqlite => sql.to_owned(),
            // Text compares and sorts by code point on both databases, whatever the server's locale is.
            Self::Postgres => sql.replace(" TEXT", " TEXT COLLATE \"C\""),
        }
    }
}

/// The JSON at a path, for PostgreSQL. The type is json, because jsonb normalizes the text of its values.
fn json_at(json: Expr, path: &[JsonPathStep]) -> Expr {
    path.iter().fold(json.cast_as("json"), |place, next| {
        place.binary(PgBinOper::GetJsonField, path_step(next))
    })
}

/// JSON that has the place of all texts, of all arrays and of all objects in the order of jsonb.
const ANY_TEXT: &str = "\"\"";
const ANY_ARRAY: &str = "[0,0]";
const ANY_OBJECT: &str = "{}";

/// A number, boolean or null as jsonb, and the same value for all texts, arrays or objects, for PostgreSQL.
fn jsonb_rank(place: &Expr) -> Expr {
    let is = |kind: &str| Expr::from(Func::cust("json_typeof").arg(place.clone())).eq(kind);
    CaseStatement::new()
        .case(is("string"), jsonb(ANY_TEXT))
        .case(is("array"), jsonb(ANY_ARRAY))
        .case(is("object"), jsonb(ANY_OBJECT))
        .finally(place.clone().cast_as("jsonb"))
        .into()
}

/// The content of a text, and any other JSON as it is stored, for PostgreSQL.
fn text_of(place: Expr) -> Expr {
    Expr::cust_with_exprs("(($1) #>> '{}') COLLATE \"C\"", [place])
}

fn jsonb(json: &str) -> Expr {
    Expr::val(json).cast_as("text").cast_as("jsonb")
}

fn sqlite_sort_key(json: Expr, path: &[JsonPathStep]) -> Expr {
    Func::cust(JSON_SORT_KEY).arg(json).arg(crate::json::encode(path)).into()
}

fn path_step(step: &JsonPathStep) -> Expr {
    match step {
        JsonPathStep::Key(key) => Expr::val(key.as_str()).cast_as("text"),
        JsonPathStep::Index(index) => Expr::val(*index).cast_as("integer"),
    }
}

/// Escapes `text` for use as a literal in a pattern of [`Dialect::like`] and [`Dialect::ilike`].
#[must_use]
pub fn literal(text: &str) -> String {
    text.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_")
}

/// Converts a LIKE pattern to GLOB: `%` becomes `*`, `_` becomes `?`, and the special characters of GLOB are
/// bracketed.
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

/// Returns whether `text` matches a LIKE pattern.
#[must_use]
pub fn matches_like(text: &str, pattern: &str) -> bool {
    matches(&text.chars().collect::<Vec<_>>(), &pattern.chars().collect::<Vec<_>>())
}

/// Returns whether `text` matches a LIKE pattern when case is ignored.
#[must_use]
pub fn matches_ilike(text: &str, pattern: &str) -> bool {
    matches(&fold(text).collect::<Vec<_>>(), &fold(pattern).collect::<Vec<_>>())
}

/// Folds the case of each letter, independent of its neighbors.
pub fn fold(text: &str) -> impl Iterator<Item = char> {
    text.chars().flat_map(char::to_lowercase).map(|c| if c == 'ς' { 'σ' } else { c })
}

/// Matches with two pointers. The only backtracking goes to the last `%`.
fn matches(text: &[char], pattern: &[char]) -> bool {
    let (mut t, mut p) = (0, 0);
    let mut backtrack: Option<(usize, usize)> = None;
    while t < text.len() {
        let (expected, width) = match pattern.get(p) {
            Some('\\') if p + 1 < pattern.len() => (pattern.get(p + 1), 2),
            other => (other, 1),
        };
        match (expected, width) {
            (Some('%'), 1) => {
                backtrack = Some((p + 1, t));
                p += 1;
            }
            (Some(c), width) if (*c == '_' && width == 1) || text.get(t) == Some(c) => {
                t += 1;
                p += width;
            }
            _ => match &mut backtrack {
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
    use crate::dialect::{glob, matches_ilike};

    #[test]
    fn ilike_folds_accents_and_applies_wildcards() {
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
            assert_eq!(matches_ilike(text, pattern), expected, "{text} ilike {pattern}");
        }
    }

    #[test]
    fn glob_pattern_matches_like_pattern() {
        assert_eq!(glob("%a_b*[c]\\%"), "*a?b[*][[]c]%");
    }
}
