//! The group of a file in the review: recognized, doubtful, without a client, or with a problem.
//!
//! The column `review_group` is derived from the others in one place, after each change of a row, so that the list
//! reads one group by an index.

use sea_query::{Expr, ExprTrait, Query};

use crate::db::{Error, MAX_KEYS_PER_STATEMENT, Tx};

/// The group of files that can be published.
pub(crate) const RECOGNIZED: &str = "recognized";

/// The group as an expression over the columns of `inbox_files`.
///
/// A problem, a doubt about the client and a missing client end when a person chooses the client. A document that
/// looks published already, and a file that was dropped twice, need a decision each time.
const GROUP: &str = "CASE
    WHEN state IN ('waiting', 'reading') THEN 'reading'
    WHEN state IN ('scheduled', 'published') THEN state
    WHEN problem IS NOT NULL AND reviewed_at IS NULL THEN 'problem'
    WHEN client_id IS NULL THEN 'no_owner'
    WHEN doubts IS NOT NULL AND reviewed_at IS NULL THEN 'doubtful'
    WHEN duplicate_of_id IS NOT NULL AND duplicate_choice IS NULL THEN 'doubtful'
    WHEN repeats_id IS NOT NULL AND NOT repeats_kept THEN 'doubtful'
    WHEN folder_id_supabase IS NULL OR document_name IS NULL THEN 'doubtful'
    ELSE 'recognized'
END";

/// Derives the groups of changed rows.
pub(crate) fn derive(tx: &mut Tx<'_>, keys: &[String]) -> Result<(), Error> {
    for keys in keys.chunks(MAX_KEYS_PER_STATEMENT) {
        let mut update = Query::update();
        update.table("inbox_files").value("review_group", Expr::cust(GROUP));
        tx.execute(update.and_where(Expr::col("id").is_in(keys.iter().map(String::as_str))))?;
    }
    Ok(())
}
