//! Shutdown: the server completes open requests, leaves a database that needs no recovery, and exits with status 0.

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

/// Starts an upload and sends half of it.
fn start_upload(office: &Office, name: &str, bytes: &[u8]) -> TcpStream {
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
        assert!(!office.portal.data.join(beside).exists(), "{beside} remains");
    }
}

#[test]
fn shutdown_completes_uploads_in_progress() {
    let mut office = Office::open();
    let bytes = pdf(7, 200_000);
    let sockets: Vec<_> =
        (0..64).map(|number| start_upload(&office, &format!("{number}.pdf"), &bytes)).collect();
    // Sent before the signal, but perhaps not received yet.
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
        assert!(begun.elapsed() < Duration::from_secs(5), "it still accepts connections");
        sleep(Duration::from_millis(20));
    }
    scope(|scope| {
        for mut socket in sockets {
            let rest = &bytes[bytes.len() / 2..];
            scope.spawn(move || {
                for piece in rest.chunks(20_000) {
                    socket.write_all(piece).unwrap();
                    // The uploads continue for a quarter of a second after the signal.
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
fn shutdown_ignores_idle_connections_and_a_second_signal_ends_it() {
    let mut office = Office::open();
    let mut idle = TcpStream::connect(office.portal.address()).unwrap();
    idle.write_all(b"GET /config.json HTTP/1.1\r\nhost: portal\r\n\r\n").unwrap();
    assert_eq!(http::read(&mut idle, false).unwrap().status, 200);
    let begun = Instant::now();
    assert!(office.portal.stop().success());
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert_eq!(idle.read(&mut [0]).unwrap(), 0, "the connection is closed properly");
    is_clean(&office);

    office.portal.up();
    let _never_finished = start_upload(&office, "a.pdf", &pdf(1, 200_000));
    office.portal.signal(Signal::TERM);
    assert!(
        office.portal.ends_within(Duration::from_secs(1)).is_none(),
        "the unfinished upload delays the shutdown"
    );
    office.portal.signal(Signal::TERM);
    assert!(
        office.portal.ends_within(Duration::from_secs(5)).is_some(),
        "a second signal ends the program"
    );
    office.portal.up();
    assert_eq!(office.file("a.pdf"), None);
    office.portal.is_whole();
}

#[test]
fn systemd_is_notified_of_readiness_and_shutdown() {
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
