//! privacy

pub mod archive_names;
pub mod erasure;
pub mod erasure_preview;
pub mod export_archive;
pub mod export_records;
pub mod tombstones;
