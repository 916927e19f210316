//! `cargo xtask proptest`: the property tests of the server with more generated requests than `cargo xtask test` uses.

use anyhow::{Context, Result};

use crate::{
    postgres::PostgresServer, prerequisites::TestTools, process, scratch_dir::ScratchDir,
    test::cargo_test,
};

/// Number of generated requests without an argument. `cargo xtask test` uses 10,000.
const DEFAULT_REQUESTS: u64 = 1_000_000;

/// `arguments` is the number of generated requests.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    let requests = match arguments.first() {
        Some(number) => number.parse().context("The number of requests is not a number.")?,
        None => DEFAULT_REQUESTS,
    };
    let tools = TestTools::find_or_install()?;
    let scratch = ScratchDir::create()?;
    let postgres = PostgresServer::start(&tools.postgres_bin, &scratch)?;
    let mut tests = cargo_test(&["--test", "it", "--", "property::"]);
    tests.env("TEST_PROOF_REQUESTS", requests.to_string());
    scratch.use_for_temporary_files(&mut tests);
    postgres.use_for_tests(&mut tests);
    process::run(&mut tests)
}
