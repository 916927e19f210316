//! npm: the scripts of the workspace and the installation of the packages in `package-lock.json`.

use std::{fs, path::PathBuf, process::Command};

use crate::{
    process::{command, repository_root},
    steps::Step,
};

/// Name of the step that [`install_step`] returns.
pub(crate) const INSTALL: &str = "npm packages";

/// Runs a script of the workspace. npm puts the Node.js of `node_modules` first on the PATH.
pub(crate) fn script(arguments: &[&str]) -> Command {
    command("npm", &[&["run", "--silent"], arguments].concat())
}

/// Installs the locked packages. The step is empty if they are installed already.
pub(crate) fn install_step() -> Step {
    if is_installed() {
        return Step::new(INSTALL, []);
    }
    // `npm ci` empties `node_modules` first, and the marker with it.
    // Warnings are hidden: npm reports that each package needs the newer Node.js which it is about to install.
    let install = command("npm", &["ci", "--loglevel=error"]);
    let mut write_marker = command("cp", &[]);
    write_marker.arg(lock_file()).arg(marker());
    Step::new(INSTALL, [install, write_marker])
}

fn is_installed() -> bool {
    matches!((fs::read(lock_file()), fs::read(marker())), (Ok(lock), Ok(marker)) if lock == marker)
}

fn lock_file() -> PathBuf {
    repository_root().join("package-lock.json")
}

/// A copy of the lock file that `node_modules` was installed from.
fn marker() -> PathBuf {
    repository_root().join("node_modules/.installed-package-lock.json")
}
