//! `cargo xtask test`: every check and every test.

use std::{env, ffi::OsStr, num::NonZero, process::Command, thread};

use anyhow::Result;

use crate::{
    npm,
    postgres::PostgresServer,
    prerequisites::{self, TestTools},
    process::command,
    python,
    scratch_dir::ScratchDir,
    server_build::{self, Profile, WEB_BUILD},
    service_programs,
    steps::{self, OnFailure, Step, StepReport, format_duration},
    test_summary::TestCounts,
};

const RUST_LINTS: &str = "Rust lints";
const RUST_DOCUMENTATION: &str = "Rust documentation";
/// Name of the step that compiles the tests.
pub(crate) const TEST_BUILD: &str = "Rust test build";

pub(crate) fn run() -> Result<()> {
    prerequisites::check_build_tools()?;
    prerequisites::check_disk_space("target/debug", 10)?;
    let tools = TestTools::find_or_install()?;
    prerequisites::install_fault_tools()?;
    let scratch = ScratchDir::create()?;
    let postgres = PostgresServer::start(&tools.postgres_bin, &scratch)?;

    run_and_summarize(steps(&tools, &service_programs::path()?, &scratch, &postgres))
}

/// Runs the steps, each even if another one failed, unless it depends on it. Prints the end of the output of each
/// failed step, a table of the steps and, as the last line, the number of tests: `N passed, N failed`.
pub(crate) fn run_and_summarize(steps: Vec<Step>) -> Result<()> {
    let reports = steps::run(steps, steps::slots(), OnFailure::Continue);
    print_summary(&reports);
    steps::into_result(reports)
}

/// The weights are rounded numbers of processors that a step keeps busy. The quick steps come first.
fn steps(
    tools: &TestTools,
    path: &OsStr,
    scratch: &ScratchDir,
    postgres: &PostgresServer,
) -> Vec<Step> {
    let mut server_tests = server_tests(&[]);
    scratch.use_for_temporary_files(&mut server_tests);
    postgres.use_for_tests(&mut server_tests);
    server_tests.env("PATH", path);

    let mut api_tests = end_to_end_tests("wire", scratch);
    postgres.use_for_tests(&mut api_tests);
    let mut browser_tests = end_to_end_tests("browser", scratch);
    browser_tests.env("TEST_CHROMIUM", &tools.chromium).env("TEST_FIREFOX", &tools.firefox);

    vec![
        npm::install_step(),
        python::install_step(&tools.python),
        server_build::web_build_step(),
        formatting_step(),
        web_lints_step(),
        web_unit_tests_step(),
        rust_lints_step(),
        rust_documentation_step(),
        test_build_step().after(&[RUST_DOCUMENTATION]),
        // The debug binary reads the web app when it runs. Without it the tests of its pages check nothing.
        unit_tests_step().after(&[WEB_BUILD]),
        // Some of them measure load or time. With two processors they run alone.
        Step::new("Server tests", [server_tests]).after(&[TEST_BUILD, WEB_BUILD]).weight(3),
        // They use the disk, because they test what reaches it.
        Step::new("Fault tests", [cargo_test(&["--test", "faults"])]).after(&[TEST_BUILD]),
        Step::new("API tests", [api_tests]).after(&[TEST_BUILD, WEB_BUILD, python::INSTALL]),
        Step::new("Browser tests", [browser_tests])
            .after(&[TEST_BUILD, WEB_BUILD, python::INSTALL])
            .weight(2),
    ]
}

pub(crate) fn formatting_step() -> Step {
    let commands = [
        command("cargo", &["fmt", "--all", "--check"]),
        npm::script(&["format:check"]),
        npm::script(&["format:check", "--workspace", "e2e"]),
        own_command(&["prose"]),
        own_command(&["docs", "--check"]),
    ];
    Step::new("Formatting", commands).after(&[npm::INSTALL])
}

/// A command of this program, without cargo, which would wait for another build to finish.
fn own_command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env::current_exe().expect("the program has a path"));
    command.args(arguments);
    command
}

