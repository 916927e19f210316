//! Garbage collection of unreferenced files.

use jiff::SignedDuration;
use portaria::jobs::{garbage_collect, orphan_blobs};
use serde_json::json;

use crate::harness::{PDF, TestPortal, object, portal_test, request::Answer};
use crate::storage::{bucket, on_disk, put, tus};

const BUCKET: &str = "/storage/v1/object/client-documents";

async fn remove(world: &TestPortal, token: &str, names: &[&str]) -> Answer {
    world.delete(BUCKET).bearer(token).json(&json!({"prefixes": names})).send().await
}

portal_test!(deleted_file_disappears_and_its_blob_follows_later, async |world| {
    let (ana, joao) = (world.admin().await, world.client("joao").await);
    let path = world.upload(&joao, "contratos", "a.pdf").await;
    let removed = remove(world, &ana.token, &[&path, "nada.pdf", "../x", ""]).await.is(200).json();
    assert_eq!(removed.as_array().unwrap().len(), 1, "{removed}");
    assert_eq!(removed[0]["name"], path);
    world.get(&object(&path)).as_(&ana).send().await.refused(400, "NoSuchKey");
    assert_eq!(remove(world, &ana.token, &[&path]).await.is(200).json(), json!([]));

    garbage_collect::run(&world.app).await.unwrap();
    assert_eq!(on_disk(world), (1, 0));
    world.wait(SignedDuration::from_hours(1));
    garbage_collect::run(&world.app).await.unwrap();
    assert_eq!(on_disk(world), (0, 0));
    garbage_collect::run(&world.app).await.unwrap();
    // The name can be used again.
    world.upload(&joao, "contratos", "a.pdf").await;
});

portal_test!(only_staff_delete_and_only_exact_names, async |world| {
    let (ana, joao) = (world.admin().await, world.client("joao").await);
    let path = world.document(&joao, "contratos", "a.pdf").await.path;
    for token in [&joao.token, &world.app.keys.anon] {
        assert_eq!(remove(world, token, &[&path]).await.is(200).json(), json!([]));
    }
    // The parameter is called `prefixes`, but only exact names match.
    let prefix = path.trim_end_matches("/a.pdf");
    assert_eq!(remove(world, &ana.token, &[prefix, "public", "%"]).await.is(200).json(), json!([]));
    let many = vec![path.as_str(); 1001];
    remove(world, &ana.token, &many).await.refused(400, "InvalidRequest");
    remove(world, &ana.token, &[]).await.refused(400, "InvalidRequest");
    let nonsense = world.delete(BUCKET).as_(&ana).json(&json!({"names": []}));
    nonsense.send().await.refused(400, "InvalidRequest");
    let huge = world.delete(BUCKET).as_(&ana).json(&json!({"prefixes": ["a".repeat(3 << 20)]}));
    assert!(huge.send().await.is(400).json().is_object());
    assert_eq!(world.get(&object(&path)).as_(&joao).send().await.is(200).body, PDF);
});

portal_test!(blob_of_a_deleted_document_stays_for_a_grace_period, async |world| {
    let (ana, joao) = (world.admin().await, world.client("joao").await);
    let document = world.document(&joao, "contratos", "a.pdf").await;
    let row = format!("/rest/v1/documents?id=eq.{}", document.id);
    world.delete(&row).as_(&ana).send().await.is(204);
    world.wait(SignedDuration::from_mins(59));
    garbage_collect::run(&world.app).await.unwrap();
    assert_eq!(on_disk(world), (1, 0));
    world.wait(SignedDuration::from_mins(1));
    garbage_collect::run(&world.app).await.unwrap();
    assert_eq!(on_disk(world), (0, 0));
});

