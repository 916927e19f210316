//! Files: how they come in, who may read them, and what is left of them.

mod links;
mod names;
mod reading;
mod sweep;
mod upload;

use crate::world::World;

/// How many files there are on the disk: finished, and half written.
fn on_disk(world: &World) -> (usize, usize) {
    (world.files_in("blobs").len(), world.files_in("tmp").len())
}
