//! What operators draw their graphs of: how many requests there were and how long they took, in memory, in the text
//! format of Prometheus. What is looked up only when somebody asks is added by `http/figures.rs`.

use std::{
    collections::{BTreeMap, HashMap},
    fmt::{Display, Write},
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// Upper bounds of the histogram, in seconds.
const BOUNDS: [f64; 11] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];

/// What was counted since the start.
#[derive(Debug, Default)]
pub struct Metrics(Mutex<HashMap<String, Route>>);

/// The requests of one route.
#[derive(Debug, Default)]
struct Route {
    answers: BTreeMap<(&'static str, u16), u64>,
    /// How many took no longer than each bound and longer than the one before.
    within: [u64; BOUNDS.len()],
    count: u64,
    sum: Duration,
}

impl Metrics {
    /// Counts an answer. Method and route are of a closed set, or strangers could fill the memory.
    pub fn observe(&self, method: &'static str, route: &str, status: u16, took: Duration) {
        let mut routes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !routes.contains_key(route) {
            routes.insert(route.to_owned(), Route::default());
        }
        let Some(known) = routes.get_mut(route) else { return };
        *known.answers.entry((method, status)).or_default() += 1;
        let bound = BOUNDS.iter().position(|bound| took.as_secs_f64() <= *bound);
        if let Some(within) = bound.and_then(|at| known.within.get_mut(at)) {
            *within += 1;
        }
        known.count += 1;
        known.sum += took;
    }

    /// Tells everything.
    pub fn render(&self, page: &mut Exposition) {
        let routes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut routes: Vec<_> = routes.iter().collect();
        routes.sort_unstable_by_key(|(name, _)| *name);
        page.family("portaria_requests_total", "counter", "Requests answered.");
        for (name, route) in &routes {
            for ((method, status), count) in &route.answers {
                let labels = format!("method=\"{method}\",route=\"{name}\",status=\"{status}\"");
                page.sample("portaria_requests_total", &labels, count);
            }
        }
        let name = "portaria_request_seconds";
        page.family(name, "histogram", "Time until an answer began.");
        for (route, Route { within, count, sum, .. }) in &routes {
            let mut so_far = 0;
            for (bound, number) in BOUNDS.iter().zip(within) {
                so_far += number;
                let labels = format!("route=\"{route}\",le=\"{bound}\"");
                page.sample(&format!("{name}_bucket"), &labels, so_far);
            }
            page.sample(
                &format!("{name}_bucket"),
                &format!("route=\"{route}\",le=\"+Inf\""),
                count,
            );
            page.sample(&format!("{name}_sum"), &format!("route=\"{route}\""), sum.as_secs_f64());
            page.sample(&format!("{name}_count"), &format!("route=\"{route}\""), count);
        }
    }
}

/// Figures as text.
#[derive(Debug, Default)]
pub struct Exposition(String);

impl Exposition {
    /// Begins the lines of a figure.
    pub fn family(&mut self, name: &str, kind: &str, help: &str) {
        writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}").expect("a String takes all");
    }

    /// A line of it. Labels are of our own making, so none needs escaping.
    pub fn sample(&mut self, name: &str, labels: &str, value: impl Display) {
        let labels = if labels.is_empty() { String::new() } else { format!("{{{labels}}}") };
        writeln!(self.0, "{name}{labels} {value}").expect("a String takes all");
    }

    /// A figure that stands for itself and may rise and fall.
    pub fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.family(name, "gauge", help);
        self.sample(name, "", value);
    }

    /// The whole text.
    #[must_use]
    pub fn into_text(self) -> String {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::telemetry::metrics::{Exposition, Metrics};

    #[test]
    fn requests_are_counted_by_route_and_spread_over_their_times() {
        let metrics = Metrics::default();
        for (status, ms) in [(200, 1), (200, 7), (404, 7), (200, 9_000)] {
            metrics.observe("GET", "/rest/v1/documents", status, Duration::from_millis(ms));
        }
        let mut page = Exposition::default();
        metrics.render(&mut page);
        let text = page.into_text();
        for line in [
            "# TYPE portaria_requests_total counter",
            "portaria_requests_total{method=\"GET\",route=\"/rest/v1/documents\",status=\"200\"} 3",
            "portaria_requests_total{method=\"GET\",route=\"/rest/v1/documents\",status=\"404\"} 1",
            "portaria_request_seconds_bucket{route=\"/rest/v1/documents\",le=\"0.001\"} 1",
            "portaria_request_seconds_bucket{route=\"/rest/v1/documents\",le=\"0.01\"} 3",
            "portaria_request_seconds_bucket{route=\"/rest/v1/documents\",le=\"5\"} 3",
            "portaria_request_seconds_bucket{route=\"/rest/v1/documents\",le=\"+Inf\"} 4",
            "portaria_request_seconds_sum{route=\"/rest/v1/documents\"} 9.015",
            "portaria_request_seconds_count{route=\"/rest/v1/documents\"} 4",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
        }
    }
}
