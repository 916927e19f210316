//! A hand on the running program's calls to the system.

use std::{
    fs,
    path::Path,
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use crate::server_process::Portal;

/// Which threads are meant. Calls are counted for each thread by itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Threads {
    /// The one that writes to the database.
    Writer,
    All,
}

/// What is being done to a program; it goes on undisturbed when this value goes.
pub(crate) struct Strace(Child);

impl Drop for Strace {
    fn drop(&mut self) {
        // At once: to let go in an orderly way it would wait for threads that may be dying. The system lets them go.
        drop(self.0.kill());
        self.0.wait().unwrap();
    }
}

impl Strace {
    /// Does to these threads what the expressions say.
    pub(crate) fn of(portal: &Portal, threads: Threads, expressions: &[&str]) -> Self {
        Self::to(portal, threads, expressions, Path::new("/dev/null"))
    }

    /// The same, with a log.
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
            // Threads to come, too.
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
            // A thread that has ended is no longer of interest.
            status.map_or(true, |status| !status.contains("TracerPid:\t0\n"))
        };
        while !meant.iter().all(is_held) {
            assert!(begun.elapsed() < Duration::from_secs(20), "strace does not take hold");
            sleep(Duration::from_millis(1));
        }
        Self(child)
    }

    /// Kills the program before a thread's call number `count` of that name.
    pub(crate) fn kill(portal: &Portal, threads: Threads, call: &str, count: u32) -> Self {
        let trace = format!("trace={call}");
        let inject = format!("inject={call}:signal=KILL:when={count}");
        Self::of(portal, threads, &[&trace, &inject])
    }
}
