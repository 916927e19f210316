//! Nightly maintenance at two o'clock, before the backups: deletes access records past their retention, applies the
//! retention periods of folders, empties the trash of old documents, removes old files of the inbox, old
//! notifications and push messages, writes missing words of searched texts, deletes expired signing keys, copies tombstones to the backup
//! target, and removes erased data from the
//! database file.

use std::sync::Arc;

use crate::jobs::{document_retention, purge_access_records};
use crate::{
    accounts::signing_keys,
    app::App,
    db,
    documents::trash,
    inbox,
    lease::{LEASE_TTL, NIGHTLY_MAINTENANCE},
    notifications::{center, push},
    privacy::erasure,
    schema::search_words,
};

/// Runs if a run is due. Each part is idempotent.
///
/// # Errors
/// Database errors. The rest of the work is done after the lease expires.
pub async fn run(app: &Arc<App>) -> Result<(), db::Error> {
    // A new portal has no old data, so its first run is the next night.
    let Some(mut lease) = NIGHTLY_MAINTENANCE.acquire_if_due(app).await? else { return Ok(()) };
    // Each part ends before the next, because its last batch can be a search of the whole table.
    for part in PARTS {
        while run_batch(app, part).await? {
            // After an expired lease another node may be at work.
            if !lease.extend(app.clock.now() + LEASE_TTL).await? {
                return Ok(());
            }
        }
    }
    let now = app.clock.now();
    app.db.write(move |tx| signing_keys::delete_expired(tx, now)).await?;
    erasure::write_tombstones(app).await?;
    erasure::purge(app).await?;
    NIGHTLY_MAINTENANCE.finish(lease).await.map(drop)
}

/// A part of the work that is done in batches.
#[derive(Debug, Clone, Copy)]
enum Part {
    AccessRecords,
    Retention,
    Trash,
    Inbox,
    Notifications,
    PushMessages,
    SearchWords,
}

const PARTS: [Part; 7] = [
    Part::AccessRecords,
    Part::Retention,
    Part::Trash,
    Part::Inbox,
    Part::Notifications,
    Part::PushMessages,
    Part::SearchWords,
];

/// Does a batch of a part. Returns whether there was anything to do.
async fn run_batch(app: &Arc<App>, part: Part) -> Result<bool, db::Error> {
    match part {
        Part::AccessRecords => purge_access_records::delete_batch(app).await,
        Part::Retention => document_retention::run_batch(app).await,
        Part::Trash => app.write(trash::purge::remove_due).await,
        Part::Inbox => app.write(|tx, app| inbox::discard::delete_expired(tx, app)).await,
        Part::Notifications => app.write(|tx, app| center::delete_expired(tx, app)).await,
        Part::PushMessages => app.write(|tx, app| push::outbox::delete_expired(tx, app)).await,
        Part::SearchWords => app.db.write(search_words::fill_batch).await,
    }
}
