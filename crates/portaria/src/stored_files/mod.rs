//! stored_files

pub mod bucket;
pub mod object;
pub mod quota;
pub mod upload;
