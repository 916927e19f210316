//! Clients that stop reading: their connections are closed after `transfer_window`, and all their resources freed.

use std::{
    io::Write,
    net::TcpStream,
    thread::sleep,
    time::{Duration, Instant},
};

use crate::{
    capabilities::{is_long, say},
    http::head,
    workload::{Office, pdf},
};

const CLIENTS: usize = 500;

#[test]
fn clients_that_stop_reading_are_disconnected() {
    if !is_long() {
        return say("SKIPPED: clients that stop reading: takes minutes, see cargo xtask faults");
    }
    let office = Office::open();
    office.upload("large.pdf", &pdf(1, 10_000_000)).unwrap();
    let before = office.portal.descriptors();
    let bearer = format!("Bearer {}", office.portal.service_key);
    let headers = [("apikey", office.portal.service_key.as_str()), ("authorization", &bearer)];
    let path = format!("/storage/v1/object/client-documents/{}", office.place("large.pdf"));
    let request = head("GET", &path, &headers, 0);
    let clients: Vec<TcpStream> = (0..CLIENTS)
        .map(|_| {
            let mut socket = TcpStream::connect(office.portal.address()).unwrap();
            socket.write_all(request.as_bytes()).unwrap();
            socket
        })
        .collect();
    let begun = Instant::now();
    while office.portal.descriptors() <= before + CLIENTS {
        assert!(begun.elapsed() < Duration::from_secs(30), "the downloads do not begin");
        sleep(Duration::from_millis(100));
    }
    let begun = Instant::now();
    while office.portal.descriptors() > before + 2 {
        assert!(
            begun.elapsed() < Duration::from_mins(3),
            "{} downloads are running",
            office.portal.descriptors()
        );
        sleep(Duration::from_millis(100));
    }
    say(&format!("{CLIENTS} clients that stopped reading were let go in {:?}", begun.elapsed()));
    drop(clients);
    assert_eq!(office.file("large.pdf").unwrap().len(), 10_000_000);
}
