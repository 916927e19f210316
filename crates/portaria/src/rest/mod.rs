//! `/rest/v1`: the table API (contract §2). One file per verb; planning and running are shared.

pub mod delete;
mod embed;
mod error;
mod fill;
mod filter;
pub mod insert;
mod order;
mod plan;
pub mod read;
mod request;
mod rules;
mod run;
pub mod update;
mod value;
mod write;

pub use error::RestError;
