//! Mail templates: validation before a template is saved, previews and test mails, the built-in texts as templates, and
//! previews of the recipients of a change.

pub(crate) mod defaults;
pub(crate) mod hooks;
pub mod preview;
pub mod recipient_preview;

use crate::schema::TableId;

/// The table of templates.
pub const TABLE: TableId = TableId::EmailTemplates;
