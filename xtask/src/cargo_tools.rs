//! Additional tools from crates.io. Each is pinned to a version and built into `target/tools` on first use.

use std::{path::PathBuf, process::Command};

use anyhow::Result;

use crate::process::{self, command, repository_root};

/// The command `cargo {name}`, installed if necessary.
pub(crate) fn subcommand(name: &str, version: &str) -> Result<Command> {
    let program = program(&format!("cargo-{name}"), version, &[])?;
    Ok(command(program, &[name]))
}

/// The path of a program, installed if necessary with these options of `cargo install`.
pub(crate) fn program(name: &str, version: &str, options: &[&str]) -> Result<PathBuf> {
    let directory = repository_root().join("target/tools").join(format!("{name}-{version}"));
    let binary = directory.join("bin").join(name);
    if !binary.exists() {
        println!("\nInstalling {name} {version}.");
        let mut install = command("cargo", &["install", "--locked", "--root"]);
        install.arg(&directory).arg(format!("{name}@{version}")).args(options);
        install.arg("--target-dir").arg(repository_root().join("target/tools/build"));
        process::run(&mut install)?;
    }
    Ok(binary)
}
