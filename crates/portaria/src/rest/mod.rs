//! `/rest/v1`: the table API (contract §2). One file per verb; planning and running are shared.

mod backups;
mod cast;
mod constraint;
mod csv;
pub mod delete;
mod documents;
mod embed;
mod error;
mod fill;
mod filter;
mod folders;
pub mod insert;
mod media;
pub mod openapi;
mod order;
mod outbox;
mod plan;
mod prefer;
pub mod read;
mod render;
mod repeat;
mod request;
pub mod rpc;
mod rules;
mod run;
mod size;
mod templates;
mod tickets;
pub mod update;
mod value;
mod write;

pub use error::RestError;
