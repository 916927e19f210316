//! Many simultaneous uploads and slow downloads of large files.

use std::{
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use bytes::Bytes;
use hyper::Method;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpSocket, TcpStream},
    sync::Barrier,
    task::JoinSet,
    time::{sleep, timeout},
};

use crate::load_test::{
    MAX_HEALTH_MS, MAX_MEMORY_MIB, Stage,
    connection::Connection,
    monitor::{DESCRIPTOR_TOLERANCE, wait_for_release, watch},
    thresholds::{Bound, percentile},
    users::{Users, describe},
};
use crate::{Outcome, load::request};

/// Size of a large file, in bytes.
const LARGE_FILE: usize = 10_000_000;
/// Number of simultaneous uploads.
const UPLOADS: usize = 64;
/// Number of simultaneous slow downloads.
const DOWNLOADS: usize = 200;
/// Bytes per read of a slow reader. Its rate is four times the minimum (`min_transfer_rate`).
const READ_BYTES: usize = 4096;
/// Interval between two reads of a slow reader.
const READ_INTERVAL: Duration = Duration::from_millis(250);
/// Duration of slow reading. It exceeds `transfer_window`.
const SLOW_TIME: Duration = Duration::from_secs(75);
/// Time limit for the rest of the file, which half of the readers then read at full speed. The others disconnect.
const REST_TIMEOUT: Duration = Duration::from_mins(2);
/// Receive buffer of a slow reader, in bytes. The default would hold most of the file.
const RECEIVE_BUFFER: u32 = 16 * 1024;

