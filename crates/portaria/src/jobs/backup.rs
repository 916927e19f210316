//! The nightly backup, and every so often its rehearsal: one node makes it, and a failed one is tried again in an hour.

use std::{path::Path, sync::Arc, time::Instant};

use jiff::{
    SignedDuration, Timestamp, ToSpan,
    civil::{Date, Time},
    tz::TimeZone,
};

use crate::{
    app::App,
    backup::{
        self, Failure, Made, restore,
        status::{self, DUE},
    },
    db, erasure,
    turn::Turn,
};

/// What failed is tried again so soon.
const AGAIN: SignedDuration = SignedDuration::from_hours(1);

/// Makes a backup if one is due, and rehearses it if that is.
///
/// # Errors
/// The database's. What goes wrong with the backup itself is logged and told on the dashboard.
pub async fn run(app: &Arc<App>) -> Result<(), db::Error> {
    let Some(to) = app.config.backup.to.clone() else { return Ok(()) };
    let next = |app: &App| next_run(app.clock.now(), app.config.backup.at, &app.config.time_zone);
    let Some(turn) = Turn::claim(app, DUE, next(app)).await? else { return Ok(()) };
    let kept = turn.keep();
    let made = make(app, &to).await?;
    if made.is_ok() {
        rehearse(app, &to).await?;
    }
    let next = if made.is_ok() { next(app) } else { app.clock.now() + AGAIN };
    if let Some(mut turn) = kept.give_back().await {
        turn.move_on(next).await?;
    }
    Ok(())
}

/// Makes a backup, and writes down what became of it.
///
/// # Errors
/// The database's; within, why there is no backup.
pub async fn make(app: &Arc<App>, to: &Path) -> Result<Result<Made, Failure>, db::Error> {
    // What the settings say of old ones holds for the folder that they name.
    let is_ours = app.config.backup.to.as_deref() == Some(to);
    let made = backup::run(app, to, is_ours.then_some(app.config.backup.keep)).await;
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
            status::made(app, made).await?;
            erasure::keep_list(app).await?;
        }
        Err(failure) => {
            tracing::error!(%failure, "the backup failed");
            status::failed(app, failure).await?;
        }
    }
    Ok(made)
}

async fn rehearse(app: &Arc<App>, to: &Path) -> Result<(), db::Error> {
    let Some(days) = app.config.backup.rehearsal_days else { return Ok(()) };
    let last = app.db.read(status::last_rehearsal).await?;
    let rest = SignedDuration::from_hours(24 * i64::from(days));
    // Nights are not all equally long, nor backups.
    if last.is_some_and(|last| app.clock.now() < last + rest - SignedDuration::from_hours(12)) {
        return Ok(());
    }
    let began = Instant::now();
    let wanted = restore::Wanted { from: to.to_owned(), snapshot: None, replace: false };
    let outcome = restore::rehearse(&app.config, &app.clock, wanted).await;
    match &outcome {
        Ok(_) => tracing::info!("the backup was brought back for rehearsal"),
        Err(failure) => {
            tracing::error!(%failure, "the backup could not be brought back for rehearsal");
        }
    }
    status::rehearsed(app, &outcome, began.elapsed().as_secs()).await
}

/// When a backup is due that is made at this time of the day.
#[must_use]
pub fn next_run(now: Timestamp, at: Time, zone: &TimeZone) -> Timestamp {
    let today = now.to_zoned(zone.clone()).date();
    let night = |day: Date| {
        let moment = day.to_datetime(at).to_zoned(zone.clone());
        moment.expect("the clock is nowhere near the end of the calendar").timestamp()
    };
    if now < night(today) { night(today) } else { night(today + 1.day()) }
}
