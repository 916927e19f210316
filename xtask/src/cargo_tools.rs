//! Additional cargo subcommands. Each is pinned to a version and built into `target/tools` on first use.

use std::process::Command;

use anyhow::Result;

use crate::process::{self, command, repository_root};

/// The command `cargo {name}`, installed if necessary.
pub(crate) fn subcommand(name: &str, version: &str) -> Result<Command> {
    let program = format!("cargo-{name}");
    let directory = repository_root().join("target/tools").join(format!("{program}-{version}"));
    let binary = directory.join("bin").join(&program);
    if !binary.exists() {
        println!("\nInstalling {program} {version}.");
        let mut install = command("cargo", &["install", "--locked", "--root"]);
        install.arg(&directory).arg(format!("{program}@{version}"));
        install.arg("--target-dir").arg(repository_root().join("target/tools/build"));
        process::run(&mut install)?;
    }
    Ok(command(binary, &[name]))
}
