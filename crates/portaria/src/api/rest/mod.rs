//! The table API, `/rest/v1`, in the PostgREST protocol (docs/protocol/rest.md).
//!
//! A request passes [`request`] (headers and query string), [`planner`] (SQL with the row policy of each table),
//! [`executor`] (statements) and [`response`] (JSON or CSV). [`answer_budget`] bounds the memory of
//! the answer. Each verb has one file, and [`rpc`] holds the functions.
//! The rules of single tables are in the folders of their features (`api/table_hooks.rs`).

pub mod answer_budget;
pub mod delete;
pub mod error;
pub mod executor;
pub mod idempotency;
pub mod insert;
pub mod openapi;
pub mod planner;
pub mod put;
pub mod request;
pub mod response;
pub mod rpc;
pub mod search_index;
pub mod select;
pub mod suggestion;
pub mod update;

pub use error::RestError;
