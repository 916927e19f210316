//! What becomes of a file when the line to PostgreSQL breaks while its row is committed: nobody knows then whether
//! the row stands, so the bytes must stay until somebody does.

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

/// What happens to the next commit of a file's row.
const NOTHING: u8 = 0;
const COMMIT_LOST: u8 = 1;
const ANSWER_LOST: u8 = 2;

/// A line to the database that can break.
struct Line(Arc<AtomicU8>);

impl Line {
    /// Puts itself between the portal and its database.
    fn under(world: &mut TestPortal) -> Self {
        let url = world.database_url();
        let (user, server) = url.rsplit_once('@').expect("postgres://user@host/database");
        let (address, database) = server.split_once('/').expect("the database has a name");
        let address = address.to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("{user}@{}/{database}", listener.local_addr().unwrap());
        let fate = Arc::new(AtomicU8::new(NOTHING));
        let line = Self(Arc::clone(&fate));
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
        world.set("database_url", &url);
        line
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
        // One that is closed already is no fault.
        drop(end.shutdown(Shutdown::Both));
    }
}

async fn sweep_all(world: &TestPortal) {
    for part in 0..orphan_blobs::PARTS {
        orphan_blobs::run(&world.app, part).await.unwrap();
    }
    garbage_collect::run(&world.app).await.unwrap();
}

async fn later(world: &TestPortal) {
    world.wait(SignedDuration::from_hours(30 * 24 * 365));
    sweep_all(world).await;
    world.wait(SignedDuration::from_hours(1));
    sweep_all(world).await;
}

async fn a_file_whose_commit_was_answered_to_nobody_is_whole(world: &mut TestPortal) {
    bucket(world, "files", json!({})).await;
    let line = Line::under(world);
    line.breaks(ANSWER_LOST);
    put(world, "files/a.txt", "whole").await.is(503);
    let read = async |world: &TestPortal| {
        office(world, "GET", "object/files/a.txt").send().await.is(200).body
    };
    assert_eq!(read(world).await, "whole");
    later(world).await;
    assert_eq!(read(world).await, "whole");
}

async fn a_file_whose_commit_never_arrived_goes_after_a_day(world: &mut TestPortal) {
    bucket(world, "files", json!({})).await;
    let line = Line::under(world);
    line.breaks(COMMIT_LOST);
    put(world, "files/a.txt", "lost").await.is(503);
    assert_eq!(on_disk(world), (1, 0));
    put(world, "files/a.txt", "here").await.is(200);
    assert_eq!(on_disk(world), (2, 0));
    later(world).await;
    assert_eq!(on_disk(world), (1, 0));
    let file = office(world, "GET", "object/files/a.txt").send().await.is(200);
    assert_eq!(file.body, "here");
}

async fn a_last_piece_can_be_sent_again_when_its_commit_was_lost(world: &mut TestPortal) {
    bucket(world, "files", json!({})).await;
    let line = Line::under(world);
    let upload = tus::begin(world, "files", "a.txt", 8).await;
    tus::piece(world, &upload, 0, b"four").send().await.is(204);
    line.breaks(COMMIT_LOST);
    tus::piece(world, &upload, 4, b"five").send().await.is(503);
    assert_eq!(tus::offset(world, &upload).await, "4");
    line.breaks(ANSWER_LOST);
    // The connection that saw the first attempt is gone, so the next one is seen too.
    tus::piece(world, &upload, 4, b"five").send().await.is(503);
    assert_eq!(tus::offset(world, &upload).await, "8");
    tus::piece(world, &upload, 8, b"").send().await.is(204);
    let file = office(world, "GET", "object/files/a.txt").send().await.is(200);
    assert_eq!(file.body, "fourfive");
    // What it was made of stays until the sweep, for who asked never learnt that it is a file.
    let (blobs, _) = on_disk(world);
    assert_eq!(blobs, 1);
}

#[test]
fn answered_to_nobody() {
    run_on_postgres(a_file_whose_commit_was_answered_to_nobody_is_whole);
}

#[test]
fn never_arrived() {
    run_on_postgres(a_file_whose_commit_never_arrived_goes_after_a_day);
}

#[test]
fn last_piece() {
    run_on_postgres(a_last_piece_can_be_sent_again_when_its_commit_was_lost);
}
