//! Upgrades: data and backups of each release are opened by the current version.
//!
//! This folder contains an archive per release with `data/` (a data folder with the embedded database), `backup/` (a
//! backup of it), and `secrets.json` (the links and secrets that its users hold).

mod canonical_text;
mod office;
mod search_words;

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use jiff::SignedDuration;
use portaria::{
    audit::ChainVerifier,
    backup::{
        self,
        restore::{self, RestoreOptions},
    },
    config::BackupDestination,
    fsck,
    jobs::{garbage_collect, nightly, notify_expiry},
};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    auth::{
        mfa::{Authenticator, submit_code},
        passkeys,
    },
    backup::rows,
    harness::{
        Engine, PDF, RestoreTarget, TestPortal, TestUser, object, portal_test, run_on_sqlite,
    },
};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/upgrade")
}

fn temporary() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn tar(words: &[&str], folder: &Path) {
    let status = Command::new("tar").args(words).current_dir(folder).status().unwrap();
    assert!(status.success(), "tar {words:?}");
}

/// The archive of each release, unpacked.
fn kept() -> impl Iterator<Item = TempDir> {
    let mut archives: Vec<PathBuf> =
        fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    archives.retain(|path| path.extension().is_some_and(|extension| extension == "gz"));
    archives.sort();
    assert!(!archives.is_empty(), "there is no archive of an earlier release");
    archives.into_iter().map(|archive| {
        drop(writeln!(io::stdout(), "{}", archive.display()));
        let to = temporary();
        tar(&["--extract", "--file", archive.to_str().unwrap()], to.path());
        to
    })
}

#[test]
fn sample_office_covers_every_table() {
    run_on_sqlite(async |portal| {
        let mut place = RestoreTarget::new(portal, Engine::Sqlite);
        place.set("jwt_secret", "");
        place.set("site_url", passkeys::ORIGIN);
        let (mut new, _database) = place.start();
        // The archive of a release holds hashes as an office would have them.
        new.use_production_passwords();
        let held = office::furnish(&new).await;
        let beside = temporary();
        fs::write(beside.path().join("secrets.json"), held.to_string()).unwrap();
        backup::run(&new.app, &backup_in(beside.path()), None).await.unwrap();
        let empty = rows(&new.app.config).into_iter().filter(|(_, rows)| rows.is_empty());
        assert_eq!(empty.map(|(table, _)| table).collect::<Vec<_>>(), [] as [&str; 0]);
        let ended = new.app.db.ended();
        let (folder, _bucket) = new.close();
        assert!(ended.wait(Duration::from_secs(10)), "the database is still open");
        keep(folder.path(), beside.path());
    });
}

/// Archives the office of this version on request (RELEASE.md).
fn keep(office: &Path, beside: &Path) {
    if std::env::var_os("TEST_KEEP_OFFICE").is_none() {
        return;
    }
    let archive = folder().join(concat!(env!("CARGO_PKG_VERSION"), ".tar.gz"));
    let (archive, beside) = (archive.to_str().unwrap(), beside.to_str().unwrap());
    let owner = ["--owner=0", "--group=0", "--numeric-owner"];
    let what = ["data", "--directory", beside, "backup", "secrets.json"];
    tar(&[&["--create", "--gzip", "--file", archive][..], &owner, &what].concat(), office);
}

