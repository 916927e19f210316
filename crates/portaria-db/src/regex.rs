//! Regular expressions with one meaning on both databases
//! (docs/decisions/0055-one-regular-expression-for-both-databases.md).
//!
//! A pattern has the syntax of the `regex` crate, which evaluates it on `SQLite`. For PostgreSQL its syntax tree is
//! rendered as an expression of literals, explicit classes, groups, repetitions and lookaround of one character. These
//! have the same meaning in PostgreSQL, whatever the collation is, and its automaton evaluates them in linear time.

use std::fmt::Write;

use regex::RegexBuilder;
use regex_syntax::{
    ParserBuilder,
    hir::{Class, Hir, HirKind, Look, Repetition},
};

/// Maximum number of characters and classes of an expression whose repetitions are written out, with the weights below.
const MAX_SIZE: usize = 500;
/// Weight of a part that may be left out. PostgreSQL's time to compile grows with the cube of their number.
const OPTIONAL_WEIGHT: usize = 5;
/// Weight of a position, such as the boundary of a word. Repeated choices between positions multiply in PostgreSQL.
const POSITION_WEIGHT: usize = 50;
/// Maximum count of a repetition, which is PostgreSQL's.
const MAX_REPETITION: u32 = 255;
/// Maximum nesting of groups and classes.
const MAX_NESTING: u32 = 30;
/// Maximum length of the expression for PostgreSQL, in bytes. A Unicode class such as `\w` takes 5,000.
const MAX_RENDERED: usize = 65_536;
/// Maximum memory of the compiled expression, in bytes. The time per character grows with it.
const MAX_COMPILED: usize = 262_144;

/// An expression that both databases evaluate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regex {
    /// In the syntax of the `regex` crate, with its flags.
    pub(crate) pattern: String,
    /// In the syntax of PostgreSQL.
    pub(crate) postgres: String,
}

/// The reason for refusing a pattern. It contains nothing but a description.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("invalid regular expression: {0}")]
pub struct InvalidRegex(String);

