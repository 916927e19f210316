//! Whether the time of an answer tells who has an account: each question is asked of addresses that have one and of
//! addresses that have none, in a random order, one after the other.

use std::{path::Path, time::Duration};

use bytes::Bytes;
use hyper::Method;
use serde_json::json;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::load_test::{
    DOCUMENTS,
    connection::Line,
    thresholds::{Bound, Verdict, within},
    users::told,
};
use crate::{Outcome, dataset::Office, load::request, server::Server};

/// What a stranger may ask of an address, and the answer's status. Each address is asked about once, for its account
/// remembers. Sign-ins go on one line: they take all the processor there is.
const QUESTIONS: [Question; 3] = [
    Question {
        what: "sign in with a wrong password",
        path: "/auth/v1/token?grant_type=password",
        status: 400,
        lines: 1,
    },
    Question { what: "ask for a new password", path: "/auth/v1/recover", status: 200, lines: 8 },
    Question { what: "sign up", path: "/auth/v1/signup", status: 200, lines: 8 },
];
/// The first of each line count for nothing: caches fill.
const WARM_UP: usize = 10;
/// In milliseconds: how far apart the medians may be.
const APART: f64 = 1.0;
/// How often a guess by the time may be right.
const RIGHT: [f64; 2] = [45.0, 55.0];

#[derive(Clone, Copy)]
struct Question {
    what: &'static str,
    path: &'static str,
    status: u16,
    lines: usize,
}

/// How long the answers took about addresses with an account, and about addresses without.
#[derive(Default)]
struct Times {
    with: Vec<Duration>,
    without: Vec<Duration>,
}

/// Asks about so many addresses of either kind.
pub(crate) async fn accounts(binary: &Path, output: &Path, samples: usize) -> Outcome<()> {
    let parent = output.parent().unwrap_or(Path::new("."));
    let mut office = Office::new(parent, None)?;
    office.grow_to(samples * DOCUMENTS).await?;
    let server = Server::quiet_portal(binary, &office, &parent.join("bench-accounts.log"))?;
    let mut verdict = Verdict::default();
    for question in QUESTIONS {
        let mut lines = JoinSet::new();
        for clients in office.clients.chunks(office.clients.len().div_ceil(question.lines)) {
            let (clients, key) = (clients.to_vec(), office.anon_key().to_owned());
            lines.spawn(ask(Line::new(server.address), question, clients, key));
        }
        let mut times = Times::default();
        while let Some(asked) = lines.join_next().await {
            let Times { with, without } = asked??;
            times.with.extend(with.into_iter().skip(WARM_UP));
            times.without.extend(without.into_iter().skip(WARM_UP));
        }
        tell(&mut verdict, question, times);
    }
    verdict.write(output)
}

async fn ask(
    mut line: Line,
    question: Question,
    clients: Vec<Uuid>,
    key: String,
) -> Outcome<Times> {
    let mut times = Times::default();
    for client in clients {
        let stranger = Uuid::from_u128(fastrand::u128(..));
        let mut turn = [(client, &mut times.with), (stranger, &mut times.without)];
        fastrand::shuffle(&mut turn);
        for (person, times) in turn {
            let body = json!({"email": Office::email(person), "password": "a wrong password"});
            let body = Bytes::from(body.to_string());
            let answer = line.ask(request(Method::POST, question.path, Some(&key), body)).await?;
            if answer.status != question.status {
                return Err(format!("{}: {}", question.path, told(&answer)).into());
            }
            times.push(answer.took);
        }
    }
    Ok(times)
}

fn tell(verdict: &mut Verdict, question: Question, Times { mut with, mut without }: Times) {
    verdict.scene(question.what);
    let right = guessed(&with, &mut without);
    let medians = (within(&mut with, 50), within(&mut without, 50));
    verdict.time("an address with an account: median", medians.0, Bound::Nothing);
    verdict.time("an address without: median", medians.1, Bound::Nothing);
    verdict.time("medians apart", medians.0.abs_diff(medians.1), Bound::AtMost(APART));
    verdict.add("guesses by the time that are right", right, "%", Bound::AtLeast(RIGHT[0]));
    verdict.add("guesses by the time that are right", right, "%", Bound::AtMost(RIGHT[1]));
}

/// In how many of a hundred pairs the address with an account took longer: Mann and Whitney's U. Half, if time tells nothing.
fn guessed(with: &[Duration], without: &mut [Duration]) -> f64 {
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
