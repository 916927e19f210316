//! Requests: items that the office asks of clients, and the files that clients send.
//!
//! A client uploads a file below an own item, or to `unrequested` (`upload`), and then inserts a row of
//! `received_files` (`files`), which answers the item (`items`). Staff file the files as documents (`filing`) or refuse
//! the item with a reason. At eight in the morning clients are asked again for
//! the items that repeat every month (`repeat`), and reminded of those that they did not answer (`reminders`); staff
//! remind them at any time (`remind`). `notify` builds the mails.

pub(crate) mod files;
pub(crate) mod filing;
pub(crate) mod items;
pub(crate) mod notify;
pub(crate) mod remind;
pub mod reminders;
pub mod repeat;
pub(crate) mod templates;
pub(crate) mod upload;

use jiff::civil::Date;

use crate::{schema::TableId, table_write::WriteError};

/// The table of items.
pub const ITEMS: TableId = TableId::RequestItems;
/// The table of files that clients sent.
pub const FILES: TableId = TableId::ReceivedFiles;

/// Second segment of the names of files that answer no item.
const UNREQUESTED: &str = "unrequested";

/// Parses a month, `YYYY-MM`, and returns its first day.
fn parse_month(text: &str) -> Option<Date> {
    let is_month = text.len() == "YYYY-MM".len() && text.is_ascii();
    is_month.then(|| format!("{text}-01").parse().ok()).flatten()
}

/// The rejection of a change for which the item is in the wrong state.
fn wrong_state() -> WriteError {
    WriteError::conflict("request_state", "A situação do item mudou. Recarregue a página.")
}
