//! signed_url

pub mod create;
pub mod create_many;
pub mod token;
pub mod upload;
