//! Files of the inbox that look published already: the same bytes among the client's documents, or a document of the
//! same client, category and month. And files with the bytes of an earlier one that is not published.

use sea_query::{
    Condition, Expr, ExprTrait, JoinType, LockBehavior, LockType, Order, Query, SelectStatement,
};

use crate::{
    db::{Error, MAX_KEYS_PER_STATEMENT, Row, Tx},
    inbox::review_group,
    policy,
    schema::DOCUMENTS_BUCKET,
};

/// Categories of which a client has several documents in a month: employees and invoices. Only equal bytes repeat one.
const SEVERAL_A_MONTH: [&str; 3] = ["payslip", "nfse", "nfe"];

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

/// Looks again for the documents that files in review repeat, after a file of the same client, category and month was
/// published.
pub(crate) fn find_again(tx: &mut Tx<'_>, published: &str) -> Result<(), Error> {
    let same = |name| Expr::col(("file", name)).eq(Expr::col(("published", name)));
    let mut query = Query::select();
    query.column(("file", "id")).from_as("inbox_files", "file").join_as(
        JoinType::InnerJoin,
        "inbox_files",
        "published",
        same("client_id").and(same("category")).and(same("reference_month")),
    );
    query.and_where(Expr::col(("published", "id")).eq(published));
    query.and_where(Expr::col(("file", "state")).eq("ready"));
    let keys = texts(tx, &query)?;
    find(tx, &keys)?;
    review_group::derive(tx, &keys)
}

/// Takes back the choice of unpublished files to replace a document that another file has replaced, and returns those that
/// are scheduled. Files that another transaction changes at this moment keep theirs.
pub(crate) fn forget_replacements(tx: &mut Tx<'_>, document: &str) -> Result<Vec<String>, Error> {
    let mut query = Query::select();
    query.columns(["id", "state"]).from("inbox_files");
    query.and_where(Expr::col("duplicate_of_id").eq(document));
    query.and_where(Expr::col("duplicate_choice").eq("replace"));
    query.and_where(Expr::col("state").is_in(["ready", "scheduled"]));
    query.order_by("id", Order::Asc);
    let rows = tx.rows(query.lock_with_behavior(LockType::Update, LockBehavior::SkipLocked))?;
    let (mut all, mut scheduled) = (Vec::new(), Vec::new());
    for row in rows.iter() {
        all.push(row.text(0)?.to_owned());
        if row.text(1)? == "scheduled" {
            scheduled.push(row.text(0)?.to_owned());
        }
    }
    for keys in all.chunks(MAX_KEYS_PER_STATEMENT) {
        let mut update = Query::update();
        update.table("inbox_files").value("duplicate_choice", Option::<String>::None);
        tx.execute(update.and_where(Expr::col("id").is_in(keys.iter().map(String::as_str))))?;
    }
    review_group::derive(tx, &all)?;
    Ok(scheduled)
}

/// Sets or clears the earlier unpublished file whose bytes this file has, among those that the person who added it can
/// see. A choice stays while it is about the same file.
pub(crate) fn find_repeated_file(tx: &mut Tx<'_>, id: &str) -> Result<(), Error> {
    let mut file = Query::select();
    file.columns(["sha256", "created_at", "repeats_id"]).from("inbox_files");
    file.expr_as(policy::is_limited(&Expr::col(("inbox_files", "uploaded_by_id"))), "limited");
    file.column("uploaded_by_id").and_where(Expr::col("id").eq(id));
    let rows = tx.rows(&file)?;
    let Some(row) = rows.first() else { return Ok(()) };
    let mut earlier = Query::select();
    earlier.column("id").from("inbox_files").and_where(Expr::col("sha256").eq(row.text(0)?));
    earlier.and_where(Expr::col("state").ne("published"));
    let at = row.text(1)?;
    let in_the_moment = Expr::col("created_at").eq(at).and(Expr::col("id").lt(id));
    earlier.and_where(Expr::col("created_at").lt(at).or(in_the_moment));
    if row.bool(3)? {
        earlier.and_where(Expr::col("uploaded_by_id").eq(row.text(4)?));
    }
    earlier.order_by("created_at", Order::Asc).order_by("id", Order::Asc).limit(1);
    let found = tx.rows(&earlier)?.first().map(|row| row.text(0).map(str::to_owned)).transpose()?;
    if found.as_deref() == row.opt_text(2)? {
        return Ok(());
    }
    let mut update = Query::update();
    update.table("inbox_files").value("repeats_id", found).value("repeats_kept", false);
    tx.execute(update.and_where(Expr::col("id").eq(id))).map(drop)
}

/// Ends the doubts about files that repeat the selected ones, which the caller deletes.
pub(crate) fn forget_repeated_files(tx: &mut Tx<'_>, deleted: Condition) -> Result<(), Error> {
    let deleted = Query::select().column("id").from("inbox_files").cond_where(deleted).take();
    let mut repeating = Query::select();
    repeating.column("id").from("inbox_files");
    repeating.and_where(Expr::col("repeats_id").in_subquery(deleted));
    let keys = texts(tx, &repeating)?;
    for keys in keys.chunks(MAX_KEYS_PER_STATEMENT) {
        let mut update = Query::update();
        update.table("inbox_files").value("repeats_id", Option::<String>::None);
        tx.execute(update.and_where(Expr::col("id").is_in(keys.iter().map(String::as_str))))?;
    }
    review_group::derive(tx, &keys)
}

/// Returns the document that a file repeats.
fn repeated_document(tx: &mut Tx<'_>, file: Row<'_>) -> Result<Option<String>, Error> {
    let Some(client) = file.opt_text(0)? else { return Ok(None) };
    let same_bytes = same_bytes(tx, client, file.text(3)?)?;
    match (same_bytes, file.opt_text(1)?, file.opt_text(2)?) {
        (None, Some(category), Some(month)) if !SEVERAL_A_MONTH.contains(&category) => {
            same_subject(tx, client, category, month)
        }
        (found, ..) => Ok(found),
    }
}

/// Returns the texts of a statement's only column.
fn texts(tx: &mut Tx<'_>, query: &SelectStatement) -> Result<Vec<String>, Error> {
    tx.rows(query)?.iter().map(|row| row.text(0).map(str::to_owned)).collect()
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

fn first_id(tx: &mut Tx<'_>, query: &mut SelectStatement) -> Result<Option<String>, Error> {
    query.order_by(("documents", "id"), Order::Desc).limit(1);
    tx.rows(&*query)?.first().map(|row| row.text(0).map(str::to_owned)).transpose()
}
