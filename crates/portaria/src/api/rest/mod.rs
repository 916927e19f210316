//! `/rest/v1`: the table API (contract §2). One file per verb; planning and running are shared.

pub mod constraint_error;
pub mod delete;
pub mod error;
pub mod executor;
pub mod idempotency;
pub mod insert;
pub mod openapi;
pub mod planner;
pub mod request;
pub mod response;
pub mod rpc;
pub mod rules;
pub mod select;
pub mod update;

pub use error::RestError;
