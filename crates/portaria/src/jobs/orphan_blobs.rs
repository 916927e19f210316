//! Finds blobs that no row names. A process that died between writing a blob and its row leaves one behind, and so
//! does a commit whose answer was lost and that had failed.

use std::ops::RangeInclusive;

use crate::{
    app::App,
    backup::restore,
    db,
    stored_files::object::{self, ORPHAN_GRACE},
};

/// The store is looked through in so many parts, one after the other, so that a large one costs little at a time.
pub const PARTS: u8 = 16;
/// Names in one question to the database.
const BATCH: usize = 500;

/// Looks through one part of the store and retires what belongs to nothing. The sweep unlinks it later, when it has
/// asked once more whether an object holds it.
///
/// # Errors
/// The database's; what the disk refuses is looked at again next time.
pub async fn run(app: &App, part: u8) -> Result<(), db::Error> {
    if restore::has_replaced_data(app).await? {
        return Ok(());
    }
    for first in prefixes(part) {
        let before = (app.clock.now() - ORPHAN_GRACE).into();
        let blobs = match app.files.list_older_than(first, before).await {
            Ok(blobs) => blobs,
            Err(error) => {
                tracing::warn!(%error, "a folder of blobs cannot be listed");
                continue;
            }
        };
        for some in blobs.chunks(BATCH) {
            let names = some.to_vec();
            let strays = app.db.read(move |tx| object::orphans(tx, &names)).await?;
            if !strays.is_empty() {
                tracing::warn!(count = strays.len(), "blobs without a row are retired");
                let now = app.clock.now();
                app.db
                    .write(move |tx| {
                        strays.iter().try_for_each(|blob| object::delete(tx, blob, now))
                    })
                    .await?;
            }
        }
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
    fn the_parts_are_the_whole() {
        let all: Vec<u8> = (0..PARTS).flat_map(prefixes).collect();
        assert_eq!(all, (0..=u8::MAX).collect::<Vec<_>>());
    }
}
