//! How the backups stand, as the dashboard tells it: facts that whoever makes a backup writes down.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use sea_query::{Expr, ExprTrait, OnConflict, Query};
use serde_json::{Value, json};

use crate::backup::{BackupError, BackupReport, restore::Restored};
use crate::{
    app::App,
    clock::format_timestamp,
    config::Backup,
    db::{self, Tx},
};

/// The fact that says when the next one is due. Another one where one is made every few minutes: a setting that was changed
/// is not to wait for the night.
#[must_use]
pub fn due(plan: &Backup) -> &'static str {
    if plan.every.is_some() { "backup due soon" } else { "backup due" }
}
/// What became of the last ones.
const MADE: &str = "backup made";
const FAILED: &str = "backup failed";
const REHEARSED: &str = "backup rehearsed";
/// Without the nightly backup for so long something is wrong, whatever it is: one night, and time to make it.
const OVERDUE: SignedDuration = SignedDuration::from_hours(26);
/// And where one is made every few minutes, when it is late by so much.
const LATE: SignedDuration = SignedDuration::from_hours(1);

/// Writes down that a backup was made.
///
/// # Errors
/// The database's.
pub async fn record_success(app: &Arc<App>, made: &BackupReport) -> Result<(), db::Error> {
    let value = json!({
        "at": format_timestamp(app.clock.now()),
        "files": made.files,
        "bytes": made.bytes + made.row_bytes,
        "new_bytes": made.new_bytes,
        "seconds": made.seconds,
        "snapshots": made.snapshots,
        "broken": made.broken.len(),
    });
    write(app, MADE, value).await
}

/// Writes down why one was not made.
///
/// # Errors
/// The database's.
pub async fn record_failure(app: &Arc<App>, failure: &BackupError) -> Result<(), db::Error> {
    write(app, FAILED, json!({"at": format_timestamp(app.clock.now()), "code": failure.code()}))
        .await
}

/// Writes down how a rehearsal ended.
///
/// # Errors
/// The database's.
pub async fn record_rehearsal(
    app: &Arc<App>,
    outcome: &Result<Restored, BackupError>,
    seconds: u64,
) -> Result<(), db::Error> {
    let code = outcome.as_ref().err().map(BackupError::code);
    write(
        app,
        REHEARSED,
        json!({"at": format_timestamp(app.clock.now()), "code": code, "seconds": seconds}),
    )
    .await
}

/// When the last backup was made.
///
/// # Errors
/// The database's.
pub fn last_success(tx: &mut Tx<'_>) -> Result<Option<Timestamp>, db::Error> {
    Ok(read(tx, MADE)?.and_then(|last| moment(&last)))
}

/// When the last rehearsal was.
///
/// # Errors
/// The database's.
pub fn last_rehearsal(tx: &mut Tx<'_>) -> Result<Option<Timestamp>, db::Error> {
    Ok(read(tx, REHEARSED)?.and_then(|last| moment(&last)))
}

/// Everything that the dashboard has to tell.
///
/// # Errors
/// The database's.
pub fn report(tx: &mut Tx<'_>, app: &App) -> Result<Value, db::Error> {
    let (made, failed, rehearsed) = (read(tx, MADE)?, read(tx, FAILED)?, read(tx, REHEARSED)?);
    let plan = &app.config.backup;
    let last = made.as_ref().and_then(moment);
    let next = fact(tx, due(plan))?.and_then(|due| due.parse::<Timestamp>().ok());
    // Before the first one, from when it should have been made.
    let since = last.or(next).unwrap_or_else(|| app.clock.now());
    let overdue = plan.every.map_or(OVERDUE, |every| every + LATE);
    // What went wrong before the last success is over.
    let failed = failed.filter(|failed| moment(failed) > last);
    Ok(json!({
        "scheduled": plan.to.is_some(),
        "at": plan.at.strftime("%H:%M").to_string(),
        "every": plan.every.map(|every| every.as_mins()),
        "encrypted": plan.key.is_some(),
        "made": made,
        "failed": failed,
        "rehearsed": rehearsed,
        "overdue": plan.to.is_some() && since < app.clock.now() - overdue,
    }))
}

async fn write(app: &Arc<App>, name: &'static str, value: Value) -> Result<(), db::Error> {
    let write = move |tx: &mut Tx<'_>| {
        let mut statement = Query::insert();
        statement.into_table("facts").columns(["name", "value"]);
        statement.values_panic([name.into(), value.to_string().into()]);
        let again = OnConflict::column("name").update_column("value").to_owned();
        tx.execute(statement.on_conflict(again)).map(drop)
    };
    app.db.write(write).await
}

fn fact(tx: &mut Tx<'_>, name: &str) -> Result<Option<String>, db::Error> {
    let mut query = Query::select();
    query.column("value").from("facts").and_where(Expr::col("name").eq(name));
    tx.rows(&query)?.first().map(|row| row.text(0).map(str::to_owned)).transpose()
}

fn read(tx: &mut Tx<'_>, name: &str) -> Result<Option<Value>, db::Error> {
    Ok(fact(tx, name)?.and_then(|text| serde_json::from_str(&text).ok()))
}

fn moment(fact: &Value) -> Option<Timestamp> {
    fact.get("at")?.as_str()?.parse().ok()
}
