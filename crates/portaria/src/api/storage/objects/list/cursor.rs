//! Pagination cursors of the object list.
//!
//! Written by hand: a cursor is base64url JSON of the last entry's sort key. It is opaque to clients, but not signed.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use serde::{Deserialize, Serialize};

use crate::api::storage::StorageError;

/// Sort column of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Column {
    #[default]
    Name,
    CreatedAt,
    UpdatedAt,
}

/// Sort key of a page's last entry, with the order of the list. A cursor is only compared with entries that the caller
/// may list, so a forged one yields another part of the same list and needs no signature.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Cursor {
    pub(crate) column: Column,
    pub(crate) descending: bool,
    pub(crate) name: String,
    /// Value of the sort column; `None` if that is the name.
    pub(crate) time: Option<String>,
}

impl Column {
    /// Name of the timestamp column in the table; `None` for [`Column::Name`].
    pub(crate) fn time(self) -> Option<&'static str> {
        match self {
            Self::Name => None,
            Self::CreatedAt => Some("created_at"),
            Self::UpdatedAt => Some("updated_at"),
        }
    }
}

impl Cursor {
    /// Encodes the cursor for the response.
    pub(crate) fn to_text(&self) -> String {
        BASE64.encode(serde_json::to_vec(self).expect("a cursor serializes to JSON"))
    }

    /// Decodes the cursor of a request.
    ///
    /// # Errors
    /// `InvalidRequest` for a text that is not a cursor.
    pub(crate) fn read(text: &str) -> Result<Self, StorageError> {
        let cursor = BASE64.decode(text).ok().and_then(|json| serde_json::from_slice(&json).ok());
        cursor
            .filter(|cursor: &Self| {
                let texts = [Some(&cursor.name), cursor.time.as_ref()];
                !texts.into_iter().flatten().any(|text| text.contains('\0'))
                    && cursor.time.is_some() == cursor.column.time().is_some()
            })
            .ok_or_else(|| StorageError::invalid_request("body/cursor is invalid"))
    }
}
