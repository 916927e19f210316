//! Checks of the machine that the commands run on. An error names what is missing and how to install it.

use std::{
    ffi::{OsStr, OsString},
    io::ErrorKind,
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};
use nix::{sys::statvfs::statvfs, unistd::Uid};

use crate::process::{self, command, repository_root};

/// The oldest Node.js that can install the npm packages. The scripts run with the Node.js that is one of these packages.
const MIN_NODE_VERSION: u32 = 18;

pub(crate) const MIB: u64 = 1 << 20;
pub(crate) const GIB: u64 = 1 << 30;

/// Default address of the demo.
pub(crate) const DEFAULT_ADDRESS: &str = "127.0.0.1:8080";

/// Debian's Chromium without a user interface. A page costs it half the processor time.
const HEADLESS_SHELL: &str = "chromium-headless-shell";
/// Names of Chromium on Debian and other systems, in order of preference.
const CHROMIUM: [&str; 5] =
    [HEADLESS_SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Names of Firefox on Debian and other systems, in order of preference.
const FIREFOX: [&str; 2] = ["firefox-esr", "firefox"];

/// Programs that the tests use.
pub(crate) struct TestTools {
    pub(crate) chromium: PathBuf,
    pub(crate) firefox: PathBuf,
    /// The directory of `initdb` and `pg_ctl`.
    pub(crate) postgres_bin: PathBuf,
    /// A Python that can create virtual environments.
    pub(crate) python: PathBuf,
}

/// Checks for a C compiler, make, Node.js and npm.
pub(crate) fn check_build_tools() -> Result<()> {
    for (program, name) in [("cc", "C compiler"), ("make", "make")] {
        if find(program).is_none() {
            bail!("No {name} was found: install one (on Debian: apt-get install build-essential).");
        }
    }
    let remedy =
        format!("install Node.js {MIN_NODE_VERSION} or newer, with npm (https://nodejs.org).");
    let version = output_of("node", &["--version"])
        .with_context(|| format!("Node.js was not found: {remedy}"))?;
    let major =
        version.trim_start_matches('v').split('.').next().and_then(|major| major.parse().ok());
    if major.is_none_or(|major: u32| major < MIN_NODE_VERSION) {
        bail!("Node.js {version} is too old: {remedy}");
    }
    if find("npm").is_none() {
        bail!("npm was not found: {remedy}");
    }
    Ok(())
}

/// Checks the free disk space of the repository: `gib` GiB for a first build, 1 GiB if the directory `output` of an earlier
/// build exists.
pub(crate) fn check_disk_space(output: &str, gib: u64) -> Result<()> {
    let gib = if repository_root().join(output).exists() { 1 } else { gib };
    let free = free_bytes(repository_root()).context("cannot read the free disk space")?;
    if free < gib * GIB {
        let root = repository_root().display();
        bail!("Too little disk space: {root} needs {gib} GiB, and {} MiB are free.", free / MIB);
    }
    Ok(())
}

/// Free bytes of the file system that contains `path`.
pub(crate) fn free_bytes(path: &Path) -> Result<u64> {
    let disk = statvfs(path)?;
    // These two numbers are narrower on some systems.
    #[cfg_attr(target_os = "linux", expect(clippy::useless_conversion))]
    let free = u64::from(disk.blocks_available()) * u64::from(disk.fragment_size());
    Ok(free)
}

/// The address that the demo listens on.
pub(crate) fn listen_address() -> String {
    environment_variable("PORTARIA_LISTEN").unwrap_or_else(|| DEFAULT_ADDRESS.to_owned())
}

pub(crate) fn check_address_is_free(address: &str) -> Result<()> {
    match TcpListener::bind(address) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AddrInUse => bail!(
            "{address} is already in use: stop the program that uses it, or choose another address \
             for `start`: PORTARIA_LISTEN=127.0.0.1:8081."
        ),
        Err(error) => bail!("The server cannot listen on {address}: {error}."),
    }
}

/// Installs strace if possible. Without it the fault tests that need it report themselves as skipped.
pub(crate) fn install_fault_tools() -> Result<()> {
    if find("strace").is_none() && can_install() { install(&["strace"]) } else { Ok(()) }
}

