//! response

pub mod content_negotiation;
pub mod csv;
pub mod json;
