//! `cargo xtask shots`: takes the pictures of the README, and of every screen in every size and theme (`target/shots`).

use anyhow::Result;

use crate::{
    npm, prerequisites, process,
    server_build::{self, Profile},
};

pub(crate) fn run() -> Result<()> {
    prerequisites::check_build_tools()?;
    prerequisites::check_disk_space(Profile::Dev.directory(), 4)?;
    let chromium = prerequisites::require_chromium("Taking screenshots")?;
    server_build::build(Profile::Dev)?;
    let mut shots = npm::script(&["shots", "--workspace", "e2e"]);
    shots.env("TEST_CHROMIUM", chromium).env("TEST_PORTARIA", Profile::Dev.binary("portaria"));
    process::run(&mut shots)
}
