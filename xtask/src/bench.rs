//! `cargo xtask bench`: how fast the release binary is, as ratios in one run, and what it bears (`crates/bench`).

use crate::machine;
use crate::postgres::Postgres;
use crate::process::{self, root, tool};
use crate::start;
use crate::tally::Tally;

/// `--load` and `--soak` have a crowd come, `--accounts` a stranger; anything else is sizes: offices of so many documents, instead of the usual three.
pub(crate) fn run(words: &[&str]) -> Result<(), String> {
    machine::check_tools()?;
    machine::check_disk("target/release", 8)?;
    start::build()?;
    let mut tally = Tally::default();
    process::run(tool("cargo", &["build", "--release", "--package", "bench"]), &mut tally)?;
    let release = root().join("target/release");
    let mut bench = tool(release.join("bench"), &[]);
    bench.arg(release.join("portaria"));
    let output = match words.first() {
        Some(&"--load") => "target/bench-load.json",
        Some(&"--soak") => "target/bench-soak.json",
        Some(&"--accounts") => "target/bench-accounts.json",
        _ => {
            let postgres = Postgres::start_durable(&machine::test_tools()?.postgres)?;
            bench.arg(root().join("target/bench.json"));
            bench.args(["--postgres", &postgres.url()]).args(words);
            return process::run(bench, &mut tally);
        }
    };
    bench.arg(root().join(output)).args(words);
    process::run(bench, &mut tally)
}
