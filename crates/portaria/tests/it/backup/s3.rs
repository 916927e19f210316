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

use crate::backup::{blobs, files, make_and_record, office, rows};
use crate::harness::{PDF, RestoreTarget, TestPortal, portal_test, s3::Bucket};

/// A prefix of a bucket as backup destination, and the folder where the store keeps it.
fn vault(portal: &mut TestPortal, bucket: &Bucket) -> (BackupDestination, PathBuf) {
    let url = bucket.url.replacen('?', "/cofre?", 1);
    portal.set("backup_to", &url);
    (url.parse().unwrap(), bucket.folder.join("cofre"))
}

fn restore_options(from: &BackupDestination) -> restore::RestoreOptions {
    restore::RestoreOptions { from: from.clone(), snapshot: None, replace: false }
}

portal_test!(bucket_keeps_backups_like_a_folder, async |portal| {
    let (_, joao) = office(portal).await;
    let bucket = Bucket::create();
    let (to, folder) = vault(portal, &bucket);
    portal.set("backup_key", "uma chave comprida o bastante");
    let first = backup::run(&portal.app, &to, None).await.unwrap();
    assert_eq!((first.files, first.new_bytes), (3, 3 * PDF.len() as u64));
    let second = backup::run(&portal.app, &to, None).await.unwrap();
    assert_eq!((second.new_bytes, second.snapshots), (0, 2));
    let joao = portal.sign_in(&joao.email).await;
    portal.document(&joao, "contratos", "novo.pdf").await;
    let third = backup::run(&portal.app, &to, Some(portal.app.config.backup_keep)).await.unwrap();
    // The newest snapshot of an hour is kept.
    assert_eq!((third.new_bytes, third.snapshots), (PDF.len() as u64, 1));
    assert_eq!(
        files(&folder.join("blobs"))
            .iter()
            .filter(|path| path.extension().is_some_and(|end| end == "age"))
            .count(),
        4
    );

    let (before, bytes) = (rows(&portal.app.config), blobs(portal));
    restore::verify_restore(&portal.app.config, portal.clock(), restore_options(&to))
        .await
        .unwrap();
    let mut elsewhere = RestoreTarget::new(portal, portal.engine());
    elsewhere.set("backup_key", "uma chave comprida o bastante");
    restore::run(&elsewhere.config(), portal.clock(), restore_options(&to)).await.unwrap();
    assert_eq!(rows(&elsewhere.config()), before);
    let (new, _database) = elsewhere.start();
    assert_eq!(blobs(&new), bytes);
    // No temporary files remain in the data folder.
    assert_eq!(portal.files_in("tmp"), Vec::<PathBuf>::new());
});

portal_test!(store_failure_is_reported_and_keeps_earlier_snapshots, async |portal| {
    let (_, joao) = office(portal).await;
    let bucket = Bucket::create();
    let (to, folder) = vault(portal, &bucket);
    nightly::run(&portal.app).await.unwrap();
    portal.advance(SignedDuration::from_hours(15));
    nightly::run(&portal.app).await.unwrap();
    let snapshots = files(&folder.join("snapshots"));
    assert_eq!(
        snapshots.iter().filter(|path| path.to_str().unwrap().ends_with(".json.gz")).count(),
        1
    );

    // The store accepts rows, and then no more files.
    let joao = portal.sign_in(&joao.email).await;
    portal.document(&joao, "contratos", "novo.pdf").await;
    let aside = bucket.folder.join("aside");
    fs::rename(folder.join("blobs"), &aside).unwrap();
    fs::write(folder.join("blobs"), "no folder").unwrap();
    let failed = backup::run(&portal.app, &to, None).await.unwrap_err();
    assert_eq!(failed.code(), "unreachable", "{failed}");
    assert!(!failed.to_string().contains("segredo"), "{failed}");
    portal.advance(SignedDuration::from_hours(24));
    nightly::run(&portal.app).await.unwrap();
    let reported = portal.post("/rest/v1/rpc/backup_status").bearer(&portal.app.keys.service_role);
    let reported = reported.json(&serde_json::json!({})).send().await.is(200).json();
    assert_eq!(
        (&reported["failed"]["code"], &reported["made"]["files"]),
        (&"unreachable".into(), &3.into())
    );
    assert_eq!(files(&folder.join("snapshots")), snapshots);

    fs::remove_file(folder.join("blobs")).unwrap();
    fs::rename(&aside, folder.join("blobs")).unwrap();
    restore::verify_restore(&portal.app.config, portal.clock(), restore_options(&to))
        .await
        .unwrap();
    assert_eq!(backup::run(&portal.app, &to, None).await.unwrap().snapshots, 2);
});

portal_test!(concurrent_backups_do_not_share_a_bucket, async |portal| {
    office(portal).await;
    let bucket = Bucket::create();
    let (to, _) = vault(portal, &bucket);
    let now = portal.now();
    let other = Lease::acquire_if_due(&portal.app, "backup writing", now).await.unwrap().unwrap();
    let busy = backup::run(&portal.app, &to, None).await.unwrap_err();
    assert!(matches!(busy, BackupError::Busy(_)), "{busy}");
    other.delete().await.unwrap();
    backup::run(&portal.app, &to, None).await.unwrap();
    backup::run(&portal.app, &to, None).await.unwrap();
});

portal_test!(bucket_that_is_no_backup_is_left_alone, async |portal| {
    let bucket = Bucket::create();
    let (to, folder) = vault(portal, &bucket);
    fs::create_dir_all(folder.join("fotos")).unwrap();
    fs::write(folder.join("fotos/praia.jpg"), "x").unwrap();
    let refused = backup::run(&portal.app, &to, None).await.unwrap_err();
    assert!(matches!(refused, BackupError::NotABackup(_)), "{refused}");
    let refused =
        restore::verify_restore(&portal.app.config, portal.clock(), restore_options(&to)).await;
    assert!(matches!(refused, Err(BackupError::NotABackup(_))), "{refused:?}");
});

portal_test!(erasure_list_is_copied_to_the_bucket, async |portal| {
    let (_, joao) = office(portal).await;
    let bucket = Bucket::create();
    let (to, _) = vault(portal, &bucket);
    make_and_record(portal, &to).await;
    assert_eq!(erasure::read_backup_tombstones(&to).await.unwrap(), BTreeSet::new());
    let user = joao.id.parse().unwrap();
    erasure::merge(&portal.folder("."), &BTreeSet::from([user])).unwrap();
    // The restored person is erased again, and the list in the store is updated.
    erasure::reapply_tombstones(&portal.app).await.unwrap();
    erasure::copy_to_backup(&portal.app).await.unwrap();
    assert_eq!(erasure::read_backup_tombstones(&to).await.unwrap(), BTreeSet::from([user]));
});
