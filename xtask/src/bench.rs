//! `cargo xtask bench`: how fast the release binary is, as ratios in one run (`crates/bench`).

use crate::machine;
use crate::postgres::Postgres;
use crate::process::{self, root, tool};
use crate::start;
use crate::tally::Tally;

/// With `sizes`: offices of so many documents, instead of the usual three.
pub(crate) fn run(sizes: &[&str]) -> Result<(), String> {
    machine::check_tools()?;
    machine::check_disk("target/release", 8)?;
    start::build()?;
    let mut tally = Tally::default();
    process::run(tool("cargo", &["build", "--release", "--package", "bench"]), &mut tally)?;
    let postgres = Postgres::start_durable(&machine::test_tools()?.postgres)?;
    let release = root().join("target/release");
    let mut bench = tool(release.join("bench"), &[]);
    bench.arg(release.join("portaria")).arg(root().join("target/bench.json"));
    bench.args(["--postgres", &postgres.url()]).args(sizes);
    process::run(bench, &mut tally)
}
