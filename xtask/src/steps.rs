//! The steps of a command: a dependency graph whose independent steps run at the same time, within a limit.

use std::{
    collections::{BTreeSet, VecDeque},
    io::{self, Write},
    process::Command,
    sync::{Mutex, PoisonError, mpsc},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Result, bail};

use crate::{console::Console, process, test_summary::TestCounts};

/// Commands that run one after the other, under one name.
pub(crate) struct Step {
    name: &'static str,
    commands: Vec<Command>,
    dependencies: Vec<&'static str>,
    weight: usize,
}

impl Step {
    pub(crate) fn new(name: &'static str, commands: impl IntoIterator<Item = Command>) -> Self {
        let commands = commands.into_iter().collect();
        Self { name, commands, dependencies: Vec::new(), weight: 1 }
    }

    /// Names the steps that must pass before this one starts. They come earlier in the list.
    pub(crate) fn after(mut self, dependencies: &[&'static str]) -> Self {
        self.dependencies.extend(dependencies);
        self
    }

    /// Sets the number of slots that the step takes, 1 by default. A step takes at most all of them.
    pub(crate) fn weight(mut self, slots: usize) -> Self {
        self.weight = slots;
        self
    }
}

/// A step that has run.
#[derive(Debug)]
pub(crate) struct StepReport {
    index: usize,
    pub(crate) name: &'static str,
    pub(crate) duration: Duration,
    pub(crate) tests: TestCounts,
    pub(crate) outcome: Result<()>,
    /// The end of its output, up to [`LAST_LINES`].
    pub(crate) last_lines: VecDeque<String>,
}

/// Number of lines that a [`StepReport`] keeps. Test runners name the failed tests there.
const LAST_LINES: usize = 60;

/// Reaction of [`run`] to a failed step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnFailure {
    /// Starts no further step. Steps that are running continue to their end.
    Stop,
    /// Runs all steps that do not depend on the failed one.
    Continue,
}

/// Number of steps of weight 1 that run at the same time: one more than there are processors, because steps also wait for
/// the disk, the network and each other.
pub(crate) fn slots() -> usize {
    thread::available_parallelism().map_or(2, |processors| processors.get() + 1)
}

/// Runs the steps with at most `slots` slots in use. The first step in the list that is ready and fits starts first.
/// The reports have the order of the list.
pub(crate) fn run(steps: Vec<Step>, slots: usize, on_failure: OnFailure) -> Vec<StepReport> {
    run_with_output(steps, slots, on_failure, io::stdout())
}

fn run_with_output(
    steps: Vec<Step>,
    slots: usize,
    on_failure: OnFailure,
    output: impl Write + Send,
) -> Vec<StepReport> {
    check_order(&steps);
    let count = steps.len();
    let console = Mutex::new(Console::new(output));
    let mut pending: Vec<(usize, Step)> = steps.into_iter().enumerate().collect();
    let mut unfinished: BTreeSet<&str> = pending.iter().map(|(_, step)| step.name).collect();
    let mut reports: Vec<StepReport> = Vec::new();
    let (mut running, mut free) = (0, slots);
    let (sender, receiver) = mpsc::channel();

    thread::scope(|scope| {
        loop {
            let has_failed = reports.iter().any(|report| report.outcome.is_err());
            let may_start =
                !(process::is_stopping() || has_failed && on_failure == OnFailure::Stop);
            let next = pending.iter().position(|(_, step)| {
                step.weight.min(slots) <= free
                    && !step.dependencies.iter().any(|name| unfinished.contains(name))
            });
            if let Some(position) = next.filter(|_| may_start) {
                let (index, step) = pending.remove(position);
                let weight = step.weight.min(slots);
                (running, free) = (running + 1, free - weight);
                let (sender, console) = (sender.clone(), &console);
                scope.spawn(move || {
                    let report = run_step(index, count, step, console);
                    sender.send((report, weight)).expect("the receiver outlives the steps");
                });
                continue;
            }
            if running == 0 {
                break;
            }
            let (report, weight) = receiver.recv().expect("a step is running");
            (running, free) = (running - 1, free + weight);
            if report.outcome.is_ok() {
                unfinished.remove(report.name);
            }
            reports.push(report);
        }
    });
    reports.sort_by_key(|report| report.index);
    reports
}

/// The failures of all steps as one error.
pub(crate) fn into_result(reports: Vec<StepReport>) -> Result<()> {
    let failures: Vec<String> = reports
        .into_iter()
        .filter_map(|StepReport { name, outcome, .. }| {
            outcome.err().map(|error| format!("{name}: {error:#}"))
        })
        .collect();
    if process::is_stopping() || !failures.is_empty() {
        bail!("{}", failures.join("\n"));
    }
    Ok(())
}

/// `45 s`, `3 min 05 s`.
pub(crate) fn format_duration(duration: Duration) -> String {
    match duration.as_secs() {
        seconds @ 0..60 => format!("{seconds} s"),
        seconds => format!("{} min {:02} s", seconds / 60, seconds % 60),
    }
}

