//! Stalled connections: clients that stop in the middle of a request, or stop reading a response.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use tokio::{io::AsyncReadExt, io::AsyncWriteExt, net::TcpStream, task::JoinSet, time::timeout};

use crate::Outcome;
use crate::load_test::{
    MAX_HEALTH_MS, MAX_MEMORY_MIB, Stage,
    files::send_with_small_window,
    monitor::{wait_for_release, watch},
    thresholds::Bound,
    users::Users,
};

/// Number of stalled connections.
const CONNECTIONS: usize = 500;
/// Time after which no stalled connection may be open. Stalled readers are detected last.
const MAX_TIME: Duration = Duration::from_secs(80);

/// The kinds of stalled connections, with the maximum time until the server closes them, in milliseconds.
const STALLS: [(Stall, &str, f64); 4] = [
    (Stall::Head, "half a header: last closed after", 20_000.0),
    (Stall::Body, "half a body: last closed after", 30_000.0),
    (Stall::File, "half a file: last closed after", 30_000.0),
    (Stall::Reading, "stalled readers: last closed after", 75_000.0),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stall {
    Head,
    Body,
    File,
    Reading,
}

impl Stage<'_> {
    /// The server must close them in time, delay no user, and leave no descriptor open.
    pub(crate) async fn silence(&mut self, people: &Users, large: &str) -> Outcome<()> {
        let before = self.server.descriptors()?;
        let begin = Instant::now();
        let mut tasks = JoinSet::new();
        for number in 0..CONNECTIONS {
            let stall = STALLS[number % STALLS.len()].0;
            let partial_request = self.partial_request(stall, large, number);
            tasks.spawn(stall_connection(self.server.address, stall, partial_request));
        }
        let scene = async {
            let mut last = STALLS.map(|_| Duration::ZERO);
            // Stalled readers do not see the end of their connection, so it is detected by the server's descriptors.
            let mut reading = Vec::new();
            while let Some(stalled) = tasks.join_next().await {
                match stalled?? {
                    Stalled::Closed(stall, time) => {
                        let index = STALLS.iter().position(|(kind, ..)| *kind == stall);
                        let longest = &mut last[index.ok_or("an unknown kind")?];
                        *longest = time.max(*longest);
                    }
                    Stalled::Reading(line) => reading.push(line),
                }
            }
            let (_, open) = wait_for_release(self.server, before).await?;
            last[STALLS.len() - 1] = begin.elapsed();
            drop(reading);
            Ok((last, open))
        };
        let ((last, open), observed) = watch(self.server, scene).await?;
        self.verdict.scene("500 stalled connections while users are active");
        for ((_, name, limit), time) in STALLS.into_iter().zip(last) {
            self.verdict.time(name, time, Bound::AtMost(limit));
        }
        self.record_descriptors(before, open);
        self.verdict.memory("most memory", observed.peak, Bound::AtMost(MAX_MEMORY_MIB));
        self.record_users(people, begin);
        self.verdict.time("slowest /health", observed.health, Bound::AtMost(MAX_HEALTH_MS));
        self.verdict.count("/health not answered", observed.health_failures, Bound::AtMost(0.0));
        Ok(())
    }

    fn partial_request(&self, stall: Stall, large: &str, number: usize) -> String {
        let key = self.office.anon_key();
        let post = |path: &str, token: &str, kind: &str| {
            format!(
                "POST {path} HTTP/1.1\r\nhost: localhost\r\napikey: {key}\r\nauthorization: Bearer {token}\r\n\
                 content-type: {kind}\r\ncontent-length: 100000\r\n\r\n"
            )
        };
        match stall {
            Stall::Head => "GET /health HTTP/1.1\r\nhost: localhost\r\nx-half: ".to_owned(),
            Stall::Body => {
                post("/auth/v1/token?grant_type=password", key, "application/json") + "{\"email\":"
            }
            Stall::File => {
                let path = format!(
                    "/storage/v1/object/client-documents/public/{}/contratos/{number}-metade.pdf",
                    self.office.clients[0]
                );
                post(&path, &self.office.token(self.office.admin), "application/pdf") + "%PDF-1.7\n"
            }
            Stall::Reading => large.to_owned(),
        }
    }
}

/// The result of a stalled connection.
enum Stalled {
    Closed(Stall, Duration),
    Reading(TcpStream),
}

async fn stall_connection(
    address: SocketAddr,
    stall: Stall,
    partial_request: String,
) -> Outcome<Stalled> {
    if stall == Stall::Reading {
        return Ok(Stalled::Reading(send_with_small_window(address, &partial_request).await?));
    }
    let mut line = TcpStream::connect(address).await?;
    line.write_all(partial_request.as_bytes()).await?;
    let begin = Instant::now();
    let mut rest = Vec::new();
    // A reset counts as closed too.
    drop(timeout(MAX_TIME, line.read_to_end(&mut rest)).await);
    Ok(Stalled::Closed(stall, begin.elapsed()))
}
