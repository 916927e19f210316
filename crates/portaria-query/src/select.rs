//! Parses `select=` and `order=`: columns, JSON paths, casts, embeds and sort keys.

use crate::{Error, MAX_DEPTH, TableQuery, scan::Cursor};

/// One entry of a `select` list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SelectItem {
    /// `*`
    All,
    /// `alias:column->path::cast.sum()`
    Column(Column),
    /// `alias:relation!hint!inner(…)`, `...relation(…)`
    Embed(Embed),
    /// `count()`, or a bare `count`.
    Count {
        /// The key in the answer, `count` by default.
        alias: Option<String>,
        /// The type of a cast (`::type`).
        cast: Option<String>,
    },
}

/// A column in `select`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The key in the answer, if it differs from the column's name.
    pub alias: Option<String>,
    /// The column or JSON path.
    pub field: Field,
    /// The type of a cast (`::type`), which precedes the aggregate function.
    pub cast: Option<String>,
    /// An aggregate function, such as `.sum()`.
    pub aggregate: Option<Aggregate>,
}

/// A column, or a value inside a JSON column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The name of the column.
    pub name: String,
    /// The path inside its JSON; empty for the column itself.
    pub path: Vec<JsonPathStep>,
    /// Whether the last arrow is `->>`, which returns text instead of JSON.
    pub as_text: bool,
}

/// One arrow of a JSON path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonPathStep {
    /// `->key`
    Key(String),
    /// `->2`. PostgreSQL limits an index to 32 bits.
    Index(i32),
}

/// `.function()::cast`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aggregate {
    /// The function.
    pub function: AggregateFunction,
    /// The type of a cast of the result.
    pub cast: Option<String>,
}

/// The aggregate functions of the grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "variants are named after the grammar")]
pub enum AggregateFunction {
    Sum,
    Avg,
    Min,
    Max,
    Count,
}

/// Rows of a related table inside the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Embed {
    /// The key in the answer, if it differs from the relation's name.
    pub alias: Option<String>,
    /// The name of the related table.
    pub relation: String,
    /// The name of a foreign key or column, to distinguish several relations.
    pub hint: Option<String>,
    /// The handling of a parent without a match.
    pub join: Join,
    /// Whether the embed is a spread (`...`), whose columns become fields of the parent.
    pub spread: bool,
    /// The query of the related table.
    pub query: TableQuery,
}

impl Embed {
    /// Returns the name by which filters, order and limit refer to this embed.
    #[must_use]
    pub fn key(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.relation)
    }
}

/// The join of an embed with its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Join {
    /// A parent without a match is kept.
    Left,
    /// A parent without a match is omitted.
    Inner,
}

/// One sort key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// `relation(column)`: sort by a column of a to-one embed.
    pub relation: Option<String>,
    /// The column or JSON path.
    pub field: Field,
    /// Whether the greatest value comes first.
    pub descending: bool,
    /// The position of NULL, if it is given.
    pub nulls: Option<Nulls>,
}

/// The position of NULL in an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "variants are named after the grammar")]
pub enum Nulls {
    First,
    Last,
}

/// Parses the value of `select`. An empty text selects all columns.
pub(crate) fn parse_select(text: &str) -> Result<Vec<SelectItem>, Error> {
    let mut cursor = Cursor::new("select parameter", text);
    if cursor.is_done() {
        return Ok(vec![SelectItem::All]);
    }
    let items = parse_items(&mut cursor, 0)?;
    cursor.finish()?;
    Ok(items)
}

fn parse_items(cursor: &mut Cursor<'_>, depth: usize) -> Result<Vec<SelectItem>, Error> {
    if depth > MAX_DEPTH {
        return Err(Error::TooLarge("embeds nest too deep"));
    }
    let mut items = Vec::new();
    loop {
        items.push(parse_item(cursor, depth)?);
        if !cursor.eat(",") {
            return Ok(items);
        }
        cursor.skip_spaces();
    }
}

fn parse_item(cursor: &mut Cursor<'_>, depth: usize) -> Result<SelectItem, Error> {
    if cursor.eat("...") {
        let relation = cursor.name()?;
        return parse_embed(cursor, None, relation, true, depth);
    }
    if cursor.eat("*") {
        return Ok(SelectItem::All);
    }
    let mut name = cursor.name()?;
    let mut alias = None;
    if cursor.rest().starts_with(':') && !cursor.rest().starts_with("::") {
        cursor.expect(":")?;
        alias = Some(name);
        name = cursor.name()?;
    }
    if matches!(cursor.peek(), Some('(' | '!')) {
        // `count()` looks like an embed without columns.
        if name == "count" && cursor.eat("()") {
            return Ok(SelectItem::Count { alias, cast: parse_cast(cursor)? });
        }
        return parse_embed(cursor, alias, name, false, depth);
    }
    let field = field_after(cursor, name)?;
    let cast = parse_cast(cursor)?;
    let aggregate = if cursor.eat(".") { Some(parse_aggregate(cursor)?) } else { None };
    if field.name == "count" && field.path.is_empty() && cast.is_none() && aggregate.is_none() {
        return Ok(SelectItem::Count { alias, cast: None });
    }
    Ok(SelectItem::Column(Column { alias, field, cast, aggregate }))
}

