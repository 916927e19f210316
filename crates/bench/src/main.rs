//! How fast the portal is, as ratios to what the same machine does in the same minutes: a static answer
//! from the same web server, a plain copy of a file, a bare password hash. Run it by `cargo xtask bench`.
//!
//! ```text
//! bench PORTARIA OUTPUT [--postgres URL] [--only RUN] [SIZE…]
//! ```
//! `PORTARIA` is the release binary, `OUTPUT` the JSON file for the figures, a `SIZE` a number of documents
//! (10000, 100000 and 1000000 if none is given), a `RUN` the one thing to measure: list, insert, sign-in,
//! refresh or files.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the terminal is the interface")]

mod ceiling;
mod load;
mod office;
mod report;
mod runs;
mod server;

use std::{
    error::Error,
    path::{Path, PathBuf},
    process::ExitCode,
};

use office::Office;
use report::Report;
use server::Server;

/// What stopped the measuring, as a sentence.
type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Documents in the office, one size after the other.
const SIZES: [usize; 3] = [10_000, 100_000, 1_000_000];

struct Arguments {
    portaria: PathBuf,
    output: PathBuf,
    postgres: Option<String>,
    only: Option<String>,
    sizes: Vec<usize>,
}

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1).peekable();
    let outcome = if words.peek().is_some_and(|word| word == ceiling::WORD) {
        ceiling::serve()
    } else {
        arguments(words).and_then(|arguments| measure(&arguments))
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
        match word.as_str() {
            "--postgres" => postgres = Some(words.next().ok_or("--postgres needs an address")?),
            "--only" => only = Some(words.next().ok_or("--only needs a run")?),
            size => sizes.push(size.parse().map_err(|_| format!("{size} is no number"))?),
        }
    }
    if sizes.is_empty() {
        sizes = SIZES.to_vec();
    }
    sizes.sort_unstable();
    Ok(Arguments { portaria, output, postgres, only, sizes })
}

fn measure(arguments: &Arguments) -> Outcome<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut report = Report::default();
    let databases = [Some(None), arguments.postgres.as_ref().map(Some)];
    for database in databases.into_iter().flatten() {
        let mut office =
            Office::new(arguments.output.parent().unwrap_or(Path::new(".")), database.cloned())?;
        for size in &arguments.sizes {
            runtime.block_on(office.grow_to(*size))?;
            let ceiling = Server::ceiling()?;
            let portal = Server::portal(&arguments.portaria, &office)?;
            runtime.block_on(runs::all(
                &office,
                &portal,
                &ceiling,
                &mut report,
                arguments.only.as_deref(),
            ))?;
        }
    }
    report.write(&arguments.output)
}
