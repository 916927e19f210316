//! Restore: the restored data equal the backup.

use std::{fs, os::unix::fs::DirBuilderExt};

use jiff::SignedDuration;
use portaria::{
    app::App,
    backup::{BackupError, restore},
    clock::Clock,
    db::dump::{DumpReader, Table},
    fsck,
    jobs::{garbage_collect, orphan_blobs},
    schema::migrations::MIGRATIONS,
    schema::migrations::database_source,
};

use crate::auth::signing_keys::use_new_key;
use crate::backup::{
    back_up, blobs, create, files, office, rehearse, restore_options, rows, rows_of, snapshots,
    target,
};
use crate::harness::{
    Engine, PDF, RestoreTarget, TestPortal, object, portal_test, run_blocking as on_a_thread,
    run_on_two,
};
use crate::storage::tus::begin;

async fn restored(portal: &TestPortal, engine: Engine, from: &std::path::Path) -> RestoreTarget {
    let elsewhere = RestoreTarget::new(portal, engine);
    restore::run(&elsewhere.config(), portal.clock(), restore_options(from)).await.unwrap();
    elsewhere
}

portal_test!(restore_returns_the_state_of_the_backup, async |portal| {
    let (ana, joao) = office(portal).await;
    let document = portal.document(&joao, "faturas", "boleto.pdf").await;
    begin(portal, "client-documents", &format!("public/{}/faturas/meio.pdf", joao.id), 1000).await;
    let to = target();
    let made = back_up(portal, to.path()).await;
    assert_eq!(
        (made.files, made.bytes, made.new_bytes),
        (4, 4 * PDF.len() as u64, 4 * PDF.len() as u64)
    );
    let (before, bytes) = (rows(&portal.app.config), blobs(portal));
    // Later changes are not part of it.
    portal.ticket(&joao, "Depois").await;

    let elsewhere = restored(portal, portal.engine(), to.path()).await;
    assert_eq!(rows(&elsewhere.config()), before);
    let (new, _database) = elsewhere.start();
    assert_eq!(blobs(&new), bytes);
    assert_eq!(fsck::run(&new.app).await.unwrap().faults, Vec::<fsck::Fault>::new());
    // Backups contain no bytes of unfinished uploads.
    assert_eq!(rows_of(&new, "uploads", "id", "").await, 0);
    // Sessions are not restored, because they may have been revoked since.
    new.get("/rest/v1/tickets").auth(&joao).send().await.is(401);
    let joao = new.sign_in(&joao.email).await;
    assert_eq!(new.get(&object(&document.path)).auth(&joao).send().await.is(200).body, PDF);
    let audit = portaria::audit::ChainVerifier::run(&new.app).await.unwrap();
    assert_eq!(audit.breaks, []);
    // The restored portal accepts writes.
    new.ticket(&joao, "Continua").await;
    let ana = new.sign_in(&ana.email).await;
    new.document(&joao, "contratos", "novo.pdf").await;
    new.get("/rest/v1/clients").auth(&ana).send().await.is(200);
});

#[test]
fn backup_restores_into_the_other_engine() {
    run_on_two([Engine::Sqlite, Engine::Postgres], async |[one, two]| {
        for (portal, other) in [(one, Engine::Postgres), (two, Engine::Sqlite)] {
            office(portal).await;
            let to = target();
            back_up(portal, to.path()).await;
            let elsewhere = restored(portal, other, to.path()).await;
            assert_eq!(rows(&elsewhere.config()), rows(&portal.app.config));
            let (new, _database) = elsewhere.start();
            let again = target();
            back_up(&new, again.path()).await;
            let home = restored(&new, portal.engine(), again.path()).await;
            assert_eq!(rows(&home.config()), rows(&portal.app.config));
        }
    });
}

