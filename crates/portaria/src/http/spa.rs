//! The web app, embedded in the binary: its files, and `index.html` for every page of it.

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
// Tests of the API need no web app; a release without one must not be built.
#[cfg_attr(debug_assertions, allow_missing = true)]
struct Dist;

/// Scripts and style sheets come from us alone. Two sheets more are those of mails, shown as they will arrive: known by
/// their hashes. What a mail says in attributes of its tags, and what the editor of mails reads there, is all that is inline.
static CSP: LazyLock<String> = LazyLock::new(|| {
    let mails = mail::layout::style_sheets()
        .map(|sheet| format!("'sha256-{}'", BASE64_STANDARD.encode(Sha256::digest(sheet))));
    let mails = mails.join(" ");
    format!(
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' {mails}; \
         style-src-attr 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; \
         worker-src 'self' blob:; frame-src 'self' blob:; object-src 'none'; base-uri 'none'; \
         frame-ancestors 'none'; form-action 'self'"
    )
});

/// Answers with a file of the app, or with its page.
pub(crate) async fn handler(request: Request) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return refusal(StatusCode::METHOD_NOT_ALLOWED, "Method not allowed");
    }
    let path = request.uri().path().trim_start_matches('/');
    if let Some(response) = file(path, request.headers()) {
        return response;
    }
    // A page's address has no dot and lies in no other room. The old tab after an update must learn that
    // its chunk is gone.
    let other_room =
        ["assets/", "auth/", "rest/", "storage/"].iter().any(|room| path.starts_with(room));
    let is_page = !other_room && !path.contains('.');
    let page = if is_page { file("index.html", request.headers()) } else { None };
    page.unwrap_or_else(|| refusal(StatusCode::NOT_FOUND, "Not found"))
}

fn file(path: &str, asked: &HeaderMap) -> Option<Response> {
    // The compressed copies are for us to choose, not to be asked for by name.
    if path.is_empty() || path.rsplit('.').next() == Some("br") {
        return None;
    }
    let accepts_brotli =
        asked.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok()).is_some_and(
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
    // An asset's name changes with its content.
    let forever = path.starts_with("assets/");
    set(
        header::CACHE_CONTROL,
        if forever { "public, max-age=31536000, immutable" } else { "no-cache" },
    );
    if asked.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok()) == Some(&etag) {
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
