//! A soak test: hours of ordinary use with restarts, in which memory and descriptors must not grow.
//!
//! A life is the time between two starts. Its last third is compared with its second, and the last life with the
//! first: the median of the memory may exceed the earlier one by a tenth and 8 MiB, and that of the descriptors by
//! 16. The first third of a life is not compared, because caches fill.

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
    connection::Connection,
    prepared,
    thresholds::{Bound, LoadReport, percentile},
    users::{ActionRecord, ActionResult, Users, sign_in},
};
use crate::{Outcome, dataset::Dataset, load::request, server::Server};

/// Number of active users.
const USERS: usize = 200;
/// Times of the restarts, as shares of the whole time. The last life is the longest.
const RESTARTS: [f64; 3] = [0.1, 0.25, 0.5];
/// Interval between two samples of memory and descriptors.
const SAMPLE_INTERVAL: Duration = Duration::from_secs(5);
/// Interval between two uploads, and between two sign-ins.
const WORK_INTERVAL: Duration = Duration::from_secs(4);
/// Size of such an upload, in bytes.
const FILE_BYTES: usize = 1_000_000;
/// Time around a restart within which actions may fail.
const RESTART_MARGIN: Duration = Duration::from_secs(2);

/// Memory and descriptors of the server at one time.
#[derive(Debug, Clone, Copy)]
struct Sample {
    memory: f64,
    descriptors: f64,
}

/// Runs the soak test for a number of minutes.
pub(crate) async fn soak(binary: &Path, output: &Path, minutes: u32) -> Outcome<()> {
    let parent = output.parent().unwrap_or(Path::new("."));
    let office = prepared(binary, parent, USERS).await?;
    let mut server = Server::portal_with_log_file(binary, &office, &parent.join("bench-soak.log"))?;
    let crowd = Users::start(&server, &office, USERS).await?;
    let time = Duration::from_mins(1) * minutes;
    let begin = Instant::now();
    let end = begin + time;
    let mut work = JoinSet::new();
    work.spawn(keep_busy(server.address, files(&office), end));
    work.spawn(keep_busy(server.address, sign_ins(&office), end));
    let mut restarts = RESTARTS.map(|share| begin + time.mul_f64(share)).into_iter().peekable();
    let (mut lives, mut restart_times, mut stops) = (vec![Vec::new()], Vec::new(), Vec::new());
    while Instant::now() < end {
        if restarts.next_if(|at| Instant::now() > *at).is_some() {
            let from = Instant::now();
            stops.push(block_in_place(|| server.restart())?);
            restart_times.push((from, Instant::now()));
            lives.push(Vec::new());
        }
        sleep(SAMPLE_INTERVAL).await;
        let descriptors = f64::from(u32::try_from(server.descriptors()?)?);
        if let Some(life) = lives.last_mut() {
            life.push(Sample { memory: server.memory()?, descriptors });
        }
    }
    let deeds = crowd.deeds(begin, Instant::now());
    crowd.stop().await?;
    let mut refused = 0;
    while let Some(failed) = work.join_next().await {
        refused += failed?;
    }
    let mut verdict = LoadReport::default();
    verdict.scene("Soak");
    verdict.add("minutes", f64::from(minutes), "", Bound::Nothing);
    record_deeds(&mut verdict, &deeds, &restart_times);
    // Each restart may refuse a few requests of both kinds.
    let expected = f64::from(u32::try_from(stops.len() * 6)?);
    verdict.count("files and sign-ins that failed", refused, Bound::AtMost(expected));
    verdict.time(
        "longest graceful shutdown",
        stops.into_iter().max().unwrap_or_default(),
        Bound::Nothing,
    );
    record_growth(&mut verdict, &lives);
    verdict.write(output)
}

