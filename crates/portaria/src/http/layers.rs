//! What every request passes through: an id, a line in the log, and the headers that keep browsers in bounds.

use std::{any::Any, sync::Arc, time::Duration};

use axum::{
    Json, Router,
    extract::Request,
    http::{HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::{Next, from_fn},
    response::{IntoResponse, Response},
};
use percent_encoding::percent_decode_str;
use serde_json::json;
use tower_http::{
    catch_panic::CatchPanicLayer,
    cors::{AllowHeaders, AllowOrigin, CorsLayer},
};

use crate::{app::App, keys, request_id, storage};

/// Answer headers that the client library reads across origins (contract §0).
const EXPOSED: [&str; 20] = [
    "x-total-count",
    "link",
    "x-supabase-api-version",
    "content-range",
    "content-location",
    "location",
    "preference-applied",
    "content-encoding",
    "content-length",
    "etag",
    "upload-offset",
    "upload-length",
    "upload-metadata",
    "upload-expires",
    "tus-resumable",
    "tus-version",
    "tus-extension",
    "tus-max-size",
    "x-sb-error-code",
    "x-request-id",
];

/// On every answer that did not set its own (security G-05).
const HEADERS: [(&str, &str); 6] = [
    ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    ("cache-control", "no-store"),
];

/// Puts the layers around the routes; the last added is the outermost.
pub(super) fn wrap(routes: Router<Arc<App>>, app: &App) -> Router<Arc<App>> {
    let is_https = app.config.site_url.starts_with("https://");
    let max_upload = app.config.max_upload;
    routes
        .layer(from_fn(legible))
        .layer(cors(app))
        .layer(from_fn(move |request, next| discover(request, next, max_upload)))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(from_fn(move |request, next| protect(request, next, is_https)))
        .layer(from_fn(identify))
}

fn cors(app: &App) -> CorsLayer {
    let origin = HeaderValue::from_str(&app.config.site_url).ok();
    CorsLayer::new()
        .allow_origin(AllowOrigin::list(origin))
        .allow_methods([
            Method::GET,
            Method::HEAD,
            Method::POST,
            Method::PUT,
            Method::PATCH,
            Method::DELETE,
            Method::OPTIONS,
        ])
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers(EXPOSED.map(HeaderName::from_static))
        .max_age(Duration::from_hours(24))
}

/// Gives the request an id, which its answer and the log carry, and logs how it went: never who asked for what.
async fn identify(request: Request, next: Next) -> Response {
    let id = keys::new_request_id();
    let method = request.method().clone();
    let path = logged(request.uri().path());
    let mut response = request_id::scope(id.clone(), next.run(request)).await;
    tracing::debug!(request = id, %method, path, status = response.status().as_u16(), "answered");
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert("x-request-id", value.clone());
        response.headers_mut().insert("sb-request-id", value);
    }
    response
}

/// As much of an address as tells what was asked for, and not whose: a calendar's holds a secret, and a link that ends
/// notices is good for ever.
fn logged(path: &str) -> String {
    let is_open = ["/calendario/", "/cancelar-avisos/"].iter().any(|head| path.starts_with(head));
    let segments = if is_open { 2 } else { 4 };
    path.split('/').take(segments).collect::<Vec<_>>().join("/")
}

/// Programs for resumable uploads may ask what is offered; a browser's question before a request is another.
async fn discover(request: Request, next: Next, max_upload: u64) -> Response {
    let asks = request.method() == Method::OPTIONS
        && request.uri().path().starts_with("/storage/v1/upload/resumable")
        && !request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    if asks { storage::resumable::options(max_upload) } else { next.run(request).await }
}

/// A path that is no text names nothing, in no room.
async fn legible(request: Request, next: Next) -> Response {
    if percent_decode_str(request.uri().path()).decode_utf8().is_ok() {
        return next.run(request).await;
    }
    let body = json!({"code": "invalid_path", "message": "The path is not valid UTF-8"});
    (StatusCode::BAD_REQUEST, Json(body)).into_response()
}

async fn protect(request: Request, next: Next, is_https: bool) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    if is_https {
        headers.insert(
            header::STRICT_TRANSPORT_SECURITY,
            HeaderValue::from_static("max-age=31536000; includeSubDomains"),
        );
    }
    response
}

fn panicked(_: Box<dyn Any + Send>) -> Response {
    let id = request_id::current();
    tracing::error!(request = id, "a handler panicked");
    let body = json!({"code": "XX000", "message": "Internal server error", "details": format!("Request {id}"), "hint": null});
    (StatusCode::INTERNAL_SERVER_ERROR, [(header::CONTENT_TYPE, "application/json")], Json(body))
        .into_response()
}

#[cfg(test)]
mod tests {
    use super::logged;

    #[test]
    fn the_log_holds_no_secret() {
        for (path, expected) in [
            ("/rest/v1/documents", "/rest/v1/documents"),
            ("/storage/v1/object/sign/x/y", "/storage/v1/object"),
            ("/calendario/segredo.ics", "/calendario"),
            ("/cancelar-avisos/token", "/cancelar-avisos"),
            ("/", "/"),
        ] {
            assert_eq!(logged(path), expected);
        }
    }
}
