//! Request counters and duration histograms, kept in memory and rendered in the Prometheus text format.
//! `http/metrics.rs` adds the values that are read when Prometheus asks.
//!
//! Hand-written, because one counter family and one histogram are simpler than a client crate.

use std::{
    collections::{BTreeMap, HashMap},
    fmt::{Display, Write},
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// Upper bounds of the histogram's buckets, in seconds.
const BOUNDS: [f64; 11] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];

/// Metrics of all routes since the start.
#[derive(Debug, Default)]
pub struct Metrics(Mutex<HashMap<String, Route>>);

/// Metrics of one route.
#[derive(Debug, Default)]
struct Route {
    answers: BTreeMap<(&'static str, u16), u64>,
    /// Number of requests per bucket, not cumulative.
    buckets: [u64; BOUNDS.len()],
    count: u64,
    sum: Duration,
}

impl Metrics {
    /// Counts a response. Method and route come from closed sets, so that clients cannot create unlimited label
    /// values.
    pub fn observe(&self, method: &'static str, route: &str, status: u16, took: Duration) {
        let mut routes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !routes.contains_key(route) {
            routes.insert(route.to_owned(), Route::default());
        }
        let Some(metrics) = routes.get_mut(route) else { return };
        *metrics.answers.entry((method, status)).or_default() += 1;
        let bound = BOUNDS.iter().position(|bound| took.as_secs_f64() <= *bound);
        if let Some(bucket) = bound.and_then(|index| metrics.buckets.get_mut(index)) {
            *bucket += 1;
        }
        metrics.count += 1;
        metrics.sum += took;
    }

    /// Renders all metrics.
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
        for (route, Route { buckets, count, sum, .. }) in &routes {
            let mut cumulative = 0;
            for (bound, in_bucket) in BOUNDS.iter().zip(buckets) {
                cumulative += in_bucket;
                let labels = format!("route=\"{route}\",le=\"{bound}\"");
                page.sample(&format!("{name}_bucket"), &labels, cumulative);
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

/// Metrics in the Prometheus text exposition format.
#[derive(Debug, Default)]
pub struct Exposition(String);

impl Exposition {
    /// Begins a metric family with its `HELP` and `TYPE` lines.
    pub fn family(&mut self, name: &str, kind: &str, help: &str) {
        writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}")
            .expect("writing to a String cannot fail");
    }

    /// Adds a sample. Labels come from the program itself, so their values need no escaping.
    pub fn sample(&mut self, name: &str, labels: &str, value: impl Display) {
        let labels = if labels.is_empty() { String::new() } else { format!("{{{labels}}}") };
        writeln!(self.0, "{name}{labels} {value}").expect("writing to a String cannot fail");
    }

    /// Adds a gauge without labels.
    pub fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.family(name, "gauge", help);
        self.sample(name, "", value);
    }

    /// Adds a gauge without labels, which has no sample while its value is unknown.
    pub fn optional_gauge(&mut self, name: &str, help: &str, value: Option<impl Display>) {
        self.family(name, "gauge", help);
        if let Some(value) = value {
            self.sample(name, "", value);
        }
    }

    /// Returns the text.
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
    fn render_counts_requests_by_route_and_duration() {
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
