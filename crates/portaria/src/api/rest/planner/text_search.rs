//! Translates text searches to SQL conditions on the companion column of a text (`schema/search_words.rs`).
//!
//! The column contains the stems of the text, each between spaces, so a search looks for parts of that text.

use std::{collections::BTreeSet, fmt::Write};

use portaria_query::{SearchPart, SearchSyntax, TextQuery};
use sea_query::{Condition, Expr, ExprTrait};

use crate::{
    api::rest::{
        RestError,
        planner::limits::{QueryBudget, QueryCost, SEARCH_CONDITIONS},
    },
    db::{dialect::Dialect, regex::Regex},
    schema::search_words::{is_stop_word, other_stems, stem, words},
};

/// Maximum length of a query, in characters.
const MAX_QUERY_CHARS: usize = 256;
/// Maximum number of words of a query. Each is looked for in each row.
const MAX_WORDS: usize = 20;
/// Maximum distance between two words of a sequence.
const MAX_DISTANCE: u32 = 20;
/// The only configuration.
const CONFIG: &str = "portuguese";

/// Builds the condition of `fts`, `plfts`, `phfts` or `wfts`. NULL for a row without a text. The caller has charged the
/// budget for one search; each further regular expression is charged here.
///
/// # Errors
/// 42704 for an unknown configuration, 42601 for a malformed query, PGRST127 above a limit.
pub(crate) fn text_search(
    column: &Expr,
    dialect: Dialect,
    syntax: SearchSyntax,
    config: Option<&str>,
    text: &str,
    budget: &QueryBudget,
) -> Result<Condition, RestError> {
    if let Some(unknown) = config.filter(|config| *config != CONFIG) {
        let message = format!("text search configuration \"{unknown}\" does not exist");
        return Err(RestError::bad_request("42704", message));
    }
    if text.chars().count() > MAX_QUERY_CHARS {
        let limit = format!("a text search has at most {MAX_QUERY_CHARS} characters");
        return Err(RestError::unsupported(limit));
    }
    let query = TextQuery::parse(syntax, text).map_err(|_| {
        RestError::bad_request("42601", format!("syntax error in tsquery: \"{text}\""))
    })?;
    let mut search = Search { column, dialect, budget, words: 0, expressions: 0 };
    // No row meets a query without words; the column is never empty.
    let none = || Condition::all().add(column.clone().eq(""));
    Ok(search.condition(&query)?.unwrap_or_else(none))
}

struct Search<'a> {
    column: &'a Expr,
    dialect: Dialect,
    budget: &'a QueryBudget,
    words: usize,
    /// Number of regular expressions.
    expressions: usize,
}

/// A word of a sequence: its stem, whether it is a prefix, and the distance to the word before.
type Step = (String, bool, u32);

impl Search<'_> {
    /// Translates a query; `None` if it consists of ignored words.
    fn condition(&mut self, query: &TextQuery) -> Result<Option<Condition>, RestError> {
        Ok(match query {
            TextQuery::Words(text) => {
                let mut all = None;
                for word in words(text) {
                    let part = SearchPart { text: word, is_prefix: false, distance: 1 };
                    all = join(all, self.sequence(&[part])?, Condition::all());
                }
                all
            }
            TextQuery::Sequence(parts) => self.sequence(parts)?,
            TextQuery::Not(query) => self.condition(query)?.map(Condition::not),
            TextQuery::All(branches) => self.branches(branches, Condition::all)?,
            TextQuery::Any(branches) => self.branches(branches, Condition::any)?,
        })
    }

    fn branches(
        &mut self,
        branches: &[TextQuery],
        start: fn() -> Condition,
    ) -> Result<Option<Condition>, RestError> {
        let mut all = None;
        for branch in branches {
            all = join(all, self.condition(branch)?, start());
        }
        Ok(all)
    }

    /// Looks for words that follow each other at their distances.
    fn sequence(&mut self, parts: &[SearchPart]) -> Result<Option<Condition>, RestError> {
        let mut steps: Vec<Step> = Vec::new();
        // Ignored words leave a gap.
        let mut gap = 0;
        // The stems of words that begin like the last one, if it is a prefix.
        let mut others = BTreeSet::new();
        for part in parts {
            let found = words(&part.text);
            for (number, word) in found.iter().enumerate() {
                let distance = if number == 0 { part.distance } else { 1 };
                let is_prefix = part.is_prefix && number + 1 == found.len();
                if distance > MAX_DISTANCE {
                    let limit = format!("two words have at most a distance of {MAX_DISTANCE}");
                    return Err(RestError::unsupported(limit));
                }
                gap += distance;
                if !is_stop_word(word) {
                    others = if is_prefix { other_stems(word) } else { BTreeSet::new() };
                    steps.push((stem(word), is_prefix, gap));
                    gap = 0;
                }
            }
        }
        self.words += steps.len();
        // A prefix alone, as a person types it.
        if steps.len() > 1 {
            others.clear();
        }
        if self.words > MAX_WORDS {
            let limit = format!("a text search has at most {MAX_WORDS} words");
            return Err(RestError::unsupported(limit));
        }
        if steps.is_empty() {
            return Ok(None);
        }
        let mut any = Condition::any().add(self.look_for(&steps)?);
        for stem in others {
            any = any.add(self.look_for(&[(stem, false, 0)])?);
        }
        Ok(Some(any))
    }

    fn look_for(&mut self, steps: &[Step]) -> Result<Expr, RestError> {
        let last = steps.len() - 1;
        let is_plain = steps.iter().enumerate().all(|(number, (_, is_prefix, distance))| {
            (number == 0 || *distance == 1) && (number == last || !is_prefix)
        });
        let mut pattern = " ".to_owned();
        for (number, (word, is_prefix, distance)) in steps.iter().enumerate() {
            if number > 0 && *distance > 1 {
                let _ = write!(pattern, "(?:[^ ]+ ){{{}}}", distance - 1);
            }
            pattern += word;
            match (*is_prefix, number == last) {
                (true, true) => {}
                (true, false) => pattern += "[^ ]* ",
                (false, _) => pattern += " ",
            }
        }
        if is_plain {
            return Ok(self.dialect.position(self.column.clone(), &pattern).gt(0));
        }
        if self.expressions > 0 {
            self.budget.charge(QueryCost { conditions: SEARCH_CONDITIONS, embeds: 0 })?;
        }
        self.expressions += 1;
        // Words consist of letters and digits, which have no meaning in a regular expression.
        let regex = Regex::parse(&pattern, false)
            .map_err(|error| RestError::unsupported(error.to_string()))?;
        Ok(self.dialect.matches(self.column.clone(), &regex))
    }
}

/// Adds a condition to others, if there is one.
fn join(all: Option<Condition>, next: Option<Condition>, start: Condition) -> Option<Condition> {
    match next {
        Some(next) => Some(all.unwrap_or(start).add(next)),
        None => all,
    }
}
