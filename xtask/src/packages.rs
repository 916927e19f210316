//! The npm packages: installed exactly as locked, and again only when the lock has changed.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::process::{root, tool};
use crate::steps::Step;

/// An npm script of the workspace. npm puts the Node.js among the packages first on the PATH.
pub(crate) fn npm(words: &[&str]) -> Command {
    tool("npm", &[&["run", "--silent"], words].concat())
}

/// The step that installs the packages, unless they are there already.
pub(crate) fn install_step() -> Option<Step> {
    let lock = root().join("package-lock.json");
    if matches!((fs::read(&lock), fs::read(mark())), (Ok(lock), Ok(mark)) if lock == mark) {
        return None;
    }
    // Warnings are left out: npm would say of each package that it needs the newer Node.js among them.
    // `npm ci` empties node_modules first, so the mark goes with what it stands for.
    let mut keep_mark = tool("cp", &[]);
    keep_mark.arg(lock).arg(mark());
    Some(Step::new("npm packages", [tool("npm", &["ci", "--loglevel=error"]), keep_mark]))
}

/// A copy of the lock that the installed packages came from.
fn mark() -> PathBuf {
    root().join("node_modules/.installed-package-lock.json")
}
