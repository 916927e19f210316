//! `cargo xtask start`: builds the server and serves the demo.

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::{
    prerequisites::{self, environment_variable},
    process::{self, ChildProcess, command, repository_root},
    server_build::{self, Profile},
};

pub(crate) fn run() -> Result<()> {
    prerequisites::check_build_tools()?;
    prerequisites::check_disk_space(Profile::Demo.directory(), 4)?;
    let address = prerequisites::listen_address();
    prerequisites::check_address_is_free(&address)?;
    println!("The first build takes some minutes.");
    server_build::build(Profile::Demo)?;

    println!("\nStarting the demo; Ctrl-C stops it.\n");
    let data = environment_variable("PORTARIA_DATA_DIR")
        .map_or_else(|| repository_root().join("target/demo-data"), PathBuf::from);
    let mut serve = command(Profile::Demo.binary("portaria"), server_build::SERVE_DEMO);
    serve.env("PORTARIA_DATA_DIR", data).env("PORTARIA_LISTEN", address);
    let outcome = ChildProcess::start(&mut serve)?.wait();
    if process::is_stopping() {
        return Ok(());
    }
    outcome?;
    bail!("The server ended by itself.");
}