portal_test!(upload_without_a_document_is_deleted_after_a_day, async |world| {
    let joao = world.client("joao").await;
    let service = &world.app.keys.service_role;
    let alone = world.upload(&joao, "contratos", "solto.pdf").await;
    let kept = world.document(&joao, "contratos", "a.pdf").await.path;
    world.wait(SignedDuration::from_hours(24));
    garbage_collect::run(&world.app).await.unwrap();
    world.get(&object(&alone)).bearer(service).send().await.is(200);
    world.wait(SignedDuration::from_secs(1));
    garbage_collect::run(&world.app).await.unwrap();
    world.get(&object(&alone)).bearer(service).send().await.refused(400, "NoSuchKey");
    let told = world.get("/rest/v1/activity?event=eq.file.discarded").bearer(service);
    let told = told.send().await.is(200).json();
    assert_eq!(told.as_array().unwrap().len(), 1, "{told}");
    assert_eq!(
        (&told[0]["subject"], &told[0]["person_id"]),
        (&json!("solto.pdf"), &json!(joao.id))
    );
    assert_eq!(told[0]["actor"], "program");
    world.wait(SignedDuration::from_hours(1));
    garbage_collect::run(&world.app).await.unwrap();
    assert_eq!(on_disk(world), (1, 0));
    let joao = world.sign_in(&joao.email).await;
    assert_eq!(world.get(&object(&kept)).as_(&joao).send().await.is(200).body, PDF);
});

portal_test!(blob_of_a_replaced_file_is_deleted_and_the_new_one_stays, async |world| {
    let (ana, joao) = (world.admin().await, world.client("joao").await);
    let document = world.document(&joao, "contratos", "a.pdf").await;
    let other = [PDF, b"% 2\n"].concat();
    let replace =
        world.put(&object(&document.path)).as_(&ana).bytes("application/pdf", other.clone());
    replace.send().await.is(200);
    world.wait(SignedDuration::from_hours(48));
    garbage_collect::run(&world.app).await.unwrap();
    assert_eq!(on_disk(world), (1, 0));
    let joao = world.sign_in(&joao.email).await;
    assert_eq!(world.get(&object(&document.path)).as_(&joao).send().await.is(200).body, other);
});

/// Scans the whole store for orphans, and collects garbage.
async fn look_everywhere(world: &TestPortal) {
    for part in 0..orphan_blobs::PARTS {
        orphan_blobs::run(&world.app, part).await.unwrap();
    }
    garbage_collect::run(&world.app).await.unwrap();
}

portal_test!(blob_without_a_row_is_deleted_after_a_day, async |world| {
    bucket(world, "files", json!({})).await;
    put(world, "files/a.txt", "kept").await.is(200);
    // The blob of an upload whose process died before the insert of its row.
    let writer = world.app.files.create().await.unwrap();
    let stray = writer.write("stray".into()).await.unwrap().commit().await.unwrap();
    // The same for a resumable upload that can still continue.
    let upload = tus::begin(world, "files", "b.txt", 8).await;
    tus::piece(world, &upload, 0, b"four").send().await.is(204);
    let [part] = &world.parts()[..] else { panic!("expected one part") };
    world.app.files.publish(part).await.unwrap();
    // File times come from the system clock, not from the clock of the test.
    let written = std::time::SystemTime::from(world.now());
    for blob in world.files_in("blobs") {
        std::fs::File::open(blob).unwrap().set_modified(written).unwrap();
    }

    world.wait(SignedDuration::from_hours(23));
    look_everywhere(world).await;
    world.wait(SignedDuration::from_hours(2));
    look_everywhere(world).await;
    assert_eq!(on_disk(world), (3, 0));
    world.wait(SignedDuration::from_mins(30));
    look_everywhere(world).await;
    assert!(world.app.files.open_blob(&stray.blob, 0, 5).await.is_ok());
    world.wait(SignedDuration::from_mins(30));
    look_everywhere(world).await;
    assert!(world.app.files.open_blob(&stray.blob, 0, 5).await.is_err());
    // The upload has expired as well.
    look_everywhere(world).await;
    let file = world.get("/storage/v1/object/files/a.txt").bearer(&world.app.keys.service_role);
    assert_eq!(file.send().await.is(200).body, "kept");
});

portal_test!(upload_continues_after_a_crash_before_the_row_update, async |world| {
    bucket(world, "files", json!({})).await;
    let upload = tus::begin(world, "files", "b.txt", 8).await;
    tus::piece(world, &upload, 0, b"four").send().await.is(204);
    let [part] = &world.parts()[..] else { panic!("expected one part") };
    world.leave_in_part(part, "four", "last");
    world.app.files.publish(part).await.unwrap();
    world.restart();
    tus::piece(world, &upload, 4, b"five").send().await.is(204);
    assert_eq!(on_disk(world), (1, 0));
    let file = world.get("/storage/v1/object/files/b.txt").bearer(&world.app.keys.service_role);
    assert_eq!(file.send().await.is(200).body, "fourfive");
});
