//! Parser for the query language of the table API: converts the query string of a request to a [`Query`].
//!
//! The grammar and the names of the types follow PostgREST (docs/protocol/rest.md, section 2). The parser knows neither
//! tables nor SQL and performs no I/O: the server decides whether a name exists and whether an operator is offered. No
//! input makes it panic; properties in `tests/` and a fuzz target in `fuzz/` test this.
//!
//! ```
//! let query = portaria_query::parse([("select", "id,folders(name)"), ("status", "eq.active"), ("limit", "20")]).unwrap();
//! assert_eq!(query.root.limit, Some(20));
//! ```

mod filter;
mod parse;
mod scan;
mod select;
mod size;
mod text_search;

pub use filter::{Filter, Operand, Operator, Quantifier};
pub use parse::parse;
pub use select::{
    Aggregate, AggregateFunction, Column, Embed, Field, Join, JsonPathStep, Nulls, Order,
    SelectItem,
};
pub use text_search::{InvalidTextQuery, SearchPart, SearchSyntax, TextQuery};

/// A parsed query string: the rows to read or change, and for writes the payload's columns and the conflict key.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    /// The query of the table in the request's path.
    pub root: TableQuery,
    /// `columns=`: the keys of the payload that are used; others are ignored.
    pub columns: Option<Vec<String>>,
    /// `on_conflict=`: the columns of the unique key that decides between insert and update.
    pub on_conflict: Option<Vec<String>>,
}

/// The query of one table, the root or an embed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TableQuery {
    /// The selected items, in order; never empty after parsing (`*` is the default).
    pub select: Vec<SelectItem>,
    /// The filters, all of which must hold.
    pub filters: Vec<Filter>,
    /// The sort keys, most significant first.
    pub order: Vec<Order>,
    /// Maximum number of rows.
    pub limit: Option<u64>,
    /// Number of rows to skip.
    pub offset: Option<u64>,
}

/// The reason for refusing a query. The server maps it to an error with a stable code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// The text does not follow the grammar (PGRST100).
    Syntax {
        /// The part that was parsed, for example `filter`, `order` or `logic tree`.
        part: &'static str,
        /// The text that was parsed, as received.
        text: String,
        /// Position of the error in `text`, in characters, from 1.
        column: usize,
        /// The unexpected and the expected input.
        details: String,
    },
    /// A filter, order or limit names an embed that is absent from `select` (PGRST108).
    NotEmbedded(String),
    /// A limit is negative (PGRST103).
    NegativeLimit,
    /// The query exceeds a limit (PGRST127).
    TooLarge(&'static str),
}

/// Maximum nesting of embeds and of logic trees, and maximum length of a JSON path.
pub const MAX_DEPTH: usize = 8;
/// Maximum number of parts of a query, in all its tables: selected items, tests, sort keys and names.
pub const MAX_PARTS: usize = 500;
/// Maximum number of values in one list.
pub const MAX_VALUES: usize = 1_000;
