//! `cargo xtask mutants`: breaks `policy.rs` in every way that cargo-mutants knows, one at a time. For each a test must fail.
//! `.cargo/mutants.toml` names the file.

use crate::{
    machine,
    postgres::Postgres,
    process::{self, root},
    tally::Tally,
    tools,
};

pub(crate) fn run() -> Result<(), String> {
    let told = root().join("target/mutants.out");
    if told.exists() {
        std::fs::remove_dir_all(&told).map_err(|e| format!("{}: {e}.", told.display()))?;
    }
    let postgres = Postgres::start(&machine::test_tools()?.postgres)?;
    // The file's own tests take seconds; who survives them meets those of the whole portal, on the embedded database
    // where a test has the choice.
    let own = with(&postgres, &["--lib", "policy::"]);
    if own.is_err() && process::stopping() {
        return own;
    }
    with(&postgres, &["--test", "it", "--", "--skip", "postgres", "rest::", "storage::"])
}

fn with(postgres: &Postgres, tests: &[&str]) -> Result<(), String> {
    let mut mutants = tools::cargo("mutants", "27.1.0")?;
    // The web app's build, which the server is compiled with, is in no copy that it would make.
    mutants.args(["--in-place", "--iterate", "--package", "portaria", "--"]).args(tests);
    // Nearly all of the program stays as it was.
    mutants.env("CARGO_INCREMENTAL", "1").env("PORTARIA_TEST_POSTGRES", postgres.url());
    process::run(mutants, &mut Tally::default())
}
