//! Monitors the server during a load test: its memory, and the response time of `/health`.

use std::{
    convert::Infallible,
    time::{Duration, Instant},
};

use bytes::Bytes;
use hyper::Method;
use tokio::time::{sleep, timeout};

use crate::load_test::connection::Connection;
use crate::{Outcome, load::request, server::Server};

/// Interval between two samples of the memory.
const MEMORY_INTERVAL: Duration = Duration::from_millis(20);
/// Interval between two requests of `/health`, each over its own connection.
const HEALTH_INTERVAL: Duration = Duration::from_millis(50);
/// Timeout for `/health`.
const HEALTH_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum time until the descriptors of closed connections are released.
const RELEASE_TIMEOUT: Duration = Duration::from_secs(90);
/// Number of additional descriptors that the connections of active users may cause.
pub(crate) const DESCRIPTOR_TOLERANCE: usize = 10;

/// The observations of a load test.
pub(crate) struct Observation {
    /// Memory at the start, in MiB.
    pub(crate) before: f64,
    /// Peak of the memory, in MiB.
    pub(crate) peak: f64,
    /// Maximum response time of `/health`.
    pub(crate) health: Duration,
    /// Number of requests of `/health` that failed.
    pub(crate) health_failures: usize,
}

/// Monitors the server while `scene` runs.
pub(crate) async fn watch<T>(
    server: &Server,
    scene: impl Future<Output = Outcome<T>>,
) -> Outcome<(T, Observation)> {
    let before = server.memory()?;
    let mut observed =
        Observation { before, peak: before, health: Duration::ZERO, health_failures: 0 };
    let (peak, health, unwell) =
        (&mut observed.peak, &mut observed.health, &mut observed.health_failures);
    let memory = async {
        loop {
            *peak = peak.max(server.memory()?);
            sleep(MEMORY_INTERVAL).await;
        }
    };
    let health_checks = async {
        loop {
            let begin = Instant::now();
            let mut line = Connection::new(server.address);
            let ask = line.ask(request(Method::GET, "/health", None, Bytes::new()));
            match timeout(HEALTH_TIMEOUT, ask).await {
                Ok(Ok(answer)) if answer.is_success() => *health = begin.elapsed().max(*health),
                _ => *unwell += 1,
            }
            sleep(HEALTH_INTERVAL).await;
        }
    };
    let result = tokio::select! {
        finished = scene => finished?,
        failed = memory => { let failed: Outcome<Infallible> = failed; match failed? {} }
        () = health_checks => unreachable!("the health checks do not end"),
    };
    Ok((result, observed))
}

/// Waits until the server has released its descriptors, except [`DESCRIPTOR_TOLERANCE`]. Returns the time and the
/// number of open ones.
pub(crate) async fn wait_for_release(server: &Server, before: usize) -> Outcome<(Duration, usize)> {
    let begin = Instant::now();
    loop {
        let open = server.descriptors()?;
        if open <= before + DESCRIPTOR_TOLERANCE || begin.elapsed() > RELEASE_TIMEOUT {
            return Ok((begin.elapsed(), open));
        }
        sleep(Duration::from_millis(20)).await;
    }
}
