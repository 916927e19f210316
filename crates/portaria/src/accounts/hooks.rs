//! The rules of the table `sessions`, in which a person ends sessions on other devices.

use crate::{
    audit::{EventName, RowNaming},
    table_write::TableHooks,
};

/// The hooks of `sessions`.
pub(crate) struct SessionHooks;

impl TableHooks for SessionHooks {
    fn audit(&self) -> Option<RowNaming> {
        let events = [EventName::SessionEnded; 3];
        Some(RowNaming::of_columns("sessions", "user_agent", Some("user_id"), events))
    }

    fn export(&self) -> Option<&'static str> {
        Some("sessoes.json")
    }
}
