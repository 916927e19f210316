//! Behavior while the S3 store is down, silent or faulty: retryable errors, and never a wrong file.

use std::time::{Duration, Instant};

use futures_util::future::join;
use jiff::SignedDuration;
use portaria::jobs::{garbage_collect, probe_storage};
use serde_json::json;

use crate::harness::{
    PDF, TestPortal, object, run_on_postgres,
    s3::{self, Bucket},
    tcp_proxy::{Behavior, TcpProxy},
};
use crate::storage::{bucket, office, on_disk, put, tus};

/// Inserts a proxy between the portal and its store.
pub(crate) fn insert_proxy(portal: &mut TestPortal) -> TcpProxy {
    let proxy = TcpProxy::to(Bucket::server());
    let bucket = &portal.bucket.as_ref().unwrap().name;
    let url = s3::url(bucket, proxy.address);
    portal.set("storage_url", &url);
    proxy
}

const FAILS: &str =
    "HTTP/1.1 500 Internal Server Error\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
const FORBIDS: &str = "HTTP/1.1 403 Forbidden\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
/// Answers every request with success.
const AGREES: &str = "HTTP/1.1 200 OK\r\nconnection: close\r\netag: \"x\"\r\ncontent-length: 5\r\nlast-modified: Sat, 21 Nov 2026 15:00:00 GMT\r\n\r\nwrong";