/// Panics if a step names a dependency that does not precede it, because it would never start.
fn check_order(steps: &[Step]) {
    let mut earlier = BTreeSet::new();
    for step in steps {
        for name in &step.dependencies {
            assert!(
                earlier.contains(name),
                "{} depends on {name}, which is not before it",
                step.name
            );
        }
        assert!(earlier.insert(step.name), "two steps have the name {}", step.name);
    }
}

fn run_step(
    index: usize,
    count: usize,
    step: Step,
    console: &Mutex<Console<impl Write + Send>>,
) -> StepReport {
    let lock = || console.lock().unwrap_or_else(PoisonError::into_inner);
    let Step { name, commands, .. } = step;
    let title = format!("[{}/{count}] {name}", index + 1);
    let is_empty = commands.is_empty();
    let start = Instant::now();
    let mut tests = TestCounts::default();
    let mut last_lines = VecDeque::new();
    if !is_empty {
        lock().start(index, &format!("\n{title}"));
    }
    let outcome = commands.into_iter().try_for_each(|command| {
        process::run_captured(command, |line| {
            tests.add_line(line);
            if last_lines.len() == LAST_LINES {
                last_lines.pop_front();
            }
            last_lines.push_back(line.to_owned());
            lock().line(index, line);
        })
    });
    let duration = start.elapsed();
    if !is_empty {
        let verb = if outcome.is_ok() { "done in" } else { "failed after" };
        lock().end(index, &format!("{title}: {verb} {}", format_duration(duration)));
    }
    StepReport { index, name, duration, tests, outcome, last_lines }
}

#[cfg(test)]
mod tests {
    use std::{fs, io};

    use super::{OnFailure, Step, StepReport, into_result, run_with_output};
    use crate::process::command;

    fn run(steps: Vec<Step>, slots: usize, on_failure: OnFailure) -> Vec<StepReport> {
        run_with_output(steps, slots, on_failure, io::sink())
    }

    fn shell(script: &str) -> std::process::Command {
        command("sh", &["-c", script])
    }

    fn names(steps: Vec<Step>, slots: usize, on_failure: OnFailure) -> Vec<(&'static str, bool)> {
        let reports = run(steps, slots, on_failure);
        reports.iter().map(|report| (report.name, report.outcome.is_ok())).collect()
    }

    #[test]
    fn step_starts_after_its_dependencies() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("built").display().to_string();
        let steps = vec![
            Step::new("build", [shell(&format!("sleep 0.2; touch {file}"))]),
            Step::new("test", [shell(&format!("test -e {file}"))]).after(&["build"]),
        ];
        assert_eq!(names(steps, 4, OnFailure::Stop), [("build", true), ("test", true)]);
    }

    #[test]
    fn independent_steps_run_at_the_same_time() {
        let directory = tempfile::tempdir().unwrap();
        let pipe = directory.path().join("pipe").display().to_string();
        assert!(shell(&format!("mkfifo {pipe}")).status().unwrap().success());
        // Each end of a named pipe waits for the other.
        let steps = vec![
            Step::new("reader", [shell(&format!("read line < {pipe}"))]),
            Step::new("writer", [shell(&format!("echo line > {pipe}"))]),
        ];
        assert_eq!(names(steps, 2, OnFailure::Stop), [("reader", true), ("writer", true)]);
    }

    #[test]
    fn steps_never_exceed_the_slots() {
        let directory = tempfile::tempdir().unwrap();
        let lock = directory.path().join("lock");
        // Creating a directory fails if it exists: two of these steps at the same time would fail.
        let script = format!("mkdir {0} && sleep 0.05 && rmdir {0}", lock.display());
        let steps = vec![
            Step::new("light", [shell(&script)]).weight(2),
            Step::new("heavy", [shell(&script)]).weight(9),
            Step::new("medium", [shell(&script)]).weight(2),
        ];
        let expected = [("light", true), ("heavy", true), ("medium", true)];
        assert_eq!(names(steps, 3, OnFailure::Stop), expected);
        assert!(fs::metadata(lock).is_err());
    }

    #[test]
    fn failed_step_stops_further_steps() {
        let steps = || {
            vec![
                Step::new("lint", [shell("exit 1")]),
                Step::new("build", [shell("true")]).after(&["lint"]),
                Step::new("test", [shell("true")]),
            ]
        };
        assert_eq!(names(steps(), 1, OnFailure::Stop), [("lint", false)]);
        assert_eq!(names(steps(), 1, OnFailure::Continue), [("lint", false), ("test", true)]);
    }

    #[test]
    fn error_names_each_failed_step() {
        let steps = vec![
            Step::new("lint", [shell("exit 1")]),
            Step::new("test", [shell("echo '2 failed'; exit 2")]),
        ];
        let reports = run(steps, 2, OnFailure::Continue);
        assert_eq!(reports[1].tests.failed, 2);
        assert_eq!(reports[1].last_lines, ["2 failed"]);
        let error = into_result(reports).unwrap_err().to_string();
        assert_eq!(
            error,
            "lint: `sh -c exit 1` failed with exit code 1.\n\
             test: `sh -c echo '2 failed'; exit 2` failed with exit code 2."
        );
    }

    #[test]
    #[should_panic(expected = "test depends on build, which is not before it")]
    fn dependency_must_precede_the_step() {
        run(vec![Step::new("test", []).after(&["build"])], 1, OnFailure::Stop);
    }
}
