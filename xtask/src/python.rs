//! Python: a virtual environment with the packages of `e2e/python/requirements.txt`, which the API and browser tests use.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    process::{command, repository_root},
    steps::Step,
};

/// Name of the step that [`install_step`] returns.
pub(crate) const INSTALL: &str = "Python packages";

/// The Python of the virtual environment.
pub(crate) fn interpreter() -> PathBuf {
    environment().join("bin/python")
}

/// Creates the environment with `python` and installs the locked packages. The step is empty if they are installed already.
pub(crate) fn install_step(python: &Path) -> Step {
    if is_installed() {
        return Step::new(INSTALL, []);
    }
    // `--clear` removes the marker with the rest of an earlier environment.
    let mut create = Command::new(python);
    create.args(["-m", "venv", "--clear"]).arg(environment());
    let mut install = Command::new(interpreter());
    install
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"])
        .args(["--require-hashes", "--only-binary", ":all:", "--requirement"])
        .arg(lock_file());
    let mut write_marker = command("cp", &[]);
    write_marker.arg(lock_file()).arg(marker());
    Step::new(INSTALL, [create, install, write_marker])
}

fn is_installed() -> bool {
    matches!((fs::read(lock_file()), fs::read(marker())), (Ok(lock), Ok(marker)) if lock == marker)
}

fn environment() -> PathBuf {
    repository_root().join("target/python")
}

fn lock_file() -> PathBuf {
    repository_root().join("e2e/python/requirements.txt")
}

/// A copy of the lock file that the environment was installed from.
fn marker() -> PathBuf {
    environment().join("requirements.txt")
}
