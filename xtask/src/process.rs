//! Running tools. Each runs in a process group of its own, so that stopping it stops all it started,
//! and Ctrl-C (or SIGTERM) stops every group before this program goes on to clean up behind itself.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, IsTerminal, Write};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::tally::Tally;

static GROUPS: Mutex<Vec<Pid>> = Mutex::new(Vec::new());
static STOPPING: AtomicBool = AtomicBool::new(false);

/// The root of the repository, wherever the command was called from.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the repository")
}

/// A tool that works in the root of the repository.
pub(crate) fn tool(program: impl AsRef<OsStr>, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(root()).stdin(Stdio::null());
    command
}

/// Runs a tool to its end, showing what it prints and adding the test results it reports to the tally.
pub(crate) fn run(mut command: Command, tally: &mut Tally) -> Result<(), String> {
    // The output passes through here, so tools cannot see that a terminal is at its end.
    if std::io::stdout().is_terminal() {
        command.env("FORCE_COLOR", "1").env("CARGO_TERM_COLOR", "always");
    }
    let mut running = Running::start(command.stdout(Stdio::piped()))?;
    let output = running.child.stdout.take().expect("it was piped");
    thread::scope(|scope| {
        let name = running.name.clone();
        let reader = scope.spawn(move || show(output, &name, tally));
        // The output has an end only when all that the tool started is over, and that is seen to here.
        let outcome = running.wait();
        reader.join().expect("reading does not panic")?;
        outcome
    })
}

fn show(output: ChildStdout, name: &str, tally: &mut Tally) -> Result<(), String> {
    for line in BufReader::new(output).split(b'\n') {
        let line = line.map_err(|e| format!("The output of {name} broke off: {e}."))?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        tally.add_line(&line);
    }
    Ok(())
}

/// A tool at work; it is stopped when this value goes.
pub(crate) struct Running {
    child: Child,
    name: String,
    over: bool,
}

impl Running {
    pub(crate) fn start(command: &mut Command) -> Result<Self, String> {
        let name = describe(command);
        let _ = std::io::stdout().flush();
        let mut groups = groups();
        if stopping() {
            return Err("Stopped.".to_owned());
        }
        let child = command
            .process_group(0)
            .spawn()
            .map_err(|e| format!("`{name}` could not be started: {e}."))?;
        groups.push(group(&child));
        Ok(Self { child, name, over: false })
    }

    /// Waits for the end; anything but success is a failure.
    pub(crate) fn wait(&mut self) -> Result<(), String> {
        let status = self
            .child
            .wait()
            .map_err(|e| format!("`{}` could not be waited for: {e}.", self.name))?;
        self.end();
        if status.success() {
            return Ok(());
        }
        Err(format!("`{}` {}.", self.name, ending(status)))
    }

    /// Whether the tool is still at work.
    pub(crate) fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    fn end(&mut self) {
        let group = group(&self.child);
        // Whatever the tool left behind ends with it.
        let _ = killpg(group, Signal::SIGKILL);
        groups().retain(|other| *other != group);
        self.over = true;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.over {
            let _ = killpg(group(&self.child), Signal::SIGTERM);
            let _ = self.child.wait();
            self.end();
        }
    }
}

/// Has Ctrl-C been pressed?
pub(crate) fn stopping() -> bool {
    STOPPING.load(Ordering::SeqCst)
}

/// From here on Ctrl-C stops the tools at work, after which their failure ends this program.
pub(crate) fn stop_children_on_signals() {
    let stop = || {
        let groups = groups();
        // Whoever asks twice will not wait for an orderly end.
        let again = STOPPING.swap(true, Ordering::SeqCst);
        let signal = if again { Signal::SIGKILL } else { Signal::SIGTERM };
        for group in groups.iter() {
            let _ = killpg(*group, signal);
        }
    };
    ctrlc::set_handler(stop).expect("no other handler was set");
}

fn groups() -> std::sync::MutexGuard<'static, Vec<Pid>> {
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn group(child: &Child) -> Pid {
    Pid::from_raw(child.id().try_into().expect("a process id is a pid_t"))
}

fn describe(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

fn ending(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("failed with exit code {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => "failed".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{run, tool};
    use crate::tally::Tally;

    #[test]
    fn what_a_tool_left_behind_holds_nobody_up() {
        let begun = Instant::now();
        let shell = tool("sh", &["-c", "sleep 600 & echo 'test result: ok. 1 passed; 0 failed'"]);
        let mut tally = Tally::default();
        run(shell, &mut tally).unwrap();
        assert_eq!((tally.passed, tally.failed), (1, 0));
        assert!(begun.elapsed() < Duration::from_mins(1), "it was waited for");
    }
}
