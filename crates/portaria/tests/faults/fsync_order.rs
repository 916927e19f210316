//! The order of syncs of an upload, from a trace of system calls: the bytes, the rename, the parent folder, the row,
//! and then the response.

use crate::{
    capabilities::can_strace,
    strace::{Strace, Threads},
    workload::{Office, pdf},
};

/// The number of the first matching line after `after`.
fn find(lines: &[String], after: usize, call: &str, about: &str) -> usize {
    let is_it = |line: &String| line.contains(&format!(" {call}(")) && line.contains(about);
    let found = lines.iter().skip(after + 1).position(is_it);
    let found = found.unwrap_or_else(|| {
        panic!("no {call} of {about} after line {after}:\n{}", lines.join("\n"))
    });
    after + 1 + found
}

#[test]
fn upload_is_synced_before_its_acknowledgment() {
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
    // strace prints an interrupted call twice. The beginning counts, and the end is found after it.
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
    // The response must not come earlier.
    let early = lines[..committed].iter().filter(|line| line.contains("HTTP/1.1 200")).count();
    assert_eq!(early, 0, "{}", lines.join("\n"));
}
