//! Another program locks the database: writes wait for five seconds, and then fail with a retryable error.

use std::{
    thread::{scope, sleep},
    time::{Duration, Instant},
};

use rusqlite::Connection;

use crate::workload::Office;

fn lock_database(office: &Office) -> Connection {
    let other = Connection::open(office.portal.data.join("portaria.db")).unwrap();
    other.busy_timeout(Duration::from_secs(10)).unwrap();
    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    other
}

#[test]
fn writes_wait_for_another_program_up_to_a_timeout() {
    let office = Office::open();
    let insert = |id: &str| {
        let begun = Instant::now();
        (office.insert(id), begun.elapsed())
    };

    let other = lock_database(&office);
    let (answer, took) = scope(|scope| {
        let waiting = scope.spawn(|| insert("three"));
        // Shorter than the timeout, and long enough to show that the write waits.
        sleep(Duration::from_secs(3));
        assert_eq!(office.rows("folders?select=id").len(), 3, "reads must continue");
        other.execute_batch("COMMIT").unwrap();
        waiting.join().unwrap()
    });
    assert_eq!(answer.status, 201, "{answer:?}");
    assert!(took > Duration::from_millis(2900), "{took:?}");

    other.execute_batch("BEGIN EXCLUSIVE").unwrap();
    scope(|scope| {
        let waiting: Vec<_> =
            ["a", "b", "c"].map(|id| scope.spawn(move || insert(id))).into_iter().collect();
        for waiting in waiting {
            let (answer, took) = waiting.join().unwrap();
            assert_eq!((answer.status, answer.header("retry-after")), (503, Some("1")));
            assert!(took < Duration::from_secs(9), "{took:?}");
        }
    });
    other.execute_batch("ROLLBACK").unwrap();
    for id in ["a", "b", "c"] {
        assert_eq!(office.folder(id), None, "a refused row was written");
    }
    assert_eq!(office.insert("a").status, 201);
    assert!(office.folder("three").is_some());
    office.portal.is_whole();
}
