//! `cargo xtask faults`: the fault tests in full. They kill the server before every system call of every change, kill it a
//! thousand times under load, cut its power two hundred times and stall its clients. It takes about an hour.
//! `cargo xtask test` runs a sample of the same tests.

use anyhow::Result;

use crate::{
    prerequisites,
    process::{self, command},
};

/// `filters` are names of tests. Without them all fault tests run.
pub(crate) fn run(filters: &[&str]) -> Result<()> {
    prerequisites::install_fault_tools()?;
    // The tests measure the time of a start, so no two run at the same time.
    let arguments = ["test", "--workspace", "--test", "faults", "--", "--test-threads", "1"];
    let mut faults = command("cargo", &[&arguments, filters].concat());
    process::run(faults.env("TEST_FAULTS", "long"))
}
