//! Files whose commit has an unknown outcome because the connection to PostgreSQL broke: the bytes must stay until the
//! outcome is known.

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU8, Ordering},
    },
    thread,
};

use jiff::SignedDuration;
use portaria::jobs::{garbage_collect, orphan_blobs};
use serde_json::json;

use crate::harness::{TestPortal, run_on_postgres};
use crate::storage::{bucket, office, on_disk, put, tus};

/// The fate of the next commit of a file row.
const NOTHING: u8 = 0;
const COMMIT_LOST: u8 = 1;
const ANSWER_LOST: u8 = 2;

/// A database connection that can break.
struct DatabaseProxy(Arc<AtomicU8>);

impl DatabaseProxy {
    /// Inserts the proxy between the portal and its database.
    fn insert(portal: &mut TestPortal) -> Self {
        let url = portal.database_url();
        let (user, server) = url.rsplit_once('@').expect("postgres://user@host/database");
        let (address, database) = server.split_once('/').expect("the URL contains a database name");
        let address = address.to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("{user}@{}/{database}", listener.local_addr().unwrap());
        let fate = Arc::new(AtomicU8::new(NOTHING));
        let proxy = Self(Arc::clone(&fate));
        thread::spawn(move || {
            for client in listener.incoming() {
                let (client, server) = (client.unwrap(), TcpStream::connect(&address).unwrap());
                let asking = (client.try_clone().unwrap(), server.try_clone().unwrap());
                let (fate, deaf) = (Arc::clone(&fate), Arc::new(AtomicBool::new(false)));
                let deafens = Arc::clone(&deaf);
                thread::spawn(move || ask(asking.0, asking.1, &fate, &deafens));
                thread::spawn(move || answer(server, client, &deaf));
            }
        });
        portal.set("database_url", &url);
        proxy
    }

    fn breaks(&self, fate: u8) {
        self.0.store(fate, Ordering::SeqCst);
    }
}

fn ask(mut client: TcpStream, mut server: TcpStream, fate: &AtomicU8, deaf: &AtomicBool) {
    let contains = |text: &[u8], word: &[u8]| text.windows(word.len()).any(|window| window == word);
    let mut holds_file = false;
    let mut piece = vec![0; 1 << 16];
    while let Ok(read @ 1..) = client.read(&mut piece) {
        let said = &piece[..read];
        holds_file |= contains(said, b"INSERT INTO \"objects\"");
        if holds_file && contains(said, b"COMMIT") {
            match fate.swap(NOTHING, Ordering::SeqCst) {
                COMMIT_LOST => break,
                ANSWER_LOST => deaf.store(true, Ordering::SeqCst),
                _ => {}
            }
        }
        if server.write_all(said).is_err() {
            break;
        }
    }
    hang_up(&[&client, &server]);
}

fn answer(mut server: TcpStream, mut client: TcpStream, deaf: &AtomicBool) {
    let mut piece = vec![0; 1 << 16];
    while let Ok(read @ 1..) = server.read(&mut piece) {
        if deaf.load(Ordering::SeqCst) || client.write_all(&piece[..read]).is_err() {
            break;
        }
    }
    hang_up(&[&client, &server]);
}

fn hang_up(ends: &[&TcpStream]) {
    for end in ends {
        // The connection may be closed already.
        drop(end.shutdown(Shutdown::Both));
    }
}

async fn sweep_all(portal: &TestPortal) {
    for part in 0..orphan_blobs::PARTS {
        orphan_blobs::run(&portal.app, part).await.unwrap();
    }
    garbage_collect::run(&portal.app).await.unwrap();
}

async fn later(portal: &TestPortal) {
    portal.advance(SignedDuration::from_hours(30 * 24 * 365));
    sweep_all(portal).await;
    portal.advance(SignedDuration::from_hours(1));
    sweep_all(portal).await;
}

async fn check_commit_without_a_reply_keeps_the_file(portal: &mut TestPortal) {
    bucket(portal, "files", json!({})).await;
    let proxy = DatabaseProxy::insert(portal);
    proxy.breaks(ANSWER_LOST);
    put(portal, "files/a.txt", "whole").await.is(503);
    let read = async |portal: &TestPortal| {
        office(portal, "GET", "object/files/a.txt").send().await.is(200).body
    };
    assert_eq!(read(portal).await, "whole");
    later(portal).await;
    assert_eq!(read(portal).await, "whole");
}

async fn check_commit_that_never_arrived_leaves_an_orphan(portal: &mut TestPortal) {
    bucket(portal, "files", json!({})).await;
    let proxy = DatabaseProxy::insert(portal);
    proxy.breaks(COMMIT_LOST);
    put(portal, "files/a.txt", "lost").await.is(503);
    assert_eq!(on_disk(portal), (1, 0));
    put(portal, "files/a.txt", "here").await.is(200);
    assert_eq!(on_disk(portal), (2, 0));
    later(portal).await;
    assert_eq!(on_disk(portal), (1, 0));
    let file = office(portal, "GET", "object/files/a.txt").send().await.is(200);
    assert_eq!(file.body, "here");
}

async fn check_last_chunk_can_be_repeated_after_a_lost_commit(portal: &mut TestPortal) {
    bucket(portal, "files", json!({})).await;
    let proxy = DatabaseProxy::insert(portal);
    let upload = tus::begin(portal, "files", "a.txt", 8).await;
    tus::piece(portal, &upload, 0, b"four").send().await.is(204);
    proxy.breaks(COMMIT_LOST);
    tus::piece(portal, &upload, 4, b"five").send().await.is(503);
    assert_eq!(tus::offset(portal, &upload).await, "4");
    proxy.breaks(ANSWER_LOST);
    // The connection of the first attempt is closed, so the second attempt meets the same fate.
    tus::piece(portal, &upload, 4, b"five").send().await.is(503);
    assert_eq!(tus::offset(portal, &upload).await, "8");
    tus::piece(portal, &upload, 8, b"").send().await.is(204);
    let file = office(portal, "GET", "object/files/a.txt").send().await.is(200);
    assert_eq!(file.body, "fourfive");
    // The parts stay until the garbage collection, because the client did not learn that the file exists.
    let (blobs, _) = on_disk(portal);
    assert_eq!(blobs, 1);
}

#[test]
fn commit_without_a_reply_keeps_the_file() {
    run_on_postgres(check_commit_without_a_reply_keeps_the_file);
}

#[test]
fn commit_that_never_arrived_leaves_an_orphan() {
    run_on_postgres(check_commit_that_never_arrived_leaves_an_orphan);
}

#[test]
fn last_chunk_can_be_repeated_after_a_lost_commit() {
    run_on_postgres(check_last_chunk_can_be_repeated_after_a_lost_commit);
}