portal_test!(backup_covers_every_table_and_column, async |portal| {
    let (reported, migrations) = on_a_thread(|| {
        let reader = DumpReader::open(&database_source(&portal.app.config)).unwrap();
        let columns =
            |table: &Table| table.columns.iter().map(|column| column.name.clone()).collect();
        let reported = reader.tables.iter().map(|table| (table.name.clone(), columns(table)));
        (reported.collect::<Vec<(String, Vec<String>)>>(), reader.migrations.clone())
    });
    assert_eq!(reported, on_a_thread(|| create::schema(portal)));
    assert!(reported.len() > 20, "{}", reported.len());
    assert_eq!(MIGRATIONS.unknown(&migrations), None);
});

portal_test!(live_data_are_replaced_on_request_only, async |portal| {
    let joao = portal.client("joao").await;
    portal.document(&joao, "contratos", "a.pdf").await;
    let to = target();
    back_up(portal, to.path()).await;
    let before = rows(&portal.app.config);

    let elsewhere = restored(portal, portal.engine(), to.path()).await;
    let config = elsewhere.config();
    let refused =
        restore::run(&config, portal.clock(), restore_options(to.path())).await.unwrap_err();
    assert!(
        matches!(&refused, BackupError::Refused(why) if why.contains("--replace")),
        "{refused}"
    );
    assert_eq!(rows(&config), before);

    // The live data have changed since; they are moved aside.
    let (new, database) = elsewhere.start();
    let maria = new.client("maria").await;
    new.document(&maria, "contratos", "b.pdf").await;
    let changed = rows(&config);
    assert_ne!(changed, before);
    let folder = new.close();
    let replacing = restore::RestoreOptions { replace: true, ..restore_options(to.path()) };
    let done = restore::run(&config, portal.clock(), replacing).await.unwrap();
    assert_eq!(rows(&config), before);
    let aside = done.aside.unwrap();
    if portal.engine() == Engine::Sqlite {
        let mut old = config.clone();
        old.data_dir = aside.into();
        assert_eq!(rows(&old), changed);
    } else {
        let objects = format!("SELECT blob FROM {aside}.objects ORDER BY created_at");
        let url = &config.database.as_ref().unwrap().url;
        let old: Vec<String> = on_a_thread(|| {
            let mut client = postgres::Client::connect(url, postgres::NoTls).unwrap();
            client.query(&objects, &[]).unwrap().iter().map(|row| row.get(0)).collect()
        });
        assert_eq!(old.len(), 2);
        // The files of the old data lie among the live ones, and the garbage collection keeps them.
        let later = Clock::fixed(Clock::system().now() + SignedDuration::from_hours(48));
        let app = App::open(config.clone(), later.clone()).unwrap();
        for part in 0..orphan_blobs::PARTS {
            orphan_blobs::run(&app, part).await.unwrap();
        }
        later.advance(SignedDuration::from_hours(2));
        garbage_collect::run(&app).await.unwrap();
        for blob in &old {
            app.files.checksum(blob).await.unwrap();
        }
    }
    drop((folder, database));
});

portal_test!(running_portal_is_not_restored_over, async |portal| {
    office(portal).await;
    let to = target();
    back_up(portal, to.path()).await;
    let replacing = || restore::RestoreOptions { replace: true, ..restore_options(to.path()) };
    let before = rows(&portal.app.config);
    let serving = portaria::data_dir::lock(&portal.app.config.data_dir).unwrap();
    let refused = restore::run(&portal.app.config, portal.clock(), replacing()).await.unwrap_err();
    assert!(refused.to_string().contains("already serves"), "{refused}");
    drop(serving);
    if portal.engine() == Engine::Postgres {
        // Other nodes may serve the same database with other data folders.
        let refused =
            restore::run(&portal.app.config, portal.clock(), replacing()).await.unwrap_err();
        assert!(refused.to_string().contains("others are connected"), "{refused}");
    }
    assert_eq!(rows(&portal.app.config), before);
});

