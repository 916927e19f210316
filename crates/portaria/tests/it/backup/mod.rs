//! Backups: created while the portal runs, and restored completely or not at all.

mod copy_command;
mod corruption;
mod crash;
mod create;
mod restore;
mod s3;
mod schedule;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use portaria::{
    backup::{
        self, BackupError, BackupReport,
        restore::{RestoreOptions, RestoreReport},
    },
    config::{BackupDestination, Config},
    db::{self, Cell, dump::DumpReader},
    jobs::scheduled_backup,
    schema::migrations::database_source,
};
use sea_query::{Expr, ExprTrait, Query};
use serde_json::json;
use tempfile::TempDir;

use crate::auth::signing_keys::use_new_key;
use crate::harness::{TestPortal, TestUser, run_blocking};

/// A folder for backups, outside the data folder.
fn target() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn folder(path: &Path) -> BackupDestination {
    BackupDestination::Folder(path.to_owned())
}

async fn back_up(portal: &TestPortal, to: &Path) -> BackupReport {
    backup::run(&portal.app, &folder(to), None).await.unwrap()
}

/// Makes a backup and records its result, as the scheduled job does.
pub(crate) async fn make_and_record(portal: &TestPortal, to: &BackupDestination) {
    let result = backup::run(&portal.app, to, None).await;
    scheduled_backup::record_result(&portal.app, &result).await.unwrap();
    result.unwrap();
}

fn restore_options(from: &Path) -> RestoreOptions {
    RestoreOptions { from: folder(from), snapshot: None, replace: false }
}

async fn rehearse(portal: &TestPortal, from: &Path) -> Result<RestoreReport, BackupError> {
    let rehearsed = portaria::backup::restore::verify_restore(
        &portal.app.config,
        portal.clock(),
        restore_options(from),
    )
    .await;
    assert!(!portal.folder("rehearsal").exists());
    rehearsed
}

/// All rows of a database, except sessions, uploads and the leases of running backups.
pub(crate) fn rows(config: &Config) -> BTreeMap<String, Vec<String>> {
    run_blocking(|| read_rows(config))
}

fn read_rows(config: &Config) -> BTreeMap<String, Vec<String>> {
    let mut reader = DumpReader::open(&database_source(config)).unwrap();
    let mut all = BTreeMap::new();
    for table in reader.tables.clone() {
        let mut rows = Vec::new();
        let see = |row: db::Row<'_>| {
            let cells: Vec<Cell<'_>> =
                (0..table.columns.len()).map(|place| row.cell(place)).collect();
            rows.push(format!("{cells:?}"));
            Ok::<_, db::Error>(())
        };
        reader.rows(&table, see).unwrap();
        rows.retain(|row| !row.contains("Text(\"backup "));
        if !["sessions", "uploads", "renditions"].contains(&table.name.as_str()) {
            all.insert(table.name, rows);
        }
    }
    all
}

/// The number of rows of a table whose key has a prefix.
async fn rows_of(
    portal: &TestPortal,
    table: &'static str,
    key: &'static str,
    begins: &str,
) -> usize {
    let begins = format!("{begins}%");
    let read = move |tx: &mut db::Tx<'_>| {
        let mut query = Query::select();
        query.column(key).from(table).and_where(Expr::col(key).like(begins));
        tx.rows(&query).map(|rows| rows.iter().count())
    };
    portal.app.db.read::<_, db::Error, _>(read).await.unwrap()
}

/// The stored blobs by name.
fn blobs(portal: &TestPortal) -> BTreeMap<String, Vec<u8>> {
    let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    portal.files_in("blobs").iter().map(|path| (name(path), fs::read(path).unwrap())).collect()
}

/// The files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

fn snapshots(folder: &Path) -> Vec<String> {
    let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    let named = files(&folder.join("snapshots")).iter().map(name).collect::<Vec<_>>();
    named.iter().map(|name| name.split_once('.').unwrap().0.to_owned()).collect()
}

/// Creates an office with some rows in most tables, and texts that are hard to encode.
async fn office(portal: &TestPortal) -> (TestUser, TestUser) {
    use_new_key(portal).await;
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    for name in ["contrato.pdf", "b.pdf", "a.pdf"] {
        portal.document(&joao, "contratos", name).await;
    }
    let odd = "Linha\toutra\r\ncom \"aspas\", \\N, barras \\ e 👩‍💻 ção".to_owned();
    let ticket = portal.ticket(&joao, &odd).await;
    let reply = json!({"ticket_id": ticket, "body": format!("{odd}\n{odd}")});
    portal.post("/rest/v1/ticket_messages").auth(&ana).json(&reply).send().await.is(201);
    // A ticket that follows another one.
    let row = json!({"subject": "De novo", "message": "Uma mensagem longa o bastante.", "follow_up_of_id": ticket});
    portal.post("/rest/v1/tickets").auth(&joao).json(&row).send().await.is(201);
    (ana, joao)
}
