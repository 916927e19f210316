//! verify

pub mod link;
pub mod post;
