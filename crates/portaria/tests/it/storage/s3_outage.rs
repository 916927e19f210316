//! Behavior while the S3 store is down, silent or faulty: retryable errors, and never a wrong file.

use std::time::{Duration, Instant};

use futures_util::future::join;
use jiff::SignedDuration;
use portaria::jobs::garbage_collect;
use serde_json::json;

use crate::harness::{
    PDF, TestPortal, object, run_on_postgres,
    s3::{self, Bucket},
    tcp_proxy::{Fate, Line},
};
use crate::storage::{bucket, office, on_disk, put, tus};

/// Inserts a proxy between the portal and its store.
pub(crate) fn line_under(world: &mut TestPortal) -> Line {
    let line = Line::to(Bucket::server());
    let bucket = &world.bucket.as_ref().unwrap().name;
    let url = s3::url(bucket, line.address);
    world.set("storage_url", &url);
    line
}

const FAILS: &str =
    "HTTP/1.1 500 Internal Server Error\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
const FORBIDS: &str = "HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
/// Answers every request with success.
const AGREES: &str = "HTTP/1.1 200 OK\r\nconnection: close\r\netag: \"x\"\r\ncontent-length: 5\r\nlast-modified: Sat, 21 Nov 2026 15:00:00 GMT\r\n\r\nwrong";

async fn check_store_failure_acknowledges_no_file(world: &mut TestPortal) {
    let joao = world.client("joao").await;
    let line = line_under(world);
    let before = world.document(&joao, "contratos", "antes.pdf").await;
    for fate in [Fate::Gone, Fate::Answers(FAILS), Fate::Answers(FORBIDS), Fate::Shortens] {
        line.is(fate);
        let begun = Instant::now();
        let path = format!("public/{}/contratos/depois.pdf", joao.id);
        let upload = world.post(&object(&path)).bearer(&world.app.keys.service_role);
        let refused = upload.bytes("application/pdf", PDF).send().await.is(503);
        assert!(!refused.header("retry-after").is_empty());
        if fate != Fate::Shortens {
            let read = world.get(&object(&before.path)).as_(&joao).send().await.is(503);
            assert!(!read.header("retry-after").is_empty());
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
        line.is(Fate::Fine);
        // Neither a row nor a partial file remains, and no restart is needed.
        world.get(&object(&path)).as_(&joao).send().await.refused(400, "NoSuchKey");
        assert_eq!(world.get(&object(&before.path)).as_(&joao).send().await.is(200).body, PDF);
        assert_eq!(world.files_in("tmp"), Vec::<std::path::PathBuf>::new());
    }
    // A store that acknowledges an upload but stored other bytes: the upload is not acknowledged.
    line.is(Fate::Answers(AGREES));
    bucket(world, "files", json!({})).await;
    put(world, "files/a.txt", "a longer text").await.is(503);
    line.is(Fate::Fine);
    put(world, "files/a.txt", "a longer text").await.is(200);
}

#[test]
fn store_failure_acknowledges_no_file() {
    run_on_postgres(check_store_failure_acknowledges_no_file);
}

async fn check_interrupted_download_is_never_shortened(world: &mut TestPortal) {
    bucket(world, "files", json!({})).await;
    let line = line_under(world);
    let text = "linha de um arquivo grande\n".repeat(1 << 18);
    put(world, "files/a.txt", &text).await.is(200);
    assert_eq!(on_disk(world), (1, 0));
    line.is(Fate::Cuts(1 << 20));
    // Missing bytes are requested again, or the response breaks off. It never ends early as if complete.
    if let Some(answer) = office(world, "GET", "object/files/a.txt").try_send().await {
        assert!(answer.status == 503 || answer.body == text.as_bytes(), "{}", answer.body.len());
    }
    line.is(Fate::Fine);
    assert_eq!(
        office(world, "GET", "object/files/a.txt").send().await.is(200).body,
        text.as_bytes()
    );
}

async fn check_silent_store_times_out(world: &mut TestPortal) {
    let joao = world.client("joao").await;
    let line = line_under(world);
    let before = world.document(&joao, "contratos", "antes.pdf").await;
    let path = format!("public/{}/contratos/depois.pdf", joao.id);
    let upload = || {
        let upload = world.post(&object(&path)).bearer(&world.app.keys.service_role);
        upload.bytes("application/pdf", PDF)
    };
    let read = || world.get(&object(&before.path)).as_(&joao);
    line.is(Fate::Silent);
    let begun = Instant::now();
    let (refused, unread) = join(upload().send(), read().send()).await;
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    for answer in [refused.is(503), unread.is(503)] {
        assert!(!answer.header("retry-after").is_empty());
    }
    line.is(Fate::Fine);
    let begun = Instant::now();
    world.get(&object(&path)).as_(&joao).send().await.refused(400, "NoSuchKey");
    upload().send().await.is(200);
    assert_eq!(read().send().await.is(200).body, PDF);
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

#[test]
fn silent_store_times_out() {
    run_on_postgres(check_silent_store_times_out);
}

async fn check_failed_deletion_is_repeated(world: &mut TestPortal) {
    bucket(world, "files", json!({})).await;
    let line = line_under(world);
    put(world, "files/a.txt", "text").await.is(200);
    office(world, "DELETE", "object/files/a.txt").send().await.is(200);
    world.wait(SignedDuration::from_hours(1));
    for fate in [Fate::Gone, Fate::Silent] {
        line.is(fate);
        // The rows are deleted nevertheless, and the blob remains for a later run.
        garbage_collect::run(&world.app).await.unwrap();
        assert_eq!(on_disk(world), (1, 0));
    }
    line.is(Fate::Fine);
    garbage_collect::run(&world.app).await.unwrap();
    assert_eq!(on_disk(world), (0, 0));
}

#[test]
fn failed_deletion_is_repeated() {
    run_on_postgres(check_failed_deletion_is_repeated);
}

#[test]
fn interrupted_download_is_never_shortened() {
    run_on_postgres(check_interrupted_download_is_never_shortened);
}

async fn check_resumable_upload_survives_a_store_failure(world: &mut TestPortal) {
    bucket(world, "files", json!({})).await;
    let line = line_under(world);
    let upload = tus::begin(world, "files", "a.txt", 8).await;
    tus::piece(world, &upload, 0, b"four").send().await.is(204);
    line.is(Fate::Gone);
    tus::piece(world, &upload, 4, b"five").send().await.is(503);
    line.is(Fate::Fine);
    assert_eq!(tus::offset(world, &upload).await, "4");
    // Another node continues the upload.
    let other = crate::harness::request::Request::new(
        portaria::http::router(world.another_node()),
        "HEAD",
        &upload,
    );
    let other = other.header("apikey", &world.app.keys.anon).header("tus-resumable", "1.0.0");
    let other = other.bearer(&world.app.keys.service_role).send().await.is(200);
    assert_eq!(other.header("upload-offset"), "4");
    tus::piece(world, &upload, 4, b"five").send().await.is(204);
    assert_eq!(office(world, "GET", "object/files/a.txt").send().await.is(200).body, "fourfive");
    assert_eq!(on_disk(world), (1, 0));
}

#[test]
fn resumable_upload_survives_a_store_failure() {
    run_on_postgres(check_resumable_upload_survives_a_store_failure);
}
