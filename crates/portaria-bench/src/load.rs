//! The load generator: connections that send their next request when the previous one is answered.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{Method, StatusCode, client::conn::http1};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpStream, task::JoinSet};

use crate::{Outcome, server::Server};

pub(crate) type Request = hyper::Request<Full<Bytes>>;

/// Maximum number of bytes of a response that the next request of its connection receives.
const MAX_KEPT_BYTES: usize = 64 << 10;
/// Share of a run that is not measured, because caches fill and threads start.
const WARM_UP: f64 = 0.2;
/// Interval between two samples of the server's memory.
const MEMORY_INTERVAL: Duration = Duration::from_millis(50);

/// The result of a measurement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Measurement {
    /// Responses per second.
    pub(crate) rate: f64,
    /// Processor time of the server and of its PostgreSQL per response.
    pub(crate) cost: Duration,
    /// Median response time.
    pub(crate) median: Duration,
    /// 99th percentile of the response times.
    pub(crate) p99: Duration,
    /// Peak of the server's anonymous memory, in MiB.
    pub(crate) memory: f64,
}

impl Measurement {
    /// Returns the mean of several measurements of the same requests, and the largest memory.
    pub(crate) fn mean(rounds: &[Self]) -> Self {
        let count = u32::try_from(rounds.len()).unwrap_or(u32::MAX).max(1);
        let time = |of: fn(&Self) -> Duration| rounds.iter().map(of).sum::<Duration>() / count;
        Self {
            rate: rounds.iter().map(|round| round.rate).sum::<f64>() / f64::from(count),
            cost: time(|round| round.cost),
            median: time(|round| round.median),
            p99: time(|round| round.p99),
            memory: rounds.iter().map(|round| round.memory).fold(0.0, f64::max),
        }
    }
}

/// Builds a request for [`run_load`].
pub(crate) fn request(method: Method, path: &str, token: Option<&str>, body: Bytes) -> Request {
    let mut builder =
        hyper::Request::builder().method(method).uri(path).header("host", "localhost");
    if let Some(token) = token {
        builder = builder.header("authorization", format!("Bearer {token}"));
    }
    if body.first() == Some(&b'{') {
        builder = builder.header("content-type", "application/json");
    }
    builder.body(Full::new(body)).expect("paths and tokens are valid header values")
}

/// Sends requests over a number of connections for a time. `script` creates for each connection, by its number, a
/// function that makes the next request from the previous response. An unsuccessful response fails the run.
pub(crate) async fn run_load<S>(
    server: &Server,
    connections: usize,
    time: Duration,
    script: impl Fn(usize) -> S,
) -> Outcome<Measurement>
where
    S: FnMut(&[u8]) -> Request + Send + 'static,
{
    let start = Instant::now();
    let measured_from = start + time.mul_f64(WARM_UP);
    let end = measured_from + time;
    let mut tasks = JoinSet::new();
    for number in 0..connections {
        tasks.spawn(send_until(end, measured_from, server.address, script(number)));
    }
    tokio::time::sleep_until(measured_from.into()).await;
    let before = server.processor_time()?;
    let mut memory = 0_f64;
    while Instant::now() < end {
        tokio::time::sleep(MEMORY_INTERVAL).await;
        memory = memory.max(server.memory()?);
    }
    let cpu_time = server.processor_time()?.saturating_sub(before);
    let mut times = Vec::new();
    while let Some(sent) = tasks.join_next().await {
        times.append(&mut sent??);
    }
    times.sort_unstable();
    let percentile = |percent: usize| times.get(times.len() * percent / 100).copied();
    let (Some(median), Some(p99)) = (percentile(50), percentile(99)) else {
        return Err("no response at all".into());
    };
    let responses = u32::try_from(times.len())?;
    Ok(Measurement {
        rate: f64::from(responses) / time.as_secs_f64(),
        cost: cpu_time / responses,
        median,
        p99,
        memory,
    })
}

/// Sends requests until `end`. Returns the times of the responses between `measured_from` and `end`.
async fn send_until(
    end: Instant,
    measured_from: Instant,
    address: SocketAddr,
    mut script: impl FnMut(&[u8]) -> Request,
) -> Outcome<Vec<Duration>> {
    let socket = TcpStream::connect(address).await?;
    socket.set_nodelay(true)?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(socket)).await?;
    tokio::spawn(connection);
    let (mut times, mut response_body) = (Vec::new(), Vec::new());
    loop {
        let request = script(&response_body);
        let shown = request.uri().clone();
        let start = Instant::now();
        sender.ready().await?;
        let response = sender.send_request(request).await?;
        let status = response.status();
        let mut body = response.into_body();
        response_body.clear();
        while let Some(frame) = body.frame().await {
            if let Ok(data) = frame?.into_data() {
                let free = MAX_KEPT_BYTES - response_body.len().min(MAX_KEPT_BYTES);
                response_body.extend_from_slice(&data[..data.len().min(free)]);
            }
        }
        if !status.is_success() && status != StatusCode::NOT_MODIFIED {
            let text = String::from_utf8_lossy(&response_body);
            return Err(format!("{shown} answered {status}: {text}").into());
        }
        let now = Instant::now();
        if now > end {
            return Ok(times);
        }
        if start > measured_from {
            times.push(now - start);
        }
    }
}
