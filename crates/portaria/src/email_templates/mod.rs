//! Mail templates: previews and test mails of a template, and previews of the recipients of a change.

pub mod preview;
pub mod recipient_preview;
