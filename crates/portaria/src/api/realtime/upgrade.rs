//! `GET /realtime/v1/websocket`: opens a connection.

use std::sync::Arc;

use axum::{
    Extension, Json,
    extract::{RawQuery, State, WebSocketUpgrade, ws::rejection::WebSocketUpgradeRejection},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::json;

use crate::api::{
    query_string::query_pairs,
    realtime::{
        frame::Format,
        hub::Hub,
        socket::{self, Opened},
    },
    retry_after,
};
use crate::{
    accounts::authenticate::{Credential, CredentialExpiry},
    app::App,
    security::rate_limit::ClientAddr,
};

/// Maximum size of a frame of a client, in bytes.
const MAX_FRAME: usize = 64 * 1024;
/// Size of the read buffer of a connection, in bytes. Most connections are idle, and the default is 128 KiB.
const READ_BUFFER: usize = 2 * 1024;
/// Number of bytes after which frames are written to the socket.
const WRITE_BUFFER: usize = 16 * 1024;

/// Answers 101, 403 for a page of another site, 400 without the headers of a websocket or for an unknown version of the
/// protocol, 429 above the limit of connections of an address, and 503 while the database does not answer.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(hub): Extension<Arc<Hub>>,
    (Extension(credential), Extension(CredentialExpiry(expires_at))): (
        Extension<Credential>,
        Extension<CredentialExpiry>,
    ),
    Extension(origin): Extension<ClientAddr>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    // Browsers let every page open a websocket.
    let page = headers.get(header::ORIGIN);
    if page.is_some_and(|page| !app.config.admits_origin(page.as_bytes())) {
        return refuse(StatusCode::FORBIDDEN, "Pages of this origin may not connect");
    }
    let Ok(upgrade) = upgrade else {
        return refuse(StatusCode::BAD_REQUEST, "This address expects a websocket");
    };
    let mut pairs = query_pairs(query.as_deref().unwrap_or_default());
    let version = pairs.find(|pair| pair.name == "vsn").and_then(|pair| pair.value);
    let Some(format) = Format::from_version(version.unwrap_or("1.0.0")) else {
        return refuse(StatusCode::BAD_REQUEST, "vsn is 1.0.0 or 2.0.0");
    };
    if matches!(credential, Credential::Invalid(_)) {
        return refuse(StatusCode::UNAUTHORIZED, "The token is invalid or has expired");
    }
    let Some(permit) = hub.connections.acquire(origin) else {
        let refusal = refuse(StatusCode::TOO_MANY_REQUESTS, "Too many connections of this address");
        return retry_after::add(refusal, None);
    };
    if let Err(error) = hub.start_feed(&app).await {
        tracing::warn!(%error, "starting the change feed failed");
        let refusal = refuse(StatusCode::SERVICE_UNAVAILABLE, "The server is busy");
        return retry_after::add(refusal, None);
    }
    let is_browser = page.is_some();
    let opened = Opened { app, hub, format, credential, expires_at, is_browser, permit };
    upgrade
        .max_message_size(MAX_FRAME)
        .max_frame_size(MAX_FRAME)
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(WRITE_BUFFER)
        .on_upgrade(move |socket| socket::serve(socket, opened))
}

fn refuse(status: StatusCode, message: &str) -> Response {
    (status, Json(json!({"message": message}))).into_response()
}