pub(crate) fn web_lints_step() -> Step {
    let commands = [npm::script(&["lint"]), npm::script(&["typecheck", "--workspaces"])];
    Step::new("Web lints", commands).after(&[npm::INSTALL])
}

pub(crate) fn web_unit_tests_step() -> Step {
    // The default of Vitest, 5 s, is too short for its slowest test beside a compiler.
    let tests = npm::script(&["test", "--workspace", "web", "--", "--testTimeout=60000"]);
    Step::new("Web unit tests", [tests]).after(&[npm::INSTALL])
}

/// Clippy, with warnings as errors.
pub(crate) fn rust_lints_step() -> Step {
    let clippy = ["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"];
    Step::new(RUST_LINTS, [command("cargo", &clippy)]).weight(2)
}

/// rustdoc, with warnings as errors.
fn rust_documentation_step() -> Step {
    let mut doc =
        command("cargo", &["doc", "--workspace", "--no-deps", "--document-private-items"]);
    doc.env("RUSTDOCFLAGS", "--deny warnings");
    Step::new(RUST_DOCUMENTATION, [doc]).after(&[RUST_LINTS])
}

/// Compiles the unit, server and fault tests. The steps that run them only have to start them.
/// One cargo command at a time builds in `target/debug`, because cargo locks it.
pub(crate) fn test_build_step() -> Step {
    let build = cargo_test(&["--lib", "--bins", "--test", "it", "--test", "faults", "--no-run"]);
    Step::new(TEST_BUILD, [build]).after(&[RUST_LINTS]).weight(2)
}

pub(crate) fn unit_tests_step() -> Step {
    Step::new("Rust unit tests", [cargo_test(&["--lib", "--bins"])]).after(&[TEST_BUILD])
}

/// `cargo test` with a selection of targets. It always selects the whole workspace: with a single package the features
/// of the dependencies differ, and cargo would compile them a second time.
pub(crate) fn cargo_test(targets: &[&str]) -> Command {
    command("cargo", &[&["test", "--workspace"], targets].concat())
}

/// The server tests, or those whose names contain one of `filters`. Most of them wait rather than compute, so they get
/// four threads per processor. Tests that measure load or time run alone by themselves.
pub(crate) fn server_tests(filters: &[&str]) -> Command {
    const MAX_THREADS: usize = 16;
    let processors = thread::available_parallelism().map_or(2, NonZero::get);
    let threads = (4 * processors).min(MAX_THREADS).to_string();
    cargo_test(&[&["--test", "it", "--", "--test-threads", &threads], filters].concat())
}

/// A script of the end-to-end tests, which start the server of the profile `dev`: it is a part of the test build, while an
/// optimized one would take a fifth of the whole run on two processors.
fn end_to_end_tests(script: &str, scratch: &ScratchDir) -> Command {
    let mut command = npm::script(&[script, "--workspace", "e2e"]);
    command
        .env("TEST_PORTARIA", Profile::Dev.binary("portaria"))
        .env("TEST_PYTHON", python::interpreter());
    scratch.use_for_temporary_files(&mut command);
    command
}

fn print_summary(reports: &[StepReport]) {
    for StepReport { name, last_lines, .. } in
        reports.iter().filter(|report| report.outcome.is_err())
    {
        println!("\n{name} failed:");
        for line in last_lines {
            println!("{line}");
        }
    }
    println!("\n{:<20} {:>12} {:>8} {:>8}", "", "time", "passed", "failed");
    let mut total = TestCounts::default();
    for StepReport { name, duration, tests, outcome, .. } in reports {
        let TestCounts { passed, failed } = tests;
        let verdict = if outcome.is_ok() { "" } else { "  FAILED" };
        println!("{name:<20} {:>12} {passed:>8} {failed:>8}{verdict}", format_duration(*duration));
        total.add(*tests);
    }
    println!("\n{} passed, {} failed", total.passed, total.failed);
}
