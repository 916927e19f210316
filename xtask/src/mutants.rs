//! `cargo xtask mutants`: applies every mutation of cargo-mutants to `policy/` (`.cargo/mutants.toml`). For each
//! mutation a test must fail.

use std::fs;

use anyhow::{Context, Result};

use crate::{
    cargo_tools,
    postgres::PostgresServer,
    prerequisites::TestTools,
    process::{self, repository_root},
    scratch_dir::ScratchDir,
};

pub(crate) fn run() -> Result<()> {
    let report = repository_root().join("target/mutants.out");
    if report.exists() {
        fs::remove_dir_all(&report)
            .with_context(|| format!("cannot remove {}", report.display()))?;
    }
    let tools = TestTools::find_or_install()?;
    let scratch = ScratchDir::create()?;
    let postgres = PostgresServer::start(&tools.postgres_bin, &scratch)?;

    // The unit tests take seconds. Only the mutants that survive them go on to the server tests, which run on SQLite where
    // a test has the choice.
    let unit_tests = run_tests(&postgres, &["--lib", "policy::"]);
    if unit_tests.is_err() && process::is_stopping() {
        return unit_tests;
    }
    run_tests(&postgres, &["--test", "it", "--", "--skip", "postgres", "rest::", "storage::"])
}

/// Runs these tests for each mutant that no earlier run caught.
fn run_tests(postgres: &PostgresServer, test_arguments: &[&str]) -> Result<()> {
    let mut mutants = cargo_tools::subcommand("mutants", "27.1.0")?;
    // In place, because a copy of the repository would lack the web build, which the server embeds.
    mutants.args(["--in-place", "--iterate", "--package", "portaria", "--"]).args(test_arguments);
    // A mutation changes one function, so incremental compilation saves most of the build.
    mutants.env("CARGO_INCREMENTAL", "1");
    postgres.use_for_tests(&mut mutants);
    process::run(&mut mutants)
}
