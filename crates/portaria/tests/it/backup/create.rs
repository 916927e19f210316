//! Creation of backups: concurrent with writes, each file stored once.

use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
};

use jiff::SignedDuration;
use portaria::{
    backup::{self, BackupError},
    db::{Tx, dump::DumpReader},
    jobs::garbage_collect,
    lease::Lease,
    schema::DOCUMENTS_BUCKET,
    schema::migrations::database_source,
};
use rustix::fs::{CWD, FileType, Mode, mknodat};
use sea_query::{Expr, ExprTrait, Query};
use serde_json::json;
use tokio::task::spawn_blocking;

use crate::backup::{back_up, blobs, files, folder, office, rehearse, rows_of, snapshots, target};
use crate::harness::{PDF, TestPortal, object, portal_test, run_blocking, run_on_sqlite};

/// The tables and columns according to the database itself.
pub(crate) fn schema(portal: &TestPortal) -> Vec<(String, Vec<String>)> {
    let mut all: Vec<(String, Vec<String>)> = Vec::new();
    let mut add = |table: String, column: String| match all.last_mut() {
        Some((last, columns)) if *last == table => columns.push(column),
        _ => all.push((table, vec![column])),
    };
    if portal.database_url().is_empty() {
        let database = rusqlite::Connection::open(portal.folder("portaria.db")).unwrap();
        let mut asked = database
            .prepare(
                "SELECT t.name, c.name FROM pragma_table_list t JOIN pragma_table_info(t.name) c \
                 WHERE t.schema = 'main' AND t.type = 'table' \
                 AND t.name NOT IN ('migrations', 'sqlite_schema') ORDER BY t.name, c.cid",
            )
            .unwrap();
        let found = asked.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        for row in found {
            let (table, column) = row.unwrap();
            add(table, column);
        }
    } else {
        let mut database =
            postgres::Client::connect(portal.database_url(), postgres::NoTls).unwrap();
        let found = database
            .query(
                "SELECT c.table_name::text COLLATE \"C\", c.column_name::text FROM information_schema.columns c \
                 JOIN information_schema.tables t USING (table_schema, table_name) \
                 WHERE t.table_schema = 'public' AND t.table_type = 'BASE TABLE' AND t.table_name <> 'migrations' \
                 ORDER BY 1, c.ordinal_position",
                &[],
            )
            .unwrap();
        for row in &found {
            add(row.get(0), row.get(1));
        }
    }
    all
}

portal_test!(second_backup_adds_only_changes, async |portal| {
    let (_, joao) = office(portal).await;
    let to = target();
    let first = back_up(portal, to.path()).await;
    let stored = |to: &std::path::Path| files(&to.join("blobs")).len();
    assert_eq!((first.files, first.new_bytes, stored(to.path())), (3, 3 * PDF.len() as u64, 3));
    let second = back_up(portal, to.path()).await;
    assert_eq!((second.files, second.new_bytes, stored(to.path())), (3, 0, 3));
    portal.document(&joao, "contratos", "novo.pdf").await;
    let third = back_up(portal, to.path()).await;
    assert_eq!((third.files, third.new_bytes, stored(to.path())), (4, PDF.len() as u64, 4));
    assert_eq!(third.snapshots, 3);
    assert_eq!(files(&to.path().join("tmp")), Vec::<std::path::PathBuf>::new());
});

portal_test!(garbage_collection_pauses_during_a_backup, async |portal| {
    let joao = portal.client("joao").await;
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    portal.delete_for_good(&document).await;
    portal.advance(SignedDuration::from_hours(2));
    // The marker of a backup by another process.
    let pause = Lease::acquire(&portal.app, "backup pause x".into()).await.unwrap();
    garbage_collect::run(&portal.app).await.unwrap();
    assert_eq!(blobs(portal).len(), 1);
    // The other process has crashed.
    portal.advance(SignedDuration::from_mins(11));
    garbage_collect::run(&portal.app).await.unwrap();
    assert_eq!(blobs(portal).len(), 0);
    assert_eq!(rows_of(portal, "system_state", "name", "backup pause").await, 0);
    drop(pause);

    let document = portal.document(&joao, "contratos", "b.pdf").await;
    let to = target();
    back_up(portal, to.path()).await;
    portal.delete_for_good(&document).await;
    portal.advance(SignedDuration::from_hours(2));
    // The backup left no marker that would stop the garbage collection.
    garbage_collect::run(&portal.app).await.unwrap();
    assert_eq!(blobs(portal).len(), 0);
});

portal_test!(writes_continue_during_a_backup, async |portal| {
    let (_, joao) = office(portal).await;
    let to = target();
    let place = folder(to.path());
    let writing = async {
        for number in 0..10 {
            portal.ticket(&joao, &format!("Dúvida {number}")).await;
        }
    };
    let (made, ()) = futures_util::join!(backup::run(&portal.app, &place, None), writing);
    made.unwrap();
    rehearse(portal, to.path()).await.unwrap();
});

