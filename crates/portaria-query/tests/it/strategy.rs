//! Generators for the property tests: texts of the language's tokens, keys of a query string, and queries.

use portaria_query::{
    Aggregate, AggregateFunction, Column, Embed, Field, Filter, Join, JsonPathStep, Nulls, Operand,
    Operator, Order, Quantifier, Query, SearchSyntax, SelectItem, TableQuery,
};
use proptest::{collection::vec, option, prelude::*, sample::select, string::string_regex};

/// Tokens of the language, and characters that often break parsers.
const TOKENS: &[&str] = &[
    "select",
    "order",
    "limit",
    "offset",
    "and",
    "or",
    "not",
    "columns",
    "on_conflict",
    "id",
    "name",
    "documents",
    "folders",
    "count",
    "inner",
    "left",
    "eq",
    "neq",
    "in",
    "is",
    "like",
    "ilike",
    "fts",
    "null",
    "true",
    "any",
    "all",
    "asc",
    "desc",
    "nullsfirst",
    "sum",
    "text",
    "(",
    ")",
    ",",
    ".",
    ":",
    "::",
    "->",
    "->>",
    "!",
    "*",
    "...",
    "{",
    "}",
    "\"",
    "\\",
    "-",
    "=",
    " ",
    "0",
    "9",
    "-1",
    "99999999999999999999",
    "ç",
    "😀",
    "\u{301}",
    "\0",
    "\u{202E}",
    "()",
    "(any)",
    "not.",
    "count()",
];

/// The syntaxes of text searches.
pub(crate) const SYNTAXES: [SearchSyntax; 4] =
    [SearchSyntax::Operators, SearchSyntax::Plain, SearchSyntax::Phrase, SearchSyntax::Web];

/// Generates tokens of the language in random order.
pub(crate) fn random_tokens() -> impl Strategy<Value = String> {
    vec(select(TOKENS), 0..40).prop_map(|words| words.concat())
}

/// Generates a key of a query string, mostly a keyword.
pub(crate) fn key() -> impl Strategy<Value = String> {
    let word = select(
        &["select", "order", "limit", "offset", "and", "or", "not.or", "columns", "a.order"][..],
    );
    prop_oneof![3 => word.prop_map(str::to_owned), 1 => random_tokens(), 1 => any::<String>()]
}

/// Generates any query that the language can express.
pub(crate) fn query() -> impl Strategy<Value = Query> {
    let names = || option::of(vec(name(), 1..4));
    (root(), names(), names()).prop_map(|(root, columns, on_conflict)| Query {
        root,
        columns,
        on_conflict,
    })
}

fn root() -> impl Strategy<Value = TableQuery> {
    let flat = node(item(), 1);
    let nested = flat.clone().prop_recursive(3, 24, 3, |inner| {
        let items = vec(prop_oneof![item(), embed(inner).prop_map(SelectItem::Embed)], 1..4);
        (items, modifiers())
            .prop_map(|(select, rest)| TableQuery { select: distinct(select), ..rest })
    });
    // The root always selects something.
    prop_oneof![flat, nested]
}

fn node(
    item: impl Strategy<Value = SelectItem> + Clone + 'static,
    min_items: usize,
) -> BoxedStrategy<TableQuery> {
    (vec(item, min_items..4), modifiers())
        .prop_map(|(select, rest)| TableQuery { select, ..rest })
        .boxed()
}

/// Removes embeds whose key another embed of the node has.
fn distinct(mut items: Vec<SelectItem>) -> Vec<SelectItem> {
    let mut seen = Vec::new();
    items.retain(|item| match item {
        SelectItem::Embed(embed) if seen.contains(&embed.key().to_owned()) => false,
        SelectItem::Embed(embed) => {
            seen.push(embed.key().to_owned());
            true
        }
        _ => true,
    });
    if items.is_empty() { vec![SelectItem::All] } else { items }
}

fn modifiers() -> impl Strategy<Value = TableQuery> + Clone {
    let number = || option::of(0..=i64::MAX.unsigned_abs());
    (vec(filter(), 0..3), vec(order(), 0..3), number(), number()).prop_map(
        |(filters, order, limit, offset)| TableQuery {
            select: Vec::new(),
            filters,
            order,
            limit,
            offset,
        },
    )
}

fn embed(inner: impl Strategy<Value = TableQuery> + 'static) -> impl Strategy<Value = Embed> {
    (option::of(name()), name(), option::of(name()), any::<bool>(), any::<bool>(), inner).prop_map(
        |(alias, relation, hint, inner, spread, node)| Embed {
            alias: alias.filter(|_| !spread),
            relation,
            hint,
            join: if inner { Join::Inner } else { Join::Left },
            spread,
            query: node,
        },
    )
}

