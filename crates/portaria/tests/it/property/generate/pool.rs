//! Values for filters: existing values, similar ones, and ones that no column accepts.

use std::collections::{BTreeMap, BTreeSet};

use portaria::schema::{Column, ColumnType, Table};

use crate::property::{
    edge_strings::TEXTS,
    fixture::{Office, Value},
    rng::Rng,
};

const MOMENTS: [&str; 29] = [
    "2026-11-21T15:00:00Z",
    "2026-11-21T15:00:00.000000+00:00",
    "2026-11-21 15:00:00+00",
    "2026-11-21T12:00:00-03:00",
    "2026-11-21T15:00:00.123456Z",
    "2026-11-21T15:00:00.1234567Z",
    "2026-11-21 12:00:00",
    "2026-11-21T12:00",
    "2026-11-21",
    "2026-11-15",
    "1900-01-01",
    "2199-12-31T23:59:59Z",
    "2200-01-01",
    "1899-12-31",
    "2026-02-30",
    "2024-02-29",
    "0000-01-01",
    "10000-01-01",
    "-5000-01-01",
    "infinity",
    "now",
    "now()",
    "today",
    "tomorrow",
    "2026-11-21T24:00:00Z",
    "2026-11-21T23:59:60Z",
    "2026-11-21T15:00:00+99:00",
    "2018-11-04 00:00:00",
    "",
];
const NUMBERS: [&str; 12] = [
    "0",
    "1",
    "2",
    "-1",
    "1000",
    "2000",
    "+3",
    " 7 ",
    "1.5",
    "9223372036854775807",
    "9223372036854775808",
    "",
];
const BOOLEANS: [&str; 9] = ["true", "false", "t", "f", "1", "0", "YES", "off", "maybe"];
const IDS: [&str; 5] = [
    "00000000-0000-0000-0000-000000000000",
    "{00000000-0000-0000-0000-000000000000}",
    "00000000000000000000000000000000",
    "x",
    "",
];
/// Texts that break naive parsers and string concatenation.
const TRAPS: [&str; 14] = [
    "",
    "null",
    "%",
    "*",
    "_",
    "\\",
    "\"",
    "\"\"",
    "a,b",
    "(a)",
    ")",
    "' or 1=1 --",
    "a\0b",
    "\u{202E}",
];

/// Values of the generated offices by column.
pub(crate) struct Pool {
    values: BTreeMap<(String, &'static str), Vec<String>>,
    ids: Vec<String>,
    known: BTreeSet<String>,
    paths: Vec<String>,
}

impl Pool {
    pub(crate) fn new(offices: &[&Office]) -> Self {
        let mut pool = Self {
            values: BTreeMap::new(),
            ids: Vec::new(),
            known: BTreeSet::from([IDS[0].to_owned()]),
            paths: Vec::new(),
        };
        for office in offices {
            for (table, row) in &office.rows {
                // Clients are rows of `users` in the API.
                let table = if *table == "users" { "clients" } else { table };
                for (column, value) in row {
                    let text = match value {
                        Value::Null => continue,
                        Value::Text(text) => text.clone(),
                        Value::Int(number) => number.to_string(),
                        Value::Bool(value) => value.to_string(),
                    };
                    if *column == "id" {
                        pool.ids.push(text.clone());
                    }
                    if uuid::Uuid::parse_str(&text).is_ok() {
                        pool.known.insert(text.clone());
                    }
                    if (table, *column) == ("objects", "name") {
                        pool.paths.push(text.clone());
                    }
                    pool.values.entry((table.to_owned(), column)).or_default().push(text);
                }
            }
        }
        pool
    }

    /// Whether an id existed before the first request.
    pub(crate) fn knows(&self, id: &str) -> bool {
        self.known.contains(id)
    }

    pub(crate) fn id(&self, rng: &mut Rng) -> String {
        rng.pick(&self.ids).clone()
    }

    /// The name of a file, or a similar one.
    pub(crate) fn path(&self, rng: &mut Rng) -> String {
        let path = rng.pick(&self.paths).clone();
        match rng.below(12) {
            0 => format!("{path}x"),
            1 => path.to_uppercase(),
            // The files of the inbox are in no folder.
            2 => path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned(),
            3 => path.replacen('/', "//", 1),
            4 => path.replacen("public/", "public/../", 1),
            _ => path,
        }
    }

    /// A value of the column in some row.
    pub(crate) fn real(&self, rng: &mut Rng, table: &Table, column: &Column) -> Option<String> {
        let values = self.values.get(&(table.name.to_owned(), column.name))?;
        Some(rng.pick(values).clone())
    }

    /// A value to compare a column with.
    pub(crate) fn value(
        &self,
        rng: &mut Rng,
        table: &Table,
        column: &Column,
        wild: bool,
    ) -> String {
        if wild && rng.percent(12) {
            return (*rng.pick(&TRAPS)).to_owned();
        }
        let real = self.real(rng, table, column);
        let special = match column.column_type {
            ColumnType::Uuid => IDS.as_slice(),
            ColumnType::Timestamp(_) => &MOMENTS,
            ColumnType::Bool => &BOOLEANS,
            ColumnType::Int => &NUMBERS,
            ColumnType::Text(_) | ColumnType::Json => &TEXTS,
        };
        match (real, rng.below(10)) {
            (Some(real), 0..6) => real,
            (Some(real), 6..8) if matches!(column.column_type, ColumnType::Text(_)) => {
                similar(rng, &real)
            }
            _ => (*rng.pick(special)).to_owned(),
        }
    }

    /// A pattern that matches some value, or differs from one by a letter.
    pub(crate) fn pattern(&self, rng: &mut Rng, table: &Table, column: &Column) -> String {
        let text = self.real(rng, table, column).unwrap_or_default();
        let mut letters: Vec<char> = text.chars().take(40).collect();
        for _ in 0..=rng.below(3) {
            let from = rng.below(letters.len() + 1);
            let to = from + rng.below(letters.len() + 1 - from);
            let wildcard = *rng.pick(&["%", "*", "_", "", "\\%", "\\", "%%", "[a-z]", "?"]);
            letters.splice(from..to.min(from + 12), wildcard.chars());
        }
        let pattern: String = letters.into_iter().collect();
        match rng.below(6) {
            0 => pattern.to_lowercase(),
            1 => pattern.to_uppercase(),
            2 => format!("%{pattern}%"),
            _ => pattern,
        }
    }
}

/// A similar text.
fn similar(rng: &mut Rng, text: &str) -> String {
    match rng.below(6) {
        0 => text.to_uppercase(),
        1 => text.to_lowercase(),
        2 => format!("{text} "),
        3 => text.chars().skip(1).collect(),
        4 => unicode_normalization::UnicodeNormalization::nfd(text).collect(),
        _ => format!("{text}a"),
    }
}
