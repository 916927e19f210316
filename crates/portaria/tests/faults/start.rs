//! Starts: killed at each step, refused with an exit status, exclusive on the data folder.

use std::{
    fs::{self, Permissions},
    net::TcpListener,
    os::unix::fs::PermissionsExt,
    thread::sleep,
    time::Duration,
};

use crate::{
    capabilities::{can_strace, is_long, say},
    server_process::{Portal, private},
    workload::Office,
};

const CALLS: [&str; 9] =
    ["openat", "mkdir", "pwrite64", "fsync", "write", "link", "unlink", "ftruncate", "rename"];

#[test]
fn first_start_survives_a_kill_at_every_call() {
    if !can_strace("the first start") {
        return;
    }
    let mut kills = 0;
    for call in CALLS {
        let mut count = 1;
        loop {
            let mut portal = Portal::new();
            let [trace, inject] =
                [format!("trace={call}"), format!("inject={call}:signal=KILL:when={count}")];
            let wrapper =
                ["strace", "-D", "-f", "-q", "-o", "/dev/null", "-e", &trace, "-e", &inject];
            let mut started = portal.launch(portal.wrapped(&wrapper, &["serve"]));
            let died = loop {
                if started.try_wait().unwrap().is_some() {
                    break true;
                }
                if portal.ask("GET", "/ready", &[], b"").is_ok_and(|answer| answer.is_success()) {
                    break false;
                }
                sleep(Duration::from_millis(5));
            };
            if !died {
                Portal::end(started);
                break;
            }
            kills += 1;
            portal.up();
            let office = Office::of(portal);
            assert_eq!(office.insert("a").status, 201, "{call} {count}");
            office.portal.is_whole();
            count += if is_long() { 1 } else { count * 4 };
        }
    }
    assert!(kills >= 8, "too few kills: {kills}");
    say(&format!("first start: {kills} kills, the next start is whole"));
}

#[test]
fn exit_status_tells_why_a_start_failed() {
    let code = |portal: &Portal| {
        let ended = portal.run(&["serve"]);
        assert!(!ended.stderr.is_empty(), "no output");
        ended.status.code()
    };
    let mut portal = Portal::new();
    portal.set("password_min", "three");
    assert_eq!(code(&portal), Some(2), "an invalid setting");
    let mut portal = Portal::new();
    portal.set("jwt_secret", "short");
    assert_eq!(code(&portal), Some(2), "a short secret");

    let portal = Portal::new();
    private(&portal.data);
    fs::set_permissions(&portal.data, Permissions::from_mode(0o755)).unwrap();
    assert_eq!(code(&portal), Some(1), "a folder readable by others");

    let portal = Portal::new();
    fs::write(&portal.data, "a file").unwrap();
    assert_eq!(code(&portal), Some(1), "no folder");

    let portal = Portal::new();
    let _other = TcpListener::bind(portal.address()).unwrap();
    assert_eq!(code(&portal), Some(3), "an address in use");
}

#[test]
fn folder_is_locked_by_one_process_until_it_ends() {
    let mut first = Portal::start();
    let second = Portal::at(tempfile::tempdir().unwrap(), first.data.clone());
    let refused = second.run(&["serve"]);
    assert_eq!(refused.status.code(), Some(3), "{refused:?}");
    assert!(String::from_utf8_lossy(&refused.stderr).contains("already serves"));
    // Commands may run in parallel.
    assert!(second.run(&["fsck"]).status.success());
    first.kill();
    let mut second = second;
    second.up();
}
