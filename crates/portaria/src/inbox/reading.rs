//! Files to read: a node claims one, reads it outside of a transaction, and records the findings with the proposed
//! values of the document.

use jiff::{SignedDuration, Timestamp};
use portaria_recognize::Findings;
use sea_query::{Expr, ExprTrait, JoinType, LockBehavior, LockType, Order, Query};
use serde_json::json;

use crate::{
    clock::format_timestamp,
    db::{Error, Tx},
    inbox::{duplicates, proposal::Proposal, review_group},
    policy,
};

/// The doubt about a file whose sender does not reach the proposed client. The others come from `portaria-recognize`.
const OUT_OF_REACH: &str = "out_of_reach";
/// Time after which another node reads a file whose reader ended without a word.
const LEASE: SignedDuration = SignedDuration::from_mins(2);
/// Number of attempts after which a file counts as unreadable: it may have ended the processes of its readers.
pub(crate) const MAX_ATTEMPTS: i64 = 3;

/// A file that this node reads.
pub(crate) struct ClaimedFile {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) blob: String,
    pub(crate) size: u64,
    /// The number of this attempt, from 1.
    pub(crate) attempt: i64,
}

/// Claims the oldest file that no node reads.
///
/// # Errors
/// Database errors.
pub(crate) fn claim(tx: &mut Tx<'_>, now: Timestamp) -> Result<Option<ClaimedFile>, Error> {
    let column = |name| Expr::col(("inbox_files", name));
    let mut query = Query::select();
    query.columns(["id", "name", "attempts"].map(|name| ("inbox_files", name)));
    query.columns([("objects", "blob"), ("objects", "size")]).from("inbox_files").join(
        JoinType::InnerJoin,
        "objects",
        Expr::col(("objects", "name")).equals(("inbox_files", "file_url")),
    );
    query.and_where(Expr::col(("objects", "bucket_id")).eq(crate::schema::INBOX_BUCKET));
    // The same text as in the partial index.
    query.and_where(Expr::cust("inbox_files.state IN ('waiting', 'reading')"));
    query.and_where(
        column("lease_until").is_null().or(column("lease_until").lte(format_timestamp(now))),
    );
    query.order_by(("inbox_files", "created_at"), Order::Asc);
    query.order_by(("inbox_files", "id"), Order::Asc).limit(1);
    // Two readers of a moment claim two files.
    let rows = tx.rows(query.lock_with_behavior(LockType::Update, LockBehavior::SkipLocked))?;
    let Some(row) = rows.first() else { return Ok(None) };
    let file = ClaimedFile {
        id: row.text(0)?.to_owned(),
        name: row.text(1)?.to_owned(),
        attempt: row.int(2)? + 1,
        blob: row.text(3)?.to_owned(),
        size: row.int(4)?.unsigned_abs(),
    };
    let mut update = Query::update();
    update.table("inbox_files").value("state", "reading").value("attempts", file.attempt);
    update.value("lease_until", format_timestamp(now + LEASE));
    tx.execute(update.and_where(Expr::col("id").eq(file.id.as_str())))?;
    Ok(Some(file))
}

/// Releases the claims on all files, whose readers ended with their node. The attempts count.
///
/// # Errors
/// Database errors.
pub(crate) fn release_all(tx: &mut Tx<'_>) -> Result<(), Error> {
    let mut update = Query::update();
    update.table("inbox_files").value("lease_until", Option::<String>::None);
    // The same text as in the partial index.
    update.and_where(Expr::cust("inbox_files.state IN ('waiting', 'reading')"));
    tx.execute(&update).map(drop)
}

/// Takes back the attempt of a claim, because something else than the file was the reason. The file is read again when the
/// claim expires.
///
/// # Errors
/// Database errors.
pub(crate) fn uncount_attempt(tx: &mut Tx<'_>, id: &str, attempt: i64) -> Result<(), Error> {
    let mut update = Query::update();
    update.table("inbox_files").value("attempts", attempt - 1);
    update.and_where(Expr::col("id").eq(id)).and_where(Expr::col("state").eq("reading"));
    tx.execute(update.and_where(Expr::col("attempts").eq(attempt))).map(drop)
}

/// Records the findings. The decisions of a person meanwhile stay. Does nothing if the file was replaced or discarded
/// meanwhile.
///
/// # Errors
/// Database errors.
pub(crate) fn finish(
    tx: &mut Tx<'_>,
    file: &ClaimedFile,
    findings: &Findings,
    proposal: &Proposal,
    now: Timestamp,
) -> Result<(), Error> {
    let in_reach = reached_client(tx, file, proposal)?;
    let is_out_of_reach = in_reach != proposal.client.as_deref();
    let doubts = if is_out_of_reach {
        Some(json!([OUT_OF_REACH]))
    } else {
        proposal.doubts.as_ref().map(|doubts| json!(doubts))
    };
    let is_claimed = || {
        Expr::col("id")
            .eq(file.id.as_str())
            .and(Expr::col("state").eq("reading"))
            .and(Expr::col("attempts").eq(file.attempt))
    };
    let mut proposed = Query::update();
    proposed.table("inbox_files").values([
        ("client_id", in_reach.into()),
        ("folder_id_supabase", proposal.folder.clone().into()),
        ("document_name", proposal.document_name.as_str().into()),
        ("category", proposal.category.clone().into()),
        ("reference_month", proposal.reference_month.clone().into()),
        ("expires_at", proposal.expires_at.clone().into()),
        ("amount_cents", proposal.amount_cents.into()),
        ("payment_line", proposal.payment_line.clone().into()),
        ("pix_code", proposal.pix_code.clone().into()),
    ]);
    tx.execute(proposed.and_where(is_claimed()).and_where(Expr::col("reviewed_at").is_null()))?;

    let problem = findings.problem.map(|problem| json!(problem));
    let mut update = Query::update();
    update.table("inbox_files").values([
        ("state", "ready".into()),
        ("lease_until", Option::<String>::None.into()),
        ("findings", stored_findings(findings).into()),
        ("problem", problem.as_ref().and_then(|problem| problem.as_str()).into()),
        ("doubts", doubts.map(|doubts| doubts.to_string()).into()),
        ("updated_at", format_timestamp(now).into()),
    ]);
    if tx.execute(update.and_where(is_claimed()))? == 0 {
        return Ok(());
    }
    let key = [file.id.clone()];
    duplicates::find(tx, &key)?;
    duplicates::find_repeated_file(tx, &file.id)?;
    review_group::derive(tx, &key)
}

/// Returns the proposed client, unless the person who added the file does not reach that client: the file waits without
/// a client then, because its row would name the client.
fn reached_client<'a>(
    tx: &mut Tx<'_>,
    file: &ClaimedFile,
    proposal: &'a Proposal,
) -> Result<Option<&'a str>, Error> {
    let Some(client) = proposal.client.as_deref() else { return Ok(None) };
    let person = Expr::col(("inbox_files", "uploaded_by_id"));
    let mut query = Query::select();
    query.column("id").from("inbox_files").and_where(Expr::col("id").eq(file.id.as_str()));
    query.cond_where(policy::staff_reaches(&person, &Expr::val(client)));
    Ok((!tx.rows(&query)?.is_empty()).then_some(client))
}

/// Returns the findings without the text of the pages, which the review does not show.
fn stored_findings(findings: &Findings) -> String {
    json!(Findings { lines: Vec::new(), ..findings.clone() }).to_string()
}
