//! strace attached to the running program.

use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use crate::server_process::Portal;

/// The traced threads. strace counts calls per thread.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Threads {
    /// The thread that writes to the database.
    Writer,
    All,
}

/// An injection into a program. Dropping the value ends it, and the program continues.
pub(crate) struct Strace(Child);

impl Drop for Strace {
    fn drop(&mut self) {
        // SIGKILL, because an orderly detach would wait for threads that may be dying. The kernel detaches them.
        drop(self.0.kill());
        self.0.wait().unwrap();
    }
}

impl Strace {
    /// Injects what the expressions say into these threads.
    pub(crate) fn of(portal: &Portal, threads: Threads, expressions: &[&str]) -> Self {
        Self::to(portal, threads, expressions, Path::new("/dev/null"))
    }

    /// The same, with a trace file.
    pub(crate) fn to(portal: &Portal, threads: Threads, expressions: &[&str], log: &Path) -> Self {
        let is_meant = |name: &str| match threads {
            Threads::Writer => name == "db-write",
            Threads::All => true,
        };
        let pid = portal.pid().as_raw_nonzero().to_string();
        let all = portal.threads().into_iter();
        let meant: Vec<String> = all.filter(|(_, name)| is_meant(name)).map(|(id, _)| id).collect();
        let mut command = Command::new("strace");
        command.args(["-q", "-y", "-e", "signal=none", "-o"]).arg(log);
        if threads == Threads::All {
            // Includes future threads.
            command.args(["-f", "-p", &pid]);
        } else {
            command.args(meant.iter().flat_map(|id| ["-p", id]));
        }
        for expression in expressions {
            command.args(["-e", expression]);
        }
        let child = command.stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let begun = Instant::now();
        let is_held = |id: &String| {
            let status = fs::read_to_string(format!("/proc/{pid}/task/{id}/status"));
            // A thread that has ended needs no tracing.
            status.map_or(true, |status| !status.contains("TracerPid:\t0\n"))
        };
        while !meant.iter().all(is_held) {
            assert!(begun.elapsed() < Duration::from_secs(20), "strace does not attach");
            sleep(Duration::from_millis(1));
        }
        Self(child)
    }

    /// Kills the program before call number `count` of this name in a thread.
    pub(crate) fn kill(portal: &Portal, threads: Threads, call: &str, count: u32) -> Self {
        let trace = format!("trace={call}");
        let inject = format!("inject={call}:signal=KILL:when={count}");
        Self::of(portal, threads, &[&trace, &inject])
    }
}
