//! Stored files: buckets, objects, resumable uploads and quotas as rows of the database. The bytes are in `blob`.

pub mod bucket;
pub(crate) mod client_upload;
pub(crate) mod file_type;
pub(crate) mod given_names;
pub(crate) mod intake;
pub mod object;
pub mod quota;
pub mod references;
pub mod rendition;
pub mod upload;
