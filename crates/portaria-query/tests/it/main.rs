//! Property tests of the parser with generated texts and queries, and tests of its limits.

mod render;
mod strategy;

use portaria_query::{
    Error, Filter, MAX_DEPTH, MAX_PARTS, MAX_VALUES, Operand, Query, SearchSyntax, SelectItem,
    TableQuery, TextQuery, parse,
};
use proptest::{collection::vec, prelude::*};
use render::render;

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn parser_survives_arbitrary_text(pairs in vec((strategy::key(), any::<String>()), 0..4)) {
        check_parse(&pairs)?;
    }

    #[test]
    fn parser_survives_arbitrary_tokens(pairs in vec((strategy::key(), strategy::random_tokens()), 0..4)) {
        check_parse(&pairs)?;
    }

    #[test]
    fn text_search_survives_arbitrary_text(syntax in 0..4_usize, text in any::<String>(), tokens in "[a-c'\":*&|!()<>0-9 -]{0,30}") {
        let syntax = strategy::SYNTAXES[syntax];
        for text in [text, tokens] {
            let query = TextQuery::parse(syntax, &text);
            prop_assert!(query.is_ok() || syntax == SearchSyntax::Operators);
        }
    }

    #[test]
    fn query_survives_rendering_and_parsing(query in strategy::query()) {
        prop_assert_eq!(parse(render(&query)), Ok(query));
    }
}

/// Checks the properties of a parse: a query is within the limits and survives rendering, and the position of a syntax
/// error is inside the text.
fn check_parse(pairs: &[(String, String)]) -> Result<(), TestCaseError> {
    match parse(pairs.iter().map(|(key, value)| (key, value))) {
        Ok(query) => {
            prop_assert!(is_bounded(&query), "{query:?}");
            prop_assert_eq!(parse(render(&query)), Ok(query));
        }
        Err(Error::Syntax { text, column, .. }) => {
            prop_assert!((1..=text.chars().count() + 1).contains(&column), "{column} of {text:?}");
        }
        Err(Error::NotEmbedded(_) | Error::NegativeLimit | Error::TooLarge(_)) => {}
    }
    Ok(())
}

fn is_bounded(query: &Query) -> bool {
    let names = [&query.columns, &query.on_conflict].into_iter().flatten().map(Vec::len);
    names.chain([parts(&query.root, 0)]).sum::<usize>() <= MAX_PARTS
}

/// Counts the parts of a node. A node that nests too deep counts as more than the maximum.
fn parts(node: &TableQuery, depth: usize) -> usize {
    let mut parts = node.select.len() + node.order.len();
    for item in &node.select {
        if let SelectItem::Embed(embed) = item {
            parts += self::parts(&embed.query, depth + 1);
        }
    }
    parts += node.filters.iter().map(|filter| tests(filter, 0)).sum::<usize>();
    if depth > MAX_DEPTH { MAX_PARTS + 1 } else { parts }
}

fn tests(filter: &Filter, depth: usize) -> usize {
    match filter {
        Filter::Test { operand: Operand::List(values), .. } if values.len() > MAX_VALUES => {
            MAX_PARTS + 1
        }
        Filter::Test { .. } => 1,
        Filter::Tree { .. } if depth > MAX_DEPTH => MAX_PARTS + 1,
        Filter::Tree { filters, .. } => {
            1 + filters.iter().map(|filter| tests(filter, depth + 1)).sum::<usize>()
        }
    }
}

#[test]
fn oversized_query_is_refused() {
    let many = |part: &str| vec![part; 20_000].join(",");
    for (key, value) in [
        ("select", many("*")),
        ("select", format!("a({})", many("b"))),
        ("select", format!("a{}", "->b".repeat(20_000))),
        ("select", "a(".repeat(20_000)),
        ("order", many("a")),
        ("columns", many("a")),
        ("on_conflict", many("a")),
        ("a", format!("in.({})", many("1"))),
        ("a", format!("eq(any).{{{}}}", many("1"))),
        ("or", format!("({})", many("a.eq.1"))),
        ("or", "(or".repeat(20_000)),
    ] {
        let refused = matches!(parse([(key, &value)]), Err(Error::TooLarge(_)));
        assert!(refused, "{key}={value:.20}…");
    }
}

#[test]
fn bounds_apply_to_the_whole_query() {
    let parse = |pairs: &[(&str, String)]| parse(pairs.iter().map(|(key, value)| (key, value)));
    let list = |values: usize| format!("in.({})", vec!["1"; values].join(","));
    assert!(parse(&[("a", list(MAX_VALUES)), ("b", list(MAX_VALUES))]).is_ok());
    let third = || format!("a{}", ",a".repeat(MAX_PARTS / 3));
    let trees = format!("({})", third().replace('a', "a.eq.1"));
    assert!(parse(&[("select", third()), ("order", third())]).is_ok());
    for more in [("columns", third()), ("or", trees)] {
        let refusal = parse(&[("select", third()), ("order", third()), more]);
        assert!(matches!(refusal, Err(Error::TooLarge(_))), "{refusal:?}");
    }
    let each = format!("eq(any).{{{}}}", vec!["1"; MAX_PARTS].join(","));
    assert!(matches!(parse(&[("a", each)]), Err(Error::TooLarge(_))));
}