fn item() -> impl Strategy<Value = SelectItem> + Clone {
    use AggregateFunction as A;
    let functions = select(&[A::Sum, A::Avg, A::Min, A::Max, A::Count][..]);
    let aggregate =
        (functions, option::of(name())).prop_map(|(function, cast)| Aggregate { function, cast });
    let column = (option::of(name()), field(), option::of(name()), option::of(aggregate))
        .prop_map(|(alias, field, cast, aggregate)| Column { alias, field, cast, aggregate });
    let count = (option::of(name()), option::of(name()))
        .prop_map(|(alias, cast)| SelectItem::Count { alias, cast });
    let item = prop_oneof![1 => Just(SelectItem::All), 4 => column.prop_map(SelectItem::Column), 1 => count];
    // A bare `count` is an aggregate.
    item.prop_filter(
        "a column named count",
        |item| !matches!(item, SelectItem::Column(column) if column.field.name == "count"),
    )
}

fn order() -> impl Strategy<Value = Order> + Clone {
    let nulls = option::of(select(&[Nulls::First, Nulls::Last][..]));
    (option::of(name()), field(), any::<bool>(), nulls).prop_map(
        |(relation, field, descending, nulls)| Order { relation, field, descending, nulls },
    )
}

fn filter() -> impl Strategy<Value = Filter> + Clone {
    let test =
        (field(), any::<bool>(), operation()).prop_map(|(field, negated, (operator, operand))| {
            Filter::Test { field, negated, operator, operand }
        });
    test.prop_recursive(4, 12, 3, |inner| {
        (any::<bool>(), any::<bool>(), vec(inner, 1..4))
            .prop_map(|(negated, any, filters)| Filter::Tree { negated, any, filters })
    })
}

fn operation() -> impl Strategy<Value = (Operator, Operand)> + Clone {
    use Operator as O;
    let plain = prop_oneof![
        select(&[O::Neq, O::Is, O::IsDistinct, O::Contains, O::Contained, O::Overlaps][..]),
        select(&["sl", "sr", "nxr", "nxl", "adj"][..]).prop_map(|name| O::Other(name.to_owned())),
        (select(&SYNTAXES[..]), option::of(select(&["portuguese", "simple", "é_1", ""][..])))
            .prop_map(|(syntax, config)| O::TextSearch(syntax, config.map(str::to_owned))),
    ];
    let takes_list =
        &[O::Eq, O::Gt, O::Gte, O::Lt, O::Lte, O::Like, O::Ilike, O::Match, O::Imatch][..];
    let quantifier = select(&[Quantifier::Any, Quantifier::All][..]);
    let values = || vec(text(), 0..4).prop_map(Operand::List);
    prop_oneof![
        (plain, text()).prop_map(|(operator, text)| (operator, Operand::Value(text))),
        (select(takes_list), text()).prop_map(|(make, text)| (make(None), Operand::Value(text))),
        (select(takes_list), quantifier, values())
            .prop_map(|(make, quantifier, values)| (make(Some(quantifier)), values)),
        values().prop_map(|values| (O::In, values)),
    ]
}

fn field() -> impl Strategy<Value = Field> + Clone {
    let step = prop_oneof![
        name().prop_map(JsonPathStep::Key),
        (-i32::MAX..=i32::MAX).prop_map(JsonPathStep::Index)
    ];
    let path = prop_oneof![3 => Just(Vec::new()), 1 => vec(step, 1..4)];
    (name(), path, any::<bool>()).prop_map(|(name, path, as_text)| Field {
        name,
        as_text: as_text && !path.is_empty(),
        path,
    })
}

/// Generates a name that is not reserved by the grammar.
fn name() -> impl Strategy<Value = String> + Clone {
    let reserved = ["inner", "left", "not", "count"];
    prop_oneof![
        3 => select(&["id", "name", "documents", "folders", "and", "order", "a b", "ç"][..])
            .prop_map(str::to_owned),
        1 => text(),
    ]
    .prop_filter("a reserved word", move |name| !reserved.contains(&name.as_str()))
}

fn text() -> impl Strategy<Value = String> + Clone {
    let special = string_regex("[a-c,.()\"\\\\{}:*% ->]{0,6}")
        .expect("the pattern is a valid regular expression");
    prop_oneof![special, any::<String>()].prop_map(|text| text).boxed()
}
