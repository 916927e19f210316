//! Converts the API key and the bearer token of a request to a [`Credential`] (`docs/protocol/auth.md`, section 1).

use std::{borrow::Cow, sync::Arc};

use axum::{
    Json,
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use serde_json::json;
use url::form_urlencoded;

use crate::{
    accounts::authenticate::{Credential, CredentialExpiry, TokenError, token_expiry},
    api::retry_after,
    app::App,
    db,
    error::internal_error_status,
};

/// Adds the [`Credential`] for the handlers. The handlers check the session themselves, inside the transaction that
/// does the work.
pub(crate) async fn authenticate(
    State(app): State<Arc<App>>,
    mut request: Request,
    next: Next,
) -> Response {
    match credential(&app, request.headers(), request.uri().query()).await {
        Ok(credential) => {
            request.extensions_mut().insert(credential);
            next.run(request).await
        }
        Err(refusal) => refusal.into_response(),
    }
}

/// As [`authenticate`], but a request without an API key is refused by the handler, with an error body of the Storage
/// protocol, which its clients parse.
pub(crate) async fn authenticate_storage(
    State(app): State<Arc<App>>,
    mut request: Request,
    next: Next,
) -> Response {
    let credential = match credential(&app, request.headers(), request.uri().query()).await {
        Ok(credential) => credential,
        Err(ApiKeyError::NoKey) => Credential::Invalid(TokenError::Missing),
        Err(refusal) => return refusal.into_response(),
    };
    request.extensions_mut().insert(credential);
    next.run(request).await
}

/// As [`authenticate`], and adds the [`CredentialExpiry`], because a websocket can be open for longer than its token.
pub(crate) async fn authenticate_websocket(
    State(app): State<Arc<App>>,
    mut request: Request,
    next: Next,
) -> Response {
    let (key, bearer) = presented(request.headers(), request.uri().query());
    let expiry =
        bearer.map(Cow::Borrowed).or(key).and_then(|token| token_expiry(&token, &app.keys));
    request.extensions_mut().insert(CredentialExpiry(expiry));
    authenticate(State(app), request, next).await
}

/// A missing or invalid API key, or a token that cannot be verified at the moment.
enum ApiKeyError {
    NoKey,
    WrongKey,
    SecretInBrowser,
    Database(db::Error),
}

async fn parse(app: &App, token: &str) -> Result<Credential, ApiKeyError> {
    Credential::read(app, token).await.map_err(ApiKeyError::Database)
}

/// The API key and the bearer token of a request.
fn presented<'a>(
    headers: &'a HeaderMap,
    query: Option<&'a str>,
) -> (Option<Cow<'a, str>>, Option<&'a str>) {
    let header = headers.get("apikey").and_then(|value| value.to_str().ok());
    let key = header.map(Cow::Borrowed).or_else(|| {
        let mut pairs = form_urlencoded::parse(query.unwrap_or_default().as_bytes());
        pairs.find(|(name, _)| name == "apikey").map(|(_, key)| key)
    });
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let bearer = bearer
        .and_then(|value| value.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
    (key, bearer.map(|(_, token)| token.trim()))
}

async fn credential(
    app: &App,
    headers: &HeaderMap,
    query: Option<&str>,
) -> Result<Credential, ApiKeyError> {
    let (key, bearer) = presented(headers, query);
    let key = match key {
        Some(key) => Some(parse(app, &key).await?),
        None => None,
    };
    // An access token is no API key, although it could be a bearer token in its place.
    if !matches!(key, None | Some(Credential::Anon | Credential::Service)) {
        return Err(ApiKeyError::WrongKey);
    }
    let credential = match (bearer, key) {
        (Some(token), _) => parse(app, token).await?,
        (None, Some(Credential::Anon)) => Credential::Nothing,
        (None, Some(key)) => key,
        (None, None) => return Err(ApiKeyError::NoKey),
    };
    // Browsers send `Origin`. A service key in a browser has leaked (`docs/protocol/auth.md`, section 1.1).
    if matches!(credential, Credential::Service) && headers.contains_key(header::ORIGIN) {
        return Err(ApiKeyError::SecretInBrowser);
    }
    Ok(credential)
}

impl IntoResponse for ApiKeyError {
    fn into_response(self) -> Response {
        let (message, hint) = match self {
            Self::NoKey => (
                "No API key found in request",
                "No `apikey` request header or url param was found.",
            ),
            Self::SecretInBrowser => (
                "Forbidden use of secret API key in browser",
                "Secret API keys belong on a server.",
            ),
            Self::WrongKey => ("Invalid API key", "Double check the API key."),
            Self::Database(error) => {
                let body = json!({"message": "The server cannot verify tokens at the moment"});
                let answer = (internal_error_status(&error), Json(body)).into_response();
                return retry_after::add(answer, None);
            }
        };
        (StatusCode::UNAUTHORIZED, Json(json!({"message": message, "hint": hint}))).into_response()
    }
}
