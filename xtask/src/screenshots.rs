//! `cargo xtask shots`: takes the pictures and the animation of the README, and pictures of every screen in every size and
//! theme (`target/shots`).
//! `cargo xtask shots --baseline` renews the pictures that the browser tests compare (`e2e/visual/baseline`).

use anyhow::Result;

use crate::{
    npm, prerequisites, process,
    server_build::{self, Profile},
};

pub(crate) fn run() -> Result<()> {
    take("shots")
}

pub(crate) fn renew_baseline() -> Result<()> {
    take("baseline")
}

/// Builds the server and runs a script of the end-to-end tests with it.
fn take(script: &str) -> Result<()> {
    prerequisites::check_build_tools()?;
    prerequisites::check_disk_space(Profile::Dev.directory(), 4)?;
    let chromium = prerequisites::require_chromium("Taking screenshots")?;
    server_build::build(Profile::Dev)?;
    let mut shots = npm::script(&[script, "--workspace", "e2e"]);
    shots.env("TEST_CHROMIUM", chromium).env("TEST_PORTARIA", Profile::Dev.binary("portaria"));
    process::run(&mut shots)
}