portal_test!(backup_holds_no_locks_while_reading, async |portal| {
    let (ana, joao) = office(portal).await;
    // The snapshot as a backup holds it, from the first query to the last row.
    let mut reader =
        run_blocking(|| DumpReader::open(&database_source(&portal.app.config)).unwrap());
    let tables = reader.tables.clone();
    let mut count = |name: &str| {
        let table = tables.iter().find(|table| table.name == name).unwrap();
        let mut count = 0;
        run_blocking(|| {
            reader.rows(table, |_| {
                count += 1;
                Ok::<_, portaria::db::Error>(())
            })
        })
        .unwrap();
        count
    };
    let before = [count("tickets"), count("documents")];
    // A lock of the backup would make one of these wait until it times out: insert, update, delete, upload.
    let document = portal.document(&joao, "contratos", "novo.pdf").await;
    let ticket = portal.ticket(&joao, "Enquanto isso").await;
    let row = format!("/rest/v1/tickets?id=eq.{ticket}");
    portal.patch(&row).auth(&ana).json(&json!({"status": "closed"})).send().await.is(204);
    let row = format!("/rest/v1/documents?id=eq.{}", document.id);
    portal.delete(&row).auth(&ana).send().await.is(204);
    garbage_collect::run(&portal.app).await.unwrap();
    assert_eq!([count("tickets"), count("documents")], before);
    // The connection must not be closed on a thread that drives a runtime.
    run_blocking(move || drop(reader));
});

portal_test!(missing_blob_does_not_stop_the_backup_of_the_others, async |portal| {
    let (_, joao) = office(portal).await;
    let to = target();
    let lost = portal.files_in("blobs").remove(0);
    fs::remove_file(&lost).unwrap();
    let bent = portal.files_in("blobs").remove(0);
    fs::write(&bent, [&PDF[1..], b"x"].concat()).unwrap();
    let made = back_up(portal, to.path()).await;
    assert_eq!((made.files, made.broken.len()), (1, 2));
    let rehearsed = rehearse(portal, to.path()).await.unwrap();
    assert_eq!((rehearsed.files, rehearsed.broken), (1, 2));

    // A blob that is in the backup stays there.
    portal.document(&joao, "contratos", "novo.pdf").await;
    let second = back_up(portal, to.path()).await;
    let kept = files(&to.path().join("blobs")).remove(0);
    let name = kept.file_name().unwrap().to_str().unwrap();
    let live = portal.files_in("blobs").into_iter().find(|path| path.ends_with(name)).unwrap();
    fs::remove_file(live).unwrap();
    assert_eq!(back_up(portal, to.path()).await.files, second.files);
});

portal_test!(folder_that_is_no_backup_is_left_alone, async |portal| {
    let to = target();
    fs::write(to.path().join("férias.txt"), "fotos").unwrap();
    let refused = backup::run(&portal.app, &folder(to.path()), None).await.unwrap_err();
    assert!(matches!(refused, BackupError::NotABackup(_)), "{refused}");
    assert_eq!(files(to.path()).len(), 1);
    let refused =
        backup::run(&portal.app, &folder(&portal.folder("backups")), None).await.unwrap_err();
    assert!(matches!(refused, BackupError::Refused(_)), "{refused}");
    // The same folder by another path.
    let link = to.path().join("link");
    symlink(portal.folder("."), &link).unwrap();
    let refused = backup::run(&portal.app, &folder(&link.join("backups")), None).await.unwrap_err();
    assert!(matches!(refused, BackupError::Refused(_)), "{refused}");
    let file = target();
    let file = file.path().join("file");
    fs::write(&file, "x").unwrap();
    let refused = backup::run(&portal.app, &folder(&file.join("deeper")), None).await.unwrap_err();
    assert!(matches!(refused, BackupError::Io(..)), "{refused}");
});

portal_test!(concurrent_backups_do_not_share_a_folder, async |portal| {
    office(portal).await;
    let to = target();
    let place = folder(to.path());
    let (one, two) = futures_util::join!(
        backup::run(&portal.app, &place, None),
        backup::run(&portal.app, &place, None)
    );
    let made = [&one, &two].into_iter().filter(|made| made.is_ok()).count();
    for refused in [one, two].into_iter().filter_map(Result::err) {
        assert!(matches!(refused, BackupError::Busy(_)), "{refused}");
    }
    assert_eq!(snapshots(to.path()).len(), made);
});

portal_test!(scheduled_backup_is_postponed_while_another_runs, async |portal| {
    office(portal).await;
    let to = target();
    back_up(portal, to.path()).await;
    let other = fs::File::open(to.path().join("lock")).unwrap();
    other.lock().unwrap();
    let refused = backup::run(&portal.app, &folder(to.path()), None).await.unwrap_err();
    assert!(matches!(refused, BackupError::Busy(_)), "{refused}");
    drop(other);
    assert_eq!(back_up(portal, to.path()).await.snapshots, 2);
});

