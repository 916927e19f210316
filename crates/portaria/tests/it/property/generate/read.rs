//! `select`, `order`, pages and headers of reads.

use portaria::schema::tables::RELATIONS;
use portaria::schema::{ColumnType, Table};

use crate::property::generate::{Ask, Maker};

/// A table of the request, and the prefix of its filters, order and limits.
pub(crate) struct Place {
    pub(crate) prefix: String,
    pub(crate) table: &'static Table,
    pub(crate) embeds: Vec<Embedded>,
}

/// An embed of a table.
pub(crate) struct Embedded {
    pub(crate) key: String,
    table: &'static Table,
    /// Whether the embed has at most one row, by which its parent can be sorted.
    is_one: bool,
}

impl Maker<'_> {
    pub(crate) fn read(&mut self) -> Ask {
        let table = self.table();
        let method = if self.rng.percent(92) { "GET" } else { "HEAD" };
        let mut ask = Ask::new(method, format!("/rest/v1/{}", table.name));
        let mut places = Vec::new();
        if self.rng.percent(75) {
            let select = self.select(table, "", 0, &mut places);
            ask.query("select", &select);
        } else {
            places.push(Place { prefix: String::new(), table, embeds: Vec::new() });
        }
        for place in &places {
            self.narrow(&mut ask, place);
        }
        if self.wild && self.rng.percent(4) {
            let name = *self.rng.pick(&["columns", "on_conflict", "select", "nope.limit", "limit"]);
            let value = *self.rng.pick(&["id", "client_id", "nonesuch", "", "-1", "*"]);
            ask.query(name, value);
        }
        if self.rng.percent(8) {
            let range =
                *self.rng.pick(&["0-4", "3-", "2-1", "0-0", "items=1-2", "900-", "x", "5-9"]);
            ask.header("range", range);
        }
        if self.rng.percent(40) {
            let wishes = [
                "count=exact",
                "count=exact",
                "count=planned",
                "count=estimated",
                "handling=strict",
                "count=exact, handling=lenient",
                "return=minimal",
                "timezone=America/Sao_Paulo",
                "handling=strict, nonsense",
            ];
            let known = if self.wild { wishes.len() } else { wishes.len() - 1 };
            ask.header("prefer", wishes[self.rng.below(known)]);
        }
        self.form(&mut ask);
        ask
    }

    /// The format of the response.
    pub(crate) fn form(&mut self, ask: &mut Ask) {
        if self.rng.percent(25) {
            let forms = [
                "application/json",
                "application/vnd.pgrst.object+json",
                "application/vnd.pgrst.object+json;nulls=stripped",
                "application/vnd.pgrst.array+json;nulls=stripped",
                "text/csv",
                "text/csv",
                "text/xml, */*",
                "text/xml",
                "application/vnd.pgrst.plan+json",
            ];
            ask.header("accept", *self.rng.pick(&forms));
        }
        if self.rng.percent(5) {
            let name = if ask.method == "GET" { "accept-profile" } else { "content-profile" };
            ask.header(name, *self.rng.pick(&["public", "auth"]));
        }
    }

    /// Filters, order and page of one table of the request.
    fn narrow(&mut self, ask: &mut Ask, place: &Place) {
        let filters = [0, 0, 1, 1, 1, 2, 3];
        for _ in 0..*self.rng.pick(&filters) {
            let (name, value) = self.filter(place);
            ask.query(&name, &value);
        }
        if self.rng.percent(45) {
            let terms: Vec<String> = (0..=self.rng.below(3)).map(|_| self.term(place)).collect();
            ask.query(&format!("{}order", place.prefix), &terms.join(","));
        }
        for word in ["limit", "offset"] {
            if self.rng.percent(15) {
                let numbers = ["0", "1", "2", "3", "5", "20", "9223372036854775807", "-1", "x"];
                let known = if self.wild { numbers.len() } else { 7 };
                let number = numbers[self.rng.below(known)];
                ask.query(&format!("{}{word}", place.prefix), number);
            }
        }
    }

    pub(crate) fn term(&mut self, place: &Place) -> String {
        let one = place.embeds.iter().find(|embed| embed.is_one || self.wild);
        let term = match one {
            Some(embed) if self.rng.percent(30) => {
                let field = self.field(embed.table, true);
                format!("{}({field})", embed.key)
            }
            _ => self.field(place.table, true),
        };
        let direction = *self.rng.pick(&["", ".asc", ".desc", ".desc"]);
        let nulls = *self.rng.pick(&["", "", ".nullsfirst", ".nullslast"]);
        format!("{term}{direction}{nulls}")
    }

    /// A select list. Appends the tables of all its embeds.
    pub(crate) fn select(
        &mut self,
        table: &'static Table,
        prefix: &str,
        depth: usize,
        places: &mut Vec<Place>,
    ) -> String {
        let mut items = Vec::new();
        let mut place = Place { prefix: prefix.to_owned(), table, embeds: Vec::new() };
        for _ in 0..=self.rng.below(4) {
            items.push(match self.rng.below(100) {
                0..25 => "*".to_owned(),
                25..27 if self.wild => {
                    let odd = ["", "**", "id:", "id.median()", "id.sum(", "count()::date"];
                    (*self.rng.pick(&odd)).to_owned()
                }
                // Aggregates are common, because one makes groups of the whole list.
                25..30 => self.aggregate(table),
                30..60 => self.item(table),
                _ if depth < 2 || (self.wild && depth < 5) => self.embed(&mut place, depth, places),
                _ => self.item(table),
            });
        }
        places.push(place);
        items.join(",")
    }

    /// An aggregate, of a column that has it in a valid request.
    fn aggregate(&mut self, table: &'static Table) -> String {
        let alias = if self.rng.percent(30) { "n:" } else { "" };
        let cast = if self.rng.percent(12) { *self.rng.pick(&["::text", "::int"]) } else { "" };
        if self.rng.percent(35) {
            return format!("{alias}count{}{cast}", self.rng.pick(&["()", "()", ""]));
        }
        let column = self.column(table);
        let functions: &[&str] = match column.column_type {
            _ if self.wild => &["sum", "avg", "min", "max", "count"],
            ColumnType::Int => &["sum", "avg", "min", "max", "count"],
            ColumnType::Bool | ColumnType::Json => &["count"],
            _ => &["min", "max", "count"],
        };
        let function = *self.rng.pick(functions);
        let cast = if self.wild || matches!(function, "sum" | "avg") { cast } else { "" };
        format!("{alias}{}.{function}(){cast}", self.name(column.name))
    }

    fn item(&mut self, table: &'static Table) -> String {
        let alias =
            if self.rng.percent(15) { *self.rng.pick(&["x:", "nome:", "\"ção\":"]) } else { "" };
        let field = self.field(table, false);
        let casts =
            ["text", "text", "int", "date", "timestamp", "bool", "uuid", "interval", "nonesuch"];
        let casts = if field.contains("->") {
            ["text", "int", "numeric", "json", "bool", "float8", "uuid", "date", "int8"]
        } else {
            casts
        };
        let known = if self.wild { casts.len() } else { 2 };
        let cast = if self.rng.percent(10) {
            format!("::{}", casts[self.rng.below(known)])
        } else {
            String::new()
        };
        format!("{alias}{field}{cast}")
    }

    /// A column, or a path inside its JSON.
    pub(crate) fn field(&mut self, table: &'static Table, compared: bool) -> String {
        let column = self.column(table);
        let name = self.name(column.name);
        if column.column_type != ColumnType::Json && !(self.wild && self.rng.percent(3)) {
            return name;
        }
        let keys = [
            "full_name",
            "n",
            "ok",
            "tags",
            "address",
            "phone",
            "1",
            "x",
            "none",
            "-1",
            "99999999999",
        ];
        let steps = self.rng.below(3);
        let mut path = name;
        for _ in 0..steps {
            path = format!("{path}->{}", self.rng.pick(&keys));
        }
        let as_text = self.rng.percent(if compared { 65 } else { 50 });
        format!("{path}{}{}", if as_text { "->>" } else { "->" }, self.rng.pick(&keys))
    }

    fn embed(&mut self, place: &mut Place, depth: usize, places: &mut Vec<Place>) -> String {
        let table = place.table;
        let ways: Vec<_> = RELATIONS
            .iter()
            .flat_map(|relation| {
                let up = (relation.child == table.id).then_some((relation, relation.parent));
                let down = (relation.parent == table.id).then_some((relation, relation.child));
                up.into_iter().chain(down)
            })
            .collect();
        let (name, hint, target, is_one) = if self.wild && self.rng.percent(8) {
            let target = self.table();
            (target.name, "nonesuch", target, false)
        } else if ways.is_empty() {
            return self.item(table);
        } else {
            let (relation, target) = *self.rng.pick(&ways);
            let hints = [relation.name, relation.column, relation.parent_column];
            let is_one = relation.child == table.id;
            let own = if is_one { relation.column } else { relation.parent_column };
            // A foreign key or a column of this table also names the relation.
            let name = match self.rng.below(20) {
                0 => relation.name,
                1 => own,
                _ => target.table().name,
            };
            (name, *self.rng.pick(&hints), target.table(), is_one)
        };
        let spread = self.rng.percent(15);
        // Two embeds with the same key could not be distinguished.
        let twice = place.embeds.iter().any(|embed| embed.key == name);
        let alias = if (twice && !self.wild) || (!spread && self.rng.percent(25)) {
            format!("e{}", place.embeds.len())
        } else {
            String::new()
        };
        let spread = spread && alias.is_empty();
        let key = if alias.is_empty() { name.to_owned() } else { alias.clone() };
        let prefix = format!("{}{key}.", place.prefix);
        let inside = match self.rng.below(10) {
            0 | 1 if !is_one => {
                places.push(Place { prefix, table: target, embeds: Vec::new() });
                "count".to_owned()
            }
            2 => String::new(),
            _ => self.select(target, &prefix, depth + 1, places),
        };
        place.embeds.push(Embedded { key, table: target, is_one });
        let hint = if name == target.name && self.rng.percent(12) {
            format!("!{hint}")
        } else {
            String::new()
        };
        let join = *self.rng.pick(&["", "", "", "!inner", "!inner", "!left"]);
        let dots = if spread { "..." } else { "" };
        let colon = if alias.is_empty() { "" } else { ":" };
        format!("{dots}{alias}{colon}{name}{hint}{join}({inside})")
    }
}
