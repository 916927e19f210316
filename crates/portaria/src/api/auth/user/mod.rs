//! user

pub mod get;
pub mod response;
pub mod update;
