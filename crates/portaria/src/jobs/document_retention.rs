//! Retention of documents. A folder can set a retention period in months: documents beyond it are marked, and deleted a
//! week later if the folder says so. A document that a legal hold kept when its client was erased is deleted when the
//! hold ends.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp, ToSpan};
use sea_query::{Condition, Expr, ExprTrait, Func, FunctionCall, Order, Query};

use crate::{
    app::App,
    audit::{self, AuditEvent},
    clock::format_timestamp,
    db::{self, Tx},
    documents::{legal_hold, notify, versions},
    security::caller::Caller,
    stored_files::object,
};

/// Time between marking and deletion, during which the office sees the document in its list.
const DISCARD_DELAY: SignedDuration = SignedDuration::from_hours(7 * 24);
/// Maximum number of documents in one transaction.
const BATCH: u64 = 500;

/// Updates one batch of marks, or deletes one batch of documents if all marks agree with the present periods. Returns
/// whether there was anything to do.
///
/// # Errors
/// Database errors.
pub(crate) async fn run_batch(app: &Arc<App>) -> Result<bool, db::Error> {
    if app.write(|tx, app| mark(tx, app)).await? > 0 {
        return Ok(true);
    }
    let discarded = app.write(|tx, app| discard(tx, app)).await?;
    if discarded > 0 {
        tracing::info!(count = discarded, "documents deleted after their retention period");
    }
    Ok(discarded > 0)
}

/// Marks documents that are past their retention period, and removes marks that no longer apply.
fn mark(tx: &mut Tx<'_>, app: &App) -> Result<u64, db::Error> {
    let now = app.clock.now();
    let mut folders = Query::select();
    folders.columns(["id_supabase", "retention_months"]).from("folders").order_by("id", Order::Asc);

    let mut changed = 0;
    for row in tx.rows(&folders)?.iter() {
        let folder = Expr::col("folder_id_supabase").eq(row.text(0)?);
        let past_retention = match row.opt_int(1)? {
            Some(months) => is_past_retention(app, now, months),
            None => Condition::all().add(Expr::cust("1 = 0")),
        };
        let is_marked = || Expr::col("retention_expired_at");
        for (condition, value) in [
            (
                Condition::all().add(is_marked().is_null()).add(past_retention.clone()),
                Some(format_timestamp(now)),
            ),
            (Condition::all().add(is_marked().is_not_null()).add(past_retention.not()), None),
        ] {
            let mut batch = Query::select();
            batch.column("id").from("documents").and_where(folder.clone()).cond_where(condition);
            batch.order_by("id", Order::Asc).limit(BATCH);
            let mut statement = Query::update();
            statement.table("documents").value("retention_expired_at", value);
            changed += tx.execute(statement.and_where(Expr::col("id").in_subquery(batch)))?;
        }
    }
    Ok(changed)
}

/// Returns the condition for documents that were uploaded, and have expired, more than `months` ago.
fn is_past_retention(app: &App, now: Timestamp, months: i64) -> Condition {
    let now = now.to_zoned(app.config.time_zone.clone());
    let Ok(cutoff) = now.checked_sub(months.months()) else {
        return Condition::all().add(Expr::cust("1 = 0"));
    };
    let cutoff = format_timestamp(cutoff.timestamp());
    // Neither value is ever NULL, because the negation of this condition must select all other documents.
    let sent = Func::coalesce([Expr::col("uploaded_at"), Expr::col("created_at")]);
    let expires = Func::coalesce([Expr::col("expires_at"), Expr::val("")]);
    let is_before_cutoff = |moment: FunctionCall| Expr::from(moment).lt(cutoff.as_str());
    Condition::all().add(is_before_cutoff(sent)).add(is_before_cutoff(expires))
}

fn discard(tx: &mut Tx<'_>, app: &App) -> Result<u64, db::Error> {
    let now = app.clock.now();
    let discarding_folders = Query::select()
        .column("id_supabase")
        .from("folders")
        .and_where(Expr::col("auto_delete").eq(true))
        .take();
    let is_due = Condition::all()
        .add(
            Expr::col(("documents", "retention_expired_at"))
                .lte(format_timestamp(now - DISCARD_DELAY)),
        )
        .add(Expr::col(("documents", "folder_id_supabase")).in_subquery(discarding_folders));
    let is_of_erased_client = Expr::col(("documents", "erased_client_id")).is_not_null();

    let mut batch = Query::select();
    batch.columns(["id", "name", "client_id"].map(|column| ("documents", column)));
    batch.from("documents").cond_where(Condition::any().add(is_due).add(is_of_erased_client));
    batch.cond_where(legal_hold::is_on_hold().not());
    batch.order_by(("documents", "id"), Order::Asc).limit(BATCH).lock_exclusive();

    let rows = tx.rows(&batch)?;
    let (mut ids, mut events) = (Vec::new(), Vec::new());
    for row in rows.iter() {
        let text = |cell| row.opt_text(cell).map(|text| text.map(str::to_owned));
        ids.push(row.text(0)?.to_owned());
        events.push(
            AuditEvent::new(audit::EventName::DocumentDiscarded)
                .person(row.opt_parse(2)?)
                .subject(text(0)?, text(1)?),
        );
    }
    if ids.is_empty() {
        return Ok(0);
    }

    let selected = Expr::col("id").is_in(ids.iter().map(String::as_str));
    object::release(tx, &object::only_referenced_by(&selected), now)?;
    versions::remove_of_documents(tx, &ids, now)?;
    audit::record(tx, app, Caller::Service, events);
    let deleted = tx.execute(Query::delete().from_table("documents").and_where(selected))?;
    notify::cancel_obsolete(tx, app, &ids)?;
    Ok(deleted)
}
