//! Filters: every operator, and logical trees.

use portaria::schema::{Column, ColumnType, Table};

use crate::property::generate::{Maker, read::Place};

const COMPARISONS: [&str; 8] = ["eq", "eq", "neq", "gt", "gte", "lt", "lte", "isdistinct"];
const SEARCHES: [&str; 8] = [
    "fts",
    "fts(portuguese)",
    "plfts",
    "plfts(portuguese)",
    "phfts",
    "phfts",
    "wfts",
    "wfts(portuguese)",
];
const OTHERS: [&str; 14] = [
    "match",
    "imatch",
    "fts",
    "plfts(portuguese)",
    "wfts(english)",
    "cs",
    "cd",
    "match(any)",
    "ov",
    "sl",
    "adj",
    "foo",
    "",
    "eq(some)",
];

impl Maker<'_> {
    /// Name and value of a parameter that filters a table.
    pub(crate) fn filter(&mut self, place: &Place) -> (String, String) {
        let prefix = &place.prefix;
        if let (Some(embed), true) = (place.embeds.first(), self.rng.percent(10)) {
            let tests = ["is.null", "not.is.null", "is.not_null", "eq.1"];
            let known = if self.wild { 4 } else { 3 };
            return (format!("{prefix}{}", embed.key), tests[self.rng.below(known)].to_owned());
        }
        if self.rng.percent(25) {
            let word = *self.rng.pick(&["or", "or", "and", "not.or", "not.and"]);
            return (format!("{prefix}{word}"), self.branches(place, 0));
        }
        let (field, test) = self.comparison(place.table, false);
        (format!("{prefix}{field}"), test)
    }

    /// A field with its test.
    fn comparison(&mut self, table: &'static Table, in_tree: bool) -> (String, String) {
        let (field, column) = self.compared(table);
        if column.column_type == ColumnType::Json && self.rng.percent(40) {
            let name = self.name(column.name);
            let path = *self.rng.pick(&["", "", "", "->tags", "->address", "->n", "->tags->0"]);
            let operator = *self.rng.pick(&["cs", "cs", "cd", "not.cs", "not.cd"]);
            let operand = self.pool.json(&mut self.rng, table, column);
            let operand = self.written(&operand, in_tree);
            return (format!("{name}{path}"), format!("{operator}.{operand}"));
        }
        if column.column_type == ColumnType::Json && !field.contains("->>") {
            return (field, self.json_test(table, column, in_tree));
        }
        if column.words.is_some() && self.rng.percent(20) {
            let negated = if self.rng.percent(20) { "not." } else { "" };
            let operator = *self.rng.pick(&SEARCHES);
            let query = self.pool.search(&mut self.rng, table, column, operator.starts_with("fts"));
            let query = self.written(&query, in_tree);
            return (field, format!("{negated}{operator}.{query}"));
        }
        (field, self.test(table, column, in_tree))
    }

    fn branches(&mut self, place: &Place, depth: usize) -> String {
        let deepest = if self.wild && self.rng.percent(3) { 12 } else { 3 };
        let branches: Vec<String> = (0..=self.rng.below(3))
            .map(|_| {
                if depth < deepest && self.rng.percent(25) {
                    let word = *self.rng.pick(&["or", "and", "not.or", "not.and"]);
                    return format!("{word}{}", self.branches(place, depth + 1));
                }
                let (field, test) = self.comparison(place.table, true);
                format!("{field}.{test}")
            })
            .collect();
        format!("({})", branches.join(","))
    }

    fn compared(&mut self, table: &'static Table) -> (String, &'static Column) {
        let column = self.column(table);
        if column.column_type == ColumnType::Json {
            return (self.field(table, true), column);
        }
        (self.name(column.name), column)
    }

    /// `not.op.value`
    fn test(&mut self, table: &Table, column: &Column, in_tree: bool) -> String {
        let negated = if self.rng.percent(20) { "not." } else { "" };
        let is_text = matches!(column.column_type, ColumnType::Text(_) | ColumnType::Json);
        let test = match self.rng.below(100) {
            0..12 if self.wild => {
                let operator = *self.rng.pick(&OTHERS);
                format!("{operator}.{}", self.value(table, column, in_tree))
            }
            0..12 => {
                let values = ["null", "not_null", "NULL", "true", "false", "unknown", "nothing"];
                let known = if self.wild {
                    7
                } else if column.column_type == ColumnType::Bool {
                    6
                } else {
                    3
                };
                format!("is.{}", values[self.rng.below(known)])
            }
            12..27 => {
                let values = self.values(table, column, 5);
                format!("in.({})", values.join(","))
            }
            27..33 => {
                let operators = ["eq", "gt", "gte", "lt", "lte", "like", "ilike"];
                let known = if is_text { 7 } else { 5 };
                let operator = operators[self.rng.below(known)];
                let quantifier = *self.rng.pick(&["any", "all"]);
                let values = self.values(table, column, 3);
                format!("{operator}({quantifier}).{{{}}}", values.join(","))
            }
            33..43 if is_text => {
                let operator = *self.rng.pick(&["match", "match", "imatch"]);
                let pattern = self.pool.regex(&mut self.rng, table, column);
                format!("{operator}.{}", self.written(&pattern, in_tree))
            }
            43..62 if is_text || (self.wild && self.rng.percent(10)) => {
                let operator = *self.rng.pick(&["like", "ilike", "ilike"]);
                let pattern = self.pool.pattern(&mut self.rng, table, column);
                format!("{operator}.{}", self.written(&pattern, in_tree))
            }
            _ => {
                let operator = *self.rng.pick(&COMPARISONS);
                format!("{operator}.{}", self.value(table, column, in_tree))
            }
        };
        format!("{negated}{test}")
    }

    /// A test of JSON, as of a path with `->`.
    fn json_test(&mut self, table: &Table, column: &Column, in_tree: bool) -> String {
        let negated = if self.rng.percent(20) { "not." } else { "" };
        let operand = |maker: &mut Self, in_list| {
            let text = loop {
                let text = maker.pool.json(&mut maker.rng, table, column);
                if maker.wild || serde_json::from_str::<serde_json::Value>(&text).is_ok() {
                    break text;
                }
            };
            maker.written(&text, in_list)
        };
        let test = match self.rng.below(10) {
            0 => (*self.rng.pick(&["is.null", "is.not_null"])).to_owned(),
            1 | 2 => {
                let values: Vec<String> =
                    (0..self.rng.below(4)).map(|_| operand(self, true)).collect();
                let operator = *self.rng.pick(&["in.()", "in.()", "eq(any).{}", "eq(all).{}"]);
                let (head, close) = operator.split_at(operator.len() - 1);
                format!("{head}{}{close}", values.join(","))
            }
            3..6 => {
                let operator = *self.rng.pick(&["gt", "gte", "lt", "lte"]);
                let scalars =
                    ["null", "true", "10", "10.0", "-1", "1e300", "0.1", "\"a\"", "\"Zo\""];
                let scalar = *self.rng.pick(&scalars);
                format!("{operator}.{}", self.written(scalar, in_tree))
            }
            _ => {
                let operator = *self.rng.pick(&["eq", "eq", "neq", "isdistinct"]);
                format!("{operator}.{}", operand(self, in_tree))
            }
        };
        format!("{negated}{test}")
    }

    fn values(&mut self, table: &Table, column: &Column, most: usize) -> Vec<String> {
        (0..self.rng.below(most)).map(|_| self.value(table, column, true)).collect()
    }

    fn value(&mut self, table: &Table, column: &Column, in_list: bool) -> String {
        let wild = self.wild;
        // Valid requests contain only values that the column can hold.
        let value = loop {
            let value = self.pool.value(&mut self.rng, table, column, wild);
            if wild || fits(column.column_type, &value) {
                break value;
            }
        };
        self.written(&value, in_list)
    }

    /// A value in a list or a tree: quoted where necessary, and sometimes where not.
    fn written(&mut self, value: &str, in_list: bool) -> String {
        let special = value.contains([',', '(', ')', '"', '\\', '{', '}']) || value.is_empty();
        let careless = self.wild && self.rng.percent(15);
        if !in_list || careless || (!special && self.rng.percent(80)) {
            return value.to_owned();
        }
        format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
    }
}

/// Whether a column accepts the value.
fn fits(kind: ColumnType, value: &str) -> bool {
    match kind {
        ColumnType::Uuid => uuid::Uuid::parse_str(value).is_ok(),
        ColumnType::Bool => value != "maybe",
        ColumnType::Int => value.trim().parse::<i64>().is_ok(),
        ColumnType::Timestamp(_) => {
            let is_word = ["now", "now()", "today", "tomorrow"].contains(&value);
            let year = value.get(..4).and_then(|year| year.parse::<u16>().ok());
            is_word
                || year.is_some_and(|year| (1901..2199).contains(&year))
                    && !["2026-02-30", "+99", "24:00:00Z", ":60"]
                        .iter()
                        .any(|bad| value.contains(bad))
        }
        ColumnType::Text(_) | ColumnType::Json => true,
    }
}
