//! The operator's log on standard error: one line per request, and one line per event that an operator should know.
//! `docs/logging.md` describes fields, levels and rules.
//!
//! No line identifies a person: it contains IDs of requests and rows, names of routes and counts, but no address, no
//! token, and no value that a person sent. `tests/it/process/logs.rs` and `tests/it/process/log_privacy.rs` verify
//! it.

use std::{
    io::{self, IsTerminal},
    panic,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use tracing::{Event, Level, Metadata, Subscriber, level_filters::LevelFilter};
use tracing_subscriber::{
    EnvFilter, Layer, Registry,
    filter::filter_fn,
    fmt::{self, MakeWriter},
    layer::{Context, Layered, SubscriberExt},
    reload,
    util::SubscriberInitExt,
};

use crate::telemetry::request_id;

/// Interval between two lines about repeated requests to the bucket.
const RETRY_LINE_INTERVAL: Duration = Duration::from_mins(1);

/// The format of the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    /// Lines of text for people.
    Text,
    /// One JSON object per line for programs.
    Json,
}

/// A subscriber that writes lines, before its filter.
type LineSubscriber = Layered<Box<dyn Layer<Registry> + Send + Sync>, Registry>;

/// The filter of the log, which can change while the program runs.
pub struct LogFilter(reload::Handle<EnvFilter, LineSubscriber>);

impl LogFilter {
    /// Replaces the filter. The variable `RUST_LOG` has priority over `filter`.
    pub fn set(&self, filter: &str) {
        // The subscriber lives as long as the program, so that the handle is always valid.
        drop(self.0.reload(chosen_filter(filter)));
    }
}

fn chosen_filter(filter: &str) -> EnvFilter {
    EnvFilter::try_from_default_env().unwrap_or_else(|_| filter.into())
}

/// Installs the log subscriber and the panic hook. The variable `RUST_LOG` has priority over `filter`.
pub fn start(format: LogFormat, filter: &str) -> LogFilter {
    let (filter, handle) = reload::Layer::new(chosen_filter(filter));
    subscriber(format, filter, io::stderr).init();
    // A panic is logged without its message, which may quote data.
    panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(request = request_id::current(), place, "panicked");
    }));
    LogFilter(handle)
}

/// Returns whether a text is a filter of the log: levels, and `target=level`. A target without a level is refused,
/// because a level with a wrong name (`warning`) is one, and would turn off everything else.
#[must_use]
pub fn is_filter(text: &str) -> bool {
    let is_complete = |directive: &str| {
        directive.trim().parse::<LevelFilter>().is_ok() || directive.contains('=')
    };
    EnvFilter::try_new(text).is_ok() && text.split(',').all(is_complete)
}

/// Creates the subscriber, which writes one line per event to `writer`.
fn subscriber<W>(
    format: LogFormat,
    filter: reload::Layer<EnvFilter, LineSubscriber>,
    writer: W,
) -> impl Subscriber + Send + Sync + 'static
where
    W: for<'writer> MakeWriter<'writer> + Send + Sync + 'static,
{
    let layer = fmt::layer().with_writer(writer);
    let layer = match format {
        LogFormat::Text => layer.with_ansi(io::stderr().is_terminal()).boxed(),
        LogFormat::Json => {
            layer.json().flatten_event(true).with_current_span(true).with_span_list(false).boxed()
        }
    };
    let lines = tracing_subscriber::registry().with(layer).with(filter);
    lines.with(filter_fn(is_allowed)).with(RetryLines::default())
}

/// Lets the line of a repeated request to the bucket pass once a minute. The library writes one per attempt, which hides
/// all other lines during an outage.
#[derive(Default)]
struct RetryLines(Mutex<Option<Instant>>);

impl<S: Subscriber> Layer<S> for RetryLines {
    fn event_enabled(&self, event: &Event<'_>, _: Context<'_, S>) -> bool {
        if !event.metadata().target().starts_with("object_store") {
            return true;
        }
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = last.is_none_or(|last| last.elapsed() > RETRY_LINE_INTERVAL);
        if is_due {
            *last = Some(Instant::now());
        }
        is_due
    }
}

/// Returns whether a line may be written, or a span be recorded. Libraries log the values of statements below `info`.
/// Their spans would replace the span of the request, and their fields are not known.
fn is_allowed(metadata: &Metadata<'_>) -> bool {
    metadata.target().starts_with("portaria")
        || (metadata.is_event() && *metadata.level() <= Level::INFO)
}

#[cfg(test)]
mod tests {
    use std::{
        io::{self, Write},
        sync::{Arc, Mutex},
    };

    use serde_json::Value;
    use tracing_subscriber::{EnvFilter, reload};

    use crate::telemetry::{
        logging::{LogFormat, subscriber},
        request_id::RequestContext,
    };

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn line_carries_the_request_of_its_span() {
        let lines = Lines::default();
        let writer = lines.clone();
        let (filter, _) = reload::Layer::new(EnvFilter::new("info"));
        let subscriber = subscriber(LogFormat::Json, filter, move || writer.clone());
        tracing::subscriber::with_default(subscriber, || {
            RequestContext::new("a1b2".into()).run(|| tracing::warn!("disk full"));
            tracing::warn!("disk full");
        });
        let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
        let lines: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines[0]["message"], "disk full");
        assert_eq!(lines[0]["span"]["id"], "a1b2");
        assert_eq!(lines[1].get("span"), None);
    }

    #[test]
    fn repeated_requests_to_the_bucket_are_one_line() {
        let lines = Lines::default();
        let writer = lines.clone();
        let (filter, _) = reload::Layer::new(EnvFilter::new("info"));
        let subscriber = subscriber(LogFormat::Text, filter, move || writer.clone());
        tracing::subscriber::with_default(subscriber, || {
            for _ in 0..30 {
                tracing::info!(target: "object_store::client::retry", "backing off");
                tracing::info!("other");
            }
        });
        let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
        assert_eq!((text.matches("backing off").count(), text.matches("other").count()), (1, 30));
    }
}
