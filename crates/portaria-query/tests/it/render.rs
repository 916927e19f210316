//! Renders a [`Query`] as the pairs of a query string, with every name and value in quotes where the grammar permits
//! it.

use portaria_query::{
    Embed, Field, Filter, Join, JsonPathStep, Nulls, Operand, Operator, Quantifier, Query,
    SearchSyntax, SelectItem, TableQuery,
};

/// Renders pairs that parse to this query.
pub(crate) fn render(query: &Query) -> Vec<(String, String)> {
    let mut pairs = vec![("select".to_owned(), items(&query.root.select))];
    for (key, names) in [("columns", &query.columns), ("on_conflict", &query.on_conflict)] {
        if let Some(names) = names {
            pairs.push((key.to_owned(), joined(names, |name| quoted(name))));
        }
    }
    node(&query.root, "", &mut pairs);
    pairs
}

/// Renders everything of a node but its `select`, and then its embeds.
fn node(node: &TableQuery, path: &str, pairs: &mut Vec<(String, String)>) {
    for filter in &node.filters {
        pairs.push(match filter {
            Filter::Tree { negated, any, filters } => {
                (format!("{path}{}", tree(*negated, *any)), branches(filters))
            }
            Filter::Test { field: compared, negated, operator, operand } => {
                let value = match operand {
                    // The value of a parameter extends to its end and is not quoted.
                    Operand::Value(text) => text.clone(),
                    Operand::List(values) => list(operator, values),
                };
                (format!("{path}{}", field(compared)), test(*negated, operator, &value))
            }
        });
    }
    if !node.order.is_empty() {
        let terms = joined(&node.order, |order| {
            let place = match &order.relation {
                Some(relation) => format!("{}({})", quoted(relation), field(&order.field)),
                None => field(&order.field),
            };
            let direction = if order.descending { "desc" } else { "asc" };
            let nulls = match order.nulls {
                None => "",
                Some(Nulls::First) => ".nullsfirst",
                Some(Nulls::Last) => ".nullslast",
            };
            format!("{place}.{direction}{nulls}")
        });
        pairs.push((format!("{path}order"), terms));
    }
    for (word, number) in [("limit", node.limit), ("offset", node.offset)] {
        pairs.extend(number.map(|number| (format!("{path}{word}"), number.to_string())));
    }
    for item in &node.select {
        if let SelectItem::Embed(embed) = item {
            self::node(&embed.query, &format!("{path}{}.", quoted(embed.key())), pairs);
        }
    }
}

fn items(items: &[SelectItem]) -> String {
    joined(items, |item| match item {
        SelectItem::All => "*".to_owned(),
        SelectItem::Count { alias, cast } => {
            format!("{}count(){}", alias_of(alias.as_deref()), cast_of(cast.as_deref()))
        }
        SelectItem::Column(column) => {
            let aggregate = column.aggregate.as_ref().map(|aggregate| {
                let function = format!("{:?}", aggregate.function).to_lowercase();
                format!(".{function}(){}", cast_of(aggregate.cast.as_deref()))
            });
            format!(
                "{}{}{}{}",
                alias_of(column.alias.as_deref()),
                field(&column.field),
                cast_of(column.cast.as_deref()),
                aggregate.unwrap_or_default(),
            )
        }
        SelectItem::Embed(embed) => embedded(embed),
    })
}

fn embedded(embed: &Embed) -> String {
    let hint = embed.hint.as_ref().map(|hint| format!("!{}", quoted(hint)));
    format!(
        "{}{}{}{}{}({})",
        if embed.spread { "..." } else { "" },
        alias_of(embed.alias.as_deref()),
        quoted(&embed.relation),
        hint.unwrap_or_default(),
        if embed.join == Join::Inner { "!inner" } else { "" },
        items(&embed.query.select),
    )
}

fn alias_of(alias: Option<&str>) -> String {
    alias.map(|alias| format!("{}:", quoted(alias))).unwrap_or_default()
}

fn cast_of(cast: Option<&str>) -> String {
    cast.map(|cast| format!("::{}", quoted(cast))).unwrap_or_default()
}

fn field(field: &Field) -> String {
    let mut text = quoted(&field.name);
    for (number, step) in field.path.iter().enumerate() {
        let is_last = number + 1 == field.path.len();
        text.push_str(if is_last && field.as_text { "->>" } else { "->" });
        match step {
            JsonPathStep::Key(key) => text.push_str(&quoted(key)),
            JsonPathStep::Index(index) => text.push_str(&index.to_string()),
        }
    }
    text
}

fn branches(filters: &[Filter]) -> String {
    let branch = |filter: &Filter| match filter {
        Filter::Tree { negated, any, filters } => {
            format!("{}{}", tree(*negated, *any), branches(filters))
        }
        Filter::Test { field: compared, negated, operator, operand } => {
            let value = match operand {
                Operand::Value(text) => quoted(text),
                Operand::List(values) => list(operator, values),
            };
            format!("{}.{}", field(compared), test(*negated, operator, &value))
        }
    };
    format!("({})", joined(filters, branch))
}

fn tree(negated: bool, any: bool) -> String {
    format!("{}{}", if negated { "not." } else { "" }, if any { "or" } else { "and" })
}

fn test(negated: bool, operator: &Operator, value: &str) -> String {
    let (name, quantifier) = match operator {
        Operator::Eq(quantifier) => ("eq", *quantifier),
        Operator::Neq => ("neq", None),
        Operator::Gt(quantifier) => ("gt", *quantifier),
        Operator::Gte(quantifier) => ("gte", *quantifier),
        Operator::Lt(quantifier) => ("lt", *quantifier),
        Operator::Lte(quantifier) => ("lte", *quantifier),
        Operator::Like(quantifier) => ("like", *quantifier),
        Operator::Ilike(quantifier) => ("ilike", *quantifier),
        Operator::Match(quantifier) => ("match", *quantifier),
        Operator::Imatch(quantifier) => ("imatch", *quantifier),
        Operator::Is => ("is", None),
        Operator::IsDistinct => ("isdistinct", None),
        Operator::In => ("in", None),
        Operator::Contains => ("cs", None),
        Operator::Contained => ("cd", None),
        Operator::Overlaps => ("ov", None),
        Operator::TextSearch(syntax, config) => {
            let name = match syntax {
                SearchSyntax::Operators => "fts",
                SearchSyntax::Plain => "plfts",
                SearchSyntax::Phrase => "phfts",
                SearchSyntax::Web => "wfts",
            };
            let config = config.as_ref().map(|config| format!("({config})")).unwrap_or_default();
            return format!("{}{name}{config}.{value}", if negated { "not." } else { "" });
        }
        Operator::Other(name) => (name.as_str(), None),
    };
    let quantifier = match quantifier {
        None => "",
        Some(Quantifier::Any) => "(any)",
        Some(Quantifier::All) => "(all)",
    };
    format!("{}{name}{quantifier}.{value}", if negated { "not." } else { "" })
}

fn list(operator: &Operator, values: &[String]) -> String {
    let values = joined(values, |value| quoted(value));
    if *operator == Operator::In { format!("({values})") } else { format!("{{{values}}}") }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn joined<T>(parts: &[T], write: impl Fn(&T) -> String) -> String {
    parts.iter().map(write).collect::<Vec<_>>().join(",")
}
