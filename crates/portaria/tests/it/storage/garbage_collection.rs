//! Garbage collection of unreferenced files.

use jiff::SignedDuration;
use portaria::jobs::{garbage_collect, orphan_blobs};
use serde_json::json;

use crate::harness::{PDF, TestPortal, object, portal_test, request::Answer};
use crate::storage::{bucket, on_disk, put, tus};

const BUCKET: &str = "/storage/v1/object/client-documents";

async fn remove(portal: &TestPortal, token: &str, names: &[&str]) -> Answer {
    portal.delete(BUCKET).bearer(token).json(&json!({"prefixes": names})).send().await
}

portal_test!(deleted_file_disappears_and_its_blob_follows_later, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let path = portal.upload(&joao, "contratos", "a.pdf").await;
    let removed = remove(portal, &ana.token, &[&path, "nada.pdf", "../x", ""]).await.is(200).json();
    assert_eq!(removed.as_array().unwrap().len(), 1, "{removed}");
    assert_eq!(removed[0]["name"], path);
    portal.get(&object(&path)).auth(&ana).send().await.refused(400, "NoSuchKey");
    assert_eq!(remove(portal, &ana.token, &[&path]).await.is(200).json(), json!([]));

    garbage_collect::run(&portal.app).await.unwrap();
    assert_eq!(on_disk(portal), (1, 0));
    portal.advance(SignedDuration::from_hours(1));
    garbage_collect::run(&portal.app).await.unwrap();
    assert_eq!(on_disk(portal), (0, 0));
    garbage_collect::run(&portal.app).await.unwrap();
    // The name can be used again.
    portal.upload(&joao, "contratos", "a.pdf").await;
});

portal_test!(only_staff_delete_and_only_exact_names, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let path = portal.document(&joao, "contratos", "a.pdf").await.path;
    for token in [&joao.token, &portal.app.keys.anon] {
        assert_eq!(remove(portal, token, &[&path]).await.is(200).json(), json!([]));
    }
    // The parameter is called `prefixes`, but only exact names match.
    let prefix = path.trim_end_matches("/a.pdf");
    assert_eq!(
        remove(portal, &ana.token, &[prefix, "public", "%"]).await.is(200).json(),
        json!([])
    );
    let many = vec![path.as_str(); 1001];
    remove(portal, &ana.token, &many).await.refused(400, "InvalidRequest");
    remove(portal, &ana.token, &[]).await.refused(400, "InvalidRequest");
    let nonsense = portal.delete(BUCKET).auth(&ana).json(&json!({"names": []}));
    nonsense.send().await.refused(400, "InvalidRequest");
    let huge = portal.delete(BUCKET).auth(&ana).json(&json!({"prefixes": ["a".repeat(3 << 20)]}));
    assert!(huge.send().await.is(400).json().is_object());
    assert_eq!(portal.get(&object(&path)).auth(&joao).send().await.is(200).body, PDF);
});

portal_test!(blob_of_a_deleted_document_stays_for_a_grace_period, async |portal| {
    let joao = portal.client("joao").await;
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    portal.delete_for_good(&document).await;
    portal.advance(SignedDuration::from_mins(59));
    garbage_collect::run(&portal.app).await.unwrap();
    assert_eq!(on_disk(portal), (1, 0));
    portal.advance(SignedDuration::from_mins(1));
    garbage_collect::run(&portal.app).await.unwrap();
    assert_eq!(on_disk(portal), (0, 0));
});

portal_test!(upload_without_a_document_is_deleted_after_a_day, async |portal| {
    let joao = portal.client("joao").await;
    let service = &portal.app.keys.service_role;
    let alone = portal.upload(&joao, "contratos", "solto.pdf").await;
    let kept = portal.document(&joao, "contratos", "a.pdf").await.path;
    portal.advance(SignedDuration::from_hours(24));
    garbage_collect::run(&portal.app).await.unwrap();
    portal.get(&object(&alone)).bearer(service).send().await.is(200);
    portal.advance(SignedDuration::from_secs(1));
    garbage_collect::run(&portal.app).await.unwrap();
    portal.get(&object(&alone)).bearer(service).send().await.refused(400, "NoSuchKey");
    let report = portal.get("/rest/v1/activity?event=eq.file.discarded").bearer(service);
    let report = report.send().await.is(200).json();
    assert_eq!(report.as_array().unwrap().len(), 1, "{report}");
    assert_eq!(
        (&report[0]["subject"], &report[0]["person_id"]),
        (&json!("solto.pdf"), &json!(joao.id))
    );
    assert_eq!(report[0]["actor"], "program");
    portal.advance(SignedDuration::from_hours(1));
    garbage_collect::run(&portal.app).await.unwrap();
    assert_eq!(on_disk(portal), (1, 0));
    let joao = portal.sign_in(&joao.email).await;
    assert_eq!(portal.get(&object(&kept)).auth(&joao).send().await.is(200).body, PDF);
});

