//! Two statements as one. A statement outside of a transaction has a snapshot of its own, so both read the same data
//! without `BEGIN` and `ROLLBACK`, in one round trip.

use std::pin::{Pin, pin};

use futures_util::TryStreamExt;
use sea_query::{PostgresQueryBuilder, Values};
use tokio_postgres::RowStream;

use crate::{
    Error, Rows,
    postgres::{
        Session, StatementText,
        values::{bound, cell, parameters},
    },
    transaction::Counted,
};

/// The rows of the first statement, and those of the second one or the error of `hold`.
type RowsOfBoth<E> = (Rows, Result<Rows, E>);

impl Session {
    /// See [`crate::Tx::rows_of_both`].
    pub(crate) fn rows_of_both<E: From<Error>>(
        &mut self,
        first: &Counted<'_>,
        second: &Counted<'_>,
        hold: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<RowsOfBoth<E>, Error> {
        let (sql, values) = combine(first, second);
        // A later statement opens the transaction.
        let begin = self.begin.take();
        let answer = self.prepare(&sql).and_then(|statement| {
            let bound = bound(&values);
            let Self { runtime, client, answer_timeout, is_lost, .. } = self;
            let answer = async {
                let stream = client.query_raw(&statement, parameters(&bound)).await?;
                separate(pin!(stream), first.columns, second.columns, hold).await
            };
            Self::wait((runtime, client, *answer_timeout, is_lost), &mut None, answer)
        });
        self.begin = begin;
        // The server ends the statement when it cannot send the other rows.
        self.is_lost |= answer.as_ref().is_ok_and(|(_, rows)| rows.is_err());
        answer
    }
}

/// Writes both statements as parts of a UNION: the number of the part, the columns of the first one, the columns of the
/// second one. The rows of a part keep their order, because PostgreSQL appends one part to the other.
fn combine(first: &Counted<'_>, second: &Counted<'_>) -> (String, Values) {
    let mut sql = StatementText::default();
    let nulls = |count| ", NULL".repeat(count);
    sql.push(&format!("SELECT 1, part.*{} FROM (", nulls(second.columns)));
    first.statement.build_collect_into(PostgresQueryBuilder, &mut sql);
    sql.push(&format!(") AS part UNION ALL SELECT 2{}, part.* FROM (", nulls(first.columns)));
    second.statement.build_collect_into(PostgresQueryBuilder, &mut sql);
    sql.push(") AS part");
    sql.into_parts()
}

async fn separate<E: From<Error>>(
    mut stream: Pin<&mut RowStream>,
    first: usize,
    second: usize,
    mut hold: impl FnMut(usize) -> Result<(), E>,
) -> Result<RowsOfBoth<E>, tokio_postgres::Error> {
    let (mut of_first, mut of_second) = (Rows::new(first), Rows::new(second));
    while let Some(row) = stream.try_next().await? {
        let is_first = row.try_get::<_, i32>(0)? == 1;
        let (rows, skipped, width) =
            if is_first { (&mut of_first, 1, first) } else { (&mut of_second, 1 + first, second) };
        let before = rows.memory();
        let columns = row.columns().iter().enumerate().skip(skipped).take(width);
        for (column, described) in columns {
            match cell(&row, column, described.type_()) {
                Ok(cell) => rows.push(cell),
                Err(error) => return Ok((of_first, Err(error.into()))),
            }
        }
        if !is_first && let Err(refusal) = hold(rows.memory() - before) {
            return Ok((of_first, Err(refusal)));
        }
    }
    Ok((of_first, Ok(of_second)))
}
