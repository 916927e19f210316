//! How large a statement may grow, so that no request makes one that a database refuses or no memory holds.
//!
//! The conditions of an embed stand wherever the embed is asked about, so a short request can say a lot.

use std::cell::Cell;

use crate::api::rest::RestError;

/// Conditions and their values. `SQLite` takes 32,766 values, and each count repeats the conditions.
const MAX_CONDITIONS: usize = 10_000;
/// Embeds, and questions about embeds. `SQLite` joins 64 tables, and PostgreSQL thinks long about more.
const MAX_EMBEDS: usize = 50;
/// Columns of one statement; PostgreSQL takes 1,664 with those that it sorts by.
const MAX_CELLS: usize = 1_000;

/// What a request has put into its statements so far.
#[derive(Debug, Default)]
pub(crate) struct QueryBudget(Cell<QueryCost>);

/// What a part of a statement adds to it.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct QueryCost {
    pub(crate) conditions: usize,
    pub(crate) embeds: usize,
}

impl QueryBudget {
    /// Adds a part.
    pub(crate) fn grow(&self, by: QueryCost) -> Result<(), RestError> {
        let QueryCost { conditions, embeds } = self.0.get();
        let conditions = conditions.saturating_add(by.conditions);
        let embeds = embeds.saturating_add(by.embeds);
        self.0.set(QueryCost { conditions, embeds });
        if conditions > MAX_CONDITIONS || embeds > MAX_EMBEDS {
            let limits = format!("at most {MAX_CONDITIONS} conditions and {MAX_EMBEDS} embeds");
            return Err(RestError::unsupported(limits));
        }
        Ok(())
    }

    /// Everything so far.
    pub(crate) fn now(&self) -> QueryCost {
        self.0.get()
    }

    /// What was added since.
    pub(crate) fn since(&self, before: QueryCost) -> QueryCost {
        let now = self.0.get();
        QueryCost {
            conditions: now.conditions - before.conditions,
            embeds: now.embeds - before.embeds,
        }
    }
}

/// Refuses a statement of too many columns.
pub(crate) fn check_cells(cells: usize) -> Result<(), RestError> {
    if cells > MAX_CELLS {
        return Err(RestError::unsupported(format!("an answer has at most {MAX_CELLS} columns")));
    }
    Ok(())
}