fn parse_aggregate(cursor: &mut Cursor<'_>) -> Result<Aggregate, Error> {
    let function = match cursor.name()?.as_str() {
        "sum" => AggregateFunction::Sum,
        "avg" => AggregateFunction::Avg,
        "min" => AggregateFunction::Min,
        "max" => AggregateFunction::Max,
        "count" => AggregateFunction::Count,
        _ => return Err(cursor.unexpected("aggregate function")),
    };
    cursor.expect("()")?;
    Ok(Aggregate { function, cast: parse_cast(cursor)? })
}

fn parse_embed(
    cursor: &mut Cursor<'_>,
    alias: Option<String>,
    relation: String,
    spread: bool,
    depth: usize,
) -> Result<SelectItem, Error> {
    let mut embed = Embed {
        alias,
        relation,
        hint: None,
        join: Join::Left,
        spread,
        query: TableQuery::default(),
    };
    for _ in 0..2 {
        if cursor.eat("!") {
            match cursor.name()?.as_str() {
                "inner" => embed.join = Join::Inner,
                "left" => embed.join = Join::Left,
                hint => embed.hint = Some(hint.to_owned()),
            }
        }
    }
    cursor.expect("(")?;
    if cursor.peek() != Some(')') {
        embed.query.select = parse_items(cursor, depth + 1)?;
    }
    cursor.expect(")")?;
    Ok(SelectItem::Embed(embed))
}

fn parse_cast(cursor: &mut Cursor<'_>) -> Result<Option<String>, Error> {
    if cursor.eat("::") { cursor.name().map(Some) } else { Ok(None) }
}

/// Parses a column with an optional JSON path.
pub(crate) fn parse_field(cursor: &mut Cursor<'_>) -> Result<Field, Error> {
    let name = cursor.name()?;
    field_after(cursor, name)
}

fn field_after(cursor: &mut Cursor<'_>, name: String) -> Result<Field, Error> {
    let mut field = Field { name, path: Vec::new(), as_text: false };
    while !field.as_text && cursor.eat("->") {
        field.as_text = cursor.eat(">");
        let negative = cursor.rest().starts_with('-');
        let digits =
            cursor.rest().trim_start_matches('-').chars().take_while(char::is_ascii_digit).count();
        if digits > 0 {
            if negative {
                cursor.bump();
            }
            let number: i32 = cursor
                .take_while(|c| c.is_ascii_digit())
                .parse()
                .map_err(|_| cursor.unexpected("array index"))?;
            field.path.push(JsonPathStep::Index(if negative { -number } else { number }));
        } else {
            field.path.push(JsonPathStep::Key(cursor.name()?));
        }
        if field.path.len() > MAX_DEPTH {
            return Err(Error::TooLarge("JSON path is too long"));
        }
    }
    Ok(field)
}

/// Parses the value of `order`.
pub(crate) fn parse_order(text: &str) -> Result<Vec<Order>, Error> {
    let mut cursor = Cursor::new("order", text);
    let mut terms = Vec::new();
    loop {
        terms.push(parse_order_term(&mut cursor)?);
        if !cursor.eat(",") {
            cursor.finish()?;
            return Ok(terms);
        }
    }
}

fn parse_order_term(cursor: &mut Cursor<'_>) -> Result<Order, Error> {
    let name = cursor.name()?;
    let (relation, field) = if cursor.eat("(") {
        let column = parse_field(cursor)?;
        cursor.expect(")")?;
        (Some(name), column)
    } else {
        (None, field_after(cursor, name)?)
    };
    let mut order = Order { relation, field, descending: false, nulls: None };
    while cursor.eat(".") {
        match cursor.take_while(|c| c.is_ascii_lowercase()) {
            "asc" => order.descending = false,
            "desc" => order.descending = true,
            "nullsfirst" => order.nulls = Some(Nulls::First),
            "nullslast" => order.nulls = Some(Nulls::Last),
            _ => return Err(cursor.unexpected("asc, desc, nullsfirst or nullslast")),
        }
    }
    Ok(order)
}
