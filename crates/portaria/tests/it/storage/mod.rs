//! The table API.
