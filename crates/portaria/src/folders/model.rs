//! A folder as a row.

use crate::{
    db::{Error, Row},
    security::ids::FolderId,
};

/// A folder of documents.
#[derive(Debug, Clone)]
pub(crate) struct Folder {
    pub(crate) id: FolderId,
    /// The name in addresses and in the names of files, which never changes.
    pub(crate) id_supabase: String,
    /// Whether the folder is archived. An archived folder accepts no documents.
    pub(crate) is_archived: bool,
}

impl Folder {
    /// The columns that [`Self::from_row`] reads.
    pub(crate) const COLUMNS: [&'static str; 3] = ["id", "id_supabase", "archived_at"];

    pub(crate) fn from_row(row: Row<'_>) -> Result<Self, Error> {
        Ok(Self {
            id: row.parse(0)?,
            id_supabase: row.text(1)?.to_owned(),
            is_archived: row.opt_text(2)?.is_some(),
        })
    }
}
