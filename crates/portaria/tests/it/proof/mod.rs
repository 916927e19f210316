//! Proofs by numbers: what holds for every request, asked with as many as a machine has time for.
//!
//! `PORTARIA_PROOF_REQUESTS` sets how many there are in all (50,000 by default). A failure prints the request and
//! its seed; `PORTARIA_PROOF_SEED` then asks that one alone.

mod differential;
mod generate;
mod interference;
mod office;
mod people;
mod rng;

use std::fmt;

use axum::http::StatusCode;
use percent_encoding::percent_decode;

use self::generate::Pool;
use crate::request::Answer;

/// How many requests a test asks that asks `share` of them by default, and from which seed on.
fn seeds(number: u64, share: u64) -> std::ops::Range<u64> {
    #[expect(clippy::disallowed_methods, reason = "how long to test is no setting of the portal's")]
    let setting = |name| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    if let Some(seed) = setting("PORTARIA_PROOF_SEED") {
        return seed..seed + 1;
    }
    let first = number << 32;
    let all = setting("PORTARIA_PROOF_REQUESTS").unwrap_or(50_000);
    first..first + share * all / 50_000
}

/// What went wrong so far; a test gives up after ten, each of which says how to ask again.
#[derive(Default)]
struct Findings(Vec<String>);

impl Findings {
    /// Two answers to one request must not be told apart, and no request makes the server stumble.
    fn compare(&mut self, pool: &Pool, answers: [&Answer; 2], what: impl Fn() -> String) {
        let [one, two] = answers.map(|answer| Seen::new(answer, pool));
        if one != two {
            self.add(format!("{}\n  {one}\n  {two}", what()));
        } else if one.stumbled() {
            self.add(format!("{}\n  {one}", what()));
        }
    }

    fn add(&mut self, finding: String) {
        self.0.push(finding);
        if self.0.len() == 10 {
            self.check();
        }
    }

    #[track_caller]
    fn check(&self) {
        assert!(self.0.is_empty(), "{}", self.0.join("\n\n"));
    }
}

/// What a caller can tell two answers apart by.
#[derive(Debug, PartialEq)]
struct Seen {
    status: StatusCode,
    headers: Vec<(String, String)>,
    body: String,
}

impl Seen {
    /// An answer without what chance put into it: ids of requests, and of rows made by this one.
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

    fn stumbled(&self) -> bool {
        // The protocol's own status for a key that a request names twice.
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

/// Replaces the ids that were nobody's before.
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
