//! Reads of one statement, which several requests send over the same connections. They use the replica while it is
//! current.

use std::{fmt, sync::Arc};

use sea_query::{PostgresQueryBuilder, SelectStatement, Values};

use crate::{
    Error, Rows,
    postgres::{StatementText, Target, connections::SharedConnections, replica::Replica},
    queue::{QueueDepth, ReplicaStats},
};

/// A statement with the number of its columns.
#[derive(Debug, Clone, Copy)]
pub struct Counted<'a> {
    /// The statement.
    pub statement: &'a SelectStatement,
    /// The number of its columns. They have different names.
    pub columns: usize,
}

/// The rows of the first statement, and those of the second one with their budget, or the refusal of their memory.
pub type RowsOfBoth<B, R> = (Rows, Result<(Rows, B), R>);

/// A budget, and the function that takes the memory of a row from it, in bytes, or refuses.
pub(crate) type Budget<B, R> = (B, fn(&mut B, usize) -> Result<(), R>);

/// The connections for reads of one statement.
pub struct Pipeline {
    primary: Arc<SharedConnections>,
    replica: Option<Replica>,
}

/// Two statements as one.
pub(crate) struct Combined {
    pub(crate) sql: String,
    pub(crate) values: Values,
    /// The numbers of columns of both.
    pub(crate) widths: (usize, usize),
}

impl fmt::Debug for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipeline").field("reads", &self.load()).finish_non_exhaustive()
    }
}

impl Pipeline {
    pub(crate) fn new(primary: Arc<Target>, replica: Option<Replica>) -> Self {
        Self { primary: Arc::new(SharedConnections::new(primary)), replica }
    }

    /// The load of the connections to the primary.
    pub(crate) fn load(&self) -> QueueDepth {
        self.primary.stats.queue(self.primary.waiting())
    }

    /// The use of the replica; `None` without one.
    pub(crate) fn replica(&self) -> Option<ReplicaStats> {
        self.replica.as_ref().map(Replica::stats)
    }

    /// Reads the rows of two statements by one, against one snapshot, which contains all transactions that were committed
    /// before this call. `hold` receives the budget and the memory of each row of the second statement, in bytes. After
    /// its refusal the other rows are dropped. A second attempt, after the replica was lost, has a budget of its own.
    ///
    /// # Errors
    /// [`Error`] of either statement, or when they could not run.
    pub async fn rows_of_both<B: Send + 'static, R: Send + 'static>(
        &self,
        first: &Counted<'_>,
        second: &Counted<'_>,
        budget: impl Fn() -> B,
        hold: fn(&mut B, usize) -> Result<(), R>,
    ) -> Result<RowsOfBoth<B, R>, Error> {
        let statement = Arc::new(combine(first, second));
        if let Some(replica) = &self.replica
            && let Some(connections) = replica.current().await
        {
            match connections.read(Arc::clone(&statement), (budget(), hold)).await {
                // The primary may have room, or is not lost.
                Err(error) if error.is_transient() => {}
                answer => return answer,
            }
        }
        self.primary.read(statement, (budget(), hold)).await
    }
}

/// Writes both statements as parts of a UNION: the number of the part, the columns of the first one, the columns of the
/// second one. The rows of a part keep their order, because PostgreSQL appends one part to the other.
fn combine(first: &Counted<'_>, second: &Counted<'_>) -> Combined {
    let mut sql = StatementText::default();
    let nulls = |count| ", NULL".repeat(count);
    sql.push(&format!("SELECT 1, part.*{} FROM (", nulls(second.columns)));
    first.statement.build_collect_into(PostgresQueryBuilder, &mut sql);
    sql.push(&format!(") AS part UNION ALL SELECT 2{}, part.* FROM (", nulls(first.columns)));
    second.statement.build_collect_into(PostgresQueryBuilder, &mut sql);
    sql.push(") AS part");
    let (sql, values) = sql.into_parts();
    Combined { sql, values, widths: (first.columns, second.columns) }
}
