//! objects

pub mod copy;
pub mod delete;
pub mod download;
pub mod info;
pub mod list;
pub mod rename;
pub mod upload;