async fn check_store_failure_acknowledges_no_file(portal: &mut TestPortal) {
    let joao = portal.client("joao").await;
    let proxy = insert_proxy(portal);
    let before = portal.document(&joao, "contratos", "antes.pdf").await;
    for behavior in [
        Behavior::Disconnect,
        Behavior::Respond(FAILS),
        Behavior::Respond(FORBIDS),
        Behavior::DropLastByte,
    ] {
        proxy.set(behavior);
        let begun = Instant::now();
        let path = format!("public/{}/contratos/depois.pdf", joao.id);
        let upload = portal.post(&object(&path)).bearer(&portal.app.keys.service_role);
        let refused = upload.bytes("application/pdf", PDF).send().await.is(503);
        assert!(!refused.header("retry-after").is_empty());
        if behavior != Behavior::DropLastByte {
            let read = portal.get(&object(&before.path)).auth(&joao).send().await.is(503);
            assert!(!read.header("retry-after").is_empty());
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
        proxy.set(Behavior::Forward);
        // Neither a row nor a partial file remains, and no restart is needed.
        portal.get(&object(&path)).auth(&joao).send().await.refused(400, "NoSuchKey");
        assert_eq!(portal.get(&object(&before.path)).auth(&joao).send().await.is(200).body, PDF);
        assert_eq!(portal.files_in("tmp"), Vec::<std::path::PathBuf>::new());
    }
    // A store that acknowledges an upload but stored other bytes: the upload is not acknowledged.
    proxy.set(Behavior::Respond(AGREES));
    bucket(portal, "files", json!({})).await;
    put(portal, "files/a.txt", "a longer text").await.is(503);
    proxy.set(Behavior::Forward);
    put(portal, "files/a.txt", "a longer text").await.is(200);
}

#[test]
fn store_failure_acknowledges_no_file() {
    run_on_postgres(check_store_failure_acknowledges_no_file);
}

async fn check_interrupted_download_is_never_shortened(portal: &mut TestPortal) {
    bucket(portal, "files", json!({})).await;
    let proxy = insert_proxy(portal);
    let text = "linha de um arquivo grande\n".repeat(1 << 18);
    put(portal, "files/a.txt", &text).await.is(200);
    assert_eq!(on_disk(portal), (1, 0));
    proxy.set(Behavior::Truncate(1 << 20));
    // Missing bytes are requested again, or the response breaks off. It never ends early as if complete.
    if let Some(answer) = office(portal, "GET", "object/files/a.txt").try_send().await {
        assert!(answer.status == 503 || answer.body == text.as_bytes(), "{}", answer.body.len());
    }
    proxy.set(Behavior::Forward);
    assert_eq!(
        office(portal, "GET", "object/files/a.txt").send().await.is(200).body,
        text.as_bytes()
    );
}

async fn check_silent_store_times_out(portal: &mut TestPortal) {
    let joao = portal.client("joao").await;
    let proxy = insert_proxy(portal);
    let before = portal.document(&joao, "contratos", "antes.pdf").await;
    let path = format!("public/{}/contratos/depois.pdf", joao.id);
    let upload = || {
        let upload = portal.post(&object(&path)).bearer(&portal.app.keys.service_role);
        upload.bytes("application/pdf", PDF)
    };
    let read = || portal.get(&object(&before.path)).auth(&joao);
    proxy.set(Behavior::Silent);
    let begun = Instant::now();
    let (refused, unread) = join(upload().send(), read().send()).await;
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    for answer in [refused.is(503), unread.is(503)] {
        assert!(!answer.header("retry-after").is_empty());
    }
    proxy.set(Behavior::Forward);
    let begun = Instant::now();
    portal.get(&object(&path)).auth(&joao).send().await.refused(400, "NoSuchKey");
    upload().send().await.is(200);
    assert_eq!(read().send().await.is(200).body, PDF);
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

#[test]
fn silent_store_times_out() {
    run_on_postgres(check_silent_store_times_out);
}

async fn check_failed_deletion_is_repeated(portal: &mut TestPortal) {
    bucket(portal, "files", json!({})).await;
    let proxy = insert_proxy(portal);
    put(portal, "files/a.txt", "text").await.is(200);
    office(portal, "DELETE", "object/files/a.txt").send().await.is(200);
    portal.advance(SignedDuration::from_hours(1));
    for behavior in [Behavior::Disconnect, Behavior::Silent] {
        proxy.set(behavior);
        // The rows are deleted nevertheless, and the blob remains for a later run.
        garbage_collect::run(&portal.app).await.unwrap();
        assert_eq!(on_disk(portal), (1, 0));
    }
    proxy.set(Behavior::Forward);
    garbage_collect::run(&portal.app).await.unwrap();
    assert_eq!(on_disk(portal), (0, 0));
}

#[test]
fn failed_deletion_is_repeated() {
    run_on_postgres(check_failed_deletion_is_repeated);
}

#[test]
fn interrupted_download_is_never_shortened() {
    run_on_postgres(check_interrupted_download_is_never_shortened);
}

async fn check_resumable_upload_survives_a_store_failure(portal: &mut TestPortal) {
    bucket(portal, "files", json!({})).await;
    let proxy = insert_proxy(portal);
    let upload = tus::begin(portal, "files", "a.txt", 8).await;
    tus::piece(portal, &upload, 0, b"four").send().await.is(204);
    proxy.set(Behavior::Disconnect);
    tus::piece(portal, &upload, 4, b"five").send().await.is(503);
    proxy.set(Behavior::Forward);
    assert_eq!(tus::offset(portal, &upload).await, "4");
    // Another node continues the upload.
    let other = crate::harness::request::Request::new(
        portaria::http::router(portal.another_node()),
        "HEAD",
        &upload,
    );
    let other = other.header("apikey", &portal.app.keys.anon).header("tus-resumable", "1.0.0");
    let other = other.bearer(&portal.app.keys.service_role).send().await.is(200);
    assert_eq!(other.header("upload-offset"), "4");
    tus::piece(portal, &upload, 4, b"five").send().await.is(204);
    assert_eq!(office(portal, "GET", "object/files/a.txt").send().await.is(200).body, "fourfive");
    assert_eq!(on_disk(portal), (1, 0));
}

#[test]
fn resumable_upload_survives_a_store_failure() {
    run_on_postgres(check_resumable_upload_survives_a_store_failure);
}

async fn check_node_without_its_store_is_not_ready(portal: &mut TestPortal) {
    let proxy = insert_proxy(portal);
    let probe = async || probe_storage::probe(&portal.app).await;
    probe().await;
    portal.get("/ready").send().await.is(200);
    proxy.set(Behavior::Disconnect);
    // One lost answer does not take the node out of service.
    probe().await;
    portal.get("/ready").send().await.is(200);
    probe().await;
    portal.get("/ready").send().await.is(503);
    portal.get("/health").send().await.is(200);
    proxy.set(Behavior::Forward);
    probe().await;
    portal.get("/ready").send().await.is(200);
}

#[test]
fn node_without_its_store_is_not_ready() {
    run_on_postgres(check_node_without_its_store_is_not_ready);
}