impl Stage<'_> {
    fn large_content() -> Bytes {
        b"%PDF-1.7\n".iter().copied().chain((9..LARGE_FILE).map(|_| fastrand::u8(..))).collect()
    }

    fn large_path(&self, number: usize) -> String {
        let client = self.office.clients[0];
        format!("/storage/v1/object/client-documents/public/{client}/contratos/{number}-carga.pdf")
    }

    /// Uploads many large files at once. The server's memory must not hold whole files.
    pub(crate) async fn uploads(&mut self) -> Outcome<()> {
        let (token, content) = (self.office.token(self.office.admin), Self::large_content());
        let barrier = Arc::new(Barrier::new(UPLOADS));
        let mut tasks = JoinSet::new();
        for number in 0..UPLOADS {
            let path = self.large_path(number);
            let upload = request(Method::POST, &path, Some(&token), content.clone());
            let (mut line, barrier) = (Connection::new(self.server.address), Arc::clone(&barrier));
            tasks.spawn(async move {
                line.open().await?;
                barrier.wait().await;
                line.ask(upload).await
            });
        }
        let begin = Instant::now();
        let (answers, observed) = watch(self.server, async { Ok(tasks.join_all().await) }).await?;
        let elapsed = begin.elapsed();
        let (mut times, mut failed) = (Vec::new(), 0);
        for answer in answers {
            match answer {
                Ok(answer) if answer.is_success() => times.push(answer.took),
                Ok(answer) => {
                    println!("    {}", describe(&answer));
                    failed += 1;
                }
                Err(error) => {
                    println!("    {error}");
                    failed += 1;
                }
            }
        }
        let completed = f64::from(u32::try_from(times.len())?);
        self.verdict.scene("64 uploads of 10 MB at once");
        self.verdict.count("failed", failed, Bound::AtMost(0.0));
        self.verdict.memory("most memory", observed.peak, Bound::AtMost(MAX_MEMORY_MIB));
        self.verdict.time("median", percentile(&mut times, 50), Bound::Nothing);
        self.verdict.time("slowest", percentile(&mut times, 100), Bound::Nothing);
        self.verdict.add("per second", completed / elapsed.as_secs_f64(), "", Bound::Nothing);
        self.verdict.time("slowest /health", observed.health, Bound::AtMost(MAX_HEALTH_MS));
        self.verdict.count("/health not answered", observed.health_failures, Bound::AtMost(0.0));
        Ok(())
    }

    /// Uploads a large file. Returns the head of the request that downloads it.
    pub(crate) async fn large_file(&self) -> Outcome<String> {
        let (token, path) = (self.office.token(self.office.admin), self.large_path(UPLOADS));
        let upload = request(Method::POST, &path, Some(&token), Self::large_content());
        let answer = Connection::new(self.server.address).ask(upload).await?;
        if !answer.is_success() {
            return Err(describe(&answer).into());
        }
        Ok(format!(
            "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\r\n"
        ))
    }

    /// Downloads a file over many slow connections. They must use little memory, delay no user, and leave no
    /// descriptor open.
    pub(crate) async fn slow_downloads(&mut self, people: &Users, large: &str) -> Outcome<()> {
        let before = self.server.descriptors()?;
        let begin = Instant::now();
        let mut readers = JoinSet::new();
        for number in 0..DOWNLOADS {
            let (address, large) = (self.server.address, large.to_owned());
            readers.spawn(read_slowly(address, large, number % 2 == 0));
        }
        let (read, observed) = watch(self.server, async { Ok(readers.join_all().await) }).await?;
        let (closed_after, open) = wait_for_release(self.server, before).await?;
        let failed: Vec<String> =
            read.into_iter().filter_map(|read| Some(read.err()?.to_string())).collect();
        self.verdict.scene("200 slow downloads of 10 MB while users are active");
        self.verdict.count("cut off", failed.len(), Bound::AtMost(0.0));
        for why in failed.iter().take(5) {
            println!("    {why}");
        }
        self.verdict.memory("most memory", observed.peak, Bound::AtMost(MAX_MEMORY_MIB));
        self.record_users(people, begin);
        self.verdict.time("slowest /health", observed.health, Bound::AtMost(MAX_HEALTH_MS));
        self.verdict.count("/health not answered", observed.health_failures, Bound::AtMost(0.0));
        self.record_descriptors(before, open);
        self.verdict.time("descriptors closed after", closed_after, Bound::AtMost(10_000.0));
        Ok(())
    }

    pub(crate) fn record_descriptors(&mut self, before: usize, after: usize) {
        let bound = Bound::AtMost(f64::from(
            u32::try_from(before + DESCRIPTOR_TOLERANCE).unwrap_or(u32::MAX),
        ));
        self.verdict.count("descriptors afterwards", after, bound);
    }
}

/// Sends a request over a connection with a small receive buffer.
pub(crate) async fn send_with_small_window(
    address: SocketAddr,
    request: &str,
) -> Outcome<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.set_recv_buffer_size(RECEIVE_BUFFER)?;
    let mut line = socket.connect(address).await?;
    line.write_all(request.as_bytes()).await?;
    Ok(line)
}

async fn read_slowly(address: SocketAddr, request: String, reads_to_end: bool) -> Outcome<()> {
    let mut line = send_with_small_window(address, &request).await?;
    let end = Instant::now() + SLOW_TIME;
    let mut buffer = [0; READ_BYTES];
    let mut read = 0;
    while Instant::now() < end {
        let count = line.read(&mut buffer).await?;
        if count == 0 {
            return Err(format!("cut off after {read} bytes").into());
        }
        read += count;
        sleep(READ_INTERVAL.mul_f64(0.5 + fastrand::f64())).await;
    }
    if !reads_to_end {
        return Ok(());
    }
    let mut chunk = vec![0; 64 * 1024];
    let finish = async {
        loop {
            match line.read(&mut chunk).await? {
                0 => return Ok::<_, std::io::Error>(()),
                count => read += count,
            }
        }
    };
    timeout(REST_TIMEOUT, finish)
        .await
        .map_err(|_| "the rest did not arrive within two minutes")??;
    // The count includes the head of the response.
    if read < LARGE_FILE { Err(format!("ended after {read} bytes").into()) } else { Ok(()) }
}
