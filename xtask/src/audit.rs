//! `cargo xtask audit`: checks licenses, sources and banned crates of the dependencies (`deny.toml`).
//! It does not check for known vulnerabilities: `cargo deny check advisories` downloads their list.

use anyhow::Result;

use crate::{cargo_tools, process};

pub(crate) fn run() -> Result<()> {
    let mut deny = cargo_tools::subcommand("deny", "0.20.2")?;
    process::run(deny.args(["check", "bans", "licenses", "sources"]))
}
