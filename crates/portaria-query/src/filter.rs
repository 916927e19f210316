//! Filters: `column=op.value`, and the logic trees `or=(…)`, `and=(…)`.

use crate::{Error, Field, MAX_DEPTH, MAX_VALUES, SearchSyntax, scan::Cursor, select::parse_field};

/// A condition, or a tree of conditions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filter {
    /// `field=op.value`
    Test {
        /// The left side.
        field: Field,
        /// Whether `not.` precedes the operator.
        negated: bool,
        /// The operator.
        operator: Operator,
        /// The right side.
        operand: Operand,
    },
    /// `and=(…)`, `or=(…)`
    Tree {
        /// Whether `not.` precedes the tree.
        negated: bool,
        /// Whether the tree is an `or`; otherwise it is an `and`.
        any: bool,
        /// The branches.
        filters: Vec<Filter>,
    },
}

/// The right side of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand {
    /// A single value, as received.
    Value(String),
    /// The elements of `in.(…)`, or of `op(any).{…}`.
    List(Vec<String>),
}

/// The quantifier of `op(any)` and `op(all)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "variants are named after the grammar")]
pub enum Quantifier {
    Any,
    All,
}

/// The operators of the grammar.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "variants are named after the grammar")]
pub enum Operator {
    Eq(Option<Quantifier>),
    Neq,
    Gt(Option<Quantifier>),
    Gte(Option<Quantifier>),
    Lt(Option<Quantifier>),
    Lte(Option<Quantifier>),
    Like(Option<Quantifier>),
    Ilike(Option<Quantifier>),
    Match(Option<Quantifier>),
    Imatch(Option<Quantifier>),
    Is,
    IsDistinct,
    In,
    Contains,
    Contained,
    Overlaps,
    /// `fts`, `plfts`, `phfts`, `wfts`, and the configuration in parentheses.
    TextSearch(SearchSyntax, Option<String>),
    /// The range operators `sl`, `sr`, `nxr`, `nxl`, `adj`.
    Other(String),
}

/// Parses `op.value`, the value of a filter parameter. Outside of lists a value extends to the end of the text.
pub(crate) fn parse_test(field: Field, text: &str) -> Result<Filter, Error> {
    let mut cursor = Cursor::new("filter", text);
    let negated = cursor.eat("not.");
    let operator = parse_operator(&mut cursor)?;
    cursor.expect(".")?;
    let operand = match &operator {
        Operator::In => {
            let list = parse_list(&mut cursor, '(', ')')?;
            cursor.skip_spaces();
            cursor.finish()?;
            list
        }
        operator if has_quantifier(operator) => {
            let list = parse_list(&mut cursor, '{', '}')?;
            cursor.finish()?;
            list
        }
        _ => Operand::Value(cursor.rest().to_owned()),
    };
    Ok(Filter::Test { field, negated, operator, operand })
}

/// Parses `(…)`, the value of an `and` or `or` parameter.
pub(crate) fn parse_tree(negated: bool, any: bool, text: &str) -> Result<Filter, Error> {
    let mut cursor = Cursor::new("logic tree", text);
    let filters = parse_branches(&mut cursor, 0)?;
    cursor.finish()?;
    Ok(Filter::Tree { negated, any, filters })
}

fn parse_branches(cursor: &mut Cursor<'_>, depth: usize) -> Result<Vec<Filter>, Error> {
    if depth > MAX_DEPTH {
        return Err(Error::TooLarge("logic trees nest too deep"));
    }
    cursor.expect_spaced("(")?;
    let mut filters = Vec::new();
    loop {
        filters.push(parse_branch(cursor, depth)?);
        cursor.skip_spaces();
        if cursor.eat(",") {
            cursor.skip_spaces();
        } else {
            cursor.expect_spaced(")")?;
            return Ok(filters);
        }
    }
}

fn parse_branch(cursor: &mut Cursor<'_>, depth: usize) -> Result<Filter, Error> {
    for (word, negated, any) in [
        ("and", false, false),
        ("or", false, true),
        ("not.and", true, false),
        ("not.or", true, true),
    ] {
        let after = cursor.rest().strip_prefix(word);
        if after.is_some_and(|after| after.trim_start_matches([' ', '\t']).starts_with('(')) {
            cursor.expect(word)?;
            let filters = parse_branches(cursor, depth + 1)?;
            return Ok(Filter::Tree { negated, any, filters });
        }
    }
    let field = parse_field(cursor)?;
    cursor.expect(".")?;
    let negated = cursor.eat("not.");
    let operator = parse_operator(cursor)?;
    cursor.expect(".")?;
    let operand = match &operator {
        Operator::In => parse_list(cursor, '(', ')')?,
        operator if has_quantifier(operator) => parse_list(cursor, '{', '}')?,
        _ => Operand::Value(parse_element(cursor, ')')),
    };
    Ok(Filter::Test { field, negated, operator, operand })
}

