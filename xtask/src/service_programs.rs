//! Programs that the tests run from their unpacked Debian packages, because an installed package would start a service. A
//! test whose program is missing says so.

use std::{env, ffi::OsString, fs, path::Path};

use anyhow::Result;

use crate::{
    prerequisites,
    process::{self, command, repository_root},
};

/// Programs with their packages.
const PROGRAMS: [(&str, &str); 2] = [("caddy", "caddy"), ("promtool", "prometheus")];

/// Returns the PATH of the tests, with the folder of the programs. Fetches missing ones if this is Debian.
pub(crate) fn path() -> Result<OsString> {
    let folder = repository_root().join("target/tools/debian");
    let programs = folder.join("usr/bin");
    let is_missing = |program: &str| {
        let is_debian = prerequisites::find("apt-get").is_some();
        is_debian && prerequisites::find(program).is_none() && !programs.join(program).exists()
    };
    for (_, package) in PROGRAMS.iter().filter(|(program, _)| is_missing(program)) {
        if let Err(why) = fetch(package, &folder) {
            println!("The package {package} could not be fetched: {why}");
        }
    }
    let known = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&known).chain([programs]);
    Ok(env::join_paths(folders)?)
}

/// Fetches and unpacks a package, without its scripts.
fn fetch(package: &str, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    process::run(command("apt-get", &["download", "-q", package]).current_dir(folder))?;
    for entry in fs::read_dir(folder)? {
        let file = entry?.path();
        if file.extension().is_some_and(|extension| extension == "deb") {
            process::run(command("dpkg", &["-x"]).arg(&file).arg(folder))?;
            fs::remove_file(file)?;
        }
    }
    Ok(())
}
