//! Hours of an ordinary day, with restarts: whether memory and descriptors stay as they are.
//!
//! A life is the time between two starts. Flat means: in the last third of a life, and in the last life, the median of memory is
//! at most a tenth and 8 MiB above that of the third before, and of the first life; of descriptors, 16 above it. The first
//! third of a life counts for nothing: caches fill.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use bytes::Bytes;
use hyper::Method;
use tokio::{
    task::{JoinSet, block_in_place},
    time::sleep,
};

use crate::load_test::{
    connection::Line,
    prepared,
    thresholds::{Bound, Verdict, within},
    users::{Crowd, Deed, Went, sign_in},
};
use crate::{Outcome, dataset::Office, load::request, server::Server};

/// How many people go on all day.
const PEOPLE: usize = 200;
/// When the server is restarted: shares of the whole time. The last life is the longest.
const RESTARTS: [f64; 3] = [0.1, 0.25, 0.5];
/// How often memory and descriptors are looked at.
const SAMPLES: Duration = Duration::from_secs(5);
/// How often the office adds a file, and somebody signs in.
const FILES: Duration = Duration::from_secs(4);
/// The bytes of such a file.
const FILE: usize = 1_000_000;
/// The lines of those who are refused while it restarts are opened anew within this time.
const UNREST: Duration = Duration::from_secs(2);

/// The server's state at a moment.
#[derive(Debug, Clone, Copy)]
struct Sample {
    memory: f64,
    descriptors: f64,
}

/// Goes on for so many minutes.
pub(crate) async fn soak(binary: &Path, output: &Path, minutes: u32) -> Outcome<()> {
    let parent = output.parent().unwrap_or(Path::new("."));
    let office = prepared(binary, parent, PEOPLE).await?;
    let mut server = Server::quiet_portal(binary, &office, &parent.join("bench-soak.log"))?;
    let crowd = Crowd::arrive(&server, &office, PEOPLE).await?;
    let time = Duration::from_mins(1) * minutes;
    let begin = Instant::now();
    let end = begin + time;
    let mut work = JoinSet::new();
    work.spawn(keep_busy(server.address, files(&office), end));
    work.spawn(keep_busy(server.address, sign_ins(&office), end));
    let mut restarts = RESTARTS.map(|share| begin + time.mul_f64(share)).into_iter().peekable();
    let (mut lives, mut unrest, mut stops) = (vec![Vec::new()], Vec::new(), Vec::new());
    while Instant::now() < end {
        if restarts.next_if(|at| Instant::now() > *at).is_some() {
            let from = Instant::now();
            stops.push(block_in_place(|| server.restart())?);
            unrest.push((from, Instant::now()));
            lives.push(Vec::new());
        }
        sleep(SAMPLES).await;
        let descriptors = f64::from(u32::try_from(server.descriptors()?)?);
        if let Some(life) = lives.last_mut() {
            life.push(Sample { memory: server.memory()?, descriptors });
        }
    }
    let deeds = crowd.deeds(begin, Instant::now());
    crowd.leave().await?;
    let mut refused = 0;
    while let Some(failed) = work.join_next().await {
        refused += failed?;
    }
    let mut verdict = Verdict::default();
    verdict.scene("A day");
    verdict.add("minutes", f64::from(minutes), "", Bound::Nothing);
    tell_deeds(&mut verdict, &deeds, &unrest);
    // Those who came while it restarted may be refused once or twice each.
    let expected = f64::from(u32::try_from(stops.len() * 6)?);
    verdict.count("files and sign-ins that failed", refused, Bound::AtMost(expected));
    verdict.time(
        "longest orderly end",
        stops.into_iter().max().unwrap_or_default(),
        Bound::Nothing,
    );
    tell_flat(&mut verdict, &lives);
    verdict.write(output)
}

fn tell_deeds(verdict: &mut Verdict, deeds: &[Deed], unrest: &[(Instant, Instant)]) {
    let restless = |deed: &&Deed| {
        unrest
            .iter()
            .any(|(from, to)| deed.begun < *to + UNREST && deed.begun + deed.took + UNREST > *from)
    };
    let (during, quiet): (Vec<&Deed>, Vec<&Deed>) = deeds.iter().partition(restless);
    let wrong: Vec<&&Deed> = quiet.iter().filter(|deed| !matches!(deed.went, Went::Well)).collect();
    let mut times: Vec<Duration> = quiet.iter().map(|deed| deed.took).collect();
    verdict.count("what people did", deeds.len(), Bound::Nothing);
    verdict.count("of it during a restart", during.len(), Bound::Nothing);
    verdict.count("of all else went wrong", wrong.len(), Bound::AtMost(0.0));
    for deed in wrong.iter().take(5) {
        println!("    {}: {:?}", deed.action, deed.went);
    }
    verdict.time("99 in 100 within", within(&mut times, 99), Bound::Nothing);
}

fn tell_flat(verdict: &mut Verdict, lives: &[Vec<Sample>]) {
    let median = |samples: &[Sample], of: fn(&Sample) -> f64| {
        let mut values: Vec<f64> = samples.iter().map(of).collect();
        values.sort_unstable_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or_default()
    };
    let memory = |samples: &[Sample]| median(samples, |sample| sample.memory);
    let descriptors = |samples: &[Sample]| median(samples, |sample| sample.descriptors);
    let more = |mib: f64| Bound::AtMost(mib * 1.1 + 8.0);
    let mut ends = Vec::new();
    for (number, life) in lives.iter().enumerate() {
        let third = life.len() / 3;
        let (middle, last) = (&life[third..2 * third], &life[2 * third..]);
        let life = format!("life {}: ", number + 1);
        verdict.memory(&(life.clone() + "memory, second third"), memory(middle), Bound::Nothing);
        verdict.memory(&(life.clone() + "memory, last third"), memory(last), more(memory(middle)));
        let open = Bound::AtMost(descriptors(middle) + 16.0);
        verdict.add(&(life + "descriptors, last third"), descriptors(last), "", open);
        ends.push((memory(last), descriptors(last)));
    }
    if let [(first, opened), .., (last, open)] = ends[..] {
        verdict.memory("memory at the end, held to the first life's", last, more(first));
        let bound = Bound::AtMost(opened + 16.0);
        verdict.add("descriptors at the end, held to the first life's", open, "", bound);
    }
}

type Asks = Box<dyn FnMut() -> crate::load::Request + Send>;

/// Has something asked over and over; how often in vain.
async fn keep_busy(address: std::net::SocketAddr, mut ask: Asks, end: Instant) -> usize {
    let (mut line, mut failed) = (Line::new(address), 0);
    while Instant::now() < end {
        let answer = line.ask(ask()).await;
        failed += usize::from(!answer.is_ok_and(|answer| answer.is_success()));
        sleep(FILES).await;
    }
    failed
}

/// The office's files.
fn files(office: &Office) -> Asks {
    let (token, client) = (office.token(office.admin), office.clients[0]);
    let content: Bytes =
        b"%PDF-1.7\n".iter().copied().chain((9..FILE).map(|_| fastrand::u8(..))).collect();
    Box::new(move || {
        let path = format!(
            "/storage/v1/object/client-documents/public/{client}/contratos/{}-dia.pdf",
            fastrand::u64(..)
        );
        request(Method::POST, &path, Some(&token), content.clone())
    })
}

/// Other clients' sign-ins.
fn sign_ins(office: &Office) -> Asks {
    let (clients, key) = (office.clients.clone(), office.anon_key().to_owned());
    Box::new(move || sign_in(clients[fastrand::usize(..clients.len())], &key))
}
