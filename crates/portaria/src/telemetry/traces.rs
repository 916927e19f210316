//! Traces of requests for an OpenTelemetry collector (OTLP over HTTP), which are off by default.
//!
//! A trace is a request with the work of the database for it. Its attributes are those of the log's line: ID, method,
//! route and status (`docs/logging.md`). Trace IDs of callers are not continued, because a visitor could choose them.

use std::{sync::OnceLock, time::Duration};

use anyhow::Context as _;
use opentelemetry::{
    Context, KeyValue,
    trace::{SpanKind, Status, TraceContextExt, Tracer, TracerProvider},
};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig};
use opentelemetry_sdk::{
    Resource,
    trace::{SdkTracer, SdkTracerProvider},
};
use url::Url;

use crate::telemetry::version::VERSION;

/// Path of the collector's receiver of traces (OpenTelemetry Protocol, "OTLP/HTTP").
const RECEIVER: &str = "/v1/traces";
/// Time in which the last traces are sent when the program ends.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

static TRACER: OnceLock<SdkTracer> = OnceLock::new();

/// Sends traces in the background until it is dropped. A collector that does not answer costs its traces and nothing else.
#[derive(Debug)]
pub(crate) struct TraceExport(SdkTracerProvider);

impl TraceExport {
    /// Starts to send traces to a collector. `collector` is its address without the path of the receiver.
    pub(crate) fn start(collector: &Url) -> anyhow::Result<Self> {
        let receiver = format!("{}{RECEIVER}", collector.as_str().trim_end_matches('/'));
        let exporter = SpanExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(receiver)
            .build()
            .context("traces_url")?;
        let version = KeyValue::new("service.version", VERSION.as_str());
        let resource = Resource::builder_empty().with_service_name("portaria");
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource.with_attribute(version).build())
            .build();
        // A process starts once.
        let _ = TRACER.set(provider.tracer("portaria"));
        Ok(Self(provider))
    }
}

impl Drop for TraceExport {
    fn drop(&mut self) {
        let _ = self.0.shutdown_with_timeout(SHUTDOWN_TIMEOUT);
    }
}

/// The trace of a request. It does nothing while traces are off.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestTrace(Option<Context>);

impl RequestTrace {
    /// Begins the trace of a request.
    pub(crate) fn begin() -> Self {
        Self(TRACER.get().map(|tracer| {
            let span = tracer.span_builder("request").with_kind(SpanKind::Server);
            let context = Context::new();
            context.with_span(span.start_with_context(tracer, &context))
        }))
    }

    /// Ends the trace. `route` is the pattern of the path.
    pub(crate) fn end(&self, id: &str, method: &'static str, route: &str, status: u16) {
        let Some(context) = &self.0 else { return };
        let span = context.span();
        span.update_name(format!("{method} {route}"));
        span.set_attribute(KeyValue::new("http.request.method", method));
        span.set_attribute(KeyValue::new("http.route", route.to_owned()));
        span.set_attribute(KeyValue::new("http.response.status_code", i64::from(status)));
        span.set_attribute(KeyValue::new("portaria.request", id.to_owned()));
        if status >= 500 {
            span.set_status(Status::error(""));
        }
        span.end();
    }

    /// Begins a part of the request, which ends when the result is dropped.
    pub(crate) fn part(&self, name: &'static str) -> TracePart {
        let part = self.0.as_ref().zip(TRACER.get()).map(|(context, tracer)| {
            let span = tracer.span_builder(name).start_with_context(tracer, context);
            context.with_span(span)
        });
        TracePart(part)
    }
}

/// A part of a request.
#[derive(Debug)]
pub(crate) struct TracePart(Option<Context>);

impl Drop for TracePart {
    fn drop(&mut self) {
        if let Some(part) = &self.0 {
            part.span().end();
        }
    }
}
