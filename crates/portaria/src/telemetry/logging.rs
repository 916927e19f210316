//! What the program says of its work, on standard error: a line for each request, and for what went wrong.
//!
//! A line never tells who asked for what: ids of requests and rows, names of routes, counts. No address, no token, no
//! value that somebody sent (security T28; `tests/it/doors/logs.rs`).

use std::{
    io::{self, IsTerminal},
    panic,
};

use tracing::{Level, Metadata};
use tracing_subscriber::{
    EnvFilter, Layer, filter::filter_fn, fmt, layer::SubscriberExt, util::SubscriberInitExt,
};

use crate::{config::LogFormat, telemetry::request_id};

/// Begins to write the log. `RUST_LOG` says what of it; without, all that matters to an operator.
pub fn start(format: LogFormat) {
    let chosen = EnvFilter::try_from_default_env().unwrap_or_else(|_| "info".into());
    let lines = fmt::layer().with_writer(io::stderr);
    let lines = match format {
        LogFormat::Text => lines.with_ansi(io::stderr().is_terminal()).boxed(),
        LogFormat::Json => {
            lines.json().flatten_event(true).with_current_span(false).with_span_list(false).boxed()
        }
    };
    tracing_subscriber::registry().with(lines).with(chosen).with(filter_fn(is_fit)).init();
    // Also a panic is a line, and without its message: that may quote what it stumbled over.
    panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(request = request_id::current(), place, "panicked");
    }));
}

/// Whether a line may be written at all. Beneath `info` libraries tell the values of a statement.
fn is_fit(line: &Metadata<'_>) -> bool {
    line.target().starts_with("portaria") || *line.level() <= Level::INFO
}