portal_test!(blob_of_a_replaced_file_is_deleted_and_the_new_one_stays, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    let other = [PDF, b"% 2\n"].concat();
    let replace =
        portal.put(&object(&document.path)).auth(&ana).bytes("application/pdf", other.clone());
    replace.send().await.is(200);
    // The version of the replaced file goes, too.
    let versions = portal.delete("/rest/v1/document_versions?id=not.is.null").auth(&ana);
    versions.send().await.is(204);
    portal.advance(SignedDuration::from_hours(48));
    garbage_collect::run(&portal.app).await.unwrap();
    assert_eq!(on_disk(portal), (1, 0));
    let joao = portal.sign_in(&joao.email).await;
    assert_eq!(portal.get(&object(&document.path)).auth(&joao).send().await.is(200).body, other);
});

/// Scans the whole store for orphans, and collects garbage.
async fn scan_and_collect(portal: &TestPortal) {
    for part in 0..orphan_blobs::PARTS {
        orphan_blobs::run(&portal.app, part).await.unwrap();
    }
    garbage_collect::run(&portal.app).await.unwrap();
}

portal_test!(blob_without_a_row_is_deleted_after_a_day, async |portal| {
    bucket(portal, "files", json!({})).await;
    put(portal, "files/a.txt", "kept").await.is(200);
    // The blob of an upload whose process died before the insert of its row.
    let writer = portal.app.files.create().await.unwrap();
    let stray = writer.write("stray".into()).await.unwrap().commit().await.unwrap();
    // The same for a resumable upload that can still continue.
    let upload = tus::begin(portal, "files", "b.txt", 8).await;
    tus::piece(portal, &upload, 0, b"four").send().await.is(204);
    let [part] = &portal.parts()[..] else { panic!("expected one part") };
    portal.app.files.publish(part).await.unwrap();
    // File times come from the system clock, not from the clock of the test.
    let written = std::time::SystemTime::from(portal.now());
    for blob in portal.files_in("blobs") {
        std::fs::File::open(blob).unwrap().set_modified(written).unwrap();
    }

    portal.advance(SignedDuration::from_hours(23));
    scan_and_collect(portal).await;
    portal.advance(SignedDuration::from_hours(2));
    scan_and_collect(portal).await;
    assert_eq!(on_disk(portal), (3, 0));
    portal.advance(SignedDuration::from_mins(30));
    scan_and_collect(portal).await;
    assert!(portal.app.files.open_blob(&stray.blob, 0, 5).await.is_ok());
    portal.advance(SignedDuration::from_mins(30));
    scan_and_collect(portal).await;
    assert!(portal.app.files.open_blob(&stray.blob, 0, 5).await.is_err());
    // The upload has expired as well.
    scan_and_collect(portal).await;
    let file = portal.get("/storage/v1/object/files/a.txt").bearer(&portal.app.keys.service_role);
    assert_eq!(file.send().await.is(200).body, "kept");
});

portal_test!(upload_continues_after_a_crash_before_the_row_update, async |portal| {
    bucket(portal, "files", json!({})).await;
    let upload = tus::begin(portal, "files", "b.txt", 8).await;
    tus::piece(portal, &upload, 0, b"four").send().await.is(204);
    let [part] = &portal.parts()[..] else { panic!("expected one part") };
    portal.append_to_part(part, "four", "last");
    portal.app.files.publish(part).await.unwrap();
    portal.restart();
    tus::piece(portal, &upload, 4, b"five").send().await.is(204);
    assert_eq!(on_disk(portal), (1, 0));
    let file = portal.get("/storage/v1/object/files/b.txt").bearer(&portal.app.keys.service_role);
    assert_eq!(file.send().await.is(200).body, "fourfive");
});