/// Everything that users hold works as before.
async fn check_still_works(portal: &TestPortal, held: &Value) {
    assert_eq!(fsck::run(&portal.app).await.unwrap().faults, Vec::<fsck::Fault>::new());
    assert_eq!(ChainVerifier::run(&portal.app).await.unwrap().breaks, []);
    // The app in a browser has stored the key, and may not request it again.
    assert_eq!(json!(portal.app.keys.anon), held["anon_key"]);
    let joao = portal.sign_in(office::CLIENT).await;
    let path = held["document"].as_str().unwrap();
    assert_eq!(portal.get(&object(path)).auth(&joao).send().await.is(200).body, PDF);
    for link in ["calendar", "unsubscribe"] {
        let path = held[link].as_str().unwrap();
        portal.get(path).without("apikey").send().await.is(200);
    }
    if let Some(token) = held["inbox_token"].as_str() {
        let send = portal.post("/storage/v1/object/inbox/guia.pdf").bearer(token);
        send.bytes("application/pdf", PDF).send().await.is(200);
    }
    // A release signed this link for a week. A link of a person lives for an hour.
    let signed = held["signed"].as_str().unwrap();
    portal.get(signed).without("apikey").send().await.refused(400, "InvalidJWT");
    let thread = "/rest/v1/tickets?select=subject,status,message,ticket_messages(body,ticket_attachments(name))&status=eq.closed";
    let thread = portal.get(thread).auth(&joao).send().await.is(200).json();
    let files = json!([{"name": "guia.pdf"}]);
    assert_eq!(
        thread,
        json!([{"subject": office::SUBJECT, "status": "closed", "message": office::THREAD[0],
            "ticket_messages": [{"body": office::THREAD[1], "ticket_attachments": files}]}])
    );

    let ana = portal.sign_in(office::ADMIN).await;
    portal.get("/rest/v1/clients").auth(&ana).send().await.refused(403, "insufficient_aal");
    let app = Authenticator {
        id: held["authenticator"]["id"].as_str().unwrap().to_owned(),
        secret: serde_json::from_value(held["authenticator"]["secret"].clone()).unwrap(),
    };
    let session = submit_code(portal, &ana, &app, &app.code(portal, 0)).await.is(200).json();
    let ana = TestUser::from_session(&session);
    let clients = portal.get("/rest/v1/clients?select=email&order=email").auth(&ana);
    let clients = clients.send().await.is(200).json();
    assert_eq!(clients, json!([{"email": office::CLIENT}, {"email": "maria@cliente.com.br"}]));
    // The portal accepts writes, and the jobs run.
    portal.ticket(&joao, "Depois").await;
    portal.document(&joao, "faturas", "nova.pdf").await;
    notify_expiry::run(&portal.app).await.unwrap();
    nightly::run(&portal.app).await.unwrap();
    garbage_collect::run(&portal.app).await.unwrap();
    assert_eq!(fsck::run(&portal.app).await.unwrap().faults, Vec::<fsck::Fault>::new());
    assert_eq!(ChainVerifier::run(&portal.app).await.unwrap().breaks, []);
}

fn backup_in(folder: &Path) -> BackupDestination {
    BackupDestination::Folder(folder.join("backup"))
}

fn held(folder: &Path) -> Value {
    serde_json::from_slice(&fs::read(folder.join("secrets.json")).unwrap()).unwrap()
}

/// A place without a secret.
fn place(portal: &TestPortal, engine: Engine) -> RestoreTarget {
    portal.advance(SignedDuration::from_hours(24));
    let mut place = RestoreTarget::new(portal, engine);
    place.set("jwt_secret", "");
    place
}

#[test]
fn data_of_each_release_are_migrated() {
    run_on_sqlite(async |portal| {
        for kept in kept() {
            let place = place(portal, Engine::Sqlite);
            fs::rename(kept.path().join("data"), place.folder()).unwrap();
            let (new, _database) = place.start();
            let held = held(kept.path());
            // Sessions stay valid.
            new.refresh(held["refresh_token"].as_str().unwrap()).await.is(200);
            check_still_works(&new, &held).await;
        }
    });
}

portal_test!(backup_of_each_release_is_restored, async |portal| {
    for kept in kept() {
        let place = place(portal, portal.engine());
        let wanted =
            RestoreOptions { from: backup_in(kept.path()), snapshot: None, replace: false };
        restore::run(&place.config(), portal.clock(), wanted).await.unwrap();
        let (new, _database) = place.start();
        check_still_works(&new, &held(kept.path())).await;
    }
});

#[test]
fn data_and_backup_of_a_release_are_equal() {
    run_on_sqlite(async |portal| {
        for kept in kept() {
            let (one, two) = (place(portal, Engine::Sqlite), place(portal, Engine::Postgres));
            fs::rename(kept.path().join("data"), one.folder()).unwrap();
            let wanted =
                RestoreOptions { from: backup_in(kept.path()), snapshot: None, replace: false };
            restore::run(&two.config(), portal.clock(), wanted).await.unwrap();
            let (one, _) = one.start();
            assert_eq!(rows(&one.app.config), rows(&two.config()));
        }
    });
}
