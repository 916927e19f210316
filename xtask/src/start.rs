//! `cargo xtask start`: from a fresh clone to a demo in the browser.

use std::path::PathBuf;
use std::process::Command;

use crate::machine;
use crate::packages::{self, npm};
use crate::process::{self, Running, root, tool};
use crate::steps::{self, Step};

pub(crate) fn run() -> Result<(), String> {
    machine::check_tools()?;
    machine::check_disk("target/release", 4)?;
    let address = machine::address();
    machine::check_free(&address)?;
    build()?;
    println!("\nStarting the demo; Ctrl-C stops it.\n");
    let data = machine::setting("PORTARIA_DATA_DIR")
        .map_or_else(|| root().join("target/demo-data"), PathBuf::from);
    let mut server = tool(root().join("target/release/portaria"), &["serve", "--demo"]);
    server.env("PORTARIA_DATA_DIR", data).env("PORTARIA_LISTEN", address);
    match Running::start(&mut server)?.wait() {
        // Ctrl-C is how this command is meant to end.
        _ if process::stopping() => Ok(()),
        Ok(()) => Err("The server ended by itself.".to_owned()),
        failed => failed,
    }
}

/// The release binary with the web app in it.
pub(crate) fn build() -> Result<(), String> {
    let mut steps = Vec::from_iter(packages::install_step());
    steps.push(Step::new("Web app", [npm(&["build"])]));
    steps.push(Step::new("Server (the first time takes some minutes)", [release_build()]));
    steps::run(steps).1
}

pub(crate) fn release_build() -> Command {
    tool("cargo", &["build", "--release", "--package", "portaria"])
}
