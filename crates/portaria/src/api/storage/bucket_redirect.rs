//! Redirects from a link to the bucket that has the file, if the operator allows it (`storage_redirect`). Permission and
//! audit event are those of a download through the portal (`file_response`).
//!
//! Only links are redirected: requests of pages and programs whose URL is their credential. A script's request keeps its
//! headers across a redirect, which needs rules in the bucket (CORS), and the policy of the web app refuses it.

use std::time::Duration;

use axum::{
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};
use jiff::Timestamp;

use crate::api::storage::StorageError;
use crate::{app::App, blob::PresignedHeaders};

/// Maximum lifetime of a bucket's URL. It begins when the redirect is followed, and a download continues beyond it.
const MAX_LIFETIME: Duration = Duration::from_mins(1);

/// Returns the lifetime of the bucket's URL if the request may be redirected. `expires_at` is the expiry of the link in
/// Unix seconds, which the URL does not exceed.
pub(crate) fn lifetime(
    app: &App,
    headers: &HeaderMap,
    expires_at: Option<i64>,
) -> Option<Duration> {
    let is_link = headers.get("sec-fetch-mode").is_none_or(|mode| mode == "navigate")
        && [header::AUTHORIZATION.as_str(), "apikey"]
            .iter()
            .all(|name| !headers.contains_key(*name));
    if !app.config.storage_redirect || !is_link {
        return None;
    }
    let expiry = expires_at.and_then(|expiry| Timestamp::from_second(expiry).ok());
    let left = expiry.map(|expiry| expiry.duration_since(app.clock.now()));
    let left = left.map_or(MAX_LIFETIME, |left| left.try_into().unwrap_or_default());
    // A URL lives for at least a second.
    (left >= Duration::from_secs(1)).then(|| left.min(MAX_LIFETIME))
}

/// Leads to the bucket's URL of a blob, which is sent with the `headers` of a direct download as far as a bucket can. The
/// URL is a credential: no cache keeps the response.
///
/// # Errors
/// A URL that cannot be signed.
pub(crate) async fn response(
    app: &App,
    blob: &str,
    lifetime: Duration,
    headers: &HeaderMap,
) -> Result<Response, StorageError> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let sent = PresignedHeaders {
        content_type: text(header::CONTENT_TYPE),
        content_disposition: text(header::CONTENT_DISPOSITION),
        content_encoding: text(header::CONTENT_ENCODING),
        cache_control: text(header::CACHE_CONTROL),
    };
    let headers = [
        (header::LOCATION, app.files.presigned_url(blob, lifetime, &sent).await?),
        (header::CACHE_CONTROL, "no-store".to_owned()),
        (header::REFERRER_POLICY, "no-referrer".to_owned()),
    ];
    Ok((StatusCode::FOUND, headers).into_response())
}
