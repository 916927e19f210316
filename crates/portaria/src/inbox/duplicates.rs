//! Files of the inbox that look published already: the same bytes among the client's documents, or a document of the
//! same client, category and month.

use sea_query::{Expr, ExprTrait, JoinType, Order, Query};

use crate::{
    db::{Error, Row, Tx},
    schema::DOCUMENTS_BUCKET,
};

/// Sets or clears the document that each of these files repeats. A choice stays while it is about the same document.
pub(crate) fn find(tx: &mut Tx<'_>, keys: &[String]) -> Result<(), Error> {
    for key in keys {
        let mut file = Query::select();
        file.columns(["client_id", "category", "reference_month", "sha256", "duplicate_of_id"]);
        file.from("inbox_files").and_where(Expr::col("id").eq(key.as_str()));
        let rows = tx.rows(&file)?;
        let Some(row) = rows.first() else { continue };
        let found = repeated_document(tx, row)?;
        if found.as_deref() == row.opt_text(4)? {
            continue;
        }
        let mut update = Query::update();
        update.table("inbox_files");
        update.value("duplicate_of_id", found).value("duplicate_choice", Option::<String>::None);
        tx.execute(update.and_where(Expr::col("id").eq(key.as_str())))?;
    }
    Ok(())
}

/// Returns the document that a file repeats.
fn repeated_document(tx: &mut Tx<'_>, file: Row<'_>) -> Result<Option<String>, Error> {
    let Some(client) = file.opt_text(0)? else { return Ok(None) };
    let same_bytes = same_bytes(tx, client, file.text(3)?)?;
    match (same_bytes, file.opt_text(1)?, file.opt_text(2)?) {
        (None, Some(category), Some(month)) => same_subject(tx, client, category, month),
        (found, ..) => Ok(found),
    }
}

fn same_bytes(tx: &mut Tx<'_>, client: &str, sha256: &str) -> Result<Option<String>, Error> {
    let mut query = Query::select();
    query.column(("documents", "id")).from("objects").join(
        JoinType::InnerJoin,
        "documents",
        Expr::col(("documents", "file_url")).equals(("objects", "name")),
    );
    query.and_where(Expr::col(("objects", "sha256")).eq(sha256));
    query.and_where(Expr::col(("objects", "bucket_id")).eq(DOCUMENTS_BUCKET));
    query.and_where(Expr::col(("documents", "client_id")).eq(client));
    first_id(tx, &mut query)
}

fn same_subject(
    tx: &mut Tx<'_>,
    client: &str,
    category: &str,
    month: &str,
) -> Result<Option<String>, Error> {
    let mut query = Query::select();
    query.column(("documents", "id")).from("documents");
    query.and_where(Expr::col(("documents", "client_id")).eq(client));
    query.and_where(Expr::col(("documents", "category")).eq(category));
    query.and_where(Expr::col(("documents", "reference_month")).eq(month));
    first_id(tx, &mut query)
}

fn first_id(
    tx: &mut Tx<'_>,
    query: &mut sea_query::SelectStatement,
) -> Result<Option<String>, Error> {
    query.order_by(("documents", "id"), Order::Desc).limit(1);
    tx.rows(&*query)?.first().map(|row| row.text(0).map(str::to_owned)).transpose()
}
