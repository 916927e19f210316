//! An eye on the server while something happens: its memory, and whether it still says that it is well.

use std::{
    convert::Infallible,
    time::{Duration, Instant},
};

use bytes::Bytes;
use hyper::Method;
use tokio::time::{sleep, timeout};

use crate::load_test::connection::Line;
use crate::{Outcome, load::request, server::Server};

/// How often the memory is looked at.
const MEMORY_EVERY: Duration = Duration::from_millis(20);
/// How often the server is asked how it is, over a line of its own.
const HEALTH_EVERY: Duration = Duration::from_millis(50);
/// An answer that comes later is none.
const HEALTH_WITHIN: Duration = Duration::from_secs(5);
/// Descriptors are given back when the last line's end was noticed.
const GIVEN_BACK: Duration = Duration::from_secs(90);
/// The crowd's own lines come and go: so many more are none that were kept.
pub(crate) const STRAY: usize = 10;

/// What was seen.
pub(crate) struct Seen {
    /// MiB, at the beginning.
    pub(crate) before: f64,
    /// MiB.
    pub(crate) peak: f64,
    /// The longest that `/health` took.
    pub(crate) health: Duration,
    /// How often it was not answered.
    pub(crate) unwell: usize,
}

/// Watches the server for as long as something goes on.
pub(crate) async fn watch<T>(
    server: &Server,
    scene: impl Future<Output = Outcome<T>>,
) -> Outcome<(T, Seen)> {
    let before = server.memory()?;
    let mut seen = Seen { before, peak: before, health: Duration::ZERO, unwell: 0 };
    let (peak, health, unwell) = (&mut seen.peak, &mut seen.health, &mut seen.unwell);
    let memory = async {
        loop {
            *peak = peak.max(server.memory()?);
            sleep(MEMORY_EVERY).await;
        }
    };
    let asking = async {
        loop {
            let begin = Instant::now();
            let mut line = Line::new(server.address);
            let ask = line.ask(request(Method::GET, "/health", None, Bytes::new()));
            match timeout(HEALTH_WITHIN, ask).await {
                Ok(Ok(answer)) if answer.is_success() => *health = begin.elapsed().max(*health),
                _ => *unwell += 1,
            }
            sleep(HEALTH_EVERY).await;
        }
    };
    let done = tokio::select! {
        done = scene => done?,
        failed = memory => { let failed: Outcome<Infallible> = failed; match failed? {} }
        () = asking => unreachable!("it asks for ever"),
    };
    Ok((done, seen))
}

/// How long it takes until the server has no more descriptors open than before, but for a few; how many it has then.
pub(crate) async fn given_back(server: &Server, before: usize) -> Outcome<(Duration, usize)> {
    let begin = Instant::now();
    loop {
        let open = server.descriptors()?;
        if open <= before + STRAY || begin.elapsed() > GIVEN_BACK {
            return Ok((begin.elapsed(), open));
        }
        sleep(Duration::from_millis(20)).await;
    }
}
