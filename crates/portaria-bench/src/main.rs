//! Benchmarks and load tests of a release binary.
//!
//! `cargo xtask bench` measures operations as ratios to baselines of the same machine in the same minutes: a static
//! response of the same web server, nginx with `sendfile`, a plain copy of a file, a bare password hash. `--load`,
//! `--soak`, `--attack` and `--realtime` run load tests, `--accounts` verifies that response times do not reveal
//! accounts, and `--peers` compares with other products.
//!
//! `PORTARIA` is the release binary, `OUTPUT` the JSON file for the figures, `SIZE` a number of documents (default:
//! 10000, 100000 and 1000000), and `RUN` one benchmark: list, insert, sign-in, refresh or files. The defaults of the
//! numbers are a thousand users, two hours, one hour and two thousand accounts.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the terminal is the interface")]

mod baseline;
mod benchmarks;
mod dataset;
mod files;
mod load;
mod load_test;
mod nginx;
mod peers;
mod postgres;
mod report;
mod server;

use std::{
    error::Error,
    path::{Path, PathBuf},
    process::ExitCode,
    str::FromStr,
};

use crate::dataset::Dataset;
use report::Report;
use server::Server;

/// A result whose error is a sentence.
type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Default numbers of documents in the office, in this order.
const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];
/// Default number of documents in the comparison with other products.
const PEER_DOCUMENTS: usize = 100_000;
/// Default number of active users.
const PEOPLE: usize = 1000;
/// Default duration of a soak test, in minutes.
const MINUTES: u32 = 120;
/// Default duration of an attack, in minutes.
const ATTACK_MINUTES: u32 = 60;
/// Default number of accounts of the timing test.
const SAMPLES: usize = 2000;

struct Arguments {
    portaria: PathBuf,
    output: PathBuf,
    mode: Mode,
}

enum Mode {
    Speed { postgres: Option<String>, only: Option<String>, sizes: Vec<usize> },
    Load { people: usize },
    Soak { minutes: u32 },
    Attack { minutes: u32 },
    Accounts { samples: usize },
    Realtime { postgres: Option<String> },
    Peers { postgres: String, documents: usize },
}

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1).peekable();
    let outcome = if words.peek().is_some_and(|word| word == baseline::COMMAND) {
        baseline::serve()
    } else {
        arguments(words).and_then(|arguments| run(&arguments))
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn arguments(mut words: impl Iterator<Item = String>) -> Outcome<Arguments> {
    let mut next = |name| words.next().ok_or(format!("{name} is missing"));
    let (portaria, output) = (next("the binary")?.into(), next("the output")?.into());
    let (mut postgres, mut only, mut sizes) = (None, None, Vec::new());
    while let Some(word) = words.next() {
        let mode = match word.as_str() {
            "--load" => Mode::Load { people: number(words.next())?.unwrap_or(PEOPLE) },
            "--soak" => Mode::Soak { minutes: number(words.next())?.unwrap_or(MINUTES) },
            "--attack" => Mode::Attack { minutes: number(words.next())?.unwrap_or(ATTACK_MINUTES) },
            "--accounts" => Mode::Accounts { samples: number(words.next())?.unwrap_or(SAMPLES) },
            "--realtime" => Mode::Realtime { postgres: postgres.take() },
            "--peers" => Mode::Peers {
                postgres: postgres.take().ok_or("--peers needs --postgres")?,
                documents: number(words.next())?.unwrap_or(PEER_DOCUMENTS),
            },
            "--postgres" => {
                postgres = Some(words.next().ok_or("--postgres needs an address")?);
                continue;
            }
            "--only" => {
                only = Some(words.next().ok_or("--only needs a run")?);
                continue;
            }
            _ => {
                sizes.extend(number::<usize>(Some(word))?);
                continue;
            }
        };
        return Ok(Arguments { portaria, output, mode });
    }
    if sizes.is_empty() {
        sizes = SIZES.to_vec();
    }
    sizes.sort_unstable();
    Ok(Arguments { portaria, output, mode: Mode::Speed { postgres, only, sizes } })
}

fn number<N: FromStr>(word: Option<String>) -> Outcome<Option<N>> {
    let read = |word: String| word.parse().map_err(|_| format!("{word} is no number"));
    Ok(word.map(read).transpose()?)
}

fn run(Arguments { portaria, output, mode }: &Arguments) -> Outcome<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    match mode {
        Mode::Speed { postgres, only, sizes } => {
            let mut report = Report::default();
            for database in [Some(None), postgres.as_ref().map(Some)].into_iter().flatten() {
                let folder = output.parent().unwrap_or(Path::new("."));
                let mut office = Dataset::new(folder, database.cloned())?;
                for size in sizes {
                    runtime.block_on(office.grow_to(*size))?;
                    let ceiling = Server::baseline()?;
                    let portal = Server::portal(portaria, &office)?;
                    let only = only.as_deref();
                    runtime.block_on(benchmarks::all(
                        &office,
                        &portal,
                        &ceiling,
                        &mut report,
                        only,
                    ))?;
                }
            }
            report.write(output)
        }
        Mode::Load { people } => runtime.block_on(load_test::load(portaria, output, *people)),
        Mode::Soak { minutes } => runtime.block_on(load_test::soak(portaria, output, *minutes)),
        Mode::Attack { minutes } => runtime.block_on(load_test::attack(portaria, output, *minutes)),
        Mode::Realtime { postgres } => {
            runtime.block_on(load_test::realtime(portaria, output, postgres.as_deref()))
        }
        Mode::Peers { postgres, documents } => {
            runtime.block_on(peers::compare(portaria, output, postgres, *documents))
        }
        Mode::Accounts { samples } => {
            runtime.block_on(load_test::accounts(portaria, output, *samples))
        }
    }
}
