//! The office as it presents itself: name, logo, color, contacts and opening hours; and the days on which it works.

pub mod business_calendar;
mod cache;
pub mod contrast;
pub mod day_off_rules;
pub mod logo;
pub mod profile;
pub mod validation;

use crate::schema::TableId;

pub use crate::office::{cache::OfficeCache, profile::OfficeProfile};

/// The office's settings.
pub const TABLE: TableId = TableId::OfficeSettings;