fn parse_operator(cursor: &mut Cursor<'_>) -> Result<Operator, Error> {
    let before = cursor.rest();
    let name = cursor.take_while(|c| c.is_ascii_lowercase());
    let modifier = if cursor.eat("(") {
        let modifier = cursor.take_while(|c| c.is_alphanumeric() || c == '_');
        cursor.expect(")")?;
        Some(modifier)
    } else {
        None
    };
    let quantifier = match modifier {
        Some("any") => Some(Quantifier::Any),
        Some("all") => Some(Quantifier::All),
        _ => None,
    };
    let takes_quantifier =
        matches!(name, "eq" | "gt" | "gte" | "lt" | "lte" | "like" | "ilike" | "match" | "imatch");
    let takes_modifier = matches!(name, "fts" | "plfts" | "phfts" | "wfts");
    if modifier.is_some() && !takes_modifier && (!takes_quantifier || quantifier.is_none()) {
        return Err(cursor.unexpected("operator"));
    }
    let text_search = |syntax| Operator::TextSearch(syntax, modifier.map(str::to_owned));
    Ok(match name {
        "eq" => Operator::Eq(quantifier),
        "neq" => Operator::Neq,
        "gt" => Operator::Gt(quantifier),
        "gte" => Operator::Gte(quantifier),
        "lt" => Operator::Lt(quantifier),
        "lte" => Operator::Lte(quantifier),
        "like" => Operator::Like(quantifier),
        "ilike" => Operator::Ilike(quantifier),
        "match" => Operator::Match(quantifier),
        "imatch" => Operator::Imatch(quantifier),
        "is" => Operator::Is,
        "isdistinct" => Operator::IsDistinct,
        "in" => Operator::In,
        "cs" => Operator::Contains,
        "cd" => Operator::Contained,
        "ov" => Operator::Overlaps,
        "fts" => text_search(SearchSyntax::Operators),
        "plfts" => text_search(SearchSyntax::Plain),
        "phfts" => text_search(SearchSyntax::Phrase),
        "wfts" => text_search(SearchSyntax::Web),
        "sl" | "sr" | "nxr" | "nxl" | "adj" => Operator::Other(name.to_owned()),
        _ => {
            // The error names the first character after the letters of the operator.
            let mut start = Cursor::new("filter", before);
            start.take_while(|c| c.is_ascii_lowercase());
            return Err(start.unexpected("operator (eq, gt, ...)"));
        }
    })
}

fn has_quantifier(operator: &Operator) -> bool {
    use Operator as O;
    match operator {
        O::Eq(q)
        | O::Gt(q)
        | O::Gte(q)
        | O::Lt(q)
        | O::Lte(q)
        | O::Like(q)
        | O::Ilike(q)
        | O::Match(q)
        | O::Imatch(q) => q.is_some(),
        O::Neq
        | O::Is
        | O::IsDistinct
        | O::In
        | O::Contains
        | O::Contained
        | O::Overlaps
        | O::TextSearch(..)
        | O::Other(_) => false,
    }
}

fn parse_list(cursor: &mut Cursor<'_>, open: char, close: char) -> Result<Operand, Error> {
    cursor.expect(&open.to_string())?;
    cursor.skip_spaces();
    let close_token = close.to_string();
    let mut elements = Vec::new();
    if cursor.eat(&close_token) {
        return Ok(Operand::List(elements));
    }
    loop {
        elements.push(parse_element(cursor, close));
        // Only a quoted element ends before the spaces that follow it.
        cursor.skip_spaces();
        if elements.len() > MAX_VALUES {
            return Err(Error::TooLarge("a list holds too many values"));
        }
        if !cursor.eat(",") {
            cursor.expect(&close_token)?;
            return Ok(Operand::List(elements));
        }
    }
}

/// Parses one value inside a list or a logic tree: in quotes, an array in braces, or the text up to `,` or `close`. A text
/// that only begins with quotes or a brace is one of the last kind, as in PostgREST.
fn parse_element(cursor: &mut Cursor<'_>, close: char) -> String {
    let start = cursor.position();
    let delimited = match cursor.peek() {
        Some('"') => cursor.quoted().ok(),
        Some('{') if close == ')' => {
            cursor.expect("{").ok();
            let inner = cursor.take_while(|c| !matches!(c, '{' | '}')).to_owned();
            cursor.eat("}").then(|| format!("{{{inner}}}"))
        }
        _ => None,
    };
    let behind = cursor.rest().trim_start_matches([' ', '\t']).chars().next();
    let is_whole = behind.is_none_or(|next| next == ',' || next == close);
    if let Some(value) = delimited.filter(|_| is_whole) {
        return value;
    }
    cursor.go_back(start);
    cursor.take_while(|c| c != ',' && c != close).to_owned()
}
