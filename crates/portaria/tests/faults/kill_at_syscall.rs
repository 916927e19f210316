//! SIGKILL before every system call of a change. After the restart acknowledged changes are present, others are
//! complete or absent, and the data are consistent.

use std::{thread::sleep, time::Duration};

use crate::{
    capabilities::{can_strace, is_long, say},
    strace::{Strace, Threads},
    workload::{Office, pdf},
};

/// System calls at which the database thread is killed, and those of the other threads.
const OF_WRITER: [&str; 3] = ["pwrite64", "fsync", "ftruncate"];
const OF_OTHERS: [&str; 10] = [
    "openat",
    "write",
    "mkdir",
    "fsync",
    "rename",
    "unlink",
    "ftruncate",
    "writev",
    "sendto",
    "close",
];
/// More calls of one name than a change makes.
const CALLS: u32 = 10_000;
/// Size of a file: larger than one buffer.
const SIZE: usize = 150_000;
/// Length of the write-ahead log from which the next commit starts a checkpoint.
const LONG_LOG: u64 = 1000 * 4120;

/// A change: its preparation, the change itself (whether it was acknowledged), and the check afterwards.
struct Change {
    prepare: fn(&Office, u32),
    act: fn(&Office, u32) -> bool,
    check: fn(&Office, u32, bool),
}

/// The tested counts: all of them, or increasingly sparse ones.
pub(crate) fn counts() -> impl Iterator<Item = u32> {
    let mut step = 1;
    let further = move |count: &u32| {
        step = if is_long() { 1 } else { step * 4 };
        Some(count + step).filter(|count| *count < CALLS)
    };
    std::iter::successors(Some(1), further)
}

fn kill_at_each_call(name: &str, change: &Change) {
    if !can_strace(name) {
        return;
    }
    let mut office = Office::open();
    let (mut number, mut kills) = (0, 0);
    let of =
        |threads: Threads, calls: &'static [&str]| calls.iter().map(move |call| (threads, *call));
    let steps = of(Threads::Writer, &OF_WRITER).chain(of(Threads::All, &OF_OTHERS));
    for (threads, call) in steps {
        for count in counts() {
            number += 1;
            (change.prepare)(&office, number);
            let strace = Strace::kill(&office.portal, threads, call, count);
            let acknowledged = (change.act)(&office, number);
            drop(strace);
            // A kill after the response precedes any further response.
            if acknowledged && office.portal.ask("GET", "/health", &[], b"").is_ok() {
                break;
            }
            let Some(status) = office.portal.ends_within(Duration::from_secs(5)) else {
                panic!("{call} {count}: no response, and the server runs");
            };
            kills += 1;
            assert!(!status.success(), "{call} {count}: {status}");
            office.portal.up();
            (change.check)(&office, number, acknowledged);
            office.portal.is_whole();
        }
        (change.check)(&office, number, true);
    }
    assert!(kills >= 5, "too few kills: {kills}");
    say(&format!("{name}: {kills} kills, nothing lost"));
}

/// The folder is present as sent, or absent.
fn folder_is(office: &Office, id: &str, name: &str, acknowledged: bool) {
    let found = office.folder(id);
    assert!(found.is_some() || !acknowledged, "{id} is lost");
    assert!(found.is_none_or(|found| found == name), "{id} differs from the acknowledged state");
}

/// The file is complete or absent.
fn file_is(office: &Office, name: &str, bytes: &[u8], acknowledged: bool) {
    let found = office.file(name);
    assert!(found.is_some() || !acknowledged, "{name} is lost");
    assert!(found.is_none_or(|found| found == bytes), "{name} differs from the sent bytes");
}

#[test]
fn insert_survives_a_kill_at_every_call() {
    kill_at_each_call(
        "insert",
        &Change {
            prepare: |_, _| {},
            act: |office, number| office.insert_folder(&format!("p{number}"), "Pasta").is_some(),
            check: |office, number, acknowledged| {
                folder_is(office, &format!("p{number}"), "Pasta", acknowledged);
            },
        },
    );
}

#[test]
fn upsert_survives_a_kill_at_every_call() {
    kill_at_each_call(
        "upsert",
        &Change {
            prepare: |office, number| {
                office.insert_folder(&format!("p{number}"), "antes").unwrap();
            },
            act: |office, number| office.upsert_folder(&format!("p{number}"), "depois").is_some(),
            check: |office, number, acknowledged| {
                let found = office.folder(&format!("p{number}")).unwrap();
                assert!(found == "depois" || (found == "antes" && !acknowledged), "{found}");
            },
        },
    );
}

#[test]
fn upload_survives_a_kill_at_every_call() {
    kill_at_each_call(
        "upload",
        &Change {
            prepare: |_, _| {},
            act: |office, number| {
                office.upload(&format!("{number}.pdf"), &pdf(number, SIZE)).is_some()
            },
            check: |office, number, acknowledged| {
                file_is(office, &format!("{number}.pdf"), &pdf(number, SIZE), acknowledged);
            },
        },
    );
}

