//! Finds orphan blobs: blobs that no row names. An orphan remains after a crash between writing a blob and its row, and
//! after a failed commit whose answer was lost.

use std::ops::RangeInclusive;

use crate::{
    app::App,
    backup::restore,
    db,
    stored_files::object::{self, ORPHAN_GRACE},
};

/// Number of parts in which the store is scanned, one per run, so that a run in a large store stays short.
pub const PARTS: u8 = 16;
/// Maximum number of blob names in one query.
const NAMES_PER_QUERY: usize = 500;

/// Scans one part of the store and adds its orphans to the deletion queue. Garbage collection checks once more that no
/// object refers to a blob before it deletes the blob.
///
/// # Errors
/// Database errors. A folder that cannot be listed is scanned again in a later run.
pub async fn run(app: &App, part: u8) -> Result<(), db::Error> {
    if restore::has_replaced_data(app).await? {
        return Ok(());
    }
    // One line for all folders, because each of them fails while the store is away.
    let mut unlisted = (0_u8, None);
    for first in prefixes(part) {
        let cutoff = (app.clock.now() - ORPHAN_GRACE).into();
        let blobs = match app.files.list_older_than(first, cutoff).await {
            Ok(blobs) => blobs,
            Err(error) => {
                unlisted = (unlisted.0 + 1, Some(error));
                continue;
            }
        };
        for batch in blobs.chunks(NAMES_PER_QUERY) {
            let names = batch.to_vec();
            let orphans = app.db.read(move |tx| object::orphans(tx, &names)).await?;
            if !orphans.is_empty() {
                tracing::warn!(count = orphans.len(), "orphan blobs queued for deletion");
                let now = app.clock.now();
                app.db
                    .write(move |tx| {
                        orphans
                            .iter()
                            .try_for_each(|blob| object::queue_blob_deletion(tx, blob, now))
                    })
                    .await?;
            }
        }
    }
    if let (count, Some(error)) = unlisted {
        tracing::warn!(count, %error, "blob folders could not be listed");
    }
    Ok(())
}

fn prefixes(part: u8) -> RangeInclusive<u8> {
    let size = u8::MAX / PARTS + 1;
    let first = part % PARTS * size;
    first..=first + (size - 1)
}

#[cfg(test)]
mod tests {
    use crate::jobs::orphan_blobs::{PARTS, prefixes};

    #[test]
    fn parts_cover_all_prefixes() {
        let all: Vec<u8> = (0..PARTS).flat_map(prefixes).collect();
        assert_eq!(all, (0..=u8::MAX).collect::<Vec<_>>());
    }
}
