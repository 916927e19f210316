//! Text searches by the full-text indexes, for callers who may read all rows of a table.
//!
//! An index finds rare words soon, where the order of a list would lead through the whole table. Frequent words are
//! found soon in the order of the list. A search therefore looks up a bounded number of rows in the index first, and is
//! restricted to them if there are no more. The conditions of the search are checked all the same
//! (docs/decisions/0057-text-search-by-stored-word-stems.md).
//!
//! The words of others influence the time of a look-up. Callers with rows of their own are therefore served by the
//! indexes of these rows alone.

use portaria_query::{Filter, Operand, Operator, SearchPart, TextQuery};

use crate::{
    db::{Error, Tx, word_index::WordQuery},
    policy::{Access, Action, access},
    schema::{
        Table,
        search_words::{is_stop_word, other_stems, stem, words},
    },
    security::caller::Caller,
};

/// Maximum number of rows that a search is restricted to. Of more rows than these, a scan of a million rows finds the
/// first twenty within 40,000.
const MAX_KEYS: usize = 512;
/// Minimum length of a prefix, in characters. The index reads all words with the prefix.
const MIN_PREFIX_CHARS: usize = 3;

/// Whether [`matching_keys`] may look up rows for these filters.
pub(crate) fn is_search(filters: &[Filter]) -> bool {
    filters.iter().any(|filter| match filter {
        Filter::Tree { filters, .. } => is_search(filters),
        Filter::Test { operator, .. } => matches!(operator, Operator::TextSearch(..)),
    })
}

/// Returns the keys of the rows that a request's searches can find, if they are few. Their number is a power of two, so
/// that few statements are prepared; a key may occur several times, and a missing one is empty.
///
/// # Errors
/// Errors of the database.
pub(crate) fn matching_keys(
    tx: &mut Tx<'_>,
    caller: Caller,
    table: &'static Table,
    filters: &[Filter],
) -> Result<Option<Vec<String>>, Error> {
    if !access(caller, table.id, Action::Select).is_ok_and(Access::is_unrestricted) {
        return Ok(None);
    }
    for filter in filters {
        let keys = match filter {
            Filter::Tree { negated: false, any: false, filters } => {
                matching_keys(tx, caller, table, filters)?
            }
            Filter::Test {
                field,
                negated: false,
                operator: Operator::TextSearch(syntax, _),
                operand: Operand::Value(text),
            } => {
                let column = table.column(&field.name, true).and_then(|column| column.words);
                let query = TextQuery::parse(*syntax, text).ok();
                match (column, query.as_ref().map(necessary_words)) {
                    (Some(words), Some(Necessary::Words(query))) => {
                        look_up(tx, table, words, &query)?
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        if keys.is_some() {
            return Ok(keys);
        }
    }
    Ok(None)
}

fn look_up(
    tx: &mut Tx<'_>,
    table: &Table,
    words: &'static str,
    query: &WordQuery,
) -> Result<Option<Vec<String>>, Error> {
    let limit = MAX_KEYS as u64 + 1;
    let rows = tx.rows(&query.select(tx.dialect(), table.name, table.key, words, limit))?;
    if rows.len() > MAX_KEYS {
        return Ok(None);
    }
    let keys = rows.iter().map(|row| row.text(0).map(str::to_owned));
    let mut keys: Vec<String> = keys.collect::<Result<_, _>>()?;
    let last = keys.last().cloned().unwrap_or_default();
    keys.resize(keys.len().next_power_of_two(), last);
    Ok(Some(keys))
}

/// The words that a text must contain to meet a query.
enum Necessary {
    Words(WordQuery),
    /// All words of the query are ignored.
    Ignored,
    /// Texts without any particular word may meet the query.
    Unknown,
}

fn necessary_words(query: &TextQuery) -> Necessary {
    match query {
        TextQuery::Words(text) => all(words(text).iter().map(|word| necessary_word(word, false))),
        TextQuery::Sequence(parts) => all(parts.iter().map(necessary_words_of_part)),
        TextQuery::Not(_) => Necessary::Unknown,
        TextQuery::All(queries) => all(queries.iter().map(necessary_words)),
        TextQuery::Any(queries) => any(queries.iter().map(necessary_words)),
    }
}

fn necessary_words_of_part(part: &SearchPart) -> Necessary {
    let words = words(&part.text);
    let last = words.len().saturating_sub(1);
    all(words
        .iter()
        .enumerate()
        .map(|(number, word)| necessary_word(word, part.is_prefix && number == last)))
}

fn necessary_word(word: &str, is_prefix: bool) -> Necessary {
    if is_stop_word(word) {
        return Necessary::Ignored;
    }
    let stem = stem(word);
    match is_prefix {
        true if stem.chars().count() < MIN_PREFIX_CHARS => Necessary::Unknown,
        true => {
            let others = other_stems(word).into_iter().map(WordQuery::Word);
            Necessary::Words(WordQuery::Any(
                std::iter::once(WordQuery::Prefix(stem)).chain(others).collect(),
            ))
        }
        false => Necessary::Words(WordQuery::Word(stem)),
    }
}

fn all(parts: impl Iterator<Item = Necessary>) -> Necessary {
    let (mut queries, mut is_unknown) = (Vec::new(), false);
    for part in parts {
        match part {
            Necessary::Words(query) => queries.push(query),
            Necessary::Ignored => {}
            Necessary::Unknown => is_unknown = true,
        }
    }
    match queries.is_empty() {
        false => Necessary::Words(WordQuery::All(queries)),
        true if is_unknown => Necessary::Unknown,
        true => Necessary::Ignored,
    }
}

fn any(parts: impl Iterator<Item = Necessary>) -> Necessary {
    let mut queries = Vec::new();
    for part in parts {
        match part {
            Necessary::Words(query) => queries.push(query),
            Necessary::Ignored => {}
            Necessary::Unknown => return Necessary::Unknown,
        }
    }
    if queries.is_empty() { Necessary::Ignored } else { Necessary::Words(WordQuery::Any(queries)) }
}