impl InvalidRegex {
    fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl Regex {
    /// Parses a pattern.
    ///
    /// # Errors
    /// [`InvalidRegex`] for a pattern outside of the syntax, and above a limit.
    pub fn parse(pattern: &str, ignore_case: bool) -> Result<Self, InvalidRegex> {
        let pattern = if ignore_case { format!("(?i){pattern}") } else { pattern.to_owned() };
        let hir = syntax_tree(&pattern)?;
        if size(&hir)? > MAX_SIZE {
            return Err(InvalidRegex::new("it is too large"));
        }
        let mut postgres = String::new();
        render(&hir, &mut postgres)?;
        compile(&pattern)?;
        Ok(Self { pattern, postgres })
    }
}

/// Compiles a pattern for `SQLite`.
///
/// # Errors
/// [`InvalidRegex`], which [`Regex::parse`] has excluded.
pub(crate) fn compile(pattern: &str) -> Result<regex::Regex, InvalidRegex> {
    let compiled =
        RegexBuilder::new(pattern).size_limit(MAX_COMPILED).nest_limit(MAX_NESTING).build();
    compiled.map_err(|_| InvalidRegex::new("it is too large"))
}

fn syntax_tree(pattern: &str) -> Result<Hir, InvalidRegex> {
    ParserBuilder::new().nest_limit(MAX_NESTING).build().parse(pattern).map_err(|error| match error
    {
        regex_syntax::Error::Parse(error) => InvalidRegex::new(error.kind().to_string()),
        regex_syntax::Error::Translate(error) => InvalidRegex::new(error.kind().to_string()),
        _ => InvalidRegex::new("it cannot be parsed"),
    })
}

/// Counts the characters and classes of an expression whose repetitions are written out, with weights.
fn size(hir: &Hir) -> Result<usize, InvalidRegex> {
    let sum = |parts: &[Hir]| {
        parts.iter().try_fold(0, |sum: usize, part| Ok(sum.saturating_add(size(part)?)))
    };
    Ok(match hir.kind() {
        HirKind::Empty => OPTIONAL_WEIGHT,
        HirKind::Class(_) => 1,
        HirKind::Look(_) => POSITION_WEIGHT,
        HirKind::Literal(literal) => String::from_utf8_lossy(&literal.0).chars().count(),
        HirKind::Capture(group) => size(&group.sub)?,
        HirKind::Concat(parts) => sum(parts)?,
        HirKind::Alternation(parts) => sum(parts)?.saturating_add(parts.len()),
        HirKind::Repetition(Repetition { min, max, sub, .. }) => {
            let times = max.unwrap_or(*min).max(*min).max(1);
            if times > MAX_REPETITION {
                let limit = format!("a repetition has at most {MAX_REPETITION} times");
                return Err(InvalidRegex::new(limit));
            }
            let is_optional = max.is_none_or(|max| max > *min);
            let weight = if is_optional { OPTIONAL_WEIGHT } else { 0 };
            size(sub)?.saturating_add(weight).saturating_mul(times as usize)
        }
    })
}

/// Renders an expression for PostgreSQL. Case is not ignored there: the tree contains every accepted letter.
fn render(hir: &Hir, out: &mut String) -> Result<(), InvalidRegex> {
    match hir.kind() {
        HirKind::Empty => out.push_str("(?:)"),
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0)
                .map_err(|error| InvalidRegex::new(error.to_string()))?;
            text.chars().for_each(|c| render_char(c, out));
        }
        HirKind::Class(Class::Unicode(class)) => {
            render_class(class.iter().map(|range| (range.start(), range.end())), out);
        }
        HirKind::Class(Class::Bytes(class)) => {
            let ranges = class.iter().map(|range| (range.start().into(), range.end().into()));
            render_class(ranges, out);
        }
        HirKind::Look(look) => render_look(*look, out)?,
        HirKind::Repetition(Repetition { min, max, sub, .. }) => {
            out.push_str("(?:");
            render(sub, out)?;
            let times = match (min, max) {
                (0, None) => "*".to_owned(),
                (1, None) => "+".to_owned(),
                (min, None) => format!("{{{min},}}"),
                (min, Some(max)) => format!("{{{min},{max}}}"),
            };
            out.push(')');
            out.push_str(&times);
        }
        HirKind::Capture(group) => render(&group.sub, out)?,
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| render(part, out))?,
        HirKind::Alternation(parts) => {
            for (number, part) in parts.iter().enumerate() {
                out.push_str(if number == 0 { "(?:" } else { "|" });
                render(part, out)?;
            }
            out.push(')');
        }
    }
    if out.len() > MAX_RENDERED { Err(InvalidRegex::new("it is too large")) } else { Ok(()) }
}

fn render_look(look: Look, out: &mut String) -> Result<(), InvalidRegex> {
    let rendered = match look {
        Look::Start => r"\A".to_owned(),
        Look::End => r"\Z".to_owned(),
        Look::StartLF => r"(?:\A|(?<=\u000A))".to_owned(),
        Look::EndLF => r"(?:\Z|(?=\u000A))".to_owned(),
        Look::StartCRLF | Look::EndCRLF => {
            return Err(InvalidRegex::new("the flag R is not supported"));
        }
        Look::WordAscii => boundary(r"(?-u:\w)", Edge::Any)?,
        Look::WordAsciiNegate => boundary(r"(?-u:\w)", Edge::None)?,
        Look::WordStartAscii => boundary(r"(?-u:\w)", Edge::Start)?,
        Look::WordEndAscii => boundary(r"(?-u:\w)", Edge::End)?,
        Look::WordStartHalfAscii => boundary(r"(?-u:\w)", Edge::StartHalf)?,
        Look::WordEndHalfAscii => boundary(r"(?-u:\w)", Edge::EndHalf)?,
        Look::WordUnicode => boundary(r"\w", Edge::Any)?,
        Look::WordUnicodeNegate => boundary(r"\w", Edge::None)?,
        Look::WordStartUnicode => boundary(r"\w", Edge::Start)?,
        Look::WordEndUnicode => boundary(r"\w", Edge::End)?,
        Look::WordStartHalfUnicode => boundary(r"\w", Edge::StartHalf)?,
        Look::WordEndHalfUnicode => boundary(r"\w", Edge::EndHalf)?,
    };
    out.push_str(&rendered);
    Ok(())
}

