//! From the pairs of a query string to a [`Query`].

use crate::{
    Error, MAX_PARTS, Query, SelectItem, TableQuery,
    filter::{parse_test, parse_tree},
    scan::Cursor,
    select::{field, parse_order, parse_select},
    size::parts,
};

/// Reads the decoded pairs of a query string. A key may come more than once where all that it says can hold: a filter.
/// Anything else that comes twice is refused, or two readers of one address could take it for two requests: of what
/// comes twice the original takes now the first (`select`, `order`), now the last (`limit`, `offset`).
///
/// # Errors
/// [`Error`] with the caller's own words in it and nothing else.
pub fn parse<K: AsRef<str>, V: AsRef<str>>(
    pairs: impl IntoIterator<Item = (K, V)>,
) -> Result<Query, Error> {
    let pairs: Vec<(K, V)> = pairs.into_iter().collect();
    let mut query = Query::default();
    for (key, value) in &pairs {
        let (key, value) = (key.as_ref(), value.as_ref());
        match key {
            "select" => {
                once(key, query.root.select.is_empty())?;
                query.root.select = parse_select(value)?;
            }
            "columns" => {
                once(key, query.columns.is_none())?;
                query.columns = Some(names(value, "columns parameter")?);
            }
            "on_conflict" => {
                once(key, query.on_conflict.is_none())?;
                query.on_conflict = Some(names(value, "on_conflict parameter")?);
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
            modifier(&mut query.root, key, value)?;
        }
    }
    if parts(&query) > MAX_PARTS {
        return Err(Error::TooLarge("the query has too many parts"));
    }
    Ok(query)
}

/// Everything but `select`: its key may be led by the path of the embed that it is about.
fn modifier(root: &mut TableQuery, key: &str, value: &str) -> Result<(), Error> {
    let (path, last) = split_path(key)?;
    // `not.and` and `not.or` are one word of the grammar.
    let (path, word) = match path.split_last() {
        Some((not, rest)) if not == "not" && matches!(last.as_str(), "and" | "or") => {
            (rest.to_vec(), format!("not.{last}"))
        }
        _ => (path, last),
    };
    let node = embedded(root, &path)?;
    match word.as_str() {
        "order" => {
            once(key, node.order.is_empty())?;
            node.order = parse_order(value)?;
        }
        "limit" => {
            once(key, node.limit.is_none())?;
            node.limit = Some(number(value, "limit parameter")?);
        }
        "offset" => {
            once(key, node.offset.is_none())?;
            node.offset = Some(number(value, "offset parameter")?);
        }
        "and" => node.filters.push(parse_tree(false, false, value)?),
        "or" => node.filters.push(parse_tree(false, true, value)?),
        "not.and" => node.filters.push(parse_tree(true, false, value)?),
        "not.or" => node.filters.push(parse_tree(true, true, value)?),
        name => {
            let mut scan = Cursor::new("filter", name);
            let field = field(&mut scan)?;
            scan.finish()?;
            node.filters.push(parse_test(field, value)?);
        }
    }
    Ok(())
}

fn once(key: &str, is_first: bool) -> Result<(), Error> {
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

/// `a.b.column->x` → (`[a, b]`, `column->x`). Dots inside quotes and JSON paths do not separate.
fn split_path(key: &str) -> Result<(Vec<String>, String), Error> {
    let mut scan = Cursor::new("filter", key);
    let mut path = Vec::new();
    loop {
        let start = scan.rest();
        let name = scan.name()?;
        if scan.eat(".") {
            path.push(name);
        } else {
            return Ok((path, start.to_owned()));
        }
    }
}

fn embedded<'a>(
    mut node: &'a mut TableQuery,
    path: &[String],
) -> Result<&'a mut TableQuery, Error> {
    for step in path {
        node = node
            .select
            .iter_mut()
            .find_map(|item| match item {
                SelectItem::Embed(embed) if embed.key() == step => Some(&mut embed.node),
                _ => None,
            })
            .ok_or_else(|| Error::NotEmbedded(step.clone()))?;
    }
    Ok(node)
}

