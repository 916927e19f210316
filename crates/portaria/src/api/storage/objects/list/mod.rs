//! Object lists: `v1` lists one directory level with an offset, `v2` lists a prefix in pages with a cursor.
//!
//! Directories exist in names only. `directory` derives them with one grouped statement.

pub mod cursor;
pub mod directory;
pub mod v1;
pub mod v2;
