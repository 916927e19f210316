//! The office as it presents itself: name, logo, color, contacts and opening hours; and the days on which it works.

pub mod business_calendar;
mod cache;
pub mod contrast;
pub mod day_off_rules;
pub mod logo;
pub mod profile;
pub mod validation;

use sea_query::{Expr, ExprTrait, LockType, Query};

use crate::{
    db::{Error, Tx},
    schema::TableId,
};

pub use crate::office::{cache::OfficeCache, profile::OfficeProfile};

/// The office's settings.
pub const TABLE: TableId = TableId::OfficeSettings;

/// Serializes changes that must keep a limit of the whole office, until the transaction ends.
pub(crate) fn lock(tx: &mut Tx<'_>) -> Result<(), Error> {
    let mut lock = Query::select();
    lock.column("id").from(TABLE.table().name).and_where(Expr::col("id").eq("office"));
    tx.rows(lock.lock(LockType::NoKeyUpdate)).map(drop)
}
