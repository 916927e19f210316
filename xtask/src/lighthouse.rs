//! `cargo xtask lighthouse`: Lighthouse scores of the main screens. Run it on an otherwise idle machine.

use anyhow::Result;

use crate::{
    npm, prerequisites, process,
    server_build::{self, Profile},
};

pub(crate) fn run() -> Result<()> {
    prerequisites::check_build_tools()?;
    prerequisites::check_disk_space(Profile::Release.directory(), 4)?;
    let chromium = prerequisites::require_chromium("Lighthouse")?;
    server_build::build(Profile::Release)?;
    let mut lighthouse = npm::script(&["lighthouse", "--workspace", "e2e"]);
    lighthouse
        .env("TEST_CHROMIUM", chromium)
        .env("TEST_PORTARIA", Profile::Release.binary("portaria"));
    process::run(&mut lighthouse)
}
