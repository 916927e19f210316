//! Large files in crowds: many on their way in, and many on their way out to people who read slowly.

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
    HEALTH, MEMORY, Stage,
    connection::Line,
    monitor::{STRAY, given_back, watch},
    thresholds::{Bound, within},
    users::{Crowd, told},
};
use crate::{Outcome, load::request};

/// The bytes of a large file.
const LARGE_FILE: usize = 10_000_000;
/// So many come in at once.
const UPLOADS: usize = 64;
/// So many go out at once, to people who read slowly.
const DOWNLOADS: usize = 200;
/// A slow reader takes so many bytes, four times a second.
const SIP: usize = 1024;
const SIPS: Duration = Duration::from_millis(250);
/// For longer than the server waits for whoever has stopped.
const SLOWLY: Duration = Duration::from_secs(75);
/// Then half of them read on as fast as they can, and are done within this time; the others hang up.
const QUICKLY: Duration = Duration::from_mins(2);
/// What a slow reader's machine holds back at most; otherwise it would take most of the file at once.
const WINDOW: u32 = 16 * 1024;

impl Stage<'_> {
    fn large_content() -> Bytes {
        b"%PDF-1.7\n".iter().copied().chain((9..LARGE_FILE).map(|_| fastrand::u8(..))).collect()
    }

    fn large_path(&self, number: usize) -> String {
        let client = self.office.clients[0];
        format!("/storage/v1/object/client-documents/public/{client}/contratos/{number}-carga.pdf")
    }

    /// Many large files at once: memory holds none of them whole.
    pub(crate) async fn uploads(&mut self) -> Outcome<()> {
        let (token, content) = (self.office.token(self.office.admin), Self::large_content());
        let at_once = Arc::new(Barrier::new(UPLOADS));
        let mut crowd = JoinSet::new();
        for number in 0..UPLOADS {
            let path = self.large_path(number);
            let upload = request(Method::POST, &path, Some(&token), content.clone());
            let (mut line, at_once) = (Line::new(self.server.address), Arc::clone(&at_once));
            crowd.spawn(async move {
                line.open().await?;
                at_once.wait().await;
                line.ask(upload).await
            });
        }
        let begin = Instant::now();
        let (answers, seen) = watch(self.server, async { Ok(crowd.join_all().await) }).await?;
        let took = begin.elapsed();
        let (mut times, mut wrong) = (Vec::new(), 0);
        for answer in answers {
            match answer {
                Ok(answer) if answer.is_success() => times.push(answer.took),
                Ok(answer) => {
                    println!("    {}", told(&answer));
                    wrong += 1;
                }
                Err(error) => {
                    println!("    {error}");
                    wrong += 1;
                }
            }
        }
        let done = f64::from(u32::try_from(times.len())?);
        self.verdict.scene("64 uploads of 10 MB at once");
        self.verdict.count("went wrong", wrong, Bound::AtMost(0.0));
        self.verdict.memory("most memory", seen.peak, Bound::AtMost(MEMORY));
        self.verdict.time("half of them within", within(&mut times, 50), Bound::Nothing);
        self.verdict.time("the last within", within(&mut times, 100), Bound::Nothing);
        self.verdict.add("a second", done / took.as_secs_f64(), "", Bound::Nothing);
        self.verdict.time("slowest /health", seen.health, Bound::AtMost(HEALTH));
        self.verdict.count("/health not answered", seen.unwell, Bound::AtMost(0.0));
        Ok(())
    }

    /// Stores a large file; the head of the request for it.
    pub(crate) async fn large_file(&self) -> Outcome<String> {
        let (token, path) = (self.office.token(self.office.admin), self.large_path(UPLOADS));
        let upload = request(Method::POST, &path, Some(&token), Self::large_content());
        let answer = Line::new(self.server.address).ask(upload).await?;
        if !answer.is_success() {
            return Err(told(&answer).into());
        }
        Ok(format!(
            "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\r\n"
        ))
    }

    /// Many who read slowly: they keep little memory, nobody waiting, and nothing once they are gone.
    pub(crate) async fn slow_downloads(&mut self, people: &Crowd, large: &str) -> Outcome<()> {
        let before = self.server.descriptors()?;
        let begin = Instant::now();
        let mut readers = JoinSet::new();
        for number in 0..DOWNLOADS {
            let (address, large) = (self.server.address, large.to_owned());
            readers.spawn(read_slowly(address, large, number % 2 == 0));
        }
        let (read, seen) = watch(self.server, async { Ok(readers.join_all().await) }).await?;
        let (given, open) = given_back(self.server, before).await?;
        let wrong: Vec<String> =
            read.into_iter().filter_map(|read| Some(read.err()?.to_string())).collect();
        self.verdict.scene("200 slow downloads of 10 MB beside the people");
        self.verdict.count("cut off", wrong.len(), Bound::AtMost(0.0));
        for why in wrong.iter().take(5) {
            println!("    {why}");
        }
        self.verdict.memory("most memory", seen.peak, Bound::AtMost(MEMORY));
        self.tell_crowd(people, begin);
        self.verdict.time("slowest /health", seen.health, Bound::AtMost(HEALTH));
        self.verdict.count("/health not answered", seen.unwell, Bound::AtMost(0.0));
        self.tell_descriptors(before, open);
        self.verdict.time("given back after", given, Bound::AtMost(10_000.0));
        Ok(())
    }

    pub(crate) fn tell_descriptors(&mut self, before: usize, after: usize) {
        let bound = Bound::AtMost(f64::from(u32::try_from(before + STRAY).unwrap_or(u32::MAX)));
        self.verdict.count("descriptors afterwards", after, bound);
    }
}

/// Asks over a line that takes little at once.
pub(crate) async fn ask_narrowly(address: SocketAddr, request: &str) -> Outcome<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.set_recv_buffer_size(WINDOW)?;
    let mut line = socket.connect(address).await?;
    line.write_all(request.as_bytes()).await?;
    Ok(line)
}

async fn read_slowly(address: SocketAddr, request: String, to_the_end: bool) -> Outcome<()> {
    let mut line = ask_narrowly(address, &request).await?;
    let end = Instant::now() + SLOWLY;
    let mut sip = [0; SIP];
    let mut read = 0;
    while Instant::now() < end {
        let got = line.read(&mut sip).await?;
        if got == 0 {
            return Err(format!("cut off after {read} bytes").into());
        }
        read += got;
        sleep(SIPS.mul_f64(0.5 + fastrand::f64())).await;
    }
    if !to_the_end {
        return Ok(());
    }
    let mut piece = vec![0; 64 * 1024];
    let finish = async {
        loop {
            match line.read(&mut piece).await? {
                0 => return Ok::<_, std::io::Error>(()),
                got => read += got,
            }
        }
    };
    timeout(QUICKLY, finish).await.map_err(|_| "not all of it came within two minutes")??;
    // The head comes before the bytes.
    if read < LARGE_FILE { Err(format!("ended after {read} bytes").into()) } else { Ok(()) }
}
