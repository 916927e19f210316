//! Backups in a bucket: same behavior as in a folder, and failures of the store.

use std::{collections::BTreeSet, fs, path::PathBuf};

use jiff::SignedDuration;
use portaria::{
    backup::{self, BackupError, restore},
    config::BackupDestination,
    jobs::scheduled_backup as nightly,
    lease::Lease,
    privacy::erasure,
};

use crate::backup::{blobs, files, office, rows};
use crate::harness::{PDF, RestoreTarget, TestPortal, portal_test, s3::Bucket};

/// A prefix of a bucket as backup destination, and the folder where the store keeps it.
fn vault(world: &mut TestPortal, bucket: &Bucket) -> (BackupDestination, PathBuf) {
    let url = bucket.url.replacen('?', "/cofre?", 1);
    world.set("backup_to", &url);
    (url.parse().unwrap(), bucket.folder.join("cofre"))
}

fn wanted(from: &BackupDestination) -> restore::RestoreOptions {
    restore::RestoreOptions { from: from.clone(), snapshot: None, replace: false }
}

portal_test!(bucket_keeps_backups_like_a_folder, async |world| {
    let (_, joao) = office(world).await;
    let bucket = Bucket::create();
    let (to, folder) = vault(world, &bucket);
    world.set("backup_key", "uma chave comprida o bastante");
    let first = backup::run(&world.app, &to, None).await.unwrap();
    assert_eq!((first.files, first.new_bytes), (3, 3 * PDF.len() as u64));
    let second = backup::run(&world.app, &to, None).await.unwrap();
    assert_eq!((second.new_bytes, second.snapshots), (0, 2));
    let joao = world.sign_in(&joao.email).await;
    world.document(&joao, "contratos", "novo.pdf").await;
    let third = backup::run(&world.app, &to, Some(world.app.config.backup.keep)).await.unwrap();
    // The newest snapshot of an hour is kept.
    assert_eq!((third.new_bytes, third.snapshots), (PDF.len() as u64, 1));
    assert_eq!(
        files(&folder.join("blobs"))
            .iter()
            .filter(|path| path.extension().is_some_and(|end| end == "age"))
            .count(),
        4
    );

    let (before, bytes) = (rows(&world.app.config), blobs(world));
    restore::verify_restore(&world.app.config, world.clock(), wanted(&to)).await.unwrap();
    let mut elsewhere = RestoreTarget::new(world, world.engine());
    elsewhere.set("backup_key", "uma chave comprida o bastante");
    restore::run(&elsewhere.config(), world.clock(), wanted(&to)).await.unwrap();
    assert_eq!(rows(&elsewhere.config()), before);
    let (new, _database) = elsewhere.start();
    assert_eq!(blobs(&new), bytes);
    // No temporary files remain in the data folder.
    assert_eq!(world.files_in("tmp"), Vec::<PathBuf>::new());
});

portal_test!(store_failure_is_reported_and_keeps_earlier_snapshots, async |world| {
    let (_, joao) = office(world).await;
    let bucket = Bucket::create();
    let (to, folder) = vault(world, &bucket);
    nightly::run(&world.app).await.unwrap();
    world.wait(SignedDuration::from_hours(15));
    nightly::run(&world.app).await.unwrap();
    let snapshots = files(&folder.join("snapshots"));
    assert_eq!(
        snapshots.iter().filter(|path| path.to_str().unwrap().ends_with(".json.gz")).count(),
        1
    );

    // The store accepts rows, and then no more files.
    let joao = world.sign_in(&joao.email).await;
    world.document(&joao, "contratos", "novo.pdf").await;
    let aside = bucket.folder.join("aside");
    fs::rename(folder.join("blobs"), &aside).unwrap();
    fs::write(folder.join("blobs"), "no folder").unwrap();
    let failed = backup::run(&world.app, &to, None).await.unwrap_err();
    assert_eq!(failed.code(), "unreachable", "{failed}");
    assert!(!failed.to_string().contains("segredo"), "{failed}");
    world.wait(SignedDuration::from_hours(24));
    nightly::run(&world.app).await.unwrap();
    let told = world.post("/rest/v1/rpc/backup_status").bearer(&world.app.keys.service_role);
    let told = told.json(&serde_json::json!({})).send().await.is(200).json();
    assert_eq!(
        (&told["failed"]["code"], &told["made"]["files"]),
        (&"unreachable".into(), &3.into())
    );
    assert_eq!(files(&folder.join("snapshots")), snapshots);

    fs::remove_file(folder.join("blobs")).unwrap();
    fs::rename(&aside, folder.join("blobs")).unwrap();
    restore::verify_restore(&world.app.config, world.clock(), wanted(&to)).await.unwrap();
    assert_eq!(backup::run(&world.app, &to, None).await.unwrap().snapshots, 2);
});

portal_test!(concurrent_backups_do_not_share_a_bucket, async |world| {
    office(world).await;
    let bucket = Bucket::create();
    let (to, _) = vault(world, &bucket);
    let now = world.now();
    let other = Lease::acquire_if_due(&world.app, "backup writing", now).await.unwrap().unwrap();
    let busy = backup::run(&world.app, &to, None).await.unwrap_err();
    assert!(matches!(busy, BackupError::Busy(_)), "{busy}");
    other.delete().await.unwrap();
    backup::run(&world.app, &to, None).await.unwrap();
    backup::run(&world.app, &to, None).await.unwrap();
});

portal_test!(bucket_that_is_no_backup_is_left_alone, async |world| {
    let bucket = Bucket::create();
    let (to, folder) = vault(world, &bucket);
    fs::create_dir_all(folder.join("fotos")).unwrap();
    fs::write(folder.join("fotos/praia.jpg"), "x").unwrap();
    let refused = backup::run(&world.app, &to, None).await.unwrap_err();
    assert!(matches!(refused, BackupError::NotABackup(_)), "{refused}");
    let refused = restore::verify_restore(&world.app.config, world.clock(), wanted(&to)).await;
    assert!(matches!(refused, Err(BackupError::NotABackup(_))), "{refused:?}");
});

portal_test!(erasure_list_is_copied_to_the_bucket, async |world| {
    let (_, joao) = office(world).await;
    let bucket = Bucket::create();
    let (to, _) = vault(world, &bucket);
    nightly::make(&world.app, &to, None).await.unwrap().unwrap();
    assert_eq!(erasure::read_backup_tombstones(&to).await.unwrap(), BTreeSet::new());
    let person = joao.id.parse().unwrap();
    erasure::merge(&world.folder("."), &BTreeSet::from([person])).unwrap();
    // The restored person is erased again, and the list in the store is updated.
    erasure::reapply_tombstones(&world.app).await.unwrap();
    erasure::copy_to_backup(&world.app).await.unwrap();
    assert_eq!(erasure::read_backup_tombstones(&to).await.unwrap(), BTreeSet::from([person]));
});
