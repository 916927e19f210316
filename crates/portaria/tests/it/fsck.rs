//! `portaria fsck`: says that all is whole only when it is.

use std::fs;

use jiff::SignedDuration;
use portaria::{
    app::App,
    clock::Clock,
    fsck::{self, FsckReport},
};

use crate::harness::{PDF, TestPortal, portal_test};

async fn look(world: &TestPortal) -> FsckReport {
    fsck::run(&world.app).await.unwrap()
}

portal_test!(a_file_that_is_gone_cut_or_bent_is_named, async |world| {
    let joao = world.client("joao").await;
    let mut blobs = Vec::new();
    for name in ["whole.pdf", "gone.pdf", "cut.pdf", "bent.pdf"] {
        let before = world.files_in("blobs");
        world.document(&joao, "contratos", name).await;
        let new = world.files_in("blobs").into_iter().find(|blob| !before.contains(blob)).unwrap();
        blobs.push(new);
    }
    let bytes = 4 * PDF.len() as u64;
    assert_eq!(look(world).await, FsckReport { files: 4, bytes, ..FsckReport::default() });

    fs::remove_file(&blobs[1]).unwrap();
    fs::write(&blobs[2], &PDF[..PDF.len() - 1]).unwrap();
    let mut bent = PDF.to_vec();
    bent[3] ^= 1;
    fs::write(&blobs[3], bent).unwrap();
    let found = look(world).await;
    assert_eq!(found.files, 1);
    let named = |name: &str| found.faults.iter().filter(|fault| fault.contains(name)).count();
    assert_eq!(found.faults.len(), 3, "{:?}", found.faults);
    for name in ["gone.pdf", "cut.pdf", "bent.pdf"] {
        assert_eq!(named(name), 1, "{:?}", found.faults);
    }
});

portal_test!(a_blob_without_a_name_is_counted_once_it_is_old, async |world| {
    let writer = world.app.files.create().await.unwrap();
    writer.write("stray".into()).await.unwrap().commit().await.unwrap();
    // The disk's clock is not the test's.
    let [blob] = &world.files_in("blobs")[..] else { panic!("one blob") };
    fs::File::open(blob).unwrap().set_modified(world.now().into()).unwrap();
    assert_eq!(look(world).await, FsckReport::default());
    world.wait(SignedDuration::from_hours(25));
    assert_eq!(look(world).await, FsckReport { orphans: 1, ..FsckReport::default() });
});

portal_test!(a_command_beside_the_portal_takes_no_upload_away, async |world| {
    let writer = world.app.files.create().await.unwrap();
    let writer = writer.write("half".into()).await.unwrap();
    // What `portaria audit verify` does first.
    let beside = App::open(world.app.config.clone(), Clock::system()).unwrap();
    fsck::run(&beside).await.unwrap();
    writer.commit().await.unwrap();
});
