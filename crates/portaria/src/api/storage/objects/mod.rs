//! Actions on objects, the files of a bucket: upload, download, list, copy, move and delete.

pub mod copy;
pub mod delete;
pub mod download;
pub mod info;
pub mod list;
pub mod rename;
pub mod upload;
