//! `portaria fsck`: reports a portal as intact only if it is.

use std::{
    fs::{self, DirBuilder},
    os::unix::fs::DirBuilderExt,
    path::Path,
    process::{Command, Output},
};

use jiff::SignedDuration;
use portaria::{
    app::App,
    clock::Clock,
    db::{Error, Tx},
    fsck::{self, FsckReport},
};
use rusqlite::Connection;
use sea_query::{Expr, ExprTrait, Query};
use serde_json::json;

use crate::harness::{PDF, SECRET, TestPortal, portal_test, run_blocking, run_on_sqlite};

async fn look(portal: &TestPortal) -> FsckReport {
    fsck::run(&portal.app).await.unwrap()
}

portal_test!(fsck_names_missing_truncated_and_corrupt_files, async |portal| {
    let joao = portal.client("joao").await;
    let mut blobs = Vec::new();
    for name in ["whole.pdf", "gone.pdf", "cut.pdf", "bent.pdf"] {
        let before = portal.files_in("blobs");
        portal.document(&joao, "contratos", name).await;
        let new = portal.files_in("blobs").into_iter().find(|blob| !before.contains(blob)).unwrap();
        blobs.push(new);
    }
    let bytes = 4 * PDF.len() as u64;
    assert_eq!(look(portal).await, FsckReport { files: 4, bytes, ..FsckReport::default() });

    fs::remove_file(&blobs[1]).unwrap();
    fs::write(&blobs[2], &PDF[..PDF.len() - 1]).unwrap();
    let mut bent = PDF.to_vec();
    bent[3] ^= 1;
    fs::write(&blobs[3], bent).unwrap();
    let found = look(portal).await;
    assert_eq!(found.files, 1);
    let named = |name: &str| found.faults.iter().filter(|fault| fault.text.contains(name)).count();
    assert_eq!(found.faults.len(), 3, "{:?}", found.faults);
    for name in ["gone.pdf", "cut.pdf", "bent.pdf"] {
        assert_eq!(named(name), 1, "{:?}", found.faults);
    }
});

portal_test!(fsck_names_documents_and_attachments_without_their_objects, async |portal| {
    let joao = portal.client("joao").await;
    portal.document(&joao, "contratos", "whole.pdf").await;
    portal.insert("documents", json!({"name": "Solto", "folder_id_supabase": "faturas"})).await;
    let document = portal.document(&joao, "contratos", "gone.pdf").await;
    let ticket = portal.ticket(&joao, "Dúvida").await;
    let name = format!("office/{ticket}/guia.pdf");
    let upload = portal.post(&format!("/storage/v1/object/ticket-attachments/{name}"));
    let upload = upload.bearer(&portal.app.keys.service_role).bytes("application/pdf", PDF);
    upload.send().await.is(200);
    let message = json!({"ticket_id": ticket, "body": "Segue o arquivo."});
    let message = portal.insert("ticket_messages", message).await;
    let row = json!({"message_id": message, "name": "guia.pdf", "file_url": name});
    let attachment = portal.insert("ticket_attachments", row).await;
    assert_eq!(look(portal).await.faults, Vec::<fsck::Fault>::new());

    let lost = [document.path.clone(), name.clone()];
    let remove = move |tx: &mut Tx<'_>| {
        let mut statement = Query::delete();
        tx.execute(statement.from_table("objects").and_where(Expr::col("name").is_in(&lost)))
    };
    portal.app.db.write::<_, Error, _>(remove).await.unwrap();
    let faults = look(portal).await.faults;
    let expected = [("document", &document.id, &document.path), ("attachment", &attachment, &name)];
    assert_eq!(faults.len(), expected.len(), "{faults:?}");
    for (fault, (row, id, file)) in faults.iter().map(|fault| &fault.text).zip(expected) {
        assert!(fault.contains(row) && fault.contains(id) && fault.contains(file), "{fault}");
    }
});

portal_test!(fsck_names_rows_with_misleading_names, async |portal| {
    let joao = portal.client("joao").await;
    let mut rows = Vec::new();
    for name in ["extrato.pdf", "boleto.pdf", "recibo.pdf"] {
        let path = format!("{}/unrequested/{name}", joao.id);
        let upload = portal.post(&format!("/storage/v1/object/received-files/{path}"));
        upload.auth(&joao).bytes("application/pdf", PDF).send().await.is(200);
        let row = json!({"name": name, "file_url": path});
        let row = portal.post("/rest/v1/received_files").auth(&joao).single().json(&row);
        rows.push(row.send().await.is(201).json()["id"].as_str().unwrap().to_owned());
    }
    assert_eq!(look(portal).await.misnamed, Vec::<String>::new());
    // As an earlier version stored them.
    for (id, name) in [(&rows[0], "extrato.hta"), (&rows[1], "bolet\u{202E}fdp.pdf")] {
        let id = id.clone();
        let rename = move |tx: &mut Tx<'_>| {
            let mut update = Query::update();
            update.table("received_files").value("name", name).and_where(Expr::col("id").eq(id));
            tx.execute(&update)
        };
        portal.app.db.write::<_, Error, _>(rename).await.unwrap();
    }
    let found = look(portal).await;
    assert_eq!(found.faults, Vec::<fsck::Fault>::new());
    assert_eq!(found.misnamed.len(), 2, "{:?}", found.misnamed);
    for id in &rows[..2] {
        assert!(found.misnamed.iter().any(|row| row.contains(id)), "{id}");
    }
});

