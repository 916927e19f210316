//! Scheduling the publication of reviewed files, and undoing it.
//!
//! Every publication is scheduled: one "at once" is due after [`UNDO_TIME`]. Until then no client sees the document and
//! no mail exists, so undoing it leaves no trace.

use jiff::{SignedDuration, Timestamp};
use sea_query::{Expr, ExprTrait, Order, Query};

use crate::{
    clock::format_timestamp,
    db::{Error, MAX_KEYS_PER_STATEMENT, Tx},
    inbox::{duplicates, review_group},
    security::caller::Caller,
    table_write::{RejectionKind, WriteError, check_choice},
};

/// Time in which a publication can be undone.
pub(crate) const UNDO_TIME: SignedDuration = SignedDuration::from_secs(60);

/// Maximum time until a publication.
const MAX_AHEAD: SignedDuration = SignedDuration::from_hours(60 * 24);

/// Maximum number of files of one call.
pub(crate) const MAX_FILES: usize = 1_000;

/// A file as the schedule sees it.
struct ScheduledFile {
    state: String,
    group: String,
    is_complete: bool,
}

/// Schedules the publication of files, at `at` or after the time to undo it, and returns the time.
///
/// # Errors
/// `inbox_unresolved` if a file needs a decision, `inbox_published` if one is published or scheduled already, PT404 for
/// an unknown file, 22023 for a time that is past or too far away, or for too many files.
pub(crate) fn publish(
    tx: &mut Tx<'_>,
    caller: Caller,
    files: &[String],
    at: Option<Timestamp>,
    now: Timestamp,
) -> Result<Timestamp, WriteError> {
    let at = at.unwrap_or(now + UNDO_TIME);
    if at <= now || at > now + MAX_AHEAD {
        return Err(WriteError::invalid(
            "22023",
            "A publicação pode ser agendada para até 60 dias.",
        ));
    }
    let found = lock(tx, files)?;
    if found.iter().any(|file| is_published(&file.state)) {
        return Err(already_published());
    }
    let unresolved = found
        .iter()
        .filter(|file| file.group != review_group::RECOGNIZED || !file.is_complete)
        .count();
    if unresolved > 0 {
        let message = match unresolved {
            1 => "Um arquivo ainda precisa de uma decisão: cliente, pasta, nome ou repetição."
                .to_owned(),
            count => format!("{count} arquivos ainda precisam de uma decisão."),
        };
        return Err(WriteError::conflict("inbox_unresolved", message));
    }
    for files in files.chunks(MAX_KEYS_PER_STATEMENT) {
        let mut update = Query::update();
        update.table("inbox_files").value("state", "scheduled");
        update.value("publish_at", format_timestamp(at)).value("publisher_id", caller.user());
        update.value("updated_at", format_timestamp(now));
        tx.execute(update.and_where(Expr::col("id").is_in(files.iter().map(String::as_str))))?;
    }
    review_group::derive(tx, files)?;
    Ok(at)
}

/// Undoes the publication of files that are not published yet, and returns their number.
///
/// # Errors
/// `inbox_published` if all of them are published; PT404 for an unknown file, 22023 for too many files.
pub(crate) fn cancel(tx: &mut Tx<'_>, files: &[String], now: Timestamp) -> Result<u64, WriteError> {
    lock(tx, files)?;
    let mut canceled = 0;
    for files in files.chunks(MAX_KEYS_PER_STATEMENT) {
        let mut update = Query::update();
        update.table("inbox_files").value("state", "ready");
        update.value("publish_at", Option::<String>::None);
        update.value("publisher_id", Option::<String>::None);
        update.value("updated_at", format_timestamp(now));
        update.and_where(Expr::col("state").eq("scheduled"));
        canceled +=
            tx.execute(update.and_where(Expr::col("id").is_in(files.iter().map(String::as_str))))?;
    }
    if canceled == 0 {
        return Err(already_published());
    }
    // A document that they repeat may have been published since.
    duplicates::find(tx, files)?;
    review_group::derive(tx, files)?;
    Ok(canceled)
}

fn is_published(state: &str) -> bool {
    ["scheduled", "published"].contains(&state)
}

fn already_published() -> WriteError {
    let message = "Os documentos já foram publicados. Use Recolher para retirá-los do cliente.";
    WriteError::conflict("inbox_published", message)
}

/// Locks files and returns their states.
fn lock(tx: &mut Tx<'_>, files: &[String]) -> Result<Vec<ScheduledFile>, WriteError> {
    check_choice(files.len(), MAX_FILES, "arquivos")?;
    let mut unique: Vec<&str> = files.iter().map(String::as_str).collect();
    unique.sort_unstable();
    unique.dedup();
    let mut found = Vec::new();
    for ids in unique.chunks(MAX_KEYS_PER_STATEMENT) {
        let mut query = Query::select();
        query.columns(["state", "review_group", "client_id", "folder_id_supabase", "file_url"]);
        query.from("inbox_files").and_where(Expr::col("id").is_in(ids.iter().copied()));
        query.order_by("id", Order::Asc).lock_exclusive();
        for row in tx.rows(&query)?.iter() {
            // A folder or a client may be deleted after the review.
            let is_complete =
                (2..5).map(|cell| row.opt_text(cell)).collect::<Result<Vec<_>, Error>>()?;
            found.push(ScheduledFile {
                state: row.text(0)?.to_owned(),
                group: row.text(1)?.to_owned(),
                is_complete: is_complete.iter().all(Option::is_some),
            });
        }
    }
    if found.len() < unique.len() {
        let message = "Um dos arquivos não está mais na caixa de entrada.";
        return Err(WriteError::new(RejectionKind::NotFound, "PT404", message));
    }
    Ok(found)
}
