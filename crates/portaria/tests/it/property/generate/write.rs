//! Inserts, upserts, updates and deletions; most of them rolled back.

use portaria::schema::{Column, ColumnDefault, ColumnType, Table};
use serde_json::{Map, Value, json};

use crate::property::generate::{Ask, Maker, read::Place};

impl Maker<'_> {
    pub(crate) fn write(&mut self) -> Ask {
        let table = self.table();
        let method = *self.rng.pick(&["POST", "POST", "POST", "PATCH", "PATCH", "DELETE", "PUT"]);
        let mut ask = Ask::new(method, format!("/rest/v1/{}", table.name));
        let mut wishes = Vec::new();
        // Requests without rollback leave data behind and take longer.
        if self.rng.percent(95) {
            wishes.push("tx=rollback");
        }
        match method {
            "POST" => self.rows(&mut ask, table, &mut wishes),
            "PUT" => self.one(&mut ask, table),
            "PATCH" => {
                let row = self.row(table, false);
                ask.body = Some(row.to_string().into_bytes());
                self.which(&mut ask, table);
            }
            _ => self.which(&mut ask, table),
        }
        if self.rng.percent(55) {
            wishes.push("return=representation");
            // New rows of one request have unordered ids, which an embed of several rows would reveal.
            let one = ask.body.as_ref().is_none_or(|body| !body.starts_with(b"["));
            if one && self.rng.percent(50) {
                let select = self.select(table, "", 0, &mut Vec::new());
                ask.query("select", &select);
            }
            if one && self.rng.percent(30) {
                let place = Place { prefix: String::new(), table, embeds: Vec::new() };
                let term = self.term(&place);
                ask.query("order", &term);
            }
        }
        for (share, wish) in [
            (8, "return=minimal"),
            (8, "return=headers-only"),
            (12, "count=exact"),
            (6, "handling=strict"),
            (6, "max-affected=1"),
            (2, "nonsense"),
        ] {
            if self.rng.percent(share) {
                wishes.push(wish);
            }
        }
        if !wishes.is_empty() {
            ask.header("prefer", wishes.join(", "));
        }
        if self.wild && self.rng.percent(6) {
            let bodies = [
                "",
                "null",
                "{",
                "\"x\"",
                "[1]",
                "[]",
                "{}",
                "[{}]",
                "{\"a\":1,\"a\":2}",
                "\u{FEFF}{}",
            ];
            ask.body = Some(self.rng.pick(&bodies).as_bytes().to_vec());
        }
        self.form(&mut ask);
        ask
    }

    fn rows(&mut self, ask: &mut Ask, table: &'static Table, wishes: &mut Vec<&'static str>) {
        let many = self.rng.percent(25);
        let rows: Vec<Value> =
            (0..if many { self.rng.below(4) } else { 1 }).map(|_| self.row(table, true)).collect();
        if many && self.rng.percent(85) {
            // The `columns` parameter as the client library sends it.
            let mut names: Vec<String> = Vec::new();
            for row in &rows {
                for name in row.as_object().unwrap().keys() {
                    let name = format!("\"{name}\"");
                    if !names.contains(&name) {
                        names.push(name);
                    }
                }
            }
            if !names.is_empty() {
                ask.query("columns", &names.join(","));
            }
            if self.rng.percent(30) {
                wishes.push("missing=default");
            }
        }
        if self.rng.percent(8) {
            ask.header("content-type", "text/csv");
            ask.body = Some(self.csv(&rows));
            return;
        }
        let body = if many { Value::Array(rows) } else { rows.into_iter().next().unwrap() };
        ask.body = Some(body.to_string().into_bytes());
        if self.rng.percent(if self.sees_hidden { 30 } else { 4 }) {
            wishes.push(
                *self.rng.pick(&["resolution=merge-duplicates", "resolution=ignore-duplicates"]),
            );
            if self.rng.percent(60) {
                let keys: Vec<&str> =
                    table.unique.iter().copied().chain([table.key, "name"]).collect();
                let known = if self.wild { keys.len() } else { keys.len() - 1 };
                ask.query("on_conflict", keys[self.rng.below(known)]);
            }
        }
    }

    /// A row with its key, and mostly the filter of this key.
    fn one(&mut self, ask: &mut Ask, table: &'static Table) {
        let mut row = self.row(table, true);
        let key = table.column(table.key, true).unwrap();
        let value = self.cell(table, key);
        row[table.key] = value.clone();
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        ask.query(table.key, &format!("eq.{text}"));
        if self.wild && self.rng.percent(20) {
            let name = *self.rng.pick(&["limit", "offset", "id", table.key]);
            let value = *self.rng.pick(&["1", "eq.1", "not.eq.1"]);
            ask.query(name, value);
        }
        ask.body = Some(row.to_string().into_bytes());
    }

    /// Rows as CSV, with the columns of the first one.
    fn csv(&mut self, rows: &[Value]) -> Vec<u8> {
        let field = |value: &Value| match value {
            Value::Null => "NULL".to_owned(),
            Value::String(text) => format!("\"{}\"", text.replace('"', "\"\"")),
            other => format!("\"{}\"", other.to_string().replace('"', "\"\"")),
        };
        let names: Vec<&String> =
            rows.first().and_then(Value::as_object).into_iter().flat_map(Map::keys).collect();
        let mut lines = vec![names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(",")];
        for row in rows {
            let fields = names.iter().map(|name| field(row.get(*name).unwrap_or(&Value::Null)));
            lines.push(fields.collect::<Vec<_>>().join(","));
        }
        let end = *self.rng.pick(&["\n", "\r\n"]);
        lines.join(end).into_bytes()
    }

    /// The filter that selects the rows to update or delete.
    fn which(&mut self, ask: &mut Ask, table: &'static Table) {
        if self.wild && self.rng.percent(10) {
            return;
        }
        let place = Place { prefix: String::new(), table, embeds: Vec::new() };
        for _ in 0..=self.rng.below(2) {
            let (name, value) = self.filter(&place);
            ask.query(&name, &value);
        }
    }

    /// A new row (required columns and some others), or an update.
    fn row(&mut self, table: &'static Table, new: bool) -> Value {
        let mut row = Map::new();
        for column in table.columns {
            let hidden = column.staff_only && !self.sees_hidden;
            let own = matches!(column.default, ColumnDefault::NewId | ColumnDefault::Caller);
            let must = new && !column.nullable && matches!(column.default, ColumnDefault::Null);
            let share = match (must, hidden || own || column.server) {
                (true, false) => 97,
                (_, true) if !self.wild => 1,
                (_, true) => 15,
                (false, false) => 25,
            };
            if self.rng.percent(share) {
                row.insert(column.name.to_owned(), self.cell(table, column));
            }
        }
        if self.wild && self.rng.percent(5) {
            row.insert("nonesuch".to_owned(), json!(1));
        }
        if table.name == "tickets" && !new && !self.sees_hidden && self.rng.percent(60) {
            row = Map::from_iter([("status".to_owned(), json!("closed"))]);
        }
        Value::Object(row)
    }

    fn cell(&mut self, table: &Table, column: &Column) -> Value {
        if column.nullable && self.rng.percent(15) {
            return Value::Null;
        }
        if self.wild && self.rng.percent(6) {
            let odd =
                [json!(null), json!({"a": [1]}), json!([]), json!(1.5), json!(true), json!(-1)];
            return self.rng.pick(&odd).clone();
        }
        let text = match self.pool.real(&mut self.rng, table, column) {
            Some(real) if self.rng.percent(75) => real,
            _ => self.pool.value(&mut self.rng, table, column, self.wild),
        };
        match column.column_type {
            ColumnType::Int if self.rng.percent(70) => {
                text.trim().parse::<i64>().map_or_else(|_| json!(text), Value::from)
            }
            ColumnType::Bool if self.rng.percent(70) => json!(text == "true"),
            _ => Value::String(text),
        }
    }
}
