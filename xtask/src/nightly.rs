//! `cargo xtask nightly`: the checks that take hours, one after the other, each even if another one failed.

use anyhow::Result;

use crate::{process::command, steps::Step, test};

/// The commands of `cargo xtask`, as step names and arguments.
const COMMANDS: [(&str, &str); 5] = [
    ("Property tests", "proptest"),
    ("Fault tests", "faults"),
    ("Operation", "test-ops"),
    ("Coverage", "coverage"),
    ("Mutants", "mutants"),
];

pub(crate) fn run() -> Result<()> {
    // All slots each: the fault tests measure time, and the mutants change the source in place.
    let steps = COMMANDS.map(|(name, argument)| {
        Step::new(name, [command("cargo", &["xtask", argument])]).weight(usize::MAX)
    });
    test::run_and_summarize(Vec::from(steps))
}
