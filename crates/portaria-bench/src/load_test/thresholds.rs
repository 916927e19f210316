//! Figures of a load test with their thresholds.

use std::{fs, path::Path, time::Duration};

use serde_json::{Value, json};

use crate::{Outcome, report::machine};

/// The threshold of a figure.
#[derive(Clone, Copy)]
pub(crate) enum Bound {
    AtMost(f64),
    AtLeast(f64),
    /// No threshold.
    Nothing,
}

/// All figures of a run.
#[derive(Default)]
pub(crate) struct LoadReport {
    scene: &'static str,
    rows: Vec<Value>,
    missed: usize,
}

impl LoadReport {
    /// Sets the load test of the next figures.
    pub(crate) fn scene(&mut self, scene: &'static str) {
        println!("\n{scene}");
        self.scene = scene;
    }

    /// Adds a figure and prints it at once, because a run takes minutes.
    pub(crate) fn add(&mut self, what: &str, figure: f64, unit: &'static str, bound: Bound) {
        let (name, limit, holds) = match bound {
            Bound::AtMost(limit) => ("at most", limit, figure <= limit),
            Bound::AtLeast(limit) => ("at least", limit, figure >= limit),
            Bound::Nothing => ("", f64::NAN, true),
        };
        let shown = match bound {
            Bound::Nothing => String::new(),
            _ => format!("{name:<8} {limit:>6}  {}", if holds { "ok" } else { "MISSED" }),
        };
        let places = usize::from(figure.fract() != 0.0 && figure < 1000.0);
        println!("  {what:<58}{figure:>9.places$} {unit:<4}  {shown}");
        self.missed += usize::from(!holds);
        let mut row = json!({"scene": self.scene, "what": what, "figure": figure, "unit": unit});
        if !matches!(bound, Bound::Nothing) {
            row[name.replace(' ', "_")] = limit.into();
            row["ok"] = holds.into();
        }
        self.rows.push(row);
    }

    /// Adds a duration, in milliseconds.
    pub(crate) fn time(&mut self, what: &str, time: Duration, bound: Bound) {
        self.add(what, (time.as_secs_f64() * 10_000.0).round() / 10.0, "ms", bound);
    }

    /// Adds a count.
    pub(crate) fn count(&mut self, what: &str, count: usize, bound: Bound) {
        self.add(what, f64::from(u32::try_from(count).unwrap_or(u32::MAX)), "", bound);
    }

    /// Adds an amount of memory, in MiB.
    pub(crate) fn memory(&mut self, what: &str, mib: f64, bound: Bound) {
        self.add(what, mib, "MiB", bound);
    }

    /// Writes all figures as JSON.
    ///
    /// A sentence if a threshold is missed.
    pub(crate) fn write(self, path: &Path) -> Outcome<()> {
        let all = json!({"machine": machine(), "figures": self.rows});
        fs::write(path, serde_json::to_string_pretty(&all)?)?;
        println!("\nWritten to {}.", path.display());
        match self.missed {
            0 => Ok(()),
            missed => Err(format!("{missed} figures miss their thresholds.").into()),
        }
    }
}

/// Returns a percentile of the times; zero if there are none.
pub(crate) fn percentile(times: &mut [Duration], percentile: usize) -> Duration {
    times.sort_unstable();
    let last = times.len().saturating_sub(1);
    times.get((times.len() * percentile / 100).min(last)).copied().unwrap_or_default()
}
