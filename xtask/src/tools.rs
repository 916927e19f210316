//! Cargo's further commands, each in the version that we know, built on first use into the target folder.

use std::process::Command;

use crate::{
    process::{self, root, tool},
    tally::Tally,
};

/// `cargo {name}`.
pub(crate) fn cargo(name: &str, version: &str) -> Result<Command, String> {
    let program = format!("cargo-{name}");
    let folder = root().join("target/tools").join(format!("{program}-{version}"));
    let binary = folder.join("bin").join(&program);
    if !binary.exists() {
        println!("\nBuilding {program} {version}, which is done once.");
        let package = format!("{program}@{version}");
        let mut install = tool("cargo", &["install", "--locked", "--root"]);
        install.arg(&folder).arg(package);
        install.arg("--target-dir").arg(root().join("target/tools/build"));
        process::run(install, &mut Tally::default())?;
    }
    Ok(tool(binary, &[name]))
}
