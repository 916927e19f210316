//! The operator's log on standard error: one line per request, and one line per event that an operator should know.
//! `docs/logging.md` describes fields, levels and rules.
//!
//! No line identifies a person: it contains IDs of requests and rows, names of routes and counts, but no address, no
//! token, and no value that a person sent. `tests/it/process/logs.rs` and `tests/it/process/log_privacy.rs` verify
//! it.

use std::{
    io::{self, IsTerminal},
    panic,
};

use tracing::{Level, Metadata};
use tracing_subscriber::{
    EnvFilter, Layer, filter::filter_fn, fmt, layer::SubscriberExt, util::SubscriberInitExt,
};

use crate::{config::LogFormat, telemetry::request_id};

/// Installs the log subscriber and the panic hook. `RUST_LOG` sets the filter; the default is `info`.
pub fn start(format: LogFormat) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| "info".into());
    let layer = fmt::layer().with_writer(io::stderr);
    let layer = match format {
        LogFormat::Text => layer.with_ansi(io::stderr().is_terminal()).boxed(),
        LogFormat::Json => {
            layer.json().flatten_event(true).with_current_span(true).with_span_list(false).boxed()
        }
    };
    tracing_subscriber::registry().with(layer).with(filter).with(filter_fn(is_allowed)).init();
    // A panic is logged without its message, which may quote data.
    panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(request = request_id::current(), place, "panicked");
    }));
}

/// Returns whether a line may be written, or a span be recorded. Libraries log the values of statements below `info`.
/// Their spans would replace the span of the request, and their fields are not known.
fn is_allowed(metadata: &Metadata<'_>) -> bool {
    metadata.target().starts_with("portaria")
        || (metadata.is_event() && *metadata.level() <= Level::INFO)
}
