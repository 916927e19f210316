//! The web app, embedded in the binary: its files, and `index.html` for every page address.

use std::sync::LazyLock;

use axum::{
    Json,
    body::Body,
    extract::Request,
    http::{HeaderMap, HeaderValue, Method, StatusCode, header},
    response::{IntoResponse, Response},
};
use base64::{Engine, prelude::BASE64_STANDARD};
use rust_embed::{EmbeddedFile, RustEmbed};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::{mail, security::keys};

#[derive(RustEmbed)]
#[folder = "../../web/dist"]
// Tests of the API need no web app. A release build without one fails.
#[cfg_attr(debug_assertions, allow_missing = true)]
struct Dist;

/// Content Security Policy. Scripts and style sheets are loaded from the portal only. The style sheets of mails are
/// allowed by their hashes, because the web app shows mails as they are sent. Inline style attributes are allowed for
/// the content and the editor of mails.
static CSP: LazyLock<String> = LazyLock::new(|| {
    let mail_hashes = mail::layout::style_sheets()
        .map(|sheet| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(sheet))));
    let mail_hashes = mail_hashes.join(" ");
    format!(
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' {mail_hashes}; \
         style-src-attr 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; \
         worker-src 'self' blob:; frame-src 'self' blob:; object-src 'none'; base-uri 'none'; \
         frame-ancestors 'none'; form-action 'self'"
    )
});

/// Beginning of the addresses of personal links, which neither caches nor search engines keep. As every answer, their
/// pages name no referrer.
const PERSONAL_LINKS: &str = "d/";

/// Serves a file of the web app, or `index.html`.
pub(crate) async fn handler(request: Request) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return refusal(StatusCode::METHOD_NOT_ALLOWED, "Method not allowed");
    }
    let path = request.uri().path().trim_start_matches('/');
    if let Some(response) = file(path, request.headers()) {
        return response;
    }
    // The address of a page has no dot and does not begin with a prefix of an API. A tab that is older than an update
    // must receive 404 for a chunk that is gone.
    let is_other_prefix = ["assets/", "auth/", "functions/", "graphql/", "rest/", "storage/"]
        .iter()
        .any(|prefix| path.starts_with(prefix));
    let is_page = !is_other_prefix && !path.contains('.');
    let mut page = if is_page { file("index.html", request.headers()) } else { None };
    if let Some(page) = page.as_mut().filter(|_| path.starts_with(PERSONAL_LINKS)) {
        page.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        page.headers_mut().insert("x-robots-tag", HeaderValue::from_static("none"));
    }
    page.unwrap_or_else(|| refusal(StatusCode::NOT_FOUND, "Not found"))
}

fn file(path: &str, request: &HeaderMap) -> Option<Response> {
    // The server chooses the compressed copies. They cannot be requested by name.
    if path.is_empty() || path.rsplit('.').next() == Some("br") {
        return None;
    }
    let accepts_brotli =
        request.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).is_some_and(
            |value| value.split(',').any(|name| name.trim().split(';').next() == Some("br")),
        );
    let compressed = if accepts_brotli { Dist::get(&format!("{path}.br")) } else { None };
    let is_compressed = compressed.is_some();
    let found: EmbeddedFile = compressed.or_else(|| Dist::get(path))?;

    let mut headers = HeaderMap::new();
    let mut set = |name: header::HeaderName, value: &str| {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    };
    let etag =
        format!("\"{}\"", keys::hex(found.metadata.sha256_hash().get(..16).unwrap_or_default()));
    set(header::CONTENT_TYPE, media_type(path));
    set(header::VARY, "accept-encoding");
    set(header::ETAG, &etag);
    set(header::CONTENT_SECURITY_POLICY, &CSP);
    if is_compressed {
        set(header::CONTENT_ENCODING, "br");
    }
    // The name of an asset changes with its content.
    let is_immutable = path.starts_with("assets/");
    set(
        header::CACHE_CONTROL,
        if is_immutable { "public, max-age=31536000, immutable" } else { "no-cache" },
    );
    if request.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok()) == Some(&etag) {
        return Some((StatusCode::NOT_MODIFIED, headers).into_response());
    }
    Some((headers, Body::from(found.data)).into_response())
}

fn media_type(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "wasm" => "application/wasm",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

fn refusal(status: StatusCode, message: &str) -> Response {
    (status, Json(json!({"message": message}))).into_response()
}