/// A position relative to the words of a text.
#[derive(Clone, Copy)]
enum Edge {
    /// The start or the end of a word.
    Any,
    /// Neither.
    None,
    Start,
    End,
    /// Not after a letter.
    StartHalf,
    /// Not before a letter.
    EndHalf,
}

/// Renders a position by lookaround of one character of a word.
fn boundary(word: &str, edge: Edge) -> Result<String, InvalidRegex> {
    let mut class = String::new();
    render(&syntax_tree(word)?, &mut class)?;
    let (after, not_after) = (format!("(?<={class})"), format!("(?<!{class})"));
    let (before, not_before) = (format!("(?={class})"), format!("(?!{class})"));
    Ok(match edge {
        Edge::Any => format!("(?:{after}{not_before}|{not_after}{before})"),
        Edge::None => format!("(?:{after}{before}|{not_after}{not_before})"),
        Edge::Start => format!("{not_after}{before}"),
        Edge::End => format!("{after}{not_before}"),
        Edge::StartHalf => not_after,
        Edge::EndHalf => not_before,
    })
}

/// Renders a class by its ranges. PostgreSQL stores no NUL, so a class of nothing else matches nothing.
fn render_class(ranges: impl Iterator<Item = (char, char)>, out: &mut String) {
    let ranges: Vec<_> = ranges.filter(|(_, end)| *end > '\0').collect();
    if ranges.is_empty() {
        out.push_str("(?!)");
        return;
    }
    out.push('[');
    for (start, end) in ranges {
        let start = start.max('\u{1}');
        render_char(start, out);
        if end > start {
            out.push('-');
            render_char(end, out);
        }
    }
    out.push(']');
}

/// Renders a character so that it is no part of the syntax, inside of a class or outside.
fn render_char(c: char, out: &mut String) {
    if c == '\0' {
        out.push_str("(?!)");
    } else if c.is_ascii() && !c.is_ascii_alphanumeric() {
        let _ = write!(out, "\\u{:04X}", u32::from(c));
    } else {
        out.push(c);
    }
}

#[cfg(test)]
mod tests {
    use crate::regex::Regex;

    fn postgres(pattern: &str) -> String {
        Regex::parse(pattern, false).unwrap().postgres
    }

    #[test]
    fn pattern_is_rendered_without_constructs_that_depend_on_the_database() {
        for (pattern, expected) in [
            ("a.b", "a[\\u0001-\\u0009\\u000B-\u{10FFFF}]b"),
            ("^(?:foo|ba?r)$", "\\A(?:foo|b(?:a){0,1}r)\\Z"),
            ("[[:digit:]]{2,}", "(?:[0-9]){2,}"),
            (r"(?-u)\d+\x2A", r"(?:[0-9])+\u002A"),
            (r"[^\s\S]|\x00", "(?:(?!)|(?!))"),
            ("", "(?:)"),
            ("(?m)^a", r"(?:\A|(?<=\u000A))a"),
            ("[]^-]", r"[\u002D\u005D-\u005E]"),
        ] {
            assert_eq!(postgres(pattern), expected, "{pattern}");
        }
        assert_eq!(Regex::parse("sé", true).unwrap().postgres, "[Ssſ][Éé]");
    }

    #[test]
    fn ordinary_patterns_are_within_the_limits() {
        for pattern in
            [r"\b\w+@\w+\.\w+\b", r"^\d{3}\.\d{3}\.\d{3}-\d{2}$", "(?i)declara[çc][ãa]o", "(a+)+$"]
        {
            assert!(Regex::parse(pattern, true).is_ok(), "{:?}", Regex::parse(pattern, true));
        }
    }

    #[test]
    fn foreign_syntax_and_large_patterns_are_refused() {
        for pattern in [
            "(",
            "[a",
            "a**b{",
            r"(a)\1",
            "(?=a)",
            r"\y",
            r"\m",
            "(?mR)^",
            "a{256}",
            "(a{100}){100}",
            r"(?-u)\xFF",
            "\\w{400}",
            &"(".repeat(100),
            &r"\w".repeat(60),
        ] {
            let refusal = Regex::parse(pattern, false).unwrap_err().to_string();
            assert!(refusal.starts_with("invalid regular expression: "), "{pattern}: {refusal}");
            assert!(!refusal.contains('\n'), "{pattern}: {refusal}");
        }
    }
}
