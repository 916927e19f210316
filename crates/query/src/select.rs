//! `select=` and `order=`: which columns, which embeds, in what order.

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
    /// A bare `count` (inside an embed) or `count()`.
    Count {
        /// The key in the answer, `count` by default.
        alias: Option<String>,
    },
}

/// A column in `select`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The key in the answer, if not the column's own.
    pub alias: Option<String>,
    /// What is read.
    pub field: Field,
    /// `::type`
    pub cast: Option<String>,
    /// `.sum()` and its like.
    pub aggregate: Option<Aggregate>,
}

/// A column, or a place inside a JSON column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The column.
    pub name: String,
    /// The way into its JSON; empty for the column itself.
    pub path: Vec<JsonPathStep>,
    /// The last arrow was `->>`: text instead of JSON.
    pub as_text: bool,
}

/// One arrow of a JSON path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonPathStep {
    /// `->key`
    Key(String),
    /// `->2`; no array has more places than 32 bits count.
    Index(i32),
}

/// The aggregate functions of the grammar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Aggregate {
    Sum,
    Avg,
    Min,
    Max,
    Count,
}

/// A related table inside the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Embed {
    /// The key in the answer, if not the relation's name.
    pub alias: Option<String>,
    /// The related table.
    pub relation: String,
    /// A foreign key's or a column's name that tells two relations apart.
    pub hint: Option<String>,
    /// What happens to a parent without a match.
    pub join: Join,
    /// `...`: the columns stand beside the parent's.
    pub spread: bool,
    /// What is asked of the related table.
    pub node: TableQuery,
}

impl Embed {
    /// The name by which filters, order and limit refer to this embed.
    #[must_use]
    pub fn key(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.relation)
    }
}

/// How an embed joins its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Join {
    /// A parent without a match stays.
    Left,
    /// A parent without a match is left out.
    Inner,
}

/// One sort key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Order {
    /// `relation(column)`: sort by a column of a to-one embed.
    pub relation: Option<String>,
    /// What is compared.
    pub field: Field,
    /// Greatest first.
    pub descending: bool,
    /// Where missing values go, if the caller says.
    pub nulls: Option<Nulls>,
}

/// Where missing values go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Nulls {
    First,
    Last,
}

pub(crate) fn parse_select(text: &str) -> Result<Vec<SelectItem>, Error> {
    let mut scan = Cursor::new("select parameter", text);
    if scan.is_done() {
        return Ok(vec![SelectItem::All]);
    }
    let items = items(&mut scan, 0)?;
    scan.finish()?;
    Ok(items)
}

fn items(scan: &mut Cursor<'_>, depth: usize) -> Result<Vec<SelectItem>, Error> {
    if depth > MAX_DEPTH {
        return Err(Error::TooLarge("embeds nest too deep"));
    }
    let mut items = Vec::new();
    loop {
        items.push(item(scan, depth)?);
        if !scan.eat(",") {
            return Ok(items);
        }
    }
}

fn item(scan: &mut Cursor<'_>, depth: usize) -> Result<SelectItem, Error> {
    if scan.eat("...") {
        let relation = scan.name()?;
        return embed(scan, None, relation, true, depth);
    }
    if scan.eat("*") {
        return Ok(SelectItem::All);
    }
    let mut name = scan.name()?;
    let mut alias = None;
    if scan.rest().starts_with(':') && !scan.rest().starts_with("::") {
        scan.expect(":")?;
        alias = Some(name);
        name = scan.name()?;
    }
    if matches!(scan.peek(), Some('(' | '!')) {
        // `count()` has the shape of an embed without columns.
        if name == "count" && scan.eat("()") {
            return Ok(SelectItem::Count { alias });
        }
        return embed(scan, alias, name, false, depth);
    }
    let field = field_after(scan, name)?;
    let mut cast = cast(scan)?;
    let mut aggregate = None;
    if scan.eat(".") {
        aggregate = Some(match scan.name()?.as_str() {
            "sum" => Aggregate::Sum,
            "avg" => Aggregate::Avg,
            "min" => Aggregate::Min,
            "max" => Aggregate::Max,
            "count" => Aggregate::Count,
            _ => return Err(scan.unexpected("aggregate function")),
        });
        scan.expect("()")?;
        cast = self::cast(scan)?.or(cast);
    }
    if depth > 0
        && field.name == "count"
        && field.path.is_empty()
        && cast.is_none()
        && aggregate.is_none()
    {
        return Ok(SelectItem::Count { alias });
    }
    Ok(SelectItem::Column(Column { alias, field, cast, aggregate }))
}

fn embed(
    scan: &mut Cursor<'_>,
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
        node: TableQuery::default(),
    };
    for _ in 0..2 {
        if scan.eat("!") {
            match scan.name()?.as_str() {
                "inner" => embed.join = Join::Inner,
                "left" => embed.join = Join::Left,
                hint => embed.hint = Some(hint.to_owned()),
            }
        }
    }
    scan.expect("(")?;
    if scan.peek() != Some(')') {
        embed.node.select = items(scan, depth + 1)?;
    }
    scan.expect(")")?;
    Ok(SelectItem::Embed(embed))
}

fn cast(scan: &mut Cursor<'_>) -> Result<Option<String>, Error> {
    if scan.eat("::") { scan.name().map(Some) } else { Ok(None) }
}

pub(crate) fn field(scan: &mut Cursor<'_>) -> Result<Field, Error> {
    let name = scan.name()?;
    field_after(scan, name)
}

fn field_after(scan: &mut Cursor<'_>, name: String) -> Result<Field, Error> {
    let mut field = Field { name, path: Vec::new(), as_text: false };
    while !field.as_text && scan.eat("->") {
        field.as_text = scan.eat(">");
        let negative = scan.rest().starts_with('-');
        let digits =
            scan.rest().trim_start_matches('-').chars().take_while(char::is_ascii_digit).count();
        if digits > 0 {
            if negative {
                scan.bump();
            }
            let number: i32 = scan
                .take_while(|c| c.is_ascii_digit())
                .parse()
                .map_err(|_| scan.unexpected("array index"))?;
            field.path.push(JsonPathStep::Index(if negative { -number } else { number }));
        } else {
            field.path.push(JsonPathStep::Key(scan.name()?));
        }
        if field.path.len() > MAX_DEPTH {
            return Err(Error::TooLarge("JSON path is too long"));
        }
    }
    Ok(field)
}

pub(crate) fn parse_order(text: &str) -> Result<Vec<Order>, Error> {
    let mut scan = Cursor::new("order", text);
    let mut terms = Vec::new();
    loop {
        terms.push(order_term(&mut scan)?);
        if !scan.eat(",") {
            scan.finish()?;
            return Ok(terms);
        }
    }
}

fn order_term(scan: &mut Cursor<'_>) -> Result<Order, Error> {
    let name = scan.name()?;
    let (relation, field) = if scan.eat("(") {
        let inner = field(scan)?;
        scan.expect(")")?;
        (Some(name), inner)
    } else {
        (None, field_after(scan, name)?)
    };
    let mut order = Order { relation, field, descending: false, nulls: None };
    while scan.eat(".") {
        match scan.take_while(|c| c.is_ascii_lowercase()) {
            "asc" => order.descending = false,
            "desc" => order.descending = true,
            "nullsfirst" => order.nulls = Some(Nulls::First),
            "nullslast" => order.nulls = Some(Nulls::Last),
            _ => return Err(scan.unexpected("asc, desc, nullsfirst or nullslast")),
        }
    }
    Ok(order)
}
