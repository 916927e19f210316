//! Corrupt database files.

use std::{
    collections::BTreeMap,
    fs::{self, File, OpenOptions},
    os::unix::fs::FileExt,
    path::Path,
    process::Output,
};

use rusqlite::{Connection, OpenFlags, types::Value};

use crate::{
    capabilities::{either, say},
    workload::{Office, pdf},
};

/// The exit status for a corrupt database.
const DAMAGED: Option<i32> = Some(4);

fn office_with_data() -> Office {
    let office = Office::open();
    for number in 0..60 {
        office.insert_folder(&format!("p{number}"), "Pasta").unwrap();
    }
    office.upload("a.pdf", &pdf(1, 1000)).unwrap();
    office.document("a.pdf");
    office
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn corrupt_database_is_not_served() {
    let mut office = office_with_data();
    assert!(office.portal.stop().success());
    let path = office.portal.data.join("portaria.db");
    let sound = fs::read(&path).unwrap();
    let spoilt: [(&str, usize, &[u8]); 3] = [
        ("its head", 0, &[0; 100]),
        ("a page", 4096 * 3, &[0xff; 512]),
        ("the schema", 100, &[0xff; 64]),
    ];
    for (what, at, bytes) in spoilt {
        let mut damaged = sound.clone();
        damaged[at..at + bytes.len()].copy_from_slice(bytes);
        fs::write(&path, &damaged).unwrap();
        let served = office.portal.run(&["serve"]);
        assert_eq!(served.status.code(), DAMAGED, "{what}: {served:?}");
        assert!(said(&served).contains("backup"), "{what}: {served:?}");
        assert!(!office.portal.run(&["fsck"]).status.success(), "{what}");
        assert_eq!(fs::read(&path).unwrap(), damaged, "{what}: the file was modified");
    }
    // A truncated file.
    fs::write(&path, &sound[..sound.len() / 2]).unwrap();
    assert_eq!(office.portal.run(&["serve"]).status.code(), DAMAGED);
    fs::write(&path, sound).unwrap();
    office.portal.up();
    assert!(office.folder("p59").is_some());
}

#[test]
fn invalid_utf8_is_detected() {
    let mut office = office_with_data();
    assert!(office.portal.stop().success());
    let path = office.portal.data.join("portaria.db");
    let sound = fs::read(&path).unwrap();
    // No index contains the text.
    let at = sound.windows(5).position(|bytes| bytes == b"Pasta").unwrap();
    let mut damaged = sound;
    damaged[at + 1] = 0xff;
    fs::write(&path, &damaged).unwrap();
    let looked = office.portal.run(&["fsck"]);
    assert!(!looked.status.success());
    assert!(said(&looked).contains("a text of "), "{looked:?}");
}

#[test]
fn truncated_wal_loses_its_end_only() {
    for cut in either(vec![1, 30, 5000], (1..400).map(|piece| piece * 25).collect()) {
        let mut office = Office::open();
        office.insert_folder("first", "Pasta").unwrap();
        let kept = office.portal.log_size();
        office.insert_folder("second", "Pasta").unwrap();
        office.portal.kill();
        let log = office.portal.data.join("portaria.db-wal");
        // Jobs of the program may have written before and after "second"; the cut removes that as well.
        let end = end_of_transaction(&fs::read(&log).unwrap(), kept);
        let left = end.saturating_sub(cut).max(kept);
        OpenOptions::new().write(true).open(&log).unwrap().set_len(left).unwrap();
        office.portal.up();
        assert!(office.folder("first").is_some());
        assert_eq!(office.folder("second"), None, "{cut}");
        office.portal.is_whole();
    }
}

/// The offset at which the transaction ends that begins at `start`.
/// Only the last frame of a transaction has a size of the database in its header.
/// Source: <https://www.sqlite.org/fileformat2.html#the_write_ahead_log>
fn end_of_transaction(log: &[u8], start: u64) -> u64 {
    const FRAME: usize = 24 + 4096;
    let mut end = usize::try_from(start).unwrap();
    for frame in log[end..].chunks_exact(FRAME) {
        end += FRAME;
        if frame[4..8] != [0; 4] {
            break;
        }
    }
    u64::try_from(end).unwrap()
}

/// The complete content of a database, table by table.
fn content(path: &Path) -> rusqlite::Result<BTreeMap<String, Vec<Vec<Value>>>> {
    let file = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let mut names = file
        .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")?;
    let names: Vec<String> =
        names.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let mut tables = BTreeMap::new();
    for name in names {
        let mut all = file.prepare(&format!("SELECT * FROM \"{name}\" NOT INDEXED"))?;
        let width = all.column_count();
        let read = |row: &rusqlite::Row<'_>| (0..width).map(|column| row.get(column)).collect();
        let rows = all.query_map([], read)?.collect::<rusqlite::Result<_>>()?;
        tables.insert(name, rows);
    }
    Ok(tables)
}

/// SQLite has no page checksums. A flipped bit inside a value is detected only if an index or the audit chain contains
/// the value too. Guaranteed is that no row disappears or appears unnoticed, and that nothing crashes.
#[test]
fn bit_flips_never_hide_a_row() {
    let mut office = office_with_data();
    assert!(office.portal.stop().success());
    let path = office.portal.data.join("portaria.db");
    let sound = content(&path).unwrap();
    let size = fs::metadata(&path).unwrap().len();
    let flips = either(16, 2000);
    let (mut found, mut harmless, mut within) = (0, 0, 0);
    for flip in 0..flips {
        // Distributed over the pages and over the offsets within them.
        let at = (flip * (size / flips) + flip * 97) % size;
        let mut byte = [0];
        let file = File::options().read(true).write(true).open(&path).unwrap();
        file.read_exact_at(&mut byte, at).unwrap();
        let bent = byte[0] ^ (1 << (flip % 8));
        file.write_all_at(&[bent], at).unwrap();
        let looked = office.portal.run(&["fsck"]);
        let code = looked.status.code();
        assert!(code.is_some(), "byte {at}: {looked:?}");
        if code == Some(0) {
            let now = content(&path).unwrap_or_else(|error| panic!("byte {at}: {error}"));
            if now == sound {
                harmless += 1;
            } else {
                within += 1;
                let counts = |tables: &BTreeMap<String, Vec<Vec<Value>>>| {
                    tables.iter().map(|(name, rows)| (name.clone(), rows.len())).collect::<Vec<_>>()
                };
                assert_eq!(counts(&now), counts(&sound), "byte {at}");
            }
        } else {
            found += 1;
        }
        file.write_all_at(&byte, at).unwrap();
        for beside in ["portaria.db-wal", "portaria.db-shm"] {
            drop(fs::remove_file(office.portal.data.join(beside)));
        }
    }
    say(&format!(
        "{flips} bits flipped: {found} found, {harmless} harmless, {within} within values that nothing else holds"
    ));
    assert!(content(&path).unwrap() == sound);
}
