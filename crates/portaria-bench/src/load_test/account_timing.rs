//! Verifies that response times do not reveal which addresses have an account. Each request is sent for addresses
//! with and without an account, one after the other, in a random order.

use std::{path::Path, time::Duration};

use bytes::Bytes;
use hyper::Method;
use serde_json::json;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::load_test::{
    DOCUMENTS,
    connection::Connection,
    thresholds::{Bound, LoadReport, percentile},
    users::describe,
};
use crate::{Outcome, dataset::Dataset, load::request, server::Server};

/// The requests about an address, with the expected status. Each address is used once, because attempts are recorded
/// per account. Sign-ins use one connection, because they occupy the processor.
const PROBES: [Probe; 3] = [
    Probe {
        name: "sign in with a wrong password",
        path: "/auth/v1/token?grant_type=password",
        status: 400,
        connections: 1,
    },
    Probe { name: "request a new password", path: "/auth/v1/recover", status: 200, connections: 8 },
    Probe { name: "sign up", path: "/auth/v1/signup", status: 200, connections: 8 },
];
/// Number of first responses per connection that are not measured, because caches fill.
const WARM_UP: usize = 10;
/// Maximum difference of the medians, in milliseconds.
const MAX_MEDIAN_DIFFERENCE: f64 = 1.0;
/// Range of the share of correct guesses from the response time, in percent.
const CORRECT_GUESSES: [f64; 2] = [45.0, 55.0];

#[derive(Clone, Copy)]
struct Probe {
    name: &'static str,
    path: &'static str,
    status: u16,
    connections: usize,
}

/// Response times for addresses with and without an account.
#[derive(Default)]
struct Times {
    with: Vec<Duration>,
    without: Vec<Duration>,
}

/// Measures `samples` addresses with an account and as many without.
pub(crate) async fn accounts(binary: &Path, output: &Path, samples: usize) -> Outcome<()> {
    let parent = output.parent().unwrap_or(Path::new("."));
    let mut office = Dataset::new(parent, None)?;
    office.grow_to(samples * DOCUMENTS).await?;
    let server = Server::portal_with_log_file(binary, &office, &parent.join("bench-accounts.log"))?;
    let mut verdict = LoadReport::default();
    for probe in PROBES {
        let mut connections = JoinSet::new();
        for clients in office.clients.chunks(office.clients.len().div_ceil(probe.connections)) {
            let (clients, key) = (clients.to_vec(), office.anon_key().to_owned());
            connections.spawn(measure(Connection::new(server.address), probe, clients, key));
        }
        let mut times = Times::default();
        while let Some(measured) = connections.join_next().await {
            let Times { with, without } = measured??;
            times.with.extend(with.into_iter().skip(WARM_UP));
            times.without.extend(without.into_iter().skip(WARM_UP));
        }
        record(&mut verdict, probe, times);
    }
    verdict.write(output)
}

async fn measure(
    mut line: Connection,
    probe: Probe,
    clients: Vec<Uuid>,
    key: String,
) -> Outcome<Times> {
    let mut times = Times::default();
    for client in clients {
        let stranger = Uuid::from_u128(fastrand::u128(..));
        let mut pair = [(client, &mut times.with), (stranger, &mut times.without)];
        fastrand::shuffle(&mut pair);
        for (person, times) in pair {
            let body = json!({"email": Dataset::email(person), "password": "a wrong password"});
            let body = Bytes::from(body.to_string());
            let answer = line.ask(request(Method::POST, probe.path, Some(&key), body)).await?;
            if answer.status != probe.status {
                return Err(format!("{}: {}", probe.path, describe(&answer)).into());
            }
            times.push(answer.took);
        }
    }
    Ok(times)
}

fn record(verdict: &mut LoadReport, probe: Probe, Times { mut with, mut without }: Times) {
    verdict.scene(probe.name);
    let correct = correct_guesses(&with, &mut without);
    let medians = (percentile(&mut with, 50), percentile(&mut without, 50));
    verdict.time("an address with an account: median", medians.0, Bound::Nothing);
    verdict.time("an address without: median", medians.1, Bound::Nothing);
    verdict.time(
        "difference of the medians",
        medians.0.abs_diff(medians.1),
        Bound::AtMost(MAX_MEDIAN_DIFFERENCE),
    );
    verdict.add("correct guesses from the time", correct, "%", Bound::AtLeast(CORRECT_GUESSES[0]));
    verdict.add("correct guesses from the time", correct, "%", Bound::AtMost(CORRECT_GUESSES[1]));
}

/// Returns the percentage of pairs in which the address with an account took longer (the Mann-Whitney U statistic).
/// It is 50 if the time reveals nothing.
fn correct_guesses(with: &[Duration], without: &mut [Duration]) -> f64 {
    without.sort_unstable();
    let shorter = |time: &Duration| {
        let below = without.partition_point(|other| other < time);
        let equal = without.partition_point(|other| other <= time) - below;
        below * 2 + equal
    };
    let halves: usize = with.iter().map(shorter).sum();
    let tenths = halves * 1000 / (with.len() * without.len() * 2).max(1);
    f64::from(u32::try_from(tenths).unwrap_or(u32::MAX)) / 10.0
}
