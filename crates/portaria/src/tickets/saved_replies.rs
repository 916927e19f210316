//! Saved replies: texts that staff insert into messages.

use crate::{
    audit::{EventName, RowNaming},
    table_write::TableHooks,
};

/// The hooks of `saved_replies`.
pub(crate) struct SavedReplyHooks;

impl TableHooks for SavedReplyHooks {
    fn audit(&self) -> Option<RowNaming> {
        let events = [
            EventName::SavedReplyCreated,
            EventName::SavedReplyChanged,
            EventName::SavedReplyDeleted,
        ];
        Some(RowNaming::of_columns("saved_replies", "title", None, events))
    }
}
