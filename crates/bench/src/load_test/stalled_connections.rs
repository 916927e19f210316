//! Lines on which somebody began to say something, or to listen, and then stopped.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use tokio::{io::AsyncReadExt, io::AsyncWriteExt, net::TcpStream, task::JoinSet, time::timeout};

use crate::Outcome;
use crate::load_test::{
    HEALTH, MEMORY, Stage,
    files::ask_narrowly,
    monitor::{given_back, watch},
    thresholds::Bound,
    users::Crowd,
};

/// How many lines fall silent.
const LINES: usize = 500;
/// When this is over, none that says nothing may be open. Whoever stopped to read is noticed last.
const ALL: Duration = Duration::from_secs(80);

/// Where somebody stops, and when they are to be shown out, in milliseconds.
const STOPS: [(Stop, &str, f64); 4] = [
    (Stop::Head, "half a header: the last shown out after", 20_000.0),
    (Stop::Body, "half a body: the last shown out after", 30_000.0),
    (Stop::File, "half a file: the last shown out after", 30_000.0),
    (Stop::Reading, "stopped readers: the last shown out after", 75_000.0),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stop {
    Head,
    Body,
    File,
    Reading,
}

impl Stage<'_> {
    /// They are shown out in time, keep nobody waiting, and leave nothing behind.
    pub(crate) async fn silence(&mut self, people: &Crowd, large: &str) -> Outcome<()> {
        let before = self.server.descriptors()?;
        let begin = Instant::now();
        let mut lines = JoinSet::new();
        for number in 0..LINES {
            let stop = STOPS[number % STOPS.len()].0;
            let said = self.beginning(stop, large, number);
            lines.spawn(fall_silent(self.server.address, stop, said));
        }
        let scene = async {
            let mut last = STOPS.map(|_| Duration::ZERO);
            // What comes before the last minute is over leaves those who stopped to read, who see nothing themselves.
            let mut reading = Vec::new();
            while let Some(silent) = lines.join_next().await {
                match silent?? {
                    Silent::ShownOut(stop, time) => {
                        let at = STOPS.iter().position(|(known, ..)| *known == stop);
                        let longest = &mut last[at.ok_or("an unknown stop")?];
                        *longest = time.max(*longest);
                    }
                    Silent::Reading(line) => reading.push(line),
                }
            }
            let (_, open) = given_back(self.server, before).await?;
            last[STOPS.len() - 1] = begin.elapsed();
            drop(reading);
            Ok((last, open))
        };
        let ((last, open), seen) = watch(self.server, scene).await?;
        self.verdict.scene("500 lines that fall silent beside the people");
        for ((_, what, limit), time) in STOPS.into_iter().zip(last) {
            self.verdict.time(what, time, Bound::AtMost(limit));
        }
        self.tell_descriptors(before, open);
        self.verdict.memory("most memory", seen.peak, Bound::AtMost(MEMORY));
        self.tell_crowd(people, begin);
        self.verdict.time("slowest /health", seen.health, Bound::AtMost(HEALTH));
        self.verdict.count("/health not answered", seen.unwell, Bound::AtMost(0.0));
        Ok(())
    }

    fn beginning(&self, stop: Stop, large: &str, number: usize) -> String {
        let key = self.office.anon_key();
        let post = |path: &str, token: &str, kind: &str| {
            format!(
                "POST {path} HTTP/1.1\r\nhost: localhost\r\napikey: {key}\r\nauthorization: Bearer {token}\r\n\
                 content-type: {kind}\r\ncontent-length: 100000\r\n\r\n"
            )
        };
        match stop {
            Stop::Head => "GET /health HTTP/1.1\r\nhost: localhost\r\nx-half: ".to_owned(),
            Stop::Body => {
                post("/auth/v1/token?grant_type=password", key, "application/json") + "{\"email\":"
            }
            Stop::File => {
                let path = format!(
                    "/storage/v1/object/client-documents/public/{}/contratos/{number}-metade.pdf",
                    self.office.clients[0]
                );
                post(&path, &self.office.token(self.office.admin), "application/pdf") + "%PDF-1.7\n"
            }
            Stop::Reading => large.to_owned(),
        }
    }
}

/// What became of a line.
enum Silent {
    ShownOut(Stop, Duration),
    Reading(TcpStream),
}

async fn fall_silent(address: SocketAddr, stop: Stop, said: String) -> Outcome<Silent> {
    if stop == Stop::Reading {
        return Ok(Silent::Reading(ask_narrowly(address, &said).await?));
    }
    let mut line = TcpStream::connect(address).await?;
    line.write_all(said.as_bytes()).await?;
    let begin = Instant::now();
    let mut rest = Vec::new();
    // An end that is no orderly one is an end all the same.
    drop(timeout(ALL, line.read_to_end(&mut rest)).await);
    Ok(Silent::ShownOut(stop, begin.elapsed()))
}
