//! Parses the pairs of a query string to a [`Query`].

use crate::{
    Error, MAX_PARTS, Query, SelectItem, TableQuery,
    filter::{parse_test, parse_tree},
    scan::Cursor,
    select::{parse_field, parse_order, parse_select},
    size::count_parts,
};

/// Parses the decoded pairs of a query string.
///
/// Filters may be repeated, and all of them apply. Any other key may occur once: PostgREST takes the first `select` and
/// `order` but the last `limit` and `offset`, and a request must not mean different things to two programs.
///
/// # Errors
/// [`Error`]. Its texts contain only what the caller sent.
pub fn parse<K: AsRef<str>, V: AsRef<str>>(
    pairs: impl IntoIterator<Item = (K, V)>,
) -> Result<Query, Error> {
    let pairs: Vec<(K, V)> = pairs.into_iter().collect();
    let mut query = Query::default();
    for (key, value) in &pairs {
        let (key, value) = (key.as_ref(), value.as_ref());
        match key {
            "select" => {
                require_first(key, query.root.select.is_empty())?;
                query.root.select = parse_select(value)?;
            }
            "columns" => {
                require_first(key, query.columns.is_none())?;
                query.columns = Some(parse_names(value, "columns parameter")?);
            }
            "on_conflict" => {
                require_first(key, query.on_conflict.is_none())?;
                query.on_conflict = Some(parse_names(value, "on_conflict parameter")?);
            }
            _ => {}
        }
    }
    if query.root.select.is_empty() {
        query.root.select.push(SelectItem::All);
    }
    for (key, value) in &pairs {
        let (key, value) = (key.as_ref(), value.as_ref());
        if !matches!(key, "select" | "columns" | "on_conflict") {
            parse_modifier(&mut query.root, key, value)?;
        }
    }
    if count_parts(&query) > MAX_PARTS {
        return Err(Error::TooLarge("the query has too many parts"));
    }
    Ok(query)
}

/// Parses any pair but `select`, `columns` and `on_conflict`. Its key may begin with the path of an embed.
fn parse_modifier(root: &mut TableQuery, key: &str, value: &str) -> Result<(), Error> {
    let (path, last) = split_path(key)?;
    // `not.and` and `not.or` are one keyword, not the path of an embed named `not`.
    let (path, word) = match path.split_last() {
        Some((not, rest)) if not == "not" && matches!(last.as_str(), "and" | "or") => {
            (rest.to_vec(), format!("not.{last}"))
        }
        _ => (path, last),
    };
    let node = find_embed(root, &path)?;
    match word.as_str() {
        "order" => {
            require_first(key, node.order.is_empty())?;
            node.order = parse_order(value)?;
        }
        "limit" => {
            require_first(key, node.limit.is_none())?;
            require_positive(value)?;
            node.limit = Some(parse_number(value, "limit parameter")?);
        }
        "offset" => {
            require_first(key, node.offset.is_none())?;
            node.offset = Some(parse_number(value, "offset parameter")?);
        }
        "and" => node.filters.push(parse_tree(false, false, value)?),
        "or" => node.filters.push(parse_tree(false, true, value)?),
        "not.and" => node.filters.push(parse_tree(true, false, value)?),
        "not.or" => node.filters.push(parse_tree(true, true, value)?),
        name => {
            let mut cursor = Cursor::new("filter", name);
            let field = parse_field(&mut cursor)?;
            cursor.finish()?;
            node.filters.push(parse_test(field, value)?);
        }
    }
    Ok(())
}

/// Refuses a key that occurs for the second time.
fn require_first(key: &str, is_first: bool) -> Result<(), Error> {
    if is_first {
        return Ok(());
    }
    Err(Error::Syntax {
        part: "query string",
        text: key.to_owned(),
        column: 1,
        details: format!("\"{key}\" is given more than once"),
    })
}

/// Refuses a number with a minus sign as a limit.
fn require_positive(limit: &str) -> Result<(), Error> {
    let is_negative = limit.strip_prefix('-').is_some_and(|digits| digits.parse::<u64>().is_ok());
    if is_negative { Err(Error::NegativeLimit) } else { Ok(()) }
}

/// Splits `a.b.column->x` into (`[a, b]`, `column->x`). Dots inside quotes and JSON paths do not separate.
fn split_path(key: &str) -> Result<(Vec<String>, String), Error> {
    let mut cursor = Cursor::new("filter", key);
    let mut path = Vec::new();
    loop {
        let start = cursor.rest();
        let name = cursor.name()?;
        if cursor.eat(".") {
            path.push(name);
        } else {
            return Ok((path, start.to_owned()));
        }
    }
}

