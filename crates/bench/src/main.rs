//! How fast the portal is, as ratios to what the same machine does in the same minutes: a static answer
//! from the same web server, a plain copy of a file, a bare password hash. Run it by `cargo xtask bench`.
//! And how it bears more than it is used to, by `cargo xtask bench --load` and `--soak`; whether its times tell who has
//! an account, by `--accounts`.
//!
//! ```text
//! bench PORTARIA OUTPUT [--postgres URL] [--only RUN] [SIZE…]
//! bench PORTARIA OUTPUT --load [PEOPLE]
//! bench PORTARIA OUTPUT --soak [MINUTES]
//! bench PORTARIA OUTPUT --accounts [SAMPLES]
//! ```
//! `PORTARIA` is the release binary, `OUTPUT` the JSON file for the figures, a `SIZE` a number of documents
//! (10000, 100000 and 1000000 if none is given), a `RUN` the one thing to measure: list, insert, sign-in,
//! refresh or files. Without a number a thousand people come, a soak takes two hours, and two thousand accounts
//! are asked about.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the terminal is the interface")]

mod baseline;
mod benchmarks;
mod dataset;
mod load;
mod load_test;
mod report;
mod server;

use std::{
    error::Error,
    path::{Path, PathBuf},
    process::ExitCode,
    str::FromStr,
};

use crate::dataset::Office;
use report::Report;
use server::Server;

/// What stopped the measuring, as a sentence.
type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Documents in the office, one size after the other.
const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];
/// People who come at once.
const PEOPLE: usize = 1000;
/// Minutes of a soak.
const MINUTES: u32 = 120;
/// Accounts that are asked about.
const SAMPLES: usize = 2000;

struct Arguments {
    portaria: PathBuf,
    output: PathBuf,
    what: What,
}

enum What {
    Speed { postgres: Option<String>, only: Option<String>, sizes: Vec<usize> },
    Load { people: usize },
    Soak { minutes: u32 },
    Accounts { samples: usize },
}

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1).peekable();
    let outcome = if words.peek().is_some_and(|word| word == baseline::WORD) {
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
    let mut next = |what| words.next().ok_or(format!("{what} is missing"));
    let (portaria, output) = (next("the binary")?.into(), next("the output")?.into());
    let (mut postgres, mut only, mut sizes) = (None, None, Vec::new());
    while let Some(word) = words.next() {
        let what = match word.as_str() {
            "--load" => What::Load { people: number(words.next())?.unwrap_or(PEOPLE) },
            "--soak" => What::Soak { minutes: number(words.next())?.unwrap_or(MINUTES) },
            "--accounts" => What::Accounts { samples: number(words.next())?.unwrap_or(SAMPLES) },
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
        return Ok(Arguments { portaria, output, what });
    }
    if sizes.is_empty() {
        sizes = SIZES.to_vec();
    }
    sizes.sort_unstable();
    Ok(Arguments { portaria, output, what: What::Speed { postgres, only, sizes } })
}

fn number<N: FromStr>(word: Option<String>) -> Outcome<Option<N>> {
    let read = |word: String| word.parse().map_err(|_| format!("{word} is no number"));
    Ok(word.map(read).transpose()?)
}

fn run(Arguments { portaria, output, what }: &Arguments) -> Outcome<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    match what {
        What::Speed { postgres, only, sizes } => {
            let mut report = Report::default();
            for database in [Some(None), postgres.as_ref().map(Some)].into_iter().flatten() {
                let folder = output.parent().unwrap_or(Path::new("."));
                let mut office = Office::new(folder, database.cloned())?;
                for size in sizes {
                    runtime.block_on(office.grow_to(*size))?;
                    let ceiling = Server::ceiling()?;
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
        What::Load { people } => runtime.block_on(load_test::load(portaria, output, *people)),
        What::Soak { minutes } => runtime.block_on(load_test::soak(portaria, output, *minutes)),
        What::Accounts { samples } => {
            runtime.block_on(load_test::accounts(portaria, output, *samples))
        }
    }
}
