//! Steps run one after the other, each with its number, its name and the time it took.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::process;
use crate::tally::Tally;

pub(crate) struct Step {
    name: &'static str,
    commands: Vec<Command>,
}

impl Step {
    pub(crate) fn new(name: &'static str, commands: impl IntoIterator<Item = Command>) -> Self {
        Self { name, commands: commands.into_iter().collect() }
    }
}

/// A step that has been run.
pub(crate) struct Done {
    pub(crate) name: &'static str,
    pub(crate) took: Duration,
    pub(crate) tally: Tally,
    pub(crate) passed: bool,
}

/// Runs the steps until one fails. What was done is told in either case.
pub(crate) fn run(steps: Vec<Step>) -> (Vec<Done>, Result<(), String>) {
    let count = steps.len();
    let mut done = Vec::new();
    for (index, Step { name, commands }) in steps.into_iter().enumerate() {
        println!("\n[{}/{count}] {name}", index + 1);
        let start = Instant::now();
        let mut tally = Tally::default();
        let outcome =
            commands.into_iter().try_for_each(|command| process::run(command, &mut tally));
        let took = start.elapsed();
        done.push(Done { name, took, tally, passed: outcome.is_ok() });
        match outcome {
            Ok(()) => println!("[{}/{count}] {name}: done in {}", index + 1, seconds(took)),
            Err(sentence) => return (done, Err(format!("{name}: {sentence}"))),
        }
    }
    (done, Ok(()))
}

pub(crate) fn seconds(time: Duration) -> String {
    match time.as_secs() {
        whole @ 0..60 => format!("{whole} s"),
        whole => format!("{} min {:02} s", whole / 60, whole % 60),
    }
}
