//! What the commands need of the machine. What is missing is named in one sentence, with its remedy.

use std::ffi::{OsStr, OsString};
use std::io::ErrorKind;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use nix::sys::statvfs::statvfs;
use nix::unistd::Uid;

use crate::process::{self, root, tool};
use crate::tally::Tally;

/// The oldest Node.js that can install the packages; what runs afterwards is the one among them.
const OLDEST_NODE: u32 = 18;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

pub(crate) const DEFAULT_ADDRESS: &str = "127.0.0.1:8080";

/// Where Debian's Chromium, and its cousins elsewhere, are looked for.
const CHROMIUM: [&str; 4] =
    ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Rust has proved itself by running this. The rest of what a build needs:
pub(crate) fn check_tools() -> Result<(), String> {
    for (program, what) in [("cc", "C compiler"), ("make", "make")] {
        if find(program).is_none() {
            return Err(format!(
                "No {what} was found: install one (on Debian: apt-get install build-essential)."
            ));
        }
    }
    let node = format!("install Node.js {OLDEST_NODE} or newer, with npm (https://nodejs.org).");
    let version =
        ask("node", &["--version"]).ok_or_else(|| format!("Node.js was not found: {node}"))?;
    let major =
        version.trim_start_matches('v').split('.').next().and_then(|major| major.parse().ok());
    if major.is_none_or(|major: u32| major < OLDEST_NODE) {
        return Err(format!("Node.js {version} is too old: {node}"));
    }
    if find("npm").is_none() {
        return Err(format!("npm was not found: {node}"));
    }
    Ok(())
}

/// A build that starts from nothing needs more than one that goes on from `built_before`.
pub(crate) fn check_disk(built_before: &str, gib: u64) -> Result<(), String> {
    let gib = if root().join(built_before).exists() { 1 } else { gib };
    let disk =
        statvfs(root()).map_err(|e| format!("The free disk space could not be read: {e}."))?;
    // These two numbers are narrower on some systems.
    #[cfg_attr(target_os = "linux", expect(clippy::useless_conversion))]
    let free = u64::from(disk.blocks_available()) * u64::from(disk.fragment_size());
    if free >= gib * GIB {
        return Ok(());
    }
    let (root, free) = (root().display(), free / MIB);
    Err(format!("Too little disk space: {root} needs {gib} GiB, and {free} MiB are free."))
}

/// Where the server will listen.
pub(crate) fn address() -> String {
    setting("PORTARIA_LISTEN").unwrap_or_else(|| DEFAULT_ADDRESS.to_owned())
}

pub(crate) fn check_free(address: &str) -> Result<(), String> {
    match TcpListener::bind(address) {
        Ok(_) => Ok(()),
        Err(e) if e.kind() == ErrorKind::AddrInUse => Err(format!(
            "{address} is already in use: stop what holds it (`start` can go elsewhere: PORTARIA_LISTEN=127.0.0.1:8081)."
        )),
        Err(e) => Err(format!("The server cannot listen on {address}: {e}.")),
    }
}

/// What makes calls to the system fail. Without it, or without the right to use it, the tests that need it say so and are
/// skipped.
pub(crate) fn fault_tools() -> Result<(), String> {
    let is_root = Uid::effective().is_root() && find("apt-get").is_some();
    if find("strace").is_none() && is_root { install(&["strace"]) } else { Ok(()) }
}

/// The browser, the database, the mail server and the proxy that the tests use, installed if this is Debian and we are root.
pub(crate) fn test_tools() -> Result<TestTools, String> {
    let missing: Vec<&str> = [
        chromium().is_none().then_some("chromium"),
        postgres_folder().is_none().then_some("postgresql"),
        python().is_none().then_some("python3-aiosmtpd"),
        nginx().is_none().then_some("nginx-light"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !missing.is_empty() {
        install(&missing)?;
    }
    match (chromium(), postgres_folder(), python(), nginx()) {
        (Some(chromium), Some(postgres), Some(python), Some(_)) => {
            Ok(TestTools { chromium, postgres, python })
        }
        _ => Err(format!("The tests need {}, which could not be found.", missing.join(" and "))),
    }
}

pub(crate) struct TestTools {
    pub(crate) chromium: PathBuf,
    /// The folder of `initdb` and `pg_ctl`.
    pub(crate) postgres: PathBuf,
    /// A Python that has a mail server.
    pub(crate) python: PathBuf,
}

pub(crate) fn chromium() -> Option<PathBuf> {
    CHROMIUM.into_iter().find_map(find)
}

/// The value of an environment variable.
pub(crate) fn setting(name: &str) -> Option<String> {
    std::env::var_os(name)
        .and_then(|value| value.into_string().ok())
        .filter(|value| !value.is_empty())
}

/// The proxy before several nodes; Debian keeps it off the PATH of most people.
fn nginx() -> Option<PathBuf> {
    find("nginx").or_else(|| Some(PathBuf::from("/usr/sbin/nginx")).filter(|path| path.exists()))
}

/// A Python with the mail server that wire and browser tests run: that of the PATH, or Debian's own.
fn python() -> Option<PathBuf> {
    let found = find("python3").into_iter().chain([PathBuf::from("/usr/bin/python3")]);
    found.into_iter().find(|python| ask(python, &["-c", "import aiosmtpd"]).is_some())
}

fn postgres_folder() -> Option<PathBuf> {
    if let Some(initdb) = find("initdb") {
        return initdb.parent().map(Path::to_owned);
    }
    // Debian keeps them off the PATH, one folder per version.
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let number =
        |folder: &PathBuf| folder.file_name().and_then(|name| name.to_str()?.parse::<u32>().ok());
    let newest = versions.flatten().map(|entry| entry.path()).max_by_key(number)?;
    Some(newest.join("bin")).filter(|bin| bin.join("initdb").exists())
}

fn install(packages: &[&str]) -> Result<(), String> {
    let names = packages.join(" ");
    if !Uid::effective().is_root() || find("apt-get").is_none() {
        return Err(format!(
            "The tests need {}: install them (on Debian: sudo apt-get install {names}).",
            packages.join(" and ")
        ));
    }
    println!("\nInstalling what the tests need: {names}");
    let apt = |words: &[&str]| {
        let mut command = tool("apt-get", words);
        command.env("DEBIAN_FRONTEND", "noninteractive");
        process::run(command, &mut Tally::default())
    };
    apt(&["update", "-q"])?;
    apt(&[&["install", "-q", "-y", "--no-install-recommends"], packages].concat())
}

fn find(program: &str) -> Option<PathBuf> {
    let path: OsString = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

fn ask(program: impl AsRef<OsStr>, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
