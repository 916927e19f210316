//! The images of the office: its logo, and the icons that are made of it.

use std::sync::Arc;

use axum::{
    extract::{Path, RawQuery, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use tokio::task::spawn_blocking;

use crate::{app::App, office::logo::Logo};

/// `GET /office/logo.png`. Without a logo 404.
pub(crate) async fn logo(
    State(app): State<Arc<App>>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let Some(logo) = app.office().await.logo.clone() else { return not_found() };
    let png = logo.png.clone();
    respond(&logo, query.as_deref(), &headers, png)
}

/// `GET /office/icons/{name}.png`.
pub(crate) async fn icon(
    State(app): State<Arc<App>>,
    Path(file): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Response {
    let office = app.office().await;
    let Some(logo) = office.logo.clone() else { return not_found() };
    let drawn = spawn_blocking(move || {
        let icon = logo.icon(file.strip_suffix(".png")?)?.to_vec();
        Some((logo, icon))
    });
    match drawn.await {
        Ok(Some((logo, icon))) => respond(&logo, query.as_deref(), &headers, icon),
        _ => not_found(),
    }
}

/// An image whose address contains the version of the logo never changes; browsers ask again for any other.
fn respond(logo: &Logo, query: Option<&str>, request: &HeaderMap, png: Vec<u8>) -> Response {
    let is_current = query == Some(&format!("v={}", logo.version));
    let cache = if is_current { "public, max-age=31536000, immutable" } else { "no-cache" };
    let etag = format!("\"{}\"", logo.version);
    let is_known =
        request.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == etag.as_bytes());
    let headers = [(header::CACHE_CONTROL, cache.to_owned()), (header::ETAG, etag)];
    if is_known {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    (headers, [(header::CONTENT_TYPE, "image/png")], png).into_response()
}

fn not_found() -> Response {
    StatusCode::NOT_FOUND.into_response()
}
