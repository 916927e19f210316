//! Property tests: invariants of every request, checked with generated requests.
//!
//! `TEST_PROOF_REQUESTS` sets the total number of requests (default 10,000). A failure prints the request and its
//! seed; `TEST_PROOF_SEED` repeats that request alone.

mod answer_size;
mod differential;
mod edge_strings;
mod evaluator;
mod fixture;
mod fixtures;
mod generate;
mod noninterference;
mod noninterference_events;
mod rng;
mod routes;

use std::fmt;

use axum::http::StatusCode;
use futures_util::future::join;
use percent_encoding::percent_decode;

use crate::harness::{TestPortal, request::Answer};
use crate::property::{
    fixture::{Furnished, Office},
    generate::{Ask, Pool},
};

/// The seeds of a test whose part of 50,000 requests is `share`.
fn seeds(number: u64, share: u64) -> std::ops::Range<u64> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the number of requests is not a setting of the portal"
    )]
    let setting = |name| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    if let Some(seed) = setting("TEST_PROOF_SEED") {
        return seed..seed + 1;
    }
    let first = number << 32;
    let all = setting("TEST_PROOF_REQUESTS").unwrap_or(10_000);
    first..first + share * all / 50_000
}

/// Two portals that receive the same requests, and the differences between their responses.
struct Pair<'a> {
    worlds: [&'a TestPortal; 2],
    offices: [Furnished; 2],
    pool: Pool,
    findings: Vec<String>,
}

impl<'a> Pair<'a> {
    async fn new(worlds: [&'a TestPortal; 2], offices: [&Office; 2]) -> Self {
        let pool = Pool::new(&offices);
        let offices = [offices[0].move_in(worlds[0]).await, offices[1].move_in(worlds[1]).await];
        Self { worlds, offices, pool, findings: Vec::new() }
    }

    /// Sends a request to both portals. The responses must be indistinguishable, and no request may cause a server
    /// error.
    async fn ask(&mut self, ask: &Ask, token: Option<&str>, caller: &str) -> Answer {
        let [one, two] = self.worlds;
        let (first, second) = join(ask.send(one, token), ask.send(two, token)).await;
        let [seen, other] = [&first, &second].map(|answer| Seen::new(answer, &self.pool));
        if seen != other {
            self.found(format!("{caller}: {ask}\n  {seen}\n  {other}"));
        } else if seen.is_server_error() {
            self.found(format!("{caller}: {ask}\n  {seen}"));
        }
        if ask.changes_state(&first) {
            join(self.offices[0].restore(one), self.offices[1].restore(two)).await;
        }
        first
    }

    /// Records a difference and fails after ten.
    fn found(&mut self, finding: String) {
        self.findings.push(finding);
        if self.findings.len() == 10 {
            self.check();
        }
    }

    #[track_caller]
    fn check(&self) {
        assert!(self.findings.is_empty(), "{}", self.findings.join("\n\n"));
    }
}

/// Everything by which a caller can distinguish two responses.
#[derive(Debug, PartialEq)]
struct Seen {
    status: StatusCode,
    headers: Vec<(String, String)>,
    body: String,
}

impl Seen {
    /// A response without random values: request ids, and ids of rows that the request created.
    fn new(answer: &Answer, pool: &Pool) -> Self {
        let seen = answer.headers.iter().filter(|(name, _)| !name.as_str().ends_with("request-id"));
        let mut headers: Vec<(String, String)> = seen
            .map(|(name, value)| {
                let value = percent_decode(value.as_bytes()).decode_utf8_lossy();
                (name.to_string(), without_new_ids(&value, pool))
            })
            .collect();
        headers.sort();
        let body = without_new_ids(&String::from_utf8_lossy(&answer.body), pool);
        Self { status: answer.status, headers, body }
    }

    fn is_server_error(&self) -> bool {
        // The PostgREST status for a duplicate key within one request.
        let twice = self.status == 500 && self.body.contains("cannot affect row a second time");
        self.status.is_server_error() && !twice
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.status.as_u16())?;
        let telling =
            ["content-range", "content-length", "content-type", "location", "proxy-status"];
        for (name, value) in &self.headers {
            if telling.contains(&name.as_str()) {
                write!(f, " [{name}: {value}]")?;
            }
        }
        write!(f, " {}", self.body)
    }
}

/// Replaces ids that did not exist before.
fn without_new_ids(text: &str, pool: &Pool) -> String {
    let mut masked = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let id = rest
            .get(..36)
            .filter(|id| next.is_ascii_hexdigit() && uuid::Uuid::parse_str(id).is_ok());
        let taken = if let Some(id) = id {
            masked.push_str(if pool.knows(id) { id } else { "{new}" });
            id.len()
        } else {
            masked.push(next);
            next.len_utf8()
        };
        rest = &rest[taken..];
    }
    masked
}
