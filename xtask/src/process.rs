//! Child processes. Each runs in its own process group, so that stopping it also stops its descendants.
//! Ctrl-C and SIGTERM stop every group before this program cleans up and exits.

use std::{
    ffi::OsStr,
    io::{self, BufRead, BufReader, IsTerminal, PipeReader, Write},
    os::unix::process::{CommandExt, ExitStatusExt},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

use anyhow::{Context, Result, bail};
use nix::{
    sys::signal::{Signal, killpg},
    unistd::Pid,
};

/// The process groups of all running children.
static GROUPS: Mutex<Vec<Pid>> = Mutex::new(Vec::new());
static STOPPING: AtomicBool = AtomicBool::new(false);

/// The root directory of the repository.
pub(crate) fn repository_root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a directory of the repository")
}

/// A command with the repository root as its working directory and no standard input.
pub(crate) fn command(program: impl AsRef<OsStr>, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(repository_root()).stdin(Stdio::null());
    command
}

/// The files of the working tree that git does not ignore, relative to the root of the repository.
pub(crate) fn repository_files() -> Result<Vec<PathBuf>> {
    let mut list =
        command("git", &["ls-files", "--cached", "--others", "--exclude-standard", "-z"]);
    let output = list.stderr(Stdio::inherit()).output().context("cannot start `git`")?;
    if !output.status.success() {
        bail!("`git ls-files` failed.");
    }
    let list = String::from_utf8(output.stdout).context("a file name is not UTF-8")?;
    Ok(list.split_terminator('\0').map(|file| Path::new(file).to_owned()).collect())
}

/// Runs a command to its end. Its output goes to the terminal.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    ChildProcess::start(command)?.wait()
}

/// Runs a command to its end and passes every line of its output, errors included, to `on_line`.
pub(crate) fn run_captured(mut command: Command, on_line: impl FnMut(&str) + Send) -> Result<()> {
    // The child writes to a pipe and cannot detect the terminal itself.
    if io::stdout().is_terminal() {
        command.env("FORCE_COLOR", "1").env("CARGO_TERM_COLOR", "always");
    }
    let (output, input) = io::pipe().context("cannot create a pipe")?;
    command.stdout(input.try_clone().context("cannot duplicate a pipe")?).stderr(input);
    let mut child = ChildProcess::start(&mut command)?;
    // The command holds the writing end of the pipe.
    drop(command);

    thread::scope(|scope| {
        let reader = scope.spawn(move || read_lines(output, on_line));
        // `wait` kills the remaining descendants, which closes the pipe and ends the reader.
        let outcome = child.wait();
        reader.join().expect("the reader does not panic")?;
        outcome
    })
}

fn read_lines(output: PipeReader, mut on_line: impl FnMut(&str)) -> Result<()> {
    for line in BufReader::new(output).split(b'\n') {
        let line = line.context("cannot read the output of a command")?;
        on_line(&String::from_utf8_lossy(&line));
    }
    Ok(())
}

/// A running child process. Dropping it stops the whole process group.
pub(crate) struct ChildProcess {
    child: Child,
    command_line: String,
    has_ended: bool,
}

impl ChildProcess {
    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        let command_line = command_line(command);
        let _ = io::stdout().flush();
        // The lock prevents a signal from being handled between the check and the registration.
        let mut groups = groups();
        if is_stopping() {
            bail!("Stopped.");
        }
        let child = command
            .process_group(0)
            .spawn()
            .with_context(|| format!("cannot start `{command_line}`"))?;
        groups.push(group_of(&child));
        Ok(Self { child, command_line, has_ended: false })
    }

    /// Waits for the end of the process. An exit status other than success is an error.
    pub(crate) fn wait(&mut self) -> Result<()> {
        let status = self
            .child
            .wait()
            .with_context(|| format!("cannot wait for `{}`", self.command_line))?;
        self.kill_group();
        if !status.success() {
            bail!("`{}` {}", self.command_line, describe(status));
        }
        Ok(())
    }

    pub(crate) fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Kills the descendants that are still running.
    fn kill_group(&mut self) {
        let group = group_of(&self.child);
        let _ = killpg(group, Signal::SIGKILL);
        groups().retain(|other| *other != group);
        self.has_ended = true;
    }
}

impl Drop for ChildProcess {
    fn drop(&mut self) {
        if !self.has_ended {
            let _ = killpg(group_of(&self.child), Signal::SIGTERM);
            let _ = self.child.wait();
            self.kill_group();
        }
    }
}

/// Whether Ctrl-C or SIGTERM was received.
pub(crate) fn is_stopping() -> bool {
    STOPPING.load(Ordering::SeqCst)
}

/// Installs the signal handler. The first signal terminates the children, the second one kills them.
pub(crate) fn stop_children_on_signals() {
    let stop = || {
        let groups = groups();
        let is_repeated = STOPPING.swap(true, Ordering::SeqCst);
        let signal = if is_repeated { Signal::SIGKILL } else { Signal::SIGTERM };
        for group in groups.iter() {
            let _ = killpg(*group, signal);
        }
    };
    ctrlc::set_handler(stop).expect("this is the only signal handler");
}

fn groups() -> MutexGuard<'static, Vec<Pid>> {
    GROUPS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn group_of(child: &Child) -> Pid {
    Pid::from_raw(child.id().try_into().expect("a process ID fits pid_t"))
}

fn command_line(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}

fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("failed with exit code {code}."),
        (None, Some(signal)) => format!("was ended by signal {signal}."),
        (None, None) => "failed.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{command, run_captured};

    #[test]
    fn captured_output_contains_both_streams() {
        let mut lines = Vec::new();
        let shell = command("sh", &["-c", "echo one; echo two >&2; exit 3"]);
        let error = run_captured(shell, |line| lines.push(line.to_owned())).unwrap_err();
        assert_eq!(lines, ["one", "two"]);
        assert!(error.to_string().ends_with("failed with exit code 3."), "{error}");
    }

    #[test]
    fn background_descendant_does_not_delay_the_end() {
        let start = Instant::now();
        let mut lines = Vec::new();
        let shell = command("sh", &["-c", "sleep 600 & echo done"]);
        run_captured(shell, |line| lines.push(line.to_owned())).unwrap();
        assert_eq!(lines, ["done"]);
        assert!(start.elapsed() < Duration::from_mins(1), "the descendant was not killed");
    }
}
