//! Repeated inserts and rate limits.

use jiff::SignedDuration;
use sea_query::{Condition, Expr, ExprTrait, LockType, Order, Query};

use crate::table_write::{Row, WriteContext, WriteError};
use crate::{
    clock::format_timestamp,
    db::{Error, Tx},
    security::rate_limit::RateLimited,
};

impl WriteContext<'_> {
    /// Finds the row that this one repeats by the table's duplicate key.
    pub(crate) fn find_duplicate(
        &self,
        tx: &mut Tx<'_>,
        row: &Row,
    ) -> Result<Option<String>, WriteError> {
        let Some(key) = self.hooks.duplicate_key(self, row) else { return Ok(None) };
        if !key.columns.iter().all(|name| row.get(name).is_some_and(Option::is_some)) {
            return Ok(None);
        }
        self.lock_caller(tx)?;
        let same = key.columns.iter().filter_map(|name| {
            row.get(name).cloned().flatten().map(|value| Expr::col(*name).eq(value))
        });
        let mut query = Query::select();
        query.column("id").from(self.table.name);
        query.cond_where(same.fold(Condition::all(), Condition::add)).limit(1);
        // A row out of reach is no repetition, or the answer would reveal it. Neither is one of another client for whom
        // the same person acts.
        let permitted = self.access.written_rows(self.table.name);
        query.cond_where(permitted.unwrap_or_else(|| self.access.condition(self.table.name)));
        if let Some(within) = key.within {
            query.and_where(Expr::col("created_at").gt(format_timestamp(self.now - within)));
        }
        let rows = tx.rows(&query)?;
        Ok(rows.first().map(|row| row.text(0).map(str::to_owned)).transpose()?)
    }

    /// Serializes the concurrent requests of the caller's person until the transaction ends. `NO KEY UPDATE` does not
    /// conflict with the locks that foreign keys take on the person's row.
    pub(crate) fn lock_caller(&self, tx: &mut Tx<'_>) -> Result<(), Error> {
        let Some(person) = self.caller.user() else { return Ok(()) };
        let mut lock = Query::select();
        lock.column("id").from("users").and_where(Expr::col("id").eq(person));
        tx.rows(lock.lock(LockType::NoKeyUpdate)).map(drop)
    }

    /// Checks the rate limit of a client's new rows.
    ///
    /// # Errors
    /// PT429.
    pub(crate) fn check_rate(&self, tx: &mut Tx<'_>) -> Result<(), WriteError> {
        let (Some(limit), Some((column, client))) = (self.hooks.rate_limit(), self.access.owner())
        else {
            return Ok(());
        };
        let minute = SignedDuration::from_mins(1);
        let since = format_timestamp(self.now - minute);
        let mut query = Query::select();
        query.column("created_at").from(self.table.name);
        query.and_where(Expr::col(column).eq(client));
        query.and_where(Expr::col("created_at").gt(since)).cond_where(limit.counted);
        // The oldest of the newest rows that fill the limit. The next row is allowed a minute after it.
        query.order_by("created_at", Order::Desc).limit(1).offset(limit.per_minute - 1);
        let rows = tx.rows(&query)?;
        let Some(oldest) = rows.first() else { return Ok(()) };
        let oldest = oldest.text(0)?.parse().unwrap_or(self.now);
        let wait = (oldest + minute).duration_since(self.now).unsigned_abs();
        Err(WriteError::rate_limited(self.table, RateLimited(wait)))
    }
}
