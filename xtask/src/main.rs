//! `cargo xtask`: everything a person or a CI machine does with this repository, one word each.
//! A command lives in the file of its name; a failure is one plain sentence and a non-zero exit.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "the terminal is the interface")]

mod audit;
mod bench;
mod coverage;
mod dev;
mod dist;
mod faults;
mod lighthouse;
mod machine;
mod mutants;
mod packages;
mod postgres;
mod process;
mod shots;
mod start;
mod steps;
mod tally;
mod test;
mod tools;

use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask start       build Portaria and serve its demo
cargo xtask test        format, lints and every test
cargo xtask dev         serve the demo, rebuilding the web app as it is edited
cargo xtask shots       take the pictures of every screen
cargo xtask lighthouse  let Lighthouse judge the first screens
cargo xtask audit       check licences and origins of what is built in
cargo xtask dist        build a release: program, Debian package, parts lists
cargo xtask coverage    measure which lines the tests run
cargo xtask mutants     break who may touch what; a test must notice each time
cargo xtask faults      kill, fill, lock and cut the power of the server at every step
cargo xtask bench       measure speed, as ratios to what the machine can do at most
cargo xtask bench --load [people]   a crowd, files, silent lines, floods: each figure beside its ceiling
cargo xtask bench --soak [minutes]  an ordinary day with restarts: whether memory stays as it is
cargo xtask bench --accounts [many] whether the time of an answer tells who has an account";

fn main() -> ExitCode {
    process::stop_children_on_signals();
    let words: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["start"] => start::run(),
        ["test"] => test::run(),
        ["dev"] => dev::run(),
        ["shots"] => shots::run(),
        ["lighthouse"] => lighthouse::run(),
        ["audit"] => audit::run(),
        ["dist"] => dist::run(),
        ["coverage", ref names @ ..] => coverage::run(names),
        ["mutants"] => mutants::run(),
        ["faults", ref names @ ..] => faults::run(names),
        ["bench", ref words @ ..] => bench::run(words),
        _ => Err(format!("Say what to do:\n\n{USAGE}")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) if process::stopping() => {
            eprintln!("\nStopped.");
            ExitCode::from(130)
        }
        Err(sentence) => {
            eprintln!("\n{sentence}");
            ExitCode::FAILURE
        }
    }
}