portal_test!(fsck_counts_orphaned_blobs_after_a_day, async |portal| {
    let writer = portal.app.files.create().await.unwrap();
    writer.write("stray".into()).await.unwrap().commit().await.unwrap();
    // File times come from the system clock, not from the clock of the test.
    let [blob] = &portal.files_in("blobs")[..] else { panic!("expected one blob") };
    fs::File::open(blob).unwrap().set_modified(portal.now().into()).unwrap();
    assert_eq!(look(portal).await, FsckReport::default());
    portal.advance(SignedDuration::from_hours(25));
    assert_eq!(look(portal).await, FsckReport { orphans: 1, ..FsckReport::default() });
});

portal_test!(parallel_command_keeps_unfinished_uploads, async |portal| {
    let writer = portal.app.files.create().await.unwrap();
    let writer = writer.write("half".into()).await.unwrap();
    // The first step of `portaria audit verify`.
    let beside = App::open(portal.app.config.clone(), Clock::system()).unwrap();
    fsck::run(&beside).await.unwrap();
    writer.commit().await.unwrap();
});

/// Overwrites the page of the database file in which a text is found first.
fn spoil_page_of(file: &Path, text: &str) {
    let mut bytes = fs::read(file).unwrap();
    let at = bytes.windows(text.len()).position(|part| part == text.as_bytes()).unwrap();
    let page = at / 4096 * 4096;
    bytes[page..page + 4096].fill(0xff);
    fs::write(file, bytes).unwrap();
}

fn fsck_command(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_portaria"));
    command.args(["fsck", "--config", "/dev/null"]).args(words).env_clear();
    command.env("PORTARIA_DATA_DIR", folder).env("PORTARIA_JWT_SECRET", SECRET);
    run_blocking(|| command.output()).unwrap()
}

#[test]
fn fsck_recovers_the_rows_around_a_damaged_page() {
    run_on_sqlite(async |portal| {
        for number in 0..200 {
            let name = format!("{:0>4}{}", number, "Pasta ".repeat(20));
            portal
                .insert("folders", json!({"name": name, "id_supabase": format!("p{number}")}))
                .await;
        }
        let copy = tempfile::tempdir().unwrap();
        let (damaged, recovered) = (copy.path().join("damaged"), copy.path().join("recovered"));
        DirBuilder::new().mode(0o700).create(&damaged).unwrap();
        let file = damaged.join("portaria.db");
        let source = portal.folder("portaria.db");
        Connection::open(source)
            .unwrap()
            .execute("VACUUM INTO ?1", [file.to_str().unwrap()])
            .unwrap();
        spoil_page_of(&file, "0100Pasta");

        let before = fs::read(&file).unwrap();
        let looked = fsck_command(&damaged, &[]);
        let (said, error) =
            (String::from_utf8_lossy(&looked.stdout), String::from_utf8_lossy(&looked.stderr));
        assert_eq!(looked.status.code(), Some(4), "{error}");
        assert!(said.contains("rows can be read, others are lost"), "{said}");
        assert!(error.contains("fsck --recover"), "{error}");
        assert!(fs::read(&file).unwrap() == before, "the damaged file was changed");

        let saved = fsck_command(&damaged, &["--recover", recovered.to_str().unwrap()]);
        assert!(saved.status.success(), "{saved:?}");
        let new = Connection::open(recovered.join("portaria.db")).unwrap();
        let count = |what: &str| -> i64 {
            new.query_row(&format!("SELECT count(*) FROM {what}"), [], |row| row.get(0)).unwrap()
        };
        let folders = count("folders WHERE name LIKE '%Pasta%'");
        assert!((150..200).contains(&folders), "{folders} folders");
        assert_eq!(count("pragma_foreign_key_check()"), 0);
        assert_eq!(count("folders WHERE name LIKE '0199%'"), 1);
        let whole = fsck_command(&recovered, &[]);
        assert!(whole.status.success(), "{whole:?}");
    });
}
