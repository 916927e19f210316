//! `cargo xtask`: the commands of this repository for developers and CI.
//! Each command has a file of its own. A failed command prints a sentence and exits with a status other than zero.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "xtask is a command-line program")]

mod audit;
mod bench;
mod cargo_tools;
mod check;
mod console;
mod coverage;
mod demo_assets;
mod dev;
mod dist;
mod docs;
mod faults;
mod lighthouse;
mod mutants;
mod nightly;
mod npm;
mod postgres;
mod prerequisites;
mod process;
mod proptest;
mod prose;
mod python;
mod reproducible;
mod scratch_dir;
mod screenshots;
mod server_build;
mod service_programs;
mod start;
mod steps;
mod test;
mod test_ops;
mod test_summary;
mod types;

use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask start                   build Portaria and serve the demo
cargo xtask dev                     serve the demo, and reload the web app after each change
cargo xtask check                   formatting, lints, unit tests, server tests on SQLite
cargo xtask docs                    build the documentation site
cargo xtask docs --check            check the links between documents, without a build
cargo xtask prose                   find forbidden phrases in comments and documents
cargo xtask test                    every check and every test
cargo xtask types                   write the web app's types of the server's tables

cargo xtask shots                   take screenshots of every screen
cargo xtask shots --baseline        renew the screenshots that the browser tests compare
cargo xtask lighthouse              measure the main screens with Lighthouse
cargo xtask demo-assets             generate the files of the demo office
cargo xtask audit                   check licenses and sources of the dependencies
cargo xtask dist                    build a release: binary, Debian package, component lists

cargo xtask nightly                 proptest, faults, test-ops, coverage and mutants
cargo xtask proptest [requests]     property tests with many generated requests
cargo xtask faults [test …]         kill the server, fill its disk and cut its power at every step
cargo xtask test-ops [test …]       install, upgrade, break and restore the Debian package on clean machines
cargo xtask coverage [test …]       measure the line coverage of the tests
cargo xtask mutants                 mutate the access rules; a test must fail for each mutation

cargo xtask bench [documents …]     measure speed, relative to the limits of the machine
cargo xtask bench --load [users]    concurrent users, uploads, stalled connections and overload
cargo xtask bench --soak [minutes]  constant load with restarts: memory must not grow
cargo xtask bench --attack [min]    hostile requests while clients work: no client waits
cargo xtask bench --accounts [n]    response times must not reveal which accounts exist
cargo xtask bench --realtime        idle websockets, and the delay of changes
cargo xtask bench --inbox           how well and how fast documents are read
cargo xtask bench --peers [docs]    other products with the same office, in alternating rounds";

fn main() -> ExitCode {
    process::stop_children_on_signals();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["start"] => start::run(),
        ["dev"] => dev::run(),
        ["check"] => check::run(),
        ["docs"] => docs::run(),
        ["docs", "--check"] => docs::check(),
        ["prose"] => prose::run(),
        ["test"] => test::run(),
        ["types"] => types::run(),
        ["shots"] => screenshots::run(),
        ["shots", "--baseline"] => screenshots::renew_baseline(),
        ["lighthouse"] => lighthouse::run(),
        ["demo-assets"] => demo_assets::run(),
        ["audit"] => audit::run(),
        ["dist"] => dist::run(),
        ["nightly"] => nightly::run(),
        ["proptest", ref arguments @ ..] => proptest::run(arguments),
        ["faults", ref filters @ ..] => faults::run(filters),
        ["test-ops", ref arguments @ ..] => test_ops::run(arguments),
        ["coverage", ref filters @ ..] => coverage::run(filters),
        ["mutants"] => mutants::run(),
        ["bench", ref arguments @ ..] => bench::run(arguments),
        _ => Err(anyhow::anyhow!("Choose a command:\n\n{USAGE}")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) if process::is_stopping() => {
            eprintln!("\nStopped.");
            ExitCode::from(130)
        }
        Err(error) => {
            eprintln!("\n{error:#}");
            ExitCode::FAILURE
        }
    }
}
