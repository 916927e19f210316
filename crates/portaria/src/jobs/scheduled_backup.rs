//! The nightly backup, and every so often its rehearsal; between the nights one every few minutes, if a setting says so.
//! One node makes it, and a failed one is tried again.

use std::{sync::Arc, time::Instant};

use jiff::{
    SignedDuration, Timestamp, ToSpan,
    civil::{Date, Time},
    tz::TimeZone,
};

use crate::{
    app::App,
    backup::{self, BackupError, BackupReport, restore, status},
    config::{RetentionPolicy, Target},
    db,
    lease::Lease,
    privacy::erasure,
};

/// What failed is tried again so soon.
const AGAIN: SignedDuration = SignedDuration::from_hours(1);

/// Makes a backup if one is due, and rehearses it if that is.
///
/// # Errors
/// The database's. What goes wrong with the backup itself is logged and told on the dashboard.
pub async fn run(app: &Arc<App>) -> Result<(), db::Error> {
    let Some(to) = app.config.backup.to.clone() else { return Ok(()) };
    let due = status::due(&app.config.backup);
    let Some(turn) = Lease::acquire_if_due(app, due, next_run(app, app.clock.now())).await? else {
        return Ok(());
    };
    let (kept, began) = (turn.auto_renew(), app.clock.now());
    // What is made between the nights costs as little as what has changed: old ones are looked through by night.
    let last = app.db.read(status::last_success).await?;
    let plan = &app.config.backup;
    let is_nightly = plan.every.is_none()
        || last.is_none_or(|last| next_night(last, plan.at, &app.config.time_zone) <= began);
    let made = make(app, &to, is_nightly.then_some(plan.keep)).await?;
    if made.is_ok() && is_nightly {
        rehearse(app, &to).await?;
    }
    let next = if made.is_ok() {
        // From its moment on: what came later is not in it.
        next_run(app, began).max(app.clock.now())
    } else {
        app.clock.now() + plan.every.unwrap_or(AGAIN).min(AGAIN)
    };
    if let Some(mut turn) = kept.release().await {
        turn.extend(next).await?;
    }
    Ok(())
}

/// Makes a backup, thinned out by what `keep` says, and writes down what became of it.
///
/// # Errors
/// The database's; within, why there is no backup.
pub async fn make(
    app: &Arc<App>,
    to: &Target,
    keep: Option<RetentionPolicy>,
) -> Result<Result<BackupReport, BackupError>, db::Error> {
    let made = backup::run(app, to, keep).await;
    match &made {
        Ok(made) => {
            tracing::info!(
                snapshot = made.snapshot,
                files = made.files,
                seconds = made.seconds,
                "backed up"
            );
            if !made.broken.is_empty() {
                tracing::error!(
                    files = made.broken.len(),
                    "files are not as they were stored: run portaria fsck"
                );
            }
            status::record_success(app, made).await?;
            erasure::copy_to_backup(app).await?;
        }
        Err(failure) => {
            tracing::error!(%failure, "the backup failed");
            status::record_failure(app, failure).await?;
        }
    }
    Ok(made)
}

async fn rehearse(app: &Arc<App>, to: &Target) -> Result<(), db::Error> {
    let Some(days) = app.config.backup.rehearsal_days else { return Ok(()) };
    let last = app.db.read(status::last_rehearsal).await?;
    let rest = SignedDuration::from_hours(24 * i64::from(days));
    // Nights are not all equally long, nor backups.
    if last.is_some_and(|last| app.clock.now() < last + rest - SignedDuration::from_hours(12)) {
        return Ok(());
    }
    let began = Instant::now();
    let wanted = restore::RestoreOptions { from: to.to_owned(), snapshot: None, replace: false };
    let outcome = restore::verify_restore(&app.config, &app.clock, wanted).await;
    match &outcome {
        Ok(_) => tracing::info!("the backup was brought back for rehearsal"),
        Err(failure) => {
            tracing::error!(%failure, "the backup could not be brought back for rehearsal");
        }
    }
    status::record_rehearsal(app, &outcome, began.elapsed().as_secs()).await
}

/// When the next backup is due after one of that moment.
fn next_run(app: &App, last: Timestamp) -> Timestamp {
    let plan = &app.config.backup;
    let night = next_night(last, plan.at, &app.config.time_zone);
    plan.every.map_or(night, |every| night.min(last + every))
}

/// When the next night's backup is due, which is made at this time of the day.
#[must_use]
pub fn next_night(now: Timestamp, at: Time, zone: &TimeZone) -> Timestamp {
    let today = now.to_zoned(zone.clone()).date();
    let night = |day: Date| {
        let moment = day.to_datetime(at).to_zoned(zone.clone());
        moment.expect("the clock is nowhere near the end of the calendar").timestamp()
    };
    if now < night(today) { night(today) } else { night(today + 1.day()) }
}
