//! Filters: `column=op.value`, and the logic trees `or=(…)`, `and=(…)`.

use crate::{Error, Field, MAX_DEPTH, MAX_VALUES, scan::Cursor, select::field};

/// One condition, or a tree of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Filter {
    /// `field=op.value`
    Test {
        /// What is compared.
        field: Field,
        /// `not.`
        negated: bool,
        /// How.
        operator: Operator,
        /// With what.
        operand: Operand,
    },
    /// `and=(…)`, `or=(…)`
    Tree {
        /// `not.`
        negated: bool,
        /// One of them suffices.
        any: bool,
        /// The branches.
        filters: Vec<Filter>,
    },
}

/// The right side of a test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand {
    /// One value, as it came.
    Value(String),
    /// The elements of `in.(…)`, or of `op(any).{…}`.
    List(Vec<String>),
}

/// `op(any)` and `op(all)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Quantifier {
    Any,
    All,
}

/// The operators of the grammar.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the grammar's own")]
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
    /// `fts`, `plfts`, `phfts`, `wfts`, and the range operators `sl`, `sr`, `nxr`, `nxl`, `adj`.
    Other(String),
}

/// `op.value` of one parameter.
pub(crate) fn parse_test(field: Field, text: &str) -> Result<Filter, Error> {
    let mut scan = Cursor::new("filter", text);
    let negated = scan.eat("not.");
    let operator = operator(&mut scan)?;
    scan.expect(".")?;
    let operand = match &operator {
        Operator::In => {
            let list = list(&mut scan, '(', ')')?;
            scan.finish()?;
            list
        }
        operator if quantified(operator) => {
            let list = list(&mut scan, '{', '}')?;
            scan.finish()?;
            list
        }
        _ => Operand::Value(scan.rest().to_owned()),
    };
    Ok(Filter::Test { field, negated, operator, operand })
}

/// `(…)` of an `and` or `or` parameter.
pub(crate) fn parse_tree(negated: bool, any: bool, text: &str) -> Result<Filter, Error> {
    let mut scan = Cursor::new("logic tree", text);
    let filters = branches(&mut scan, 0)?;
    scan.finish()?;
    Ok(Filter::Tree { negated, any, filters })
}

fn branches(scan: &mut Cursor<'_>, depth: usize) -> Result<Vec<Filter>, Error> {
    if depth > MAX_DEPTH {
        return Err(Error::TooLarge("logic trees nest too deep"));
    }
    scan.expect("(")?;
    let mut filters = Vec::new();
    loop {
        filters.push(branch(scan, depth)?);
        if !scan.eat(",") {
            scan.expect(")")?;
            return Ok(filters);
        }
    }
}

fn branch(scan: &mut Cursor<'_>, depth: usize) -> Result<Filter, Error> {
    for (token, negated, any) in [
        ("and(", false, false),
        ("or(", false, true),
        ("not.and(", true, false),
        ("not.or(", true, true),
    ] {
        if scan.rest().starts_with(token) {
            scan.expect(token.trim_end_matches('('))?;
            let filters = branches(scan, depth + 1)?;
            return Ok(Filter::Tree { negated, any, filters });
        }
    }
    let field = field(scan)?;
    scan.expect(".")?;
    let negated = scan.eat("not.");
    let operator = operator(scan)?;
    scan.expect(".")?;
    let operand = match &operator {
        Operator::In => list(scan, '(', ')')?,
        operator if quantified(operator) => list(scan, '{', '}')?,
        _ => Operand::Value(element(scan, ')')?),
    };
    Ok(Filter::Test { field, negated, operator, operand })
}

fn operator(scan: &mut Cursor<'_>) -> Result<Operator, Error> {
    let before = scan.rest();
    let name = scan.take_while(|c| c.is_ascii_lowercase());
    let modifier = if scan.eat("(") {
        let modifier = scan.take_while(|c| c.is_alphanumeric() || c == '_');
        scan.expect(")")?;
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
        return Err(scan.unexpected("operator"));
    }
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
        "fts" | "plfts" | "phfts" | "wfts" | "sl" | "sr" | "nxr" | "nxl" | "adj" => {
            Operator::Other(name.to_owned())
        }
        _ => {
            // The error points at the operator's first letter, not behind it.
            let mut start = Cursor::new("filter", before);
            start.take_while(|c| c.is_ascii_lowercase());
            return Err(start.unexpected("operator (eq, gt, ...)"));
        }
    })
}

fn quantified(operator: &Operator) -> bool {
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
        | O::Other(_) => false,
    }
}

fn list(scan: &mut Cursor<'_>, open: char, close: char) -> Result<Operand, Error> {
    scan.expect(&open.to_string())?;
    let close_token = close.to_string();
    let mut elements = Vec::new();
    if scan.eat(&close_token) {
        return Ok(Operand::List(elements));
    }
    loop {
        elements.push(element(scan, close)?);
        if elements.len() > MAX_VALUES {
            return Err(Error::TooLarge("a list holds too many values"));
        }
        if !scan.eat(",") {
            scan.expect(&close_token)?;
            return Ok(Operand::List(elements));
        }
    }
}

/// One value inside parentheses: quoted, in braces or brackets as a whole, or up to `,` or the closing mark.
fn element(scan: &mut Cursor<'_>, close: char) -> Result<String, Error> {
    match scan.peek() {
        Some('"') => scan.quoted(),
        Some('{') if close == ')' => {
            let inner = scan.take_while(|c| c != '}');
            scan.expect("}")?;
            Ok(format!("{inner}}}"))
        }
        _ => Ok(scan.take_while(|c| c != ',' && c != close).to_owned()),
    }
}