portal_test!(backup_contains_the_secret_of_the_data_folder, async |portal| {
    fs::write(portal.folder("jwt_secret"), "a secret of the data folder, of 32 bytes").unwrap();
    portal.set("jwt_secret", "");
    let ana = portal.admin().await;
    use_new_key(portal).await;
    let factor = portal.app.keys.factors().encrypt("a", b"secret");
    let to = target();
    back_up(portal, to.path()).await;
    let mut elsewhere = RestoreTarget::new(portal, portal.engine());
    let done = restore::run(&elsewhere.config(), portal.clock(), restore_options(to.path()))
        .await
        .unwrap();
    assert!(!done.other_secret);
    elsewhere.set("jwt_secret", "");
    let (new, _database) = elsewhere.start();
    assert_eq!(new.app.keys.fingerprint(), portal.app.keys.fingerprint());
    assert_eq!(new.app.keys.factors().decrypt("a", &factor).as_deref(), Some(b"secret".as_slice()));
    new.sign_in(&ana.email).await;

    // An existing secret is moved aside, not deleted.
    let mut elsewhere = RestoreTarget::new(portal, portal.engine());
    elsewhere.set("jwt_secret", "");
    let other = "an earlier secret of thirty-two bytes and more";
    fs::DirBuilder::new().mode(0o700).create(elsewhere.folder()).unwrap();
    fs::write(elsewhere.folder().join("jwt_secret"), other).unwrap();
    restore::run(&elsewhere.config(), portal.clock(), restore_options(to.path())).await.unwrap();
    let secret =
        |folder: std::path::PathBuf| fs::read_to_string(folder.join("jwt_secret")).unwrap();
    assert_eq!(secret(elsewhere.folder()), secret(portal.folder(".")));
    let is_aside = |path: &std::path::PathBuf| {
        path.to_string_lossy().contains("jwt_secret") && fs::read_to_string(path).unwrap() == other
    };
    assert!(files(&elsewhere.folder()).iter().any(is_aside));

    // A lost secret is not replaced by a new one, under which nothing could be read.
    fs::remove_file(elsewhere.folder().join("jwt_secret")).unwrap();
    let refused = App::open(elsewhere.config(), portal.clock().clone()).err().unwrap();
    assert!(refused.to_string().contains("jwt_secret is missing"), "{refused}");
    assert!(!elsewhere.folder().join("jwt_secret").exists());

    // A secret from the settings is not part of the backup.
    let mut elsewhere = RestoreTarget::new(portal, portal.engine());
    elsewhere.set("jwt_secret", "another secret of thirty-two bytes and more");
    let done = restore::run(&elsewhere.config(), portal.clock(), restore_options(to.path()))
        .await
        .unwrap();
    assert!(done.other_secret);
    // Without the keys that it encrypted, the new secret signs tokens.
    let (new, _database) = elsewhere.start();
    let ana = new.sign_in(&ana.email).await;
    new.get("/rest/v1/clients").auth(&ana).send().await.is(200);
});

portal_test!(any_snapshot_can_be_restored, async |portal| {
    let joao = portal.client("joao").await;
    let to = target();
    let first = back_up(portal, to.path()).await;
    let before = rows(&portal.app.config);
    portal.document(&joao, "contratos", "a.pdf").await;
    let second = back_up(portal, to.path()).await;
    assert_eq!(snapshots(to.path()), [first.snapshot.clone(), second.snapshot.clone()]);
    assert_eq!(rehearse(portal, to.path()).await.unwrap().snapshot, second.snapshot);
    let elsewhere = RestoreTarget::new(portal, portal.engine());
    let one =
        restore::RestoreOptions { snapshot: Some(first.snapshot), ..restore_options(to.path()) };
    restore::run(&elsewhere.config(), portal.clock(), one).await.unwrap();
    assert_eq!(rows(&elsewhere.config()), before);
    let none = restore::RestoreOptions {
        snapshot: Some("2020-01-01T000000Z".into()),
        ..restore_options(to.path())
    };
    let refused =
        restore::verify_restore(&portal.app.config, portal.clock(), none).await.unwrap_err();
    assert!(matches!(refused, BackupError::NoSnapshot(_)), "{refused}");
});
