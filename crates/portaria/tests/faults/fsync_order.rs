//! The order in which an upload reaches the disk, read from what the program asked of the system: the bytes, the name, the
//! folder that holds the name, the row, and only then the answer.

use crate::{
    capabilities::can_strace,
    strace::{Strace, Threads},
    workload::{Office, pdf},
};

/// The number of the first line behind `after` that is such a call.
fn find(lines: &[String], after: usize, call: &str, about: &str) -> usize {
    let is_it = |line: &String| line.contains(&format!(" {call}(")) && line.contains(about);
    let found = lines.iter().skip(after + 1).position(is_it);
    let found = found.unwrap_or_else(|| {
        panic!("no {call} of {about} behind line {after}:\n{}", lines.join("\n"))
    });
    after + 1 + found
}

#[test]
fn what_is_acknowledged_was_put_on_the_disk_in_order() {
    if !can_strace("the order of an upload") {
        return;
    }
    let office = Office::open();
    let log = office.portal.data.join("../calls");
    let calls = "trace=write,pwrite64,fsync,fdatasync,rename,mkdir,sendto,sendmsg,writev,recvfrom";
    let strace = Strace::to(&office.portal, Threads::All, &[calls], &log);
    office.upload("a.pdf", &pdf(1, 50_000)).unwrap();
    drop(strace);
    let lines = std::fs::read_to_string(log).unwrap();
    // What is interrupted is told twice; a call counts from its beginning, and its end is found behind it.
    let lines: Vec<String> = lines.lines().map(str::to_owned).collect();
    let written = find(&lines, 0, "write", "/tmp/");
    let bytes = find(&lines, written, "fsync", "/tmp/");
    let made = find(&lines, bytes, "mkdir", "/blobs/");
    let around = find(&lines, made, "fsync", "/blobs/");
    let top = find(&lines, around, "fsync", "/blobs>");
    let named = find(&lines, top, "rename", "/blobs/");
    let kept = find(&lines, named, "fsync", "/blobs/");
    let row = find(&lines, kept, "pwrite64", "portaria.db-wal");
    let committed = find(&lines, row, "fsync", "portaria.db-wal");
    find(&lines, committed, "writev", "HTTP/1.1 200");
    // And not before.
    let early = lines[..committed].iter().filter(|line| line.contains("HTTP/1.1 200")).count();
    assert_eq!(early, 0, "{}", lines.join("\n"));
}
