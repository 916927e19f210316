//! What people see while the bucket is away, slow or lying: to try again, and never a wrong file.

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

/// Puts a line between the portal and its store.
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
/// As if all was well, whatever was asked.
const AGREES: &str = "HTTP/1.1 200 OK\r\nconnection: close\r\netag: \"x\"\r\ncontent-length: 5\r\nlast-modified: Sat, 21 Nov 2026 15:00:00 GMT\r\n\r\nwrong";

async fn nobody_is_told_of_a_file_that_is_not_there(world: &mut TestPortal) {
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
        // Neither a row nor a half file stands there, and nothing has to be started again.
        world.get(&object(&path)).as_(&joao).send().await.refused(400, "NoSuchKey");
        assert_eq!(world.get(&object(&before.path)).as_(&joao).send().await.is(200).body, PDF);
        assert_eq!(world.files_in("tmp"), Vec::<std::path::PathBuf>::new());
    }
    // A store that says it took it, and has something else: the file is not acknowledged.
    line.is(Fate::Answers(AGREES));
    bucket(world, "files", json!({})).await;
    put(world, "files/a.txt", "a longer text").await.is(503);
    line.is(Fate::Fine);
    put(world, "files/a.txt", "a longer text").await.is(200);
}

#[test]
fn away_or_lying() {
    run_on_postgres(nobody_is_told_of_a_file_that_is_not_there);
}

async fn a_file_is_whole_or_cut_off(world: &mut TestPortal) {
    bucket(world, "files", json!({})).await;
    let line = line_under(world);
    let text = "linha de um arquivo grande\n".repeat(1 << 18);
    put(world, "files/a.txt", &text).await.is(200);
    assert_eq!(on_disk(world), (1, 0));
    line.is(Fate::Cuts(1 << 20));
    // What was lost on the way is asked for again, or the answer breaks off; it is never simply shorter.
    if let Some(answer) = office(world, "GET", "object/files/a.txt").try_send().await {
        assert!(answer.status == 503 || answer.body == text.as_bytes(), "{}", answer.body.len());
    }
    line.is(Fate::Fine);
    assert_eq!(
        office(world, "GET", "object/files/a.txt").send().await.is(200).body,
        text.as_bytes()
    );
}

async fn a_silent_store_keeps_nobody_waiting_for_ever(world: &mut TestPortal) {
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
fn silent() {
    run_on_postgres(a_silent_store_keeps_nobody_waiting_for_ever);
}

async fn what_a_silent_store_did_not_remove_is_removed_later(world: &mut TestPortal) {
    bucket(world, "files", json!({})).await;
    let line = line_under(world);
    put(world, "files/a.txt", "text").await.is(200);
    office(world, "DELETE", "object/files/a.txt").send().await.is(200);
    world.wait(SignedDuration::from_hours(1));
    for fate in [Fate::Gone, Fate::Silent] {
        line.is(fate);
        // The rows are swept all the same, and the blob is left for another time.
        garbage_collect::run(&world.app).await.unwrap();
        assert_eq!(on_disk(world), (1, 0));
    }
    line.is(Fate::Fine);
    garbage_collect::run(&world.app).await.unwrap();
    assert_eq!(on_disk(world), (0, 0));
}

#[test]
fn removed_later() {
    run_on_postgres(what_a_silent_store_did_not_remove_is_removed_later);
}

#[test]
fn cut_off() {
    run_on_postgres(a_file_is_whole_or_cut_off);
}

async fn a_resumable_upload_waits_for_the_store(world: &mut TestPortal) {
    bucket(world, "files", json!({})).await;
    let line = line_under(world);
    let upload = tus::begin(world, "files", "a.txt", 8).await;
    tus::piece(world, &upload, 0, b"four").send().await.is(204);
    line.is(Fate::Gone);
    tus::piece(world, &upload, 4, b"five").send().await.is(503);
    line.is(Fate::Fine);
    assert_eq!(tus::offset(world, &upload).await, "4");
    // Another node takes it up.
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
fn resumed() {
    run_on_postgres(a_resumable_upload_waits_for_the_store);
}
