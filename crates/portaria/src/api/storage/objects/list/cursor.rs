//! Where the next page of a list begins.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use serde::{Deserialize, Serialize};

use crate::api::storage::StorageError;

/// By what a list is sorted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Column {
    #[default]
    Name,
    CreatedAt,
    UpdatedAt,
}

/// The last entry of a page, and how the list goes on behind it. It only compares, so it need not be signed: whoever
/// makes one up gets another part of their own list.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Cursor {
    pub(crate) column: Column,
    pub(crate) descending: bool,
    pub(crate) name: String,
    /// Its value in the column, unless that is the name.
    pub(crate) time: Option<String>,
}

impl Column {
    /// The column of the table, unless it is the name's.
    pub(crate) fn time(self) -> Option<&'static str> {
        match self {
            Self::Name => None,
            Self::CreatedAt => Some("created_at"),
            Self::UpdatedAt => Some("updated_at"),
        }
    }
}

impl Cursor {
    pub(crate) fn to_text(&self) -> String {
        BASE64.encode(serde_json::to_vec(self).expect("a cursor is plain JSON"))
    }

    /// # Errors
    /// `InvalidRequest` for a text that is no cursor.
    pub(crate) fn read(text: &str) -> Result<Self, StorageError> {
        let cursor = BASE64.decode(text).ok().and_then(|json| serde_json::from_slice(&json).ok());
        cursor
            .filter(|cursor: &Self| {
                let told = [Some(&cursor.name), cursor.time.as_ref()];
                !told.into_iter().flatten().any(|text| text.contains('\0'))
                    && cursor.time.is_some() == cursor.column.time().is_some()
            })
            .ok_or_else(|| StorageError::invalid_request("body/cursor is invalid"))
    }
}
