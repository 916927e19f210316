//! Load shedding: requests that wait too long in a queue are refused with 503 and `Retry-After`.

use std::{
    thread,
    time::{Duration, Instant},
};

use futures_util::future::{join, join_all};
use portaria::db::{Error, Tx};
use serde_json::json;

use crate::harness::portal_test;

/// Work that blocks a database thread for `time`.
fn work(time: Duration) -> impl FnOnce(&mut Tx<'_>) -> Result<(), Error> + Send + 'static {
    move |_| {
        thread::sleep(time);
        Ok(())
    }
}

portal_test!(exclusive overloaded_read_queue_is_refused_soon, async |portal| {
    let joao = portal.client("joao").await;
    let begun = Instant::now();
    // 80 s of work: 40 s on two threads, 10 s on eight.
    let crowd = join_all((0..800).map(|_| portal.app.db.read(work(Duration::from_millis(100)))));
    // With the number of all rows a list is a transaction, which needs a thread on both databases.
    let asked = portal.get("/rest/v1/folders").auth(&joao).prefer("count=exact").send();
    let (done, answer) = join(crowd, asked).await;
    assert!(begun.elapsed() < Duration::from_secs(4), "{:?}", begun.elapsed());
    let refused = done.iter().filter(|done| matches!(done, Err(Error::Busy))).count();
    let served = done.iter().filter(|done| done.is_ok()).count();
    assert!(served >= 10 && served + refused == 800, "{served} and {refused}");
    assert_eq!(answer.status, 503);
    assert_eq!(answer.header("retry-after"), "1");
    // The operator finds the log line by this id.
    let id = answer.header("x-request-id");
    assert_eq!(answer.json()["details"], format!("Request {id}"));
    // The overload ends when the queue is empty.
    portal.get("/rest/v1/folders").auth(&joao).send().await.is(200);
});

portal_test!(exclusive writes_behind_a_slow_write_are_served, async |portal| {
    let joao = portal.client("joao").await;
    let ticket = json!({"subject": "Dúvida", "message": "Uma mensagem longa o bastante."});
    let long = portal.app.db.write(work(Duration::from_secs(2)));
    let others = (0..50).map(|_| portal.post("/rest/v1/tickets").auth(&joao).json(&ticket).send());
    let (long, others) = join(long, join_all(others)).await;
    long.unwrap();
    for answer in others {
        answer.is(201);
    }
});