impl TestTools {
    /// Finds the programs. Installs missing ones on Debian if this process is root.
    pub(crate) fn find_or_install() -> Result<Self> {
        let missing: Vec<&str> = [
            chromium().is_none().then_some(HEADLESS_SHELL),
            firefox().is_none().then_some(FIREFOX[0]),
            postgres_bin().is_none().then_some("postgresql"),
            python_with_venv().is_none().then_some("python3-venv"),
            nginx().is_none().then_some("nginx-light"),
            dovecot().is_none().then_some("dovecot-imapd"),
        ]
        .into_iter()
        .flatten()
        .collect();
        if !missing.is_empty() {
            install(&missing)?;
        }
        let browsers = chromium().zip(firefox());
        match (browsers, postgres_bin(), python_with_venv(), nginx().and(dovecot())) {
            (Some((chromium, firefox)), Some(postgres_bin), Some(python), Some(_)) => {
                Ok(Self { chromium, firefox, postgres_bin, python })
            }
            _ => bail!("The tests need {}, which could not be found.", missing.join(" and ")),
        }
    }
}

/// Finds the programs that boot clean machines (`cargo xtask test-ops`), and the Python of its tests. Installs missing ones
/// on Debian. Only root boots machines.
pub(crate) fn install_machine_tools() -> Result<PathBuf> {
    if !Uid::effective().is_root() {
        bail!("These tests boot machines: run them as root.");
    }
    let missing: Vec<&str> = [
        find("systemd-nspawn").is_none().then_some("systemd-container"),
        find("debootstrap").is_none().then_some("debootstrap"),
        python_with_venv().is_none().then_some("python3-venv"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !missing.is_empty() {
        install(&missing)?;
    }
    python_with_venv().context("The tests need Python 3.11 or newer, which could not be found.")
}

/// Finds Chromium for a command that is not a test. `purpose` is the subject of the error message.
pub(crate) fn require_chromium(purpose: &str) -> Result<PathBuf> {
    chromium().with_context(|| {
        format!(
            "{purpose} needs Chromium: install it (on Debian: apt-get install {HEADLESS_SHELL})."
        )
    })
}

/// The value of an environment variable, unless it is empty.
pub(crate) fn environment_variable(name: &str) -> Option<String> {
    std::env::var_os(name)
        .and_then(|value| value.into_string().ok())
        .filter(|value| !value.is_empty())
}

fn chromium() -> Option<PathBuf> {
    CHROMIUM.into_iter().find_map(find)
}

fn firefox() -> Option<PathBuf> {
    FIREFOX.into_iter().find_map(find)
}

/// nginx, the load balancer of the cluster tests. Debian installs it outside the PATH of ordinary users.
fn nginx() -> Option<PathBuf> {
    find("nginx").or_else(|| Some(PathBuf::from("/usr/sbin/nginx")).filter(|path| path.exists()))
}

/// Dovecot, the mail server of the tests of the mailbox. Debian installs it outside the PATH of ordinary users.
fn dovecot() -> Option<PathBuf> {
    let debian = PathBuf::from("/usr/sbin/dovecot");
    find("dovecot").or_else(|| Some(debian).filter(|path| path.exists()))
}

/// The Python of the PATH or of Debian, the first that the locked packages support and that can create virtual
/// environments.
fn python_with_venv() -> Option<PathBuf> {
    const CHECK: &str = "import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))";
    let candidates = find("python3").into_iter().chain([PathBuf::from("/usr/bin/python3")]);
    candidates.into_iter().find(|python| output_of(python, &["-c", CHECK]).is_some())
}

fn postgres_bin() -> Option<PathBuf> {
    // The PATH may have links to some of the programs.
    if let Some(initdb) = find("initdb").and_then(|initdb| initdb.canonicalize().ok()) {
        return initdb.parent().map(Path::to_owned);
    }
    // Debian has one directory per version, outside the PATH.
    let versions = std::fs::read_dir("/usr/lib/postgresql").ok()?;
    let number = |directory: &PathBuf| {
        directory.file_name().and_then(|name| name.to_str()?.parse::<u32>().ok())
    };
    let newest = versions.flatten().map(|entry| entry.path()).max_by_key(number)?;
    Some(newest.join("bin")).filter(|bin| bin.join("initdb").exists())
}

fn can_install() -> bool {
    Uid::effective().is_root() && find("apt-get").is_some()
}

fn install(packages: &[&str]) -> Result<()> {
    let names = packages.join(" ");
    if !can_install() {
        bail!(
            "The tests need {}: install them (on Debian: sudo apt-get install {names}).",
            packages.join(" and ")
        );
    }
    println!("\nInstalling packages for the tests: {names}");
    let apt_get = |arguments: &[&str]| {
        process::run(command("apt-get", arguments).env("DEBIAN_FRONTEND", "noninteractive"))
    };
    apt_get(&["update", "-q"])?;
    apt_get(&[&["install", "-q", "-y", "--no-install-recommends"], packages].concat())
}

/// Finds a program in the PATH.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let path: OsString = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|directory| directory.join(program))
        .find(|file| file.is_file())
}

/// The output of a program, unless it fails.
pub(crate) fn output_of(program: impl AsRef<OsStr>, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