portal_test!(full_disk_leaves_no_partial_snapshot, async |portal| {
    let (_, joao) = office(portal).await;
    let to = target();
    back_up(portal, to.path()).await;
    portal.document(&joao, "contratos", "novo.pdf").await;
    // More than any disk has free.
    portal.set("min_free_space", "1000000 GiB");
    let full = backup::run(&portal.app, &folder(to.path()), None).await.unwrap_err();
    assert!(matches!(full, BackupError::NoSpace(_)), "{full}");
    assert_eq!(snapshots(to.path()).len(), 1);
    portal.set("min_free_space", "1 MiB");
    rehearse(portal, to.path()).await.unwrap();
    let joao = portal.sign_in(&joao.email).await;
    let path = portal.upload(&joao, "contratos", "mais.pdf").await;
    portal.get(&object(&path)).bearer(&portal.app.keys.service_role).send().await.is(200);
    assert_eq!(back_up(portal, to.path()).await.snapshots, 2);
});

/// A file system of limited size, mounted while the value exists. Mounting requires root.
struct Disk(PathBuf);

impl Disk {
    fn of(megabytes: u32, at: &Path) -> Option<Self> {
        let size = format!("size={megabytes}m");
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(at).output();
        mounted.is_ok_and(|output| output.status.success()).then(|| Self(at.to_owned()))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        drop(Command::new("umount").arg(&self.0).status());
    }
}

#[test]
fn disk_that_fills_up_keeps_earlier_snapshots() {
    run_on_sqlite(async |portal| {
        let to = target();
        let Some(_disk) = Disk::of(2, to.path()) else {
            crate::harness::skipped("mounting a small file system requires root");
            return;
        };
        portal.set("min_free_space", "1");
        let joao = portal.client("joao").await;
        portal.document(&joao, "contratos", "a.pdf").await;
        back_up(portal, to.path()).await;
        let path = format!("public/{}/contratos/grande.pdf", joao.id);
        let big = [PDF, &vec![b'x'; 3 << 20]].concat();
        let put = portal.post(&object(&path)).bearer(&portal.app.keys.service_role);
        put.bytes("application/pdf", big).send().await.is(200);
        let full = backup::run(&portal.app, &folder(to.path()), None).await.unwrap_err();
        assert!(matches!(full, BackupError::NoSpace(_)), "{full}");
        assert_eq!(snapshots(to.path()).len(), 1);
        assert_eq!(rehearse(portal, to.path()).await.unwrap().files, 1);
    });
}

#[test]
fn garbage_collection_resumes_after_the_backup() {
    run_on_sqlite(async |portal| {
        let joao = portal.client("joao").await;
        let gone = portal.document(&joao, "contratos", "a.pdf").await;
        portal.delete_for_good(&gone).await;
        portal.advance(SignedDuration::from_hours(2));
        // A backup that blocks at its lock file until the other end of the pipe is opened.
        let to = target();
        let (lock, app) = (to.path().join("lock"), Arc::clone(&portal.app));
        mknodat(CWD, &lock, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let to = folder(to.path());
        let making = tokio::spawn(async move { backup::run(&app, &to, None).await });
        while rows_of(portal, "system_state", "name", "backup pause").await == 0 {
            tokio::task::yield_now().await;
        }
        garbage_collect::run(&portal.app).await.unwrap();
        assert_eq!(portal.files_in("blobs").len(), 1);
        let other_end = spawn_blocking(|| fs::File::open(lock)).await.unwrap().unwrap();
        making.await.unwrap().unwrap();
        drop(other_end);
        garbage_collect::run(&portal.app).await.unwrap();
        assert_eq!(portal.files_in("blobs").len(), 0);
    });
}

portal_test!(faults_that_the_office_has_already_do_not_prevent_a_restore, async |portal| {
    let (_, joao) = office(portal).await;
    let to = target();
    for name in ["contrato.pdf", "b.pdf", "a.pdf"] {
        let path = format!("public/{}/contratos/{name}", joao.id);
        let copy = json!({
            "bucketId": DOCUMENTS_BUCKET, "sourceKey": path, "destinationKey": format!("{path}.pdf"),
        });
        let request = portal.post("/storage/v1/object/copy").bearer(&portal.app.keys.service_role);
        request.json(&copy).send().await.is(200);
    }
    let mut query = Query::select();
    query.column("blob").from("objects");
    query.and_where(Expr::col("name").eq(format!("public/{}/contratos/b.pdf", joao.id)));
    let read =
        move |tx: &mut Tx<'_>| tx.rows(&query)?.iter().next().unwrap().text(0).map(str::to_owned);
    let blob = portal.app.db.read(read).await.unwrap();
    let lost = portal.files_in("blobs").into_iter().find(|path| path.ends_with(&blob)).unwrap();
    fs::remove_file(lost).unwrap();
    // A document without its file.
    let lost = format!("public/{}/contratos/a.pdf", joao.id);
    let mut removal = Query::delete();
    removal.from_table("objects").and_where(Expr::col("name").eq(lost));
    portal.app.db.write(move |tx| tx.execute(&removal)).await.unwrap();
    assert_eq!(back_up(portal, to.path()).await.broken.len(), 1);
    assert_eq!(rehearse(portal, to.path()).await.unwrap().broken, 1);
});
