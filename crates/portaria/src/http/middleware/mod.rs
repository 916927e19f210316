//! Middleware around all routes: request ID, request log, CORS, error bodies, and security headers.

pub mod authenticate;
pub mod client_ip;
pub mod timing_pad;

use std::{
    any::Any,
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{
    Json, Router,
    body::{Body, HttpBody},
    extract::{Request, State},
    http::{HeaderName, HeaderValue, Method, StatusCode, Version, header, request::Parts},
    middleware::{Next, from_fn, from_fn_with_state},
    response::{IntoResponse, Response},
};
use percent_encoding::percent_decode_str;
use serde_json::json;
use tower_http::{
    catch_panic::CatchPanicLayer,
    cors::{AllowHeaders, AllowOrigin, CorsLayer},
};

use crate::http::{
    lingering_close::UnreadRest, metered_body::MeteredBody, route_label,
    transfer_meter::TransferLimits, unread_body::SharedBody,
};
use crate::{
    api::storage,
    app::App,
    security::keys,
    telemetry::request_id::{self, RequestContext},
};

/// Maximum length of path and query. Bytes. The client library warns below it, and nginx has the same limit.
const MAX_TARGET: usize = 8 * 1024;
/// Maximum size of the names and values of all headers. Bytes.
const MAX_HEADERS: usize = 32 * 1024;

/// Paths that other origins may call. The routes beside them serve the portal's own web app.
const SHARED_APIS: [&str; 4] = ["/auth/v1/", "/realtime/v1/", "/rest/v1/", "/storage/v1/"];

/// Response headers that the client library reads across origins (`docs/protocol/auth.md`, section 1.5).
const EXPOSED_HEADERS: [&str; 21] = [
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
    "x-transformations",
    "x-sb-error-code",
    "x-request-id",
];

/// Security headers of every response that does not set its own (OWASP Secure Headers).
const SECURITY_HEADERS: [(&str, &str); 6] = [
    ("content-security-policy", "default-src 'none'; frame-ancestors 'none'"),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("permissions-policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    ("cache-control", "no-store"),
];

/// Wraps the routes in the layers. The last layer is the outermost.
pub(crate) fn apply(routes: Router<Arc<App>>, app: &Arc<App>) -> Router<Arc<App>> {
    let is_https = app.config.site_url.starts_with("https://");
    let max_upload = app.config.max_upload;
    let limits = TransferLimits::of_body(&app.config);
    routes
        .layer(from_fn(move |request, next| validate_head(request, next, limits)))
        .layer(from_fn_with_state(Arc::clone(app), client_ip::layer))
        .layer(cors(app))
        .layer(from_fn(move |request, next| tus_options(request, next, max_upload)))
        .layer(CatchPanicLayer::custom(handle_panic))
        .layer(from_fn(move |request, next| security_headers(request, next, is_https)))
        .layer(from_fn_with_state(Arc::clone(app), request_log))
}

/// Cross-origin requests (`docs/protocol/auth.md`, section 1.5). Credentials are not allowed: the API has no cookies.
fn cors(app: &Arc<App>) -> CorsLayer {
    let shared = Arc::clone(app);
    let is_allowed = move |origin: &HeaderValue, request: &Parts| {
        let is_shared = SHARED_APIS.iter().any(|api| request.uri.path().starts_with(api));
        origin == shared.config.site_url.as_str()
            || (is_shared && shared.config.admits_origin(origin.as_bytes()))
    };
    CorsLayer::new()
        .allow_origin(AllowOrigin::predicate(is_allowed))
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
        .expose_headers(EXPOSED_HEADERS.map(HeaderName::from_static))
        .max_age(Duration::from_hours(24))
}

/// Assigns the request ID, opens the request's span, logs the request and counts it. The log contains no value that
/// identifies a person (`docs/logging.md`).
///
/// The request ID is always new: `SetRequestIdLayer` of `tower-http` would adopt the one of a client.
async fn request_log(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = keys::new_request_id();
    let (method, route) = (route_label::method(request.method()), route_label::label(&request));
    let context = RequestContext::new(id.clone());
    let mut response = context.clone().scope(next.run(request)).await;
    let (status, took) = (response.status().as_u16(), started.elapsed());
    context.end_trace(method, &route, status);
    app.metrics.observe(method, &route, status, took);
    let ms = (took.as_secs_f64() * 10_000.0).round() / 10.0;
    tracing::info!(target: "portaria::request", request = id, method, %route, status, ms, "answered");
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert("x-request-id", value.clone());
        response.headers_mut().insert("sb-request-id", value);
    }
    response
}

/// Answers `OPTIONS` of a tus client, which asks for the server's extensions. A CORS preflight has an additional
/// header.
async fn tus_options(request: Request, next: Next, max_upload: u64) -> Response {
    let is_tus = request.method() == Method::OPTIONS
        && request.uri().path().starts_with("/storage/v1/upload/resumable")
        && !request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
    if is_tus { storage::tus::options(max_upload) } else { next.run(request).await }
}

/// Refuses what no route accepts, and adds the minimum rate to the request body.
async fn validate_head(request: Request, next: Next, limits: TransferLimits) -> Response {
    match refuse_head(&request) {
        Some((status, code, message)) => {
            let body = json!({"code": code, "message": message, "details": null, "hint": null});
            (status, Json(body)).into_response()
        }
        None if request.body().is_end_stream() => next.run(request).await,
        None => {
            let is_http_2 = request.version() == Version::HTTP_2;
            let (parts, body) = request.into_parts();
            let unread_rest = parts.extensions.get::<UnreadRest>().cloned();
            let is_expectant = parts.headers.contains_key(header::EXPECT);
            let body = SharedBody::new(body, is_expectant);
            let metered = Body::new(MeteredBody::new(Body::new(body.clone()), limits));
            let response = next.run(Request::from_parts(parts, metered)).await;
            // A connection of HTTP/2 survives an unread body.
            if is_http_2 { response } else { body.finish(response, unread_rest).await }
        }
    }
}

/// Returns the refusal of a target or headers above the limits, of a path that is not valid UTF-8, and of an HTTP/1.1
/// request without exactly one `Host` header (RFC 9112, section 3.2).
fn refuse_head(request: &Request) -> Option<(StatusCode, &'static str, &'static str)> {
    let target = request.uri().path_and_query().map_or(0, |target| target.as_str().len());
    if target > MAX_TARGET {
        return Some((
            StatusCode::URI_TOO_LONG,
            "uri_too_long",
            "The address is longer than 8 KiB",
        ));
    }
    let headers = request.headers().iter().map(|(name, value)| name.as_str().len() + value.len());
    if headers.sum::<usize>() > MAX_HEADERS {
        let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        return Some((status, "headers_too_large", "The headers are larger than 32 KiB"));
    }
    if percent_decode_str(request.uri().path()).decode_utf8().is_err() {
        return Some((StatusCode::BAD_REQUEST, "invalid_path", "The path is not valid UTF-8"));
    }
    let hosts = request.headers().get_all(header::HOST).iter().count();
    (request.version() == Version::HTTP_11 && hosts != 1).then_some((
        StatusCode::BAD_REQUEST,
        "invalid_request",
        "A request names one host",
    ))
}

async fn security_headers(request: Request, next: Next, is_https: bool) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in SECURITY_HEADERS {
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

fn handle_panic(_: Box<dyn Any + Send>) -> Response {
    let id = request_id::current();
    tracing::error!(request = id, "a handler panicked");
    let body = json!({"code": "XX000", "message": "Internal server error", "details": format!("Request {id}"), "hint": null});
    (StatusCode::INTERNAL_SERVER_ERROR, [(header::CONTENT_TYPE, "application/json")], Json(body))
        .into_response()
}

#[cfg(test)]
mod tests {
    use axum::{
        Router,
        body::{Body, to_bytes},
        http::{Request, StatusCode},
        routing::get,
    };
    use tower::ServiceExt;

    use crate::http::middleware::apply;
    use crate::{app::App, clock::Clock, config::sources::ConfigSources};

    #[tokio::test]
    async fn panicking_handler_answers_500_and_hides_its_message() {
        let folder = tempfile::tempdir().unwrap();
        let mut config = ConfigSources::defaults().read().unwrap();
        config.data_dir = folder.path().join("data");
        let app = App::open(config, Clock::system()).unwrap();
        let panics = async || -> StatusCode { panic!("a secret of the office") };
        let routes =
            Router::new().route("/panics", get(panics)).route("/lives", get(async || "yes"));
        let portal = apply(routes, &app).with_state(app);
        let send = |path| {
            portal
                .clone()
                .oneshot(Request::get(path).header("host", "portal").body(Body::empty()).unwrap())
        };
        let answer = send("/panics").await.unwrap();
        assert_eq!(answer.status(), StatusCode::INTERNAL_SERVER_ERROR);
        let id = answer.headers()["x-request-id"].to_str().unwrap().to_owned();
        let body = to_bytes(answer.into_body(), 10_000).await.unwrap();
        let body = String::from_utf8(body.to_vec()).unwrap();
        assert!(body.contains(&id) && !body.contains("secret"), "{body}");
        assert_eq!(send("/lives").await.unwrap().status(), StatusCode::OK);
    }
}