#[test]
fn replacement_survives_a_kill_at_every_call() {
    kill_at_each_call(
        "replacement",
        &Change {
            prepare: |office, number| {
                office.upload(&format!("{number}.pdf"), &pdf(0, SIZE)).unwrap();
            },
            act: |office, number| {
                office.replace(&format!("{number}.pdf"), &pdf(number, SIZE)).is_some()
            },
            check: |office, number, acknowledged| {
                let found = office
                    .file(&format!("{number}.pdf"))
                    .expect("neither the old nor the new content");
                let is_new = found == pdf(number, SIZE);
                assert!(is_new || (found == pdf(0, SIZE) && !acknowledged));
            },
        },
    );
}

#[test]
fn resumable_upload_survives_a_kill_at_every_call() {
    kill_at_each_call(
        "resumable upload",
        &Change {
            prepare: |_, _| {},
            act: |office, number| {
                let bytes = pdf(number, SIZE);
                let name = format!("{number}.pdf");
                let Some(address) = office.begin(&name, SIZE) else { return false };
                let half = office.resume(&address, &bytes[..SIZE / 2], 0);
                half.is_some() && office.resume(&address, &bytes, SIZE / 2).is_some()
            },
            check: |office, number, acknowledged| {
                file_is(office, &format!("{number}.pdf"), &pdf(number, SIZE), acknowledged);
            },
        },
    );
}

#[test]
fn resumable_chunk_continues_after_a_kill_at_every_call() {
    kill_at_each_call(
        "piece",
        &Change {
            prepare: |office, number| {
                let address = office.begin(&format!("{number}.pdf"), SIZE).unwrap();
                office.resume(&address, &pdf(number, SIZE)[..SIZE / 3], 0).unwrap();
                std::fs::write(office.portal.data.join(format!("../{number}")), address).unwrap();
            },
            act: |office, number| {
                let address = address(office, number);
                office.resume(&address, &pdf(number, SIZE), SIZE / 3).is_some()
            },
            check: |office, number, acknowledged| {
                let address = address(office, number);
                let offset = office.offset(&address);
                assert!(offset >= if acknowledged { SIZE } else { SIZE / 3 });
                let bytes = pdf(number, SIZE);
                if offset < SIZE {
                    office.resume(&address, &bytes, offset).unwrap();
                }
                file_is(office, &format!("{number}.pdf"), &bytes, true);
            },
        },
    );
}

/// The URL of the resumable upload with this number, as its client stored it.
fn address(office: &Office, number: u32) -> String {
    std::fs::read_to_string(office.portal.data.join(format!("../{number}"))).unwrap()
}

#[test]
fn deletion_survives_a_kill_at_every_call() {
    kill_at_each_call(
        "deletion",
        &Change {
            prepare: |office, number| {
                let name = format!("{number}.pdf");
                office.upload(&name, &pdf(number, SIZE)).unwrap();
                office.document(&name);
            },
            act: |office, number| office.delete_document(&format!("{number}.pdf")).is_some(),
            check: |office, number, acknowledged| {
                let file = office.file(&format!("{number}.pdf"));
                let rows = shown(office, number).len();
                assert_eq!(
                    rows,
                    usize::from(file.is_some()),
                    "the row and its file must be deleted together"
                );
                assert!(!(acknowledged && file.is_some()), "the deleted document returned");
                assert!(file.is_none_or(|file| file == pdf(number, SIZE)));
            },
        },
    );
}

fn shown(office: &Office, number: u32) -> Vec<serde_json::Value> {
    office.rows(&format!("documents?select=id&name=eq.{number}.pdf"))
}

#[test]
fn checkpoint_survives_a_kill_at_every_call() {
    kill_at_each_call(
        "writing back",
        &Change {
            prepare: |office, number| {
                let mut more = 0;
                while office.portal.log_size() < LONG_LOG - 100_000 {
                    more += 1;
                    office.insert_folder(&format!("m{number}-{more}"), "Mais").unwrap();
                }
            },
            act: |office, number| {
                // The checkpoint begins within these commits.
                let all = (0..20).all(|more| {
                    office.insert_folder(&format!("p{number}-{more}"), "Pasta").is_some()
                });
                // No answer waits for the checkpoint, and a request for its end would add system calls.
                sleep(Duration::from_millis(30));
                all
            },
            check: |office, number, acknowledged| {
                let mut is_there = true;
                for more in 0..20 {
                    let found = office.folder(&format!("p{number}-{more}"));
                    assert!(found.is_some() || !acknowledged, "p{number}-{more} is lost");
                    assert!(is_there || found.is_none(), "a gap before p{number}-{more}");
                    is_there = found.is_some();
                }
            },
        },
    );
}
