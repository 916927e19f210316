//! list

pub mod cursor;
pub mod directory;
pub mod v1;
pub mod v2;
