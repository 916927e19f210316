//! Passes the commit and its date to the compiler, for the program's version.

use std::{env, process::Command};

fn main() {
    for variable in ["SOURCE_COMMIT", "SOURCE_DATE_EPOCH"] {
        println!("cargo:rerun-if-env-changed={variable}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    let given =
        |name: &str| env::var_os(name)?.into_string().ok().filter(|value| !value.is_empty());
    // A debug build would be compiled again after each commit.
    let from_git = |arguments: &[&str]| is_release().then(|| git(arguments)).flatten();
    let commit = given("SOURCE_COMMIT").or_else(|| from_git(&["rev-parse", "--short=12", "HEAD"]));
    let date = given("SOURCE_DATE_EPOCH").or_else(|| from_git(&["log", "-1", "--format=%ct"]));
    println!("cargo:rustc-env=BUILD_COMMIT={}", commit.unwrap_or_default());
    println!("cargo:rustc-env=BUILD_DATE={}", date.unwrap_or_default());
    if let Some(log) = from_git(&["rev-parse", "--path-format=absolute", "--git-path", "logs/HEAD"])
    {
        println!("cargo:rerun-if-changed={log}");
    }
}

fn is_release() -> bool {
    env::var_os("PROFILE").is_some_and(|profile| profile == "release")
}

/// The first line that git prints; `None` without git, or outside a repository.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let line = text.lines().next()?.trim();
    (output.status.success() && !line.is_empty()).then(|| line.to_owned())
}
