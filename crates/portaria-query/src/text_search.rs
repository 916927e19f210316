//! Queries of the text search: the four syntaxes of `fts`, `plfts`, `phfts` and `wfts`, and one tree for all of them.
//!
//! The syntaxes are those of PostgreSQL's `to_tsquery`, `plainto_tsquery`, `phraseto_tsquery` and
//! `websearch_to_tsquery`. The tree contains the caller's texts; the server splits them into words.

use crate::{MAX_DEPTH, scan::Cursor};

/// The syntax of a text search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchSyntax {
    /// `fts`: words with the operators `&`, `|`, `!`, `<->`, parentheses, and `:*` for prefixes.
    Operators,
    /// `plfts`: every word.
    Plain,
    /// `phfts`: the words in this order.
    Phrase,
    /// `wfts`: words, `"phrases"`, `or`, and `-` for exclusions. Every text is valid.
    Web,
}

/// A condition on the words of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TextQuery {
    /// The text contains each word of this one, in any order.
    Words(String),
    /// The text contains these texts one after the other.
    Sequence(Vec<SearchPart>),
    /// The condition does not hold.
    Not(Box<TextQuery>),
    /// All conditions hold.
    All(Vec<TextQuery>),
    /// One of the conditions holds.
    Any(Vec<TextQuery>),
}

/// A part of a sequence. The words of a part follow each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchPart {
    /// The words.
    pub text: String,
    /// Whether the last word is the beginning of a word.
    pub is_prefix: bool,
    /// The distance to the last word of the part before: 1 for the next word.
    pub distance: u32,
}

/// A text that is no query of its syntax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidTextQuery;

impl TextQuery {
    /// Parses a query.
    ///
    /// # Errors
    /// [`InvalidTextQuery`], only for [`SearchSyntax::Operators`].
    pub fn parse(syntax: SearchSyntax, text: &str) -> Result<Self, InvalidTextQuery> {
        Ok(match syntax {
            SearchSyntax::Operators => return parse_operators(text),
            SearchSyntax::Plain => Self::Words(text.to_owned()),
            SearchSyntax::Phrase => Self::phrase(text),
            SearchSyntax::Web => parse_web(text),
        })
    }

    fn phrase(text: &str) -> Self {
        Self::Sequence(vec![SearchPart { text: text.to_owned(), is_prefix: false, distance: 1 }])
    }
}

fn parse_operators(text: &str) -> Result<TextQuery, InvalidTextQuery> {
    let mut cursor = Cursor::new("text search", text);
    skip_spaces(&mut cursor);
    if cursor.is_done() {
        return Ok(TextQuery::All(Vec::new()));
    }
    let query = parse_any(&mut cursor, 0)?;
    if cursor.is_done() { Ok(query) } else { Err(InvalidTextQuery) }
}

fn parse_any(cursor: &mut Cursor<'_>, depth: usize) -> Result<TextQuery, InvalidTextQuery> {
    if depth > MAX_DEPTH {
        return Err(InvalidTextQuery);
    }
    let mut branches = vec![parse_all(cursor, depth)?];
    while eat(cursor, "|") {
        branches.push(parse_all(cursor, depth)?);
    }
    Ok(single_or(branches, TextQuery::Any))
}

fn parse_all(cursor: &mut Cursor<'_>, depth: usize) -> Result<TextQuery, InvalidTextQuery> {
    let mut branches = vec![parse_negation(cursor, depth)?];
    while eat(cursor, "&") {
        branches.push(parse_negation(cursor, depth)?);
    }
    Ok(single_or(branches, TextQuery::All))
}

fn parse_negation(cursor: &mut Cursor<'_>, depth: usize) -> Result<TextQuery, InvalidTextQuery> {
    let mut is_negated = false;
    while eat(cursor, "!") {
        is_negated = !is_negated;
    }
    let query = if eat(cursor, "(") {
        let query = parse_any(cursor, depth + 1)?;
        if !eat(cursor, ")") {
            return Err(InvalidTextQuery);
        }
        query
    } else {
        parse_sequence(cursor)?
    };
    Ok(if is_negated { TextQuery::Not(Box::new(query)) } else { query })
}

/// Parses `word <-> word <2> word`. Groups and negations are no parts of a sequence.
fn parse_sequence(cursor: &mut Cursor<'_>) -> Result<TextQuery, InvalidTextQuery> {
    let mut parts = vec![parse_part(cursor, 1)?];
    while eat(cursor, "<") {
        let distance = if cursor.eat("-") {
            1
        } else {
            let digits = cursor.take_while(|c| c.is_ascii_digit());
            digits.parse().ok().filter(|distance| *distance > 0).ok_or(InvalidTextQuery)?
        };
        if !eat(cursor, ">") {
            return Err(InvalidTextQuery);
        }
        parts.push(parse_part(cursor, distance)?);
    }
    Ok(TextQuery::Sequence(parts))
}

/// Parses a word or a text in apostrophes, with flags such as `:*`. Weights have no effect: no column has any.
fn parse_part(cursor: &mut Cursor<'_>, distance: u32) -> Result<SearchPart, InvalidTextQuery> {
    let text = if cursor.eat("'") {
        let mut text = String::new();
        loop {
            match cursor.bump().ok_or(InvalidTextQuery)? {
                '\'' if cursor.eat("'") => text.push('\''),
                '\'' => break,
                other => text.push(other),
            }
        }
        text
    } else {
        let is_part = |c: char| !c.is_whitespace() && !"&|!()<>:'".contains(c);
        cursor.take_while(is_part).to_owned()
    };
    if text.is_empty() {
        return Err(InvalidTextQuery);
    }
    let mut is_prefix = false;
    if cursor.eat(":") {
        let flags = cursor.take_while(|c| "*ABCDabcd".contains(c));
        if flags.is_empty() {
            return Err(InvalidTextQuery);
        }
        is_prefix = flags.contains('*');
    }
    skip_spaces(cursor);
    Ok(SearchPart { text, is_prefix, distance })
}

