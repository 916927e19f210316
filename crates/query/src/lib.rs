//! The table API's language: the query part of a request's URL becomes a [`Query`].
//!
//! Pure text in, syntax tree out: no tables, no SQL, no IO, and no input makes it panic.
//! What a name or an operator *means*, and whether it is offered, is the server's to say.
//! The grammar is PostgREST's; the names of the types follow its documentation.
//!
//! ```
//! let query = query::parse([("select", "id,folders(name)"), ("status", "eq.active"), ("limit", "20")]).unwrap();
//! assert_eq!(query.root.limit, Some(20));
//! ```

mod filter;
mod parse;
mod scan;
mod select;
mod size;

pub use filter::{Filter, Operand, Operator, Quantifier};
pub use parse::parse;
pub use select::{Aggregate, Column, Embed, Field, Join, JsonPathStep, Nulls, Order, SelectItem};

/// A parsed request: what to read, and for writes which columns and which conflict key.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    /// The table that the request names, with everything asked of it.
    pub root: TableQuery,
    /// `columns=`: the keys of the payload that count; others are ignored.
    pub columns: Option<Vec<String>>,
    /// `on_conflict=`: the columns whose unique key decides between insert and update.
    pub on_conflict: Option<Vec<String>>,
}

/// What is asked of one table: the root, or an embedded one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TableQuery {
    /// The selected items, in order; never empty after parsing (`*` is the default).
    pub select: Vec<SelectItem>,
    /// All of them must hold.
    pub filters: Vec<Filter>,
    /// The sort keys, most significant first.
    pub order: Vec<Order>,
    /// At most so many rows.
    pub limit: Option<u64>,
    /// So many rows are left out first.
    pub offset: Option<u64>,
}

/// Why a query was refused. The server turns it into an answer with a stable code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The text does not follow the grammar (PGRST100).
    Syntax {
        /// What was being read: `select`, `filter`, `order`, `logic tree`, `columns`, `limit`.
        part: &'static str,
        /// The caller's own text.
        text: String,
        /// Where it stopped making sense, in characters, from 1.
        column: usize,
        /// What was met and what was expected there.
        details: String,
    },
    /// A filter, order or limit names an embed that `select` does not hold (PGRST108).
    NotEmbedded(String),
    /// The text nests or lists more than the server takes (PGRST127).
    TooLarge(&'static str),
}

/// How deep embeds and logic trees may nest.
pub const MAX_DEPTH: usize = 8;
/// How many parts a query may have: selected items, tests, sort keys and names, wherever they stand.
pub const MAX_PARTS: usize = 500;
/// How many values one list may hold.
pub const MAX_VALUES: usize = 1_000;
