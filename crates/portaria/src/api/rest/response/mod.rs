//! Answers with rows: content negotiation, and the serializers for JSON and CSV.

pub mod content_negotiation;
pub mod csv;
pub mod json;
