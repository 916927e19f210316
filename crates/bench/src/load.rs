//! The load: connections that each send their next request when the last is answered.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{Method, client::conn::http1};
use hyper_util::rt::TokioIo;
use tokio::{net::TcpStream, task::JoinSet};

use crate::{Outcome, server::Server};

pub(crate) type Request = hyper::Request<Full<Bytes>>;

/// So much of an answer is kept for whoever makes the next request of it.
const KEPT: usize = 64 << 10;
/// A run's first part counts for nothing: caches fill, threads start.
const WARM_UP: f64 = 0.2;
/// How often the server's memory is looked at.
const MEMORY_EVERY: Duration = Duration::from_millis(50);

/// What a crowd of connections got done.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Done {
    /// Answers per second.
    pub(crate) rate: f64,
    /// The server's processor time per answer.
    pub(crate) cost: Duration,
    /// Half of the answers came faster.
    pub(crate) median: Duration,
    /// One answer in a hundred took longer.
    pub(crate) p99: Duration,
    /// The most memory of its own that the server was seen to have, in MiB.
    pub(crate) memory: f64,
}

/// A request to the server that [`press`] presses.
pub(crate) fn request(method: Method, path: &str, token: Option<&str>, body: Bytes) -> Request {
    let mut builder =
        hyper::Request::builder().method(method).uri(path).header("host", "localhost");
    if let Some(token) = token {
        builder = builder.header("authorization", format!("Bearer {token}"));
    }
    if body.first() == Some(&b'{') {
        builder = builder.header("content-type", "application/json");
    }
    builder.body(Full::new(body)).expect("paths and tokens of ours are legal")
}

/// Has so many connections ask for a time. `script` gives each of them, by its number, what makes its next
/// request of the answer to its last. Anything but success fails the run.
pub(crate) async fn press<S>(
    server: &Server,
    connections: usize,
    time: Duration,
    script: impl Fn(usize) -> S,
) -> Outcome<Done>
where
    S: FnMut(&[u8]) -> Request + Send + 'static,
{
    let begin = Instant::now();
    let counts_from = begin + time.mul_f64(WARM_UP);
    let end = counts_from + time;
    let mut crowd = JoinSet::new();
    for number in 0..connections {
        crowd.spawn(ask_until(end, counts_from, server.address, script(number)));
    }
    tokio::time::sleep_until(counts_from.into()).await;
    let before = server.processor_time()?;
    let mut memory = 0_f64;
    while Instant::now() < end {
        tokio::time::sleep(MEMORY_EVERY).await;
        memory = memory.max(server.memory()?);
    }
    let spent = server.processor_time()?.saturating_sub(before);
    let mut times = Vec::new();
    while let Some(asked) = crowd.join_next().await {
        times.append(&mut asked??);
    }
    times.sort_unstable();
    let at = |share: usize| times.get(times.len() * share / 100).copied();
    let (Some(median), Some(p99)) = (at(50), at(99)) else { return Err("no answer at all".into()) };
    let answers = u32::try_from(times.len())?;
    Ok(Done {
        rate: f64::from(answers) / time.as_secs_f64(),
        cost: spent / answers,
        median,
        p99,
        memory,
    })
}

/// The times that the answers took which came between two moments.
async fn ask_until(
    end: Instant,
    counts_from: Instant,
    address: SocketAddr,
    mut script: impl FnMut(&[u8]) -> Request,
) -> Outcome<Vec<Duration>> {
    let socket = TcpStream::connect(address).await?;
    socket.set_nodelay(true)?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(socket)).await?;
    tokio::spawn(connection);
    let (mut times, mut answer) = (Vec::new(), Vec::new());
    loop {
        let request = script(&answer);
        let shown = request.uri().clone();
        let begin = Instant::now();
        sender.ready().await?;
        let response = sender.send_request(request).await?;
        let status = response.status();
        let mut body = response.into_body();
        answer.clear();
        while let Some(frame) = body.frame().await {
            if let Ok(data) = frame?.into_data() {
                let room = KEPT - answer.len().min(KEPT);
                answer.extend_from_slice(&data[..data.len().min(room)]);
            }
        }
        if !status.is_success() {
            let said = String::from_utf8_lossy(&answer);
            return Err(format!("{shown} answered {status}: {said}").into());
        }
        let now = Instant::now();
        if now > end {
            return Ok(times);
        }
        if begin > counts_from {
            times.push(now - begin);
        }
    }
}
