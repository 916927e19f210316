//! Status of the backups for the dashboard, recorded by each backup in rows of `system_state`.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use sea_query::{Expr, ExprTrait, Query};
use serde_json::{Value, json};

use crate::backup::{BackupError, BackupReport, restore::RestoreReport};
use crate::{
    app::App,
    clock::format_timestamp,
    db::{self, Tx},
    lease,
};

/// Name of the lease whose value is the next due time.
pub(crate) const DUE: &str = "backup due";
/// Names of the rows of `system_state` with the results of the last runs.
const LAST_SUCCESS: &str = "backup made";
const LAST_FAILURE: &str = "backup failed";
const LAST_REHEARSAL: &str = "backup rehearsed";
/// Age of the last backup from which a nightly one counts as overdue: one day, and time for the backup itself.
const NIGHTLY_OVERDUE: SignedDuration = SignedDuration::from_hours(26);
/// Delay from which a frequent backup counts as overdue.
const FREQUENT_TOLERANCE: SignedDuration = SignedDuration::from_hours(1);

/// Records a successful backup.
///
/// # Errors
/// Database errors.
pub async fn record_success(app: &Arc<App>, report: &BackupReport) -> Result<(), db::Error> {
    let value = json!({
        "at": format_timestamp(app.clock.now()),
        "files": report.files,
        "bytes": report.bytes + report.row_bytes,
        "new_bytes": report.new_bytes,
        "seconds": report.seconds,
        "snapshots": report.snapshots,
        "broken": report.broken.len(),
    });
    write(app, LAST_SUCCESS, value).await
}

/// Records a failed backup.
///
/// # Errors
/// Database errors.
pub async fn record_failure(app: &Arc<App>, failure: &BackupError) -> Result<(), db::Error> {
    write(
        app,
        LAST_FAILURE,
        json!({"at": format_timestamp(app.clock.now()), "code": failure.code()}),
    )
    .await
}

/// Records the outcome of a rehearsal.
///
/// # Errors
/// Database errors.
pub async fn record_rehearsal(
    app: &Arc<App>,
    outcome: &Result<RestoreReport, BackupError>,
    seconds: u64,
) -> Result<(), db::Error> {
    let code = outcome.as_ref().err().map(BackupError::code);
    write(
        app,
        LAST_REHEARSAL,
        json!({"at": format_timestamp(app.clock.now()), "code": code, "seconds": seconds}),
    )
    .await
}

/// Returns the time of the last successful backup.
///
/// # Errors
/// Database errors.
pub fn last_success(tx: &mut Tx<'_>) -> Result<Option<Timestamp>, db::Error> {
    Ok(read_json(tx, LAST_SUCCESS)?.and_then(|last| event_time(&last)))
}

/// Returns the time of the last rehearsal.
///
/// # Errors
/// Database errors.
pub fn last_rehearsal(tx: &mut Tx<'_>) -> Result<Option<Timestamp>, db::Error> {
    Ok(read_json(tx, LAST_REHEARSAL)?.and_then(|last| event_time(&last)))
}

/// Returns the status for the dashboard as JSON.
///
/// # Errors
/// Database errors.
pub fn report(tx: &mut Tx<'_>, app: &App) -> Result<Value, db::Error> {
    let (made, failed, rehearsed) = (
        read_json(tx, LAST_SUCCESS)?,
        read_json(tx, LAST_FAILURE)?,
        read_json(tx, LAST_REHEARSAL)?,
    );
    let settings = &app.config;
    let last = made.as_ref().and_then(event_time);
    let next = read_value(tx, DUE)?.and_then(|due| due.parse::<Timestamp>().ok());
    // Before the first backup, its due time counts.
    let since = last.or(next).unwrap_or_else(|| app.clock.now());
    let overdue = settings.backup_every.map_or(NIGHTLY_OVERDUE, |every| every + FREQUENT_TOLERANCE);
    // A failure before the last success is no longer relevant.
    let failed = failed.filter(|failed| event_time(failed) > last);
    Ok(json!({
        "scheduled": settings.backup_to.is_some(),
        "at": settings.backup_at.strftime("%H:%M").to_string(),
        "every": settings.backup_every.map(|every| every.as_mins()),
        "encrypted": settings.backup_key.is_some(),
        "made": made,
        "failed": failed,
        "rehearsed": rehearsed,
        "overdue": settings.backup_to.is_some() && since < app.clock.now() - overdue,
    }))
}

async fn write(app: &Arc<App>, name: &'static str, value: Value) -> Result<(), db::Error> {
    app.db.write(move |tx| lease::set_state(tx, name, &value.to_string())).await
}

fn read_value(tx: &mut Tx<'_>, name: &str) -> Result<Option<String>, db::Error> {
    let mut query = Query::select();
    query.column("value").from("system_state").and_where(Expr::col("name").eq(name));
    tx.rows(&query)?.first().map(|row| row.text(0).map(str::to_owned)).transpose()
}

fn read_json(tx: &mut Tx<'_>, name: &str) -> Result<Option<Value>, db::Error> {
    Ok(read_value(tx, name)?.and_then(|text| serde_json::from_str(&text).ok()))
}

fn event_time(value: &Value) -> Option<Timestamp> {
    value.get("at")?.as_str()?.parse().ok()
}
