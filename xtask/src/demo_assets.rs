//! `cargo xtask demo-assets`: generates the files of the demo office, which the server embeds (`crates/portaria-demo`).

use anyhow::Result;

use crate::process::{self, command};

/// The committed folder. A test compares it with a new generation.
const FOLDER: &str = "crates/portaria/demo-assets";

pub(crate) fn run() -> Result<()> {
    let generator = ["run", "--quiet", "--package", "portaria-demo", "--", FOLDER];
    process::run(&mut command("cargo", &generator))
}
