//! `cargo xtask coverage`: measures the line coverage of the server by its tests, and fails below a minimum
//! (`xtask/coverage-report`).

use std::{
    fs::{self, File},
    path::Path,
};

use anyhow::{Context, Result};

use crate::{
    postgres::PostgresServer,
    prerequisites::{self, TestTools},
    process::{self, command, repository_root},
    scratch_dir::ScratchDir,
    test::cargo_test,
};

/// The targets of all tests.
const ALL_TESTS: &[&str] = &["--lib", "--bins", "--test", "it", "--test", "faults"];

/// `filters` are names of server tests. With them no other tests run, and the coverage has no minimum.
pub(crate) fn run(filters: &[&str]) -> Result<()> {
    prerequisites::check_disk_space("target/debug", 10)?;
    let tools = TestTools::find_or_install()?;
    prerequisites::install_fault_tools()?;
    let scratch = ScratchDir::create()?;
    let postgres = PostgresServer::start(&tools.postgres_bin, &scratch)?;
    let targets = if filters.is_empty() { ALL_TESTS } else { &["--test", "it"] };

    let directory = repository_root().join("target/coverage");
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory)
        .with_context(|| format!("cannot create {}", directory.display()))?;
    let instrumented_tests = |arguments: &[&str], profile: &Path| {
        let mut command = cargo_test(&[targets, arguments].concat());
        command.env("LLVM_PROFILE_FILE", profile);
        command
            .env("RUSTC_WORKSPACE_WRAPPER", repository_root().join("xtask/instrument-coverage.sh"));
        postgres.use_for_tests(&mut command);
        command
    };
    // Procedural macros run during the build. Their profile is discarded.
    let messages = directory.join("build.json");
    let file =
        File::create(&messages).with_context(|| format!("cannot create {}", messages.display()))?;
    let mut build =
        instrumented_tests(&["--no-run", "--message-format=json"], Path::new("/dev/null"));
    process::run(build.stdout(file))?;
    // `%4m` makes the processes of an executable share four profiles instead of writing one each.
    let profile = directory.join("%4m.profraw");
    process::run(&mut instrumented_tests(&[&["--"], filters].concat(), &profile))?;

    let mut report = command("cargo", &["run", "--quiet", "--package", "coverage-report", "--"]);
    report.arg(&directory).arg(&messages);
    if filters.is_empty() {
        report.arg("--check");
    }
    process::run(&mut report)
}
