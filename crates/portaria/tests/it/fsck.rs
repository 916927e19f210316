//! `portaria fsck`: reports a portal as intact only if it is.

use std::fs;

use jiff::SignedDuration;
use portaria::{
    app::App,
    clock::Clock,
    db::{Error, Tx},
    fsck::{self, FsckReport},
};
use sea_query::{Expr, ExprTrait, Query};
use serde_json::json;

use crate::harness::{PDF, TestPortal, portal_test};

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
    let named = |name: &str| found.faults.iter().filter(|fault| fault.contains(name)).count();
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
    assert_eq!(look(portal).await.faults, Vec::<String>::new());

    let lost = [document.path.clone(), name.clone()];
    let remove = move |tx: &mut Tx<'_>| {
        let mut statement = Query::delete();
        tx.execute(statement.from_table("objects").and_where(Expr::col("name").is_in(&lost)))
    };
    portal.app.db.write::<_, Error, _>(remove).await.unwrap();
    let faults = look(portal).await.faults;
    let expected = [("document", &document.id, &document.path), ("attachment", &attachment, &name)];
    assert_eq!(faults.len(), expected.len(), "{faults:?}");
    for (fault, (row, id, file)) in faults.iter().zip(expected) {
        assert!(fault.contains(row) && fault.contains(id) && fault.contains(file), "{fault}");
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
