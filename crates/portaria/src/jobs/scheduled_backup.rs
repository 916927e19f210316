//! Scheduled backups: one per night, further ones every few minutes if `backup_every` is set, and regular rehearsals of
//! the restore. A lease selects the node that makes a backup. A failed backup is repeated.

use std::{sync::Arc, time::Instant};

use jiff::{SignedDuration, Timestamp};

use crate::{
    app::App,
    backup::{self, BackupError, BackupReport, restore, status},
    clock::next_daily,
    config::{BackupDestination, Config},
    db,
    lease::{Lease, daily_rule},
    privacy::erasure,
};

/// Maximum time before a failed backup is repeated.
const RETRY_INTERVAL: SignedDuration = SignedDuration::from_hours(1);

/// Makes a backup if one is due, and rehearses a restore if that is due.
///
/// # Errors
/// Database errors. Errors of the backup itself are logged and displayed on the dashboard.
pub async fn run(app: &Arc<App>) -> Result<(), db::Error> {
    let Some(to) = app.config.backup_to.clone() else { return Ok(()) };
    let next = next_run(app, app.clock.now());
    let Some(lease) = Lease::acquire_on_schedule(app, status::DUE, rule(&app.config), next).await?
    else {
        return Ok(());
    };
    let (renewed_lease, started) = (lease.auto_renew(), app.clock.now());

    // Only the nightly backup prunes old snapshots, so that the others read and write little more than the changes.
    let last = app.db.read(status::last_success).await?;
    let settings = &app.config;
    let is_nightly = settings.backup_every.is_none()
        || last.is_none_or(|last| {
            next_daily(last, settings.backup_at, &settings.time_zone) <= started
        });

    let result = backup::run(app, &to, is_nightly.then_some(settings.backup_keep)).await;
    record_result(app, &result).await?;
    if result.is_ok() && is_nightly {
        rehearse(app, &to).await?;
    }

    let next = if result.is_ok() {
        // Counted from the start, because later changes are not in the snapshot.
        next_run(app, started).max(app.clock.now())
    } else {
        app.clock.now() + settings.backup_every.unwrap_or(RETRY_INTERVAL).min(RETRY_INTERVAL)
    };
    if let Some(mut lease) = renewed_lease.release().await {
        lease.extend(next).await?;
    }
    Ok(())
}

/// Logs the result of a backup and records it for the dashboard. Copies the erasure tombstones after a success.
///
/// # Errors
/// Database errors.
pub async fn record_result(
    app: &Arc<App>,
    result: &Result<BackupReport, BackupError>,
) -> Result<(), db::Error> {
    match result {
        Ok(report) => {
            tracing::info!(
                snapshot = report.snapshot,
                files = report.files,
                seconds = report.seconds,
                "backup completed"
            );
            if !report.broken.is_empty() {
                tracing::error!(
                    files = report.broken.len(),
                    "stored files are missing or damaged: run portaria fsck"
                );
            }
            status::record_success(app, report).await?;
            erasure::copy_to_backup(app).await?;
        }
        Err(failure) => {
            tracing::error!(%failure, "the backup failed");
            status::record_failure(app, failure).await?;
        }
    }
    Ok(())
}

async fn rehearse(app: &Arc<App>, to: &BackupDestination) -> Result<(), db::Error> {
    let Some(days) = app.config.backup_rehearsal_days else { return Ok(()) };
    let last = app.db.read(status::last_rehearsal).await?;
    let interval = SignedDuration::from_hours(24 * i64::from(days));
    // Half a day of tolerance, because runs do not start at the same time every night.
    if last.is_some_and(|last| app.clock.now() < last + interval - SignedDuration::from_hours(12)) {
        return Ok(());
    }

    let started = Instant::now();
    let options = restore::RestoreOptions { from: to.to_owned(), snapshot: None, replace: false };
    let outcome = restore::verify_restore(&app.config, &app.clock, options).await;
    match &outcome {
        Ok(_) => tracing::info!("restore rehearsal succeeded"),
        Err(failure) => {
            tracing::error!(%failure, "restore rehearsal failed");
        }
    }
    status::record_rehearsal(app, &outcome, started.elapsed().as_secs()).await
}

/// Returns the settings from which the time of the next backup follows.
fn rule(settings: &Config) -> String {
    let nightly = daily_rule(settings.backup_at, settings);
    settings
        .backup_every
        .map_or_else(|| nightly.clone(), |every| format!("{nightly}, every {every}"))
}

/// Returns the time at which the next backup is due after one at `last`.
fn next_run(app: &App, last: Timestamp) -> Timestamp {
    let settings = &app.config;
    let night = next_daily(last, settings.backup_at, &settings.time_zone);
    settings.backup_every.map_or(night, |every| night.min(last + every))
}
