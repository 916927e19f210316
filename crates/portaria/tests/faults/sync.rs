//! Failing syncs and writes: never acknowledged, and never hidden by a later success.

use std::{process::Command, time::Duration};

use crate::{
    capabilities::can_strace,
    strace::{Strace, Threads},
    workload::{Office, pdf},
};

const FAIL: &str = "inject=fsync:error=EIO:when=";
/// The exit status after a failed sync.
const UNSYNCED: Option<i32> = Some(5);

#[test]
fn failed_sync_of_a_commit_is_refused_and_ends_the_program() {
    if !can_strace("a commit that cannot be synced") {
        return;
    }
    let mut office = Office::open();
    for round in 0..3 {
        let [before, refused, after] = ["b", "r", "a"].map(|name| format!("{name}{round}"));
        assert_eq!(office.insert(&before).status, 201);
        office.portal.wait_until_idle();
        let strace =
            Strace::of(&office.portal, Threads::Writer, &["trace=fsync", &[FAIL, "1"].concat()]);
        assert_eq!(office.insert(&refused).status, 503);
        let status = office.portal.ends_within(Duration::from_secs(10));
        drop(strace);
        assert_eq!(status.expect("it ends by itself").code(), UNSYNCED);

        // The start determines what the disk has kept. Later writes are durable.
        office.portal.up();
        assert!(office.folder(&before).is_some());
        let kept = office.folder(&refused);
        assert_eq!(office.insert(&after).status, 201);
        office.portal.kill();
        office.portal.up();
        assert_eq!(office.folder(&refused), kept);
        assert!(office.folder(&after).is_some());
        office.portal.is_whole();
    }
}

#[test]
fn failed_sync_of_the_database_file_ends_the_program_without_loss() {
    if !can_strace("a database file that cannot be synced") {
        return;
    }
    let mut office = Office::open();
    let file = office.portal.data.join("portaria.db");
    let only = format!("-P{}", file.display());
    let command = |office: &Office| {
        let writer = office.portal.threads().into_iter().find(|(_, name)| name == "db-write");
        let mut strace = Command::new("strace");
        strace.args(["-q", "-o", "/dev/null", &only, "-e", &[FAIL, "1+"].concat()]);
        strace.args(["-p", &writer.unwrap().0]);
        strace
    };
    let mut strace = command(&office).spawn().unwrap();
    let mut acknowledged = 0;
    while office.try_insert(&format!("p{acknowledged}")).is_ok_and(|answer| answer.is_success()) {
        acknowledged += 1;
        assert!(acknowledged < 5000, "no checkpoint was made");
    }
    let status = office.portal.ends_within(Duration::from_secs(10));
    drop(strace.kill());
    strace.wait().unwrap();
    assert_eq!(status.expect("it ends by itself").code(), UNSYNCED);
    office.portal.up();
    for number in 0..acknowledged {
        assert!(office.folder(&format!("p{number}")).is_some(), "p{number} of {acknowledged}");
    }
    office.portal.is_whole();
}

#[test]
fn start_on_a_disk_that_cannot_sync_names_the_reason() {
    if !can_strace("a start on a disk that keeps nothing") {
        return;
    }
    let mut office = Office::open();
    assert_eq!(office.insert("a").status, 201);
    office.portal.kill();
    let wrapper = ["strace", "-f", "-q", "-o", "/dev/null", "-e", "inject=fsync:error=EIO"];
    let started = office.portal.wrapped(&wrapper, &["serve"]).output().unwrap();
    // The parent of the data folder is synced first.
    assert!([UNSYNCED, Some(1)].contains(&started.status.code()), "{started:?}");
    let log = office.portal.data.join("portaria.db-wal");
    let only = format!("-P{}", log.display());
    let wrapper = ["strace", "-f", "-q", "-o", "/dev/null", &only, "-e", "inject=fsync:error=EIO"];
    let started = office.portal.wrapped(&wrapper, &["serve"]).output().unwrap();
    assert_eq!(started.status.code(), UNSYNCED, "{started:?}");
    office.portal.up();
    assert!(office.folder("a").is_some());
}

/// An upload that fails at a call leaves nothing, and the next one succeeds.
fn upload_fails_at(office: &Office, call: &str, error: &str, count: u32) {
    let expressions =
        [format!("trace={call}"), format!("inject={call}:error={error}:when={count}")];
    let expressions = [expressions[0].as_str(), &expressions[1]];
    let name = format!("{call}-{count}.pdf");
    let before = office.portal.files_in("blobs").len();
    office.portal.wait_until_idle();
    let strace = Strace::of(&office.portal, Threads::All, &expressions);
    let answer = office.try_upload(&name, &pdf(count, 50_000)).unwrap();
    drop(strace);
    assert_eq!(answer.status, 503, "{call} {count}: {answer:?}");
    assert_eq!(office.file(&name), None, "{call} {count}");
    assert_eq!(office.portal.files_in("blobs").len(), before, "{call} {count}");
    office.portal.is_whole();
    let answer = office.try_upload(&name, &pdf(count, 50_000)).unwrap();
    assert!(answer.is_success(), "{call} {count}: {answer:?}");
}

#[test]
fn file_that_cannot_be_synced_is_refused() {
    if !can_strace("a file that the disk does not keep") {
        return;
    }
    let office = Office::open();
    // The calls for its bytes, its parent folders, and the folder that contains its name.
    for count in 1..=4 {
        upload_fails_at(&office, "fsync", "EIO", count);
    }
    upload_fails_at(&office, "rename", "EROFS", 1);
    upload_fails_at(&office, "mkdir", "EROFS", 1);
}

#[test]
fn temporarily_failing_disk_is_retried() {
    if !can_strace("a disk that takes nothing for a while") {
        return;
    }
    let office = Office::open();
    for (number, error) in ["EROFS", "EIO", "ENOSPC"].into_iter().enumerate() {
        let inject = format!("inject=pwrite64:error={error}");
        let strace = Strace::of(&office.portal, Threads::Writer, &["trace=pwrite64", &inject]);
        let refused = office.insert(&format!("r{error}"));
        assert_eq!((refused.status, refused.header("retry-after")), (503, Some("1")), "{error}");
        let code = if error == "ENOSPC" { "53100" } else { "PGRST001" };
        assert_eq!(refused.json()["code"], code);
        let upload = office.try_upload("a.pdf", &pdf(1, 1000)).unwrap();
        let expected = if error == "ENOSPC" { (400, "507") } else { (503, "544") };
        assert_eq!((upload.status, upload.json()["statusCode"].as_str().unwrap()), expected);
        // Reads continue.
        assert_eq!(office.rows("folders?select=id").len(), 3 + number);
        drop(strace);
        assert_eq!(office.insert(error).status, 201);
        assert_eq!(office.folder(&format!("r{error}")), None);
    }
    office.portal.is_whole();
}
