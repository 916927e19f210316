//! Capabilities of the machine. A test that lacks one is skipped with a visible message.

use std::{
    io::{self, Write},
    process::{Command, Stdio},
    sync::OnceLock,
};

/// Whether every step is tested, regardless of the time it takes.
pub(crate) fn is_long() -> bool {
    std::env::var_os("TEST_FAULTS").is_some_and(|word| word == "long")
}

/// A number for the short run, and one for the complete run.
pub(crate) fn either<T>(short: T, long: T) -> T {
    if is_long() { long } else { short }
}

/// Writes directly to the terminal, because the test runner hides the output of passing tests.
pub(crate) fn say(line: &str) {
    drop(writeln!(io::stderr(), "{line}"));
}

fn skipped(what: &str) -> bool {
    say(&format!("SKIPPED: {what}"));
    false
}

/// Runs a program without output.
pub(crate) fn runs(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Whether strace can inject failures into system calls.
pub(crate) fn can_strace(test: &str) -> bool {
    static CAN: OnceLock<bool> = OnceLock::new();
    let try_it = || {
        let inject = ["-o", "/dev/null", "-e", "inject=fsync:error=EIO", "true"];
        runs("strace", &inject)
    };
    *CAN.get_or_init(try_it)
        || skipped(&format!("{test}: requires strace and the permission to trace"))
}

/// Whether file systems can be mounted.
pub(crate) fn can_mount(test: &str) -> bool {
    static CAN: OnceLock<bool> = OnceLock::new();
    let try_it = || {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().to_str().unwrap();
        runs("mount", &["-t", "tmpfs", "-o", "size=1m", "none", at]) && runs("umount", &[at])
    };
    *CAN.get_or_init(try_it) || skipped(&format!("{test}: requires root, to mount a file system"))
}
