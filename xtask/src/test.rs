//! `cargo xtask test`: from formatting to browser, stopping at the first step that fails.

use std::process::Command;

use crate::machine::{self, TestTools};
use crate::packages::{self, npm};
use crate::postgres::Postgres;
use crate::process::tool;
use crate::start::release_build;
use crate::steps::{self, Done, Step, seconds};
use crate::tally::Tally;

pub(crate) fn run() -> Result<(), String> {
    machine::check_tools()?;
    machine::check_disk("target/debug", 8)?;
    let tools = machine::test_tools()?;
    machine::fault_tools()?;
    let postgres = Postgres::start(&tools.postgres)?;
    let (done, outcome) = steps::run(steps(&tools, &postgres));
    summarise(&done);
    outcome
}

fn steps(tools: &TestTools, postgres: &Postgres) -> Vec<Step> {
    let on_postgres = |mut command: Command| {
        command.env("PORTARIA_TEST_POSTGRES", postgres.url());
        command
    };
    let strict = ["--", "--deny", "warnings"];
    let mut doc = cargo(&["doc", "--workspace", "--no-deps", "--document-private-items"]);
    doc.env("RUSTDOCFLAGS", "--deny warnings");
    let mut wire = on_postgres(npm(&["wire", "--workspace", "e2e"]));
    wire.env("PORTARIA_PYTHON", &tools.python);
    let mut browser = npm(&["browser", "--workspace", "e2e"]);
    browser.env("PORTARIA_CHROMIUM", &tools.chromium).env("PORTARIA_PYTHON", &tools.python);

    let mut steps = Vec::from_iter(packages::install_step());
    steps.extend([
        Step::new(
            "Formatting",
            [
                cargo(&["fmt", "--all", "--check"]),
                npm(&["format:check"]),
                npm(&["format:check", "--workspace", "e2e"]),
            ],
        ),
        // The server takes the web app in when it is compiled.
        Step::new("Web build", [npm(&["build"])]),
        Step::new("Web lints", [npm(&["lint"]), npm(&["typecheck", "--workspaces"])]),
        Step::new(
            "Rust lints",
            [cargo(&[&["clippy", "--workspace", "--all-targets"], &strict[..]].concat()), doc],
        ),
        Step::new("Web unit tests", [npm(&["test"])]),
        Step::new(
            "Rust unit tests",
            [
                cargo(&["test", "--workspace", "--lib", "--bins"]),
                cargo(&["test", "--package", "query", "--test", "it"]),
            ],
        ),
        Step::new(
            "Server tests",
            [on_postgres(cargo(&["test", "--package", "portaria", "--test", "it"]))],
        ),
        Step::new("Fault tests", [cargo(&["test", "--package", "portaria", "--test", "faults"])]),
        Step::new("Release build", [release_build()]),
        Step::new("Wire tests", [wire]),
        Step::new("Browser tests", [browser]),
    ]);
    steps
}

fn summarise(done: &[Done]) {
    println!("\n{:<20} {:>12} {:>8} {:>8}", "", "time", "passed", "failed");
    let mut sum = Tally::default();
    for Done { name, took, tally, passed } in done {
        let Tally { passed: good, failed: bad } = tally;
        let verdict = if *passed { "" } else { "  FAILED" };
        println!("{name:<20} {:>12} {good:>8} {bad:>8}{verdict}", seconds(*took));
        sum.add(*tally);
    }
    println!("\n{} passed, {} failed", sum.passed, sum.failed);
}

fn cargo(words: &[&str]) -> Command {
    tool("cargo", words)
}
