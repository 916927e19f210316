//! `cargo xtask faults`: every step of every change at which the program can be killed, a thousand kills under load, two
//! hundred power cuts, clients that stop reading. It takes about an hour; `test` takes a spread of the same steps.

use crate::{
    machine,
    process::{self, tool},
    tally::Tally,
};

pub(crate) fn run(names: &[&str]) -> Result<(), String> {
    machine::fault_tools()?;
    // One after the other: starts are timed.
    let fixed = ["test", "--package", "portaria", "--test", "faults", "--", "--test-threads", "1"];
    let mut walk = tool("cargo", &[&fixed, names].concat());
    walk.env("PORTARIA_FAULTS", "long");
    process::run(walk, &mut Tally::default())
}
