//! The report: a table on the terminal, and JSON.

use std::{fs, path::Path, time::Duration};

use serde_json::{Value, json};

use crate::{Outcome, dataset::Dataset, load::Measurement, server::Server};

/// The result of one benchmark.
pub(crate) struct Figure {
    engine: &'static str,
    documents: usize,
    what: String,
    done: Measurement,
    ceiling: &'static str,
    baseline: Baseline,
}

/// The figures of a baseline.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Baseline {
    /// Operations per second.
    pub(crate) rate: f64,
    /// Processor time of its server per response, if it is a server of its own.
    pub(crate) cost: Option<Duration>,
}

impl From<Measurement> for Baseline {
    fn from(Measurement { rate, cost, .. }: Measurement) -> Self {
        Self { rate, cost: Some(cost) }
    }
}

/// All results of a run.
#[derive(Default)]
pub(crate) struct Report {
    figures: Vec<Figure>,
    servers: Vec<Value>,
}

impl Figure {
    pub(crate) fn new(
        office: &Dataset,
        what: &str,
        done: Measurement,
        ceiling: &'static str,
        baseline: Baseline,
    ) -> Self {
        let (engine, documents) = (office.engine(), office.documents);
        Self { engine, documents, what: what.to_owned(), done, ceiling, baseline }
    }

    fn ratio(&self) -> f64 {
        self.done.rate / self.baseline.rate
    }

    /// Processor time in relation to that of the baseline.
    fn cost_ratio(&self) -> Option<f64> {
        let cost = self.baseline.cost.filter(|cost| !cost.is_zero());
        cost.map(|cost| self.done.cost.as_secs_f64() / cost.as_secs_f64())
    }
}

impl Report {
    /// Adds a figure and prints it at once, because a run takes minutes.
    pub(crate) fn add(&mut self, figure: Figure) {
        if self.figures.is_empty() {
            println!(
                "{:<11}{:>10}  {:<26}{:>10}{:>8}  {:<24}{:>10}{:>8}{:>10}{:>10}{:>9}",
                "",
                "documents",
                "",
                "per second",
                "ratio",
                "to",
                "CPU each",
                "ratio",
                "median",
                "p99",
                "memory"
            );
        }
        let Measurement { rate, cost, median, p99, memory } = figure.done;
        println!(
            "{:<11}{:>10}  {:<26}{rate:>10.0}{:>8.2}  {:<24}{:>10}{:>8}{:>10}{:>10}{memory:>5.0} MiB",
            figure.engine,
            figure.documents,
            figure.what,
            figure.ratio(),
            figure.ceiling,
            shown(cost),
            figure.cost_ratio().map_or_else(String::new, |ratio| format!("{ratio:.1}")),
            shown(median),
            shown(p99),
        );
        self.figures.push(figure);
    }

    /// Adds the start time of the server.
    pub(crate) fn server(&mut self, office: &Dataset, portal: &Server) {
        let (engine, documents) = (office.engine(), office.documents);
        let start = portal.started_in.as_millis();
        println!("{engine:<11}{documents:>10}  started in {start} ms\n");
        self.servers.push(json!({"database": engine, "documents": documents, "start_ms": start}));
    }

    /// Writes all figures as JSON. Times are in microseconds, rates per second.
    pub(crate) fn write(&self, path: &Path) -> Outcome<()> {
        let figures = self.figures.iter().map(|figure| {
            json!({
                "database": figure.engine, "documents": figure.documents, "what": figure.what,
                "rate": figure.done.rate, "ceiling": figure.ceiling, "ceiling_rate": figure.baseline.rate,
                "ceiling_cpu_us": figure.baseline.cost.map(micros),
                "ratio": figure.ratio(), "cpu_us": micros(figure.done.cost), "cpu_ratio": figure.cost_ratio(),
                "median_us": micros(figure.done.median), "p99_us": micros(figure.done.p99),
                "memory_mib": figure.done.memory,
            })
        });
        let all = json!({
            "machine": machine(),
            "figures": figures.collect::<Vec<_>>(), "servers": self.servers,
        });
        fs::write(path, serde_json::to_string_pretty(&all)?)?;
        println!("{} on {} cores; written to {}", processor(), cores(), path.display());
        Ok(())
    }
}

/// The machine on which the figures were measured.
pub(crate) fn machine() -> Value {
    json!({"processor": processor(), "cores": cores()})
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

fn processor() -> String {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = cpuinfo.lines().find_map(|line| line.strip_prefix("model name"));
    name.map_or("unknown", |name| name.trim_start_matches([' ', '\t', ':'])).to_owned()
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// A duration for the terminal.
pub(crate) fn shown(time: Duration) -> String {
    match micros(time) {
        micros if micros < 1000.0 => format!("{micros:.0} µs"),
        micros => format!("{:.1} ms", micros / 1000.0),
    }
}