fn record_deeds(
    verdict: &mut LoadReport,
    deeds: &[ActionRecord],
    restart_times: &[(Instant, Instant)],
) {
    let is_near_restart = |deed: &&ActionRecord| {
        restart_times.iter().any(|(from, to)| {
            deed.begun < *to + RESTART_MARGIN && deed.begun + deed.took + RESTART_MARGIN > *from
        })
    };
    let (during, quiet): (Vec<&ActionRecord>, Vec<&ActionRecord>) =
        deeds.iter().partition(is_near_restart);
    let failed: Vec<&&ActionRecord> =
        quiet.iter().filter(|deed| !matches!(deed.went, ActionResult::Well)).collect();
    let mut times: Vec<Duration> = quiet.iter().map(|deed| deed.took).collect();
    verdict.count("actions", deeds.len(), Bound::Nothing);
    verdict.count("actions during a restart", during.len(), Bound::Nothing);
    verdict.count("failed other actions", failed.len(), Bound::AtMost(0.0));
    for deed in failed.iter().take(5) {
        println!("    {}: {:?}", deed.action, deed.went);
    }
    verdict.time("p99", percentile(&mut times, 99), Bound::Nothing);
}

fn record_growth(verdict: &mut LoadReport, lives: &[Vec<Sample>]) {
    let median = |samples: &[Sample], of: fn(&Sample) -> f64| {
        let mut values: Vec<f64> = samples.iter().map(of).collect();
        values.sort_unstable_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or_default()
    };
    let memory = |samples: &[Sample]| median(samples, |sample| sample.memory);
    let descriptors = |samples: &[Sample]| median(samples, |sample| sample.descriptors);
    let limit = |mib: f64| Bound::AtMost(mib * 1.1 + 8.0);
    let mut ends = Vec::new();
    for (number, life) in lives.iter().enumerate() {
        let third = life.len() / 3;
        let (middle, last) = (&life[third..2 * third], &life[2 * third..]);
        let life = format!("life {}: ", number + 1);
        verdict.memory(&(life.clone() + "memory, second third"), memory(middle), Bound::Nothing);
        verdict.memory(&(life.clone() + "memory, last third"), memory(last), limit(memory(middle)));
        let open = Bound::AtMost(descriptors(middle) + 16.0);
        verdict.add(&(life + "descriptors, last third"), descriptors(last), "", open);
        ends.push((memory(last), descriptors(last)));
    }
    if let [(first, opened), .., (last, open)] = ends[..] {
        verdict.memory("memory at the end, compared with the first life", last, limit(first));
        let bound = Bound::AtMost(opened + 16.0);
        verdict.add("descriptors at the end, compared with the first life", open, "", bound);
    }
}

type RequestSource = Box<dyn FnMut() -> crate::load::Request + Send>;

/// Sends a request in every [`WORK_INTERVAL`]. Returns the number of failures.
async fn keep_busy(
    address: std::net::SocketAddr,
    mut next_request: RequestSource,
    end: Instant,
) -> usize {
    let (mut line, mut failed) = (Connection::new(address), 0);
    while Instant::now() < end {
        let answer = line.ask(next_request()).await;
        failed += usize::from(!answer.is_ok_and(|answer| answer.is_success()));
        sleep(WORK_INTERVAL).await;
    }
    failed
}

/// Uploads of the office.
fn files(office: &Dataset) -> RequestSource {
    let (token, client) = (office.token(office.admin), office.clients[0]);
    let content: Bytes =
        b"%PDF-1.7\n".iter().copied().chain((9..FILE_BYTES).map(|_| fastrand::u8(..))).collect();
    Box::new(move || {
        let path = format!(
            "/storage/v1/object/client-documents/public/{client}/contratos/{}-dia.pdf",
            fastrand::u64(..)
        );
        request(Method::POST, &path, Some(&token), content.clone())
    })
}

/// Sign-ins of random clients.
fn sign_ins(office: &Dataset) -> RequestSource {
    let (clients, key) = (office.clients.clone(), office.anon_key().to_owned());
    Box::new(move || sign_in(clients[fastrand::usize(..clients.len())], &key))
}