/// Finds the query of an embed by its path.
fn find_embed<'a>(
    mut node: &'a mut TableQuery,
    path: &[String],
) -> Result<&'a mut TableQuery, Error> {
    for step in path {
        node = node
            .select
            .iter_mut()
            .find_map(|item| match item {
                SelectItem::Embed(embed) if embed.key() == step => Some(&mut embed.query),
                _ => None,
            })
            .ok_or_else(|| Error::NotEmbedded(step.clone()))?;
    }
    Ok(node)
}

fn parse_names(text: &str, part: &'static str) -> Result<Vec<String>, Error> {
    let mut cursor = Cursor::new(part, text);
    let mut names = vec![cursor.name()?];
    while cursor.eat(",") {
        cursor.skip_spaces();
        names.push(cursor.name()?);
    }
    cursor.finish()?;
    Ok(names)
}

fn parse_number(text: &str, part: &'static str) -> Result<u64, Error> {
    let mut cursor = Cursor::new(part, text);
    let digits = cursor.take_while(|c| c.is_ascii_digit());
    cursor.finish()?;
    // The databases accept 63 bits. A larger number has the same effect as the maximum.
    match digits.parse::<u64>() {
        Ok(number) => Ok(number.min(i64::MAX.unsigned_abs())),
        Err(_) if digits.is_empty() => Err(cursor.unexpected("integer")),
        Err(_) => Ok(i64::MAX.unsigned_abs()),
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Aggregate, AggregateFunction, Error, Filter, Join, Operand, Operator, SelectItem, parse,
    };

    fn one_filter(key: &str, value: &str) -> Filter {
        parse([(key, value)]).unwrap().root.filters.remove(0)
    }

    #[test]
    fn select_reads_aliases_hints_and_nested_embeds() {
        let query = parse([(
            "select",
            "id,nome:name,folder:folders!inner(name,documents(count)),user_metadata->>full_name",
        )])
        .unwrap();
        let [
            SelectItem::Column(id),
            SelectItem::Column(name),
            SelectItem::Embed(folder),
            SelectItem::Column(meta),
        ] = query.root.select.as_slice()
        else {
            panic!("{:?}", query.root.select)
        };
        assert_eq!(id.field.name, "id");
        assert_eq!((name.alias.as_deref(), name.field.name.as_str()), (Some("nome"), "name"));
        assert_eq!((folder.key(), folder.join), ("folder", Join::Inner));
        assert!(matches!(&folder.query.select[1], SelectItem::Embed(documents)
            if documents.query.select == [SelectItem::Count { alias: None, cast: None }]));
        assert!(meta.field.as_text);
    }

    #[test]
    fn aggregate_has_a_cast_of_its_value_and_of_its_result() {
        let query = parse([("select", "n:a->>b::int.sum()::text,count()::text,count")]).unwrap();
        let [SelectItem::Column(sum), counts @ ..] = query.root.select.as_slice() else {
            panic!("{:?}", query.root.select)
        };
        let function = AggregateFunction::Sum;
        assert_eq!(sum.cast.as_deref(), Some("int"));
        assert_eq!(sum.aggregate, Some(Aggregate { function, cast: Some("text".into()) }));
        let count =
            |cast: Option<&str>| SelectItem::Count { alias: None, cast: cast.map(str::to_owned) };
        assert_eq!(counts, [count(Some("text")), count(None)]);
        assert!(parse([("select", "a.median()")]).is_err());
    }

    #[test]
    fn value_extends_to_end_of_text() {
        let Filter::Test { operand, .. } = one_filter("name", "eq.a,b.c)\"d") else { panic!() };
        assert_eq!(operand, Operand::Value("a,b.c)\"d".into()));
    }

    #[test]
    fn list_reads_quotes_and_keeps_inner_quotes() {
        let Filter::Test { operand, .. } = one_filter("name", "in.(\"a,b\",c\"d,e)") else {
            panic!()
        };
        assert_eq!(operand, Operand::List(vec!["a,b".into(), "c\"d".into(), "e".into()]));
        let list = one_filter("name", "in.(\"Casa\" Ltda,{a:{b:1}},\"aberto)");
        let Filter::Test { operand, .. } = list else { panic!() };
        let texts = ["\"Casa\" Ltda", "{a:{b:1}}", "\"aberto"].map(str::to_owned);
        assert_eq!(operand, Operand::List(texts.into()));
        let Filter::Test { operand, .. } = one_filter("name", "in.()") else { panic!() };
        assert_eq!(operand, Operand::List(vec![]));
    }

    #[test]
    fn logic_trees_nest_and_negate() {
        let Filter::Tree { any: true, filters, .. } =
            one_filter("or", "(a.eq.1,not.and(b.ilike.*x*,c.not.is.null),d.in.(1,2))")
        else {
            panic!()
        };
        assert!(
            matches!(&filters[1], Filter::Tree { negated: true, any: false, filters } if filters.len() == 2)
        );
        assert!(matches!(&filters[2], Filter::Test { operator: Operator::In, .. }));
    }

    #[test]
    fn modifiers_apply_to_the_embed_in_their_path() {
        let query = parse([
            ("select", "*,docs:documents(name)"),
            ("docs.order", "name.desc.nullslast"),
            ("docs.limit", "3"),
            ("docs.name", "ilike.%a%"),
        ])
        .unwrap();
        let SelectItem::Embed(docs) = &query.root.select[1] else { panic!() };
        assert_eq!(
            (docs.query.limit, docs.query.order.len(), docs.query.filters.len()),
            (Some(3), 1, 1)
        );
        assert_eq!(parse([("nope.limit", "3")]), Err(Error::NotEmbedded("nope".into())));
    }

    #[test]
    fn malformed_text_is_a_syntax_error() {
        for (key, value) in [
            ("name", "foo.1"),
            ("name", "eq"),
            ("select", "a,"),
            ("select", "a(b"),
            ("order", "a.up"),
            ("limit", "--1"),
            ("limit", "-"),
            ("offset", "-1"),
            ("limit", "x"),
            ("or", "(a.eq.1"),
            ("", "eq.1"),
            ("name", "in.1"),
        ] {
            assert!(matches!(parse([(key, value)]), Err(Error::Syntax { .. })), "{key}={value}");
        }
    }

    #[test]
    fn negative_limit_is_refused() {
        let embed = ("select", "documents(id)");
        for key in ["limit", "documents.limit"] {
            assert_eq!(parse([embed, (key, "-1")]), Err(Error::NegativeLimit), "{key}");
        }
    }

    #[test]
    fn logic_tree_may_contain_spaces() {
        let spaced = "( a.in.( 1, 2,3 ) , or ( b.eq.2 ,\tc.is.null ) , not.and ( d.eq.\"x\" ) )";
        let Filter::Tree { filters, .. } = one_filter("and", spaced) else { panic!() };
        let [Filter::Test { operand, .. }, Filter::Tree { any: true, filters: two, .. }, last] =
            filters.as_slice()
        else {
            panic!("{filters:?}")
        };
        // A space in front of a value is a part of it, except in front of the first.
        assert_eq!(*operand, Operand::List(vec!["1".into(), " 2".into(), "3 ".into()]));
        assert_eq!(two.len(), 2);
        let Filter::Tree { negated: true, filters: one, .. } = last else { panic!("{last:?}") };
        assert!(
            matches!(&one[0], Filter::Test { operand: Operand::Value(text), .. } if text == "x")
        );
    }

    #[test]
    fn repeated_key_is_refused_unless_it_is_a_filter() {
        let embed = ("select", "id,documents(id)");
        for (key, value) in [
            ("select", "a"),
            ("columns", "a"),
            ("on_conflict", "a"),
            ("order", "a"),
            ("limit", "1"),
            ("offset", "1"),
            ("documents.order", "a"),
            ("documents.limit", "1"),
            ("documents.offset", "1"),
        ] {
            let head = Some(embed).filter(|_| key != "select");
            let pairs = |times| head.into_iter().chain(std::iter::repeat_n((key, value), times));
            assert!(parse(pairs(1)).is_ok(), "{key}");
            let twice = parse(pairs(2)).unwrap_err();
            assert!(matches!(twice, Error::Syntax { text, .. } if text == key));
        }
        // A quoted and an unquoted path name the same embed.
        assert!(parse([embed, ("documents.limit", "1"), ("\"documents\".limit", "2")]).is_err());
        // The same keyword of two tables is no repetition.
        assert!(parse([embed, ("limit", "1"), ("documents.limit", "1")]).is_ok());
        for key in ["a", "or", "and", "not.or", "not.and"] {
            let value = if key == "a" { "eq.1" } else { "(a.eq.1)" };
            assert_eq!(parse([(key, value), (key, value)]).unwrap().root.filters.len(), 2);
        }
    }

    #[test]
    fn nesting_is_bounded() {
        let deep = format!("{}a{}", "a(".repeat(50), ")".repeat(50));
        assert!(matches!(parse([("select", deep.as_str())]), Err(Error::TooLarge(_))));
        let deep = format!("{}a.eq.1{}", "(and".repeat(50), ")".repeat(50));
        assert!(matches!(parse([("or", deep.as_str())]), Err(Error::TooLarge(_))));
    }
}