fn parse_web(text: &str) -> TextQuery {
    let mut cursor = Cursor::new("text search", text);
    let mut branches = vec![Vec::new()];
    loop {
        skip_spaces(&mut cursor);
        if cursor.is_done() {
            break;
        }
        let is_negated = cursor.eat("-");
        let rest = cursor.rest();
        let quoted = rest.strip_prefix('"').and_then(|rest| rest.split_once('"'));
        let (term, length) = if let Some((phrase, _)) = quoted {
            (phrase, phrase.len() + 2)
        } else {
            let rest = rest.trim_start_matches('"');
            let skipped = cursor.rest().len() - rest.len();
            let end = rest.find(|c: char| c.is_whitespace() || c == '"');
            let word = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            (word, skipped + word.len())
        };
        let is_or = !is_negated && length == 2 && term.eq_ignore_ascii_case("or");
        let end = cursor.rest().len() - length;
        while cursor.rest().len() > end {
            cursor.bump();
        }
        let is_last = cursor.rest().trim().is_empty();
        match branches.last_mut() {
            Some(branch) if is_or && !branch.is_empty() && !is_last => branches.push(Vec::new()),
            Some(branch) if !term.is_empty() => {
                let query = TextQuery::phrase(term);
                branch.push(if is_negated { TextQuery::Not(Box::new(query)) } else { query });
            }
            _ => {}
        }
    }
    let branches = branches.into_iter().map(|branch| single_or(branch, TextQuery::All));
    single_or(branches.collect(), TextQuery::Any)
}

fn single_or(
    mut branches: Vec<TextQuery>,
    join: impl FnOnce(Vec<TextQuery>) -> TextQuery,
) -> TextQuery {
    match branches.pop() {
        Some(only) if branches.is_empty() => only,
        last => {
            branches.extend(last);
            join(branches)
        }
    }
}

/// Consumes a token and the spaces behind it.
fn eat(cursor: &mut Cursor<'_>, token: &str) -> bool {
    let found = cursor.eat(token);
    if found {
        skip_spaces(cursor);
    }
    found
}

fn skip_spaces(cursor: &mut Cursor<'_>) {
    cursor.take_while(char::is_whitespace);
}

#[cfg(test)]
mod tests {
    use crate::text_search::{InvalidTextQuery, SearchSyntax, TextQuery};

    /// A compact notation of the tree.
    fn shown(query: &TextQuery) -> String {
        let joined = |branches: &[TextQuery], sign| {
            format!("({})", branches.iter().map(shown).collect::<Vec<_>>().join(sign))
        };
        match query {
            TextQuery::Words(text) => format!("{{{text}}}"),
            TextQuery::Sequence(parts) => {
                let part = |(number, part): (usize, &super::SearchPart)| {
                    let gap =
                        if number == 0 { String::new() } else { format!("<{}>", part.distance) };
                    format!("{gap}{}{}", part.text, if part.is_prefix { "*" } else { "" })
                };
                parts.iter().enumerate().map(part).collect()
            }
            TextQuery::Not(query) => format!("!{}", shown(query)),
            TextQuery::All(branches) => joined(branches, "&"),
            TextQuery::Any(branches) => joined(branches, "|"),
        }
    }

    #[test]
    fn operators_follow_their_precedence() {
        for (text, expected) in [
            ("a & b | !c", "((a&b)|!c)"),
            ("a&(b|c)", "(a&(b|c))"),
            ("!!a", "a"),
            ("a:*", "a*"),
            ("a:AB* & b:c", "(a*&b)"),
            ("a <-> b<2>c & d", "(a<1>b<2>c&d)"),
            ("'João''s casa':*", "João's casa*"),
            ("  ", "()"),
        ] {
            let query = TextQuery::parse(SearchSyntax::Operators, text);
            assert_eq!(query.as_ref().map(shown), Ok(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn malformed_operators_are_refused() {
        for text in [
            "a b",
            "a &",
            "& a",
            "(a",
            "a)",
            "a:",
            "a:x",
            "'a",
            "a <0> b",
            "a <-> (b | c)",
            "a <- b",
            "!",
            &"(".repeat(50),
        ] {
            let query = TextQuery::parse(SearchSyntax::Operators, text);
            assert_eq!(query, Err(InvalidTextQuery), "{text}");
        }
    }

    #[test]
    fn web_syntax_accepts_every_text() {
        for (text, expected) in [
            ("nota fiscal", "(nota&fiscal)"),
            ("\"nota fiscal\" -guia", "(nota fiscal&!guia)"),
            ("a b or c", "((a&b)|c)"),
            ("or a OR", "(or&a&OR)"),
            ("-\"a b\"", "!a b"),
            ("\"a b", "(a&b)"),
            ("a\"b c\"d", "(a&b c&d)"),
            ("- \" -", "()"),
            ("", "()"),
        ] {
            let query = TextQuery::parse(SearchSyntax::Web, text).unwrap();
            assert_eq!(shown(&query), expected, "{text}");
        }
    }
}
