//! Told to stop, it finishes what it was asked before, leaves a database that needs no recovery, and ends well.

use std::{
    io::{Read, Write},
    net::TcpStream,
    os::unix::net::UnixDatagram,
    thread::{scope, sleep},
    time::{Duration, Instant},
};

use rustix::process::Signal;

use crate::{
    http::{self, head},
    server_process::Portal,
    workload::{Office, pdf},
};

/// Begins an upload and sends half of it.
fn half(office: &Office, name: &str, bytes: &[u8]) -> TcpStream {
    let bearer = format!("Bearer {}", office.portal.service_key);
    let headers = [
        ("apikey", office.portal.service_key.as_str()),
        ("authorization", &bearer),
        ("content-type", "application/pdf"),
    ];
    let path = format!("/storage/v1/object/client-documents/{}", office.place(name));
    let mut socket = TcpStream::connect(office.portal.address()).unwrap();
    socket.write_all(head("POST", &path, &headers, bytes.len()).as_bytes()).unwrap();
    socket.write_all(&bytes[..bytes.len() / 2]).unwrap();
    socket
}

fn is_clean(office: &Office) {
    for beside in ["portaria.db-wal", "portaria.db-shm"] {
        assert!(!office.portal.data.join(beside).exists(), "{beside} is left");
    }
}

#[test]
fn uploads_under_way_are_finished() {
    let mut office = Office::open();
    let bytes = pdf(7, 200_000);
    let sockets: Vec<_> =
        (0..64).map(|number| half(&office, &format!("{number}.pdf"), &bytes)).collect();
    // Asked before the signal, but perhaps not yet heard.
    let mut asked: Vec<_> = (0..64)
        .map(|_| {
            let mut socket = TcpStream::connect(office.portal.address()).unwrap();
            socket.write_all(head("GET", "/config.json", &[], 0).as_bytes()).unwrap();
            socket
        })
        .collect();
    office.portal.signal(Signal::TERM);
    for socket in &mut asked {
        assert_eq!(http::read(socket, false).unwrap().status, 200);
    }
    let begun = Instant::now();
    while TcpStream::connect(office.portal.address()).is_ok() {
        assert!(begun.elapsed() < Duration::from_secs(5), "it still takes connections");
        sleep(Duration::from_millis(20));
    }
    scope(|scope| {
        for mut socket in sockets {
            let rest = &bytes[bytes.len() / 2..];
            scope.spawn(move || {
                for piece in rest.chunks(20_000) {
                    socket.write_all(piece).unwrap();
                    sleep(Duration::from_millis(50));
                }
                let answer = http::read(&mut socket, false).unwrap();
                assert_eq!(answer.status, 200, "{answer:?}");
            });
        }
    });
    let status = office.portal.ends_within(Duration::from_secs(10)).expect("it ends");
    assert!(status.success(), "{status}");
    is_clean(&office);
    office.portal.up();
    for number in 0..64 {
        assert_eq!(office.file(&format!("{number}.pdf")).as_deref(), Some(&bytes[..]));
    }
    office.portal.is_whole();
}

#[test]
fn who_only_listens_is_not_waited_for_and_who_asks_twice_does_not_wait() {
    let mut office = Office::open();
    let mut idle = TcpStream::connect(office.portal.address()).unwrap();
    idle.write_all(b"GET /config.json HTTP/1.1\r\nhost: portal\r\n\r\n").unwrap();
    assert_eq!(http::read(&mut idle, false).unwrap().status, 200);
    let begun = Instant::now();
    assert!(office.portal.stop().success());
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert_eq!(idle.read(&mut [0]).unwrap(), 0, "the line is closed in order");
    is_clean(&office);

    office.portal.up();
    let _never_finished = half(&office, "a.pdf", &pdf(1, 200_000));
    office.portal.signal(Signal::TERM);
    assert!(office.portal.ends_within(Duration::from_secs(1)).is_none(), "it waits");
    office.portal.signal(Signal::TERM);
    assert!(office.portal.ends_within(Duration::from_secs(5)).is_some(), "it was asked twice");
    office.portal.up();
    assert_eq!(office.file("a.pdf"), None);
    office.portal.is_whole();
}

#[test]
fn systemd_is_told_when_it_is_ready_and_when_it_stops() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let heard = || {
        let mut word = [0; 64];
        let length = socket.recv(&mut word).unwrap();
        String::from_utf8_lossy(&word[..length]).into_owned()
    };
    let mut portal = Portal::new();
    portal.up_with(&["env", &format!("NOTIFY_SOCKET={}", path.display())]);
    assert_eq!(heard(), "READY=1");
    assert!(portal.stop().success());
    assert_eq!(heard(), "STOPPING=1");
}
