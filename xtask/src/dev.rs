//! `cargo xtask dev`: serves the demo, and the web app with Vite, which reloads it after each change and proxies the API.

use std::{thread, time::Duration};

use anyhow::{Result, bail};

use crate::{
    npm, prerequisites,
    process::{self, ChildProcess, command, repository_root},
    server_build::{self, Profile},
    steps::{self, OnFailure},
};

/// Interval between checks of the two processes.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

pub(crate) fn run() -> Result<()> {
    prerequisites::check_build_tools()?;
    // The configuration of Vite contains this address, so it is fixed.
    let address = prerequisites::DEFAULT_ADDRESS;
    prerequisites::check_address_is_free(address)?;
    let steps = vec![npm::install_step(), server_build::demo_build_step()];
    steps::into_result(steps::run(steps, steps::slots(), OnFailure::Stop))?;

    let mut serve = command(Profile::Demo.binary("portaria"), server_build::SERVE_DEMO);
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
