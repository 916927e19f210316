//! Limits of the generated statements, below those of both databases (docs/protocol/rest.md, section 2.4).
//!
//! The conditions of an embed are repeated wherever a filter names the embed, so a short request can produce a large
//! statement. The limits therefore count what is generated, not what was sent.

use std::cell::Cell;

use crate::api::rest::RestError;

/// Maximum number of conditions and their values. `SQLite` accepts 32,766 values, and a count repeats the conditions.
const MAX_CONDITIONS: usize = 10_000;
/// The conditions that a regular expression or a search in JSON counts as. Its time per row is that of many comparisons.
pub(crate) const SEARCH_CONDITIONS: usize = MAX_CONDITIONS / 20;
/// The conditions that a comparison of JSON counts as. Its statement repeats the path, and PostgreSQL accepts 65,535
/// values.
pub(crate) const JSON_CONDITIONS: usize = MAX_CONDITIONS / 500;
/// Maximum number of embeds and of tests of embeds. `SQLite` joins at most 64 tables, and the planning time of
/// PostgreSQL grows with their number.
const MAX_EMBEDS: usize = 50;
/// Maximum number of columns of one statement. PostgreSQL accepts 1,664, including sort keys.
const MAX_CELLS: usize = 1_000;

/// Maximum number of rows of a page, and of one parent's rows in an embed. Further rows are left out, as with
/// PostgREST's `db-max-rows`.
pub(crate) const MAX_ROWS: usize = 1_000;
/// Maximum number of rows of an embed in an answer. `SQLite` sorts them in memory.
pub(crate) const MAX_EMBEDDED_ROWS: usize = 5_000;
/// Maximum number of times that one list selects a column.
const MAX_COLUMN_USES: usize = 10;
/// Maximum number of to-one embeds of one table in one list. Each of them repeats the related row in every row.
const MAX_TO_ONE_USES: usize = 3;

/// The cost of the statements that a request has generated so far.
#[derive(Debug, Default)]
pub(crate) struct QueryBudget(Cell<QueryCost>);

/// The cost of a part of a statement.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct QueryCost {
    pub(crate) conditions: usize,
    pub(crate) embeds: usize,
}

impl QueryBudget {
    /// Adds the cost of a part.
    ///
    /// # Errors
    /// PGRST127 above a limit.
    pub(crate) fn charge(&self, cost: QueryCost) -> Result<(), RestError> {
        let QueryCost { conditions, embeds } = self.0.get();
        let conditions = conditions.saturating_add(cost.conditions);
        let embeds = embeds.saturating_add(cost.embeds);
        self.0.set(QueryCost { conditions, embeds });
        if conditions > MAX_CONDITIONS || embeds > MAX_EMBEDS {
            let limits = format!("at most {MAX_CONDITIONS} conditions and {MAX_EMBEDS} embeds");
            return Err(RestError::unsupported(limits));
        }
        Ok(())
    }

    /// Checks the cost of the filters of a change, which was added since `before`. `SQLite` has one thread that writes,
    /// so the filters of one person delay the changes of all others. Staff may search once in a change.
    ///
    /// # Errors
    /// PGRST127 above the limit.
    pub(crate) fn check_change(&self, before: QueryCost, is_staff: bool) -> Result<(), RestError> {
        let max = if is_staff { 2 * SEARCH_CONDITIONS } else { SEARCH_CONDITIONS };
        if self.since(before).conditions >= max {
            let limit = format!("a change has fewer than {max} conditions");
            return Err(RestError::unsupported(limit));
        }
        Ok(())
    }

    /// Returns the total cost so far.
    pub(crate) fn total(&self) -> QueryCost {
        self.0.get()
    }

    /// Returns the cost that was added since an earlier total.
    pub(crate) fn since(&self, before: QueryCost) -> QueryCost {
        let now = self.0.get();
        QueryCost {
            conditions: now.conditions - before.conditions,
            embeds: now.embeds - before.embeds,
        }
    }
}

/// Checks the number of columns of a statement.
///
/// # Errors
/// PGRST127 above the limit.
pub(crate) fn check_column_count(cells: usize) -> Result<(), RestError> {
    if cells > MAX_CELLS {
        return Err(RestError::unsupported(format!("an answer has at most {MAX_CELLS} columns")));
    }
    Ok(())
}

/// Checks how often a list selects a column.
///
/// # Errors
/// PGRST127 above the limit.
pub(crate) fn check_column_uses(uses: usize) -> Result<(), RestError> {
    if uses > MAX_COLUMN_USES {
        let limit = format!("a list selects a column at most {MAX_COLUMN_USES} times");
        return Err(RestError::unsupported(limit));
    }
    Ok(())
}

/// Checks how often a list embeds a table to one.
///
/// # Errors
/// PGRST127 above the limit.
pub(crate) fn check_to_one_uses(uses: usize) -> Result<(), RestError> {
    if uses > MAX_TO_ONE_USES {
        let limit = format!("a list embeds the same row at most {MAX_TO_ONE_USES} times");
        return Err(RestError::unsupported(limit));
    }
    Ok(())
}
