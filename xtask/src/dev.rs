//! `cargo xtask dev`: serves the demo with the debug binary, and the web app with Vite, which reloads it after each change and
//! proxies the API.

use std::{thread, time::Duration};

use anyhow::{Result, bail};

use crate::{
    npm, prerequisites,
    process::{self, ChildProcess, command, repository_root},
    steps::{self, OnFailure, Step},
};

/// Interval between checks of the two processes.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

pub(crate) fn run() -> Result<()> {
    prerequisites::check_build_tools()?;
    // The configuration of Vite contains this address, so it is fixed.
    let address = prerequisites::DEFAULT_ADDRESS;
    prerequisites::check_address_is_free(address)?;
    let build = command("cargo", &["build", "--package", "portaria"]);
    let steps = vec![npm::install_step(), Step::new("Server build", [build])];
    steps::into_result(steps::run(steps, steps::slots(), OnFailure::Stop))?;

    let mut serve = command(repository_root().join("target/debug/portaria"), &["serve", "--demo"]);
    serve
        .env("PORTARIA_LISTEN", address)
        .env("PORTARIA_DATA_DIR", repository_root().join("target/dev-data"));
    let mut server = ChildProcess::start(&mut serve)?;
    let mut vite = ChildProcess::start(&mut npm::script(&["dev"]))?;
    while server.is_running() && vite.is_running() {
        thread::sleep(POLL_INTERVAL);
    }
    if !process::is_stopping() {
        bail!("The server or Vite ended by itself.");
    }
    Ok(())
}