fn names(text: &str, part: &'static str) -> Result<Vec<String>, Error> {
    let mut scan = Cursor::new(part, text);
    let mut names = vec![scan.name()?];
    while scan.eat(",") {
        names.push(scan.name()?);
    }
    scan.finish()?;
    Ok(names)
}

fn number(text: &str, part: &'static str) -> Result<u64, Error> {
    let mut scan = Cursor::new(part, text);
    let digits = scan.take_while(|c| c.is_ascii_digit());
    scan.finish()?;
    // A limit beyond 63 bits means "all" as much as 2^63 - 1 does, and the databases count no further.
    match digits.parse::<u64>() {
        Ok(number) => Ok(number.min(i64::MAX.unsigned_abs())),
        Err(_) if digits.is_empty() => Err(scan.unexpected("integer")),
        Err(_) => Ok(i64::MAX.unsigned_abs()),
    }
}

#[cfg(test)]
mod tests {
    use crate::{Error, Filter, Join, Operand, Operator, SelectItem, parse};

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
        assert!(matches!(&folder.node.select[1], SelectItem::Embed(documents)
            if documents.node.select == [SelectItem::Count { alias: None }]));
        assert!(meta.field.as_text);
    }

    #[test]
    fn a_value_is_taken_raw_to_its_end() {
        let Filter::Test { operand, .. } = one_filter("name", "eq.a,b.c)\"d") else { panic!() };
        assert_eq!(operand, Operand::Value("a,b.c)\"d".into()));
    }

    #[test]
    fn lists_read_quotes_and_take_an_inner_quote_literally() {
        let Filter::Test { operand, .. } = one_filter("name", "in.(\"a,b\",c\"d,e)") else {
            panic!()
        };
        assert_eq!(operand, Operand::List(vec!["a,b".into(), "c\"d".into(), "e".into()]));
        let Filter::Test { operand, .. } = one_filter("name", "in.()") else { panic!() };
        assert_eq!(operand, Operand::List(vec![]));
    }

    #[test]
    fn trees_nest_and_negate() {
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
    fn modifiers_go_to_the_embed_they_name() {
        let query = parse([
            ("select", "*,docs:documents(name)"),
            ("docs.order", "name.desc.nullslast"),
            ("docs.limit", "3"),
            ("docs.name", "ilike.%a%"),
        ])
        .unwrap();
        let SelectItem::Embed(docs) = &query.root.select[1] else { panic!() };
        assert_eq!(
            (docs.node.limit, docs.node.order.len(), docs.node.filters.len()),
            (Some(3), 1, 1)
        );
        assert_eq!(parse([("nope.limit", "3")]), Err(Error::NotEmbedded("nope".into())));
    }

    #[test]
    fn bad_text_is_refused_with_its_place() {
        for (key, value) in [
            ("name", "foo.1"),
            ("name", "eq"),
            ("select", "a,"),
            ("select", "a(b"),
            ("order", "a.up"),
            ("limit", "-1"),
            ("limit", "x"),
            ("or", "(a.eq.1"),
            ("", "eq.1"),
            ("name", "in.1"),
        ] {
            assert!(matches!(parse([(key, value)]), Err(Error::Syntax { .. })), "{key}={value}");
        }
    }

    #[test]
    fn what_comes_twice_has_no_meaning_unless_it_is_a_filter() {
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
        // However an embed is written, it is one.
        assert!(parse([embed, ("documents.limit", "1"), ("\"documents\".limit", "2")]).is_err());
        // The same word at two places is two.
        assert!(parse([embed, ("limit", "1"), ("documents.limit", "1")]).is_ok());
        for key in ["a", "or", "and", "not.or", "not.and"] {
            let value = if key == "a" { "eq.1" } else { "(a.eq.1)" };
            assert_eq!(parse([(key, value), (key, value)]).unwrap().root.filters.len(), 2);
        }
    }

    #[test]
    fn depth_is_bounded() {
        let deep = format!("{}a{}", "a(".repeat(50), ")".repeat(50));
        assert!(matches!(parse([("select", deep.as_str())]), Err(Error::TooLarge(_))));
        let deep = format!("{}a.eq.1{}", "(and".repeat(50), ")".repeat(50));
        assert!(matches!(parse([("or", deep.as_str())]), Err(Error::TooLarge(_))));
    }
}
