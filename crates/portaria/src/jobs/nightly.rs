//! What is done every night at two, before the backups: access records whose time is over are dropped, documents that
//! their folders keep no longer are marked and discarded, and the database's file is rid of what was erased.

use std::sync::Arc;

use jiff::{Timestamp, ToSpan, tz::TimeZone};

use crate::jobs::{document_retention, purge_access_records};
use crate::{
    app::App,
    db,
    lease::{LEASE_TTL, Lease},
    privacy::erasure,
};

/// The fact that says when the next run is due.
const FACT: &str = "nightly upkeep";
/// In the portal's zone.
const HOUR: i8 = 2;

/// Runs if a run is due. Each part may be done twice.
///
/// # Errors
/// The database's; what was not done is done when the lease is over.
pub async fn run(app: &Arc<App>) -> Result<(), db::Error> {
    // A new portal has nothing that is old.
    let first = next_night(app.clock.now(), &app.config.time_zone);
    let Some(mut turn) = Lease::acquire_if_due(app, FACT, first).await? else { return Ok(()) };
    while purge_access_records::drop_some(app).await? || document_retention::go_on(app).await? {
        // Whoever took too long finds that somebody else has it.
        if !turn.extend(app.clock.now() + LEASE_TTL).await? {
            return Ok(());
        }
    }
    erasure::write(app).await?;
    erasure::purge(app).await?;
    let next = next_night(app.clock.now(), &app.config.time_zone);
    turn.extend(next).await.map(drop)
}

fn next_night(now: Timestamp, zone: &TimeZone) -> Timestamp {
    let today = now.to_zoned(zone.clone()).date();
    let night = |day: jiff::civil::Date| {
        let night = day.at(HOUR, 0, 0, 0).to_zoned(zone.clone());
        night.expect("the clock is nowhere near the end of the calendar").timestamp()
    };
    if now < night(today) { night(today) } else { night(today + 1.day()) }
}
