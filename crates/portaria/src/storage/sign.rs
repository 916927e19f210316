//! Signed links: `POST /object/sign/{bucket}/{path}` makes one, `GET` on it gives the bytes.
//!
//! A link stands for the person who made it: when it is used, that person's leave is asked for again, so a
//! document that was deleted or withdrawn cannot be read through a link made before.

use std::sync::Arc;

use axum::{
    Extension, Json as Answer,
    body::Bytes,
    extract::{Path, RawQuery, State, rejection::BytesRejection},
    http::{HeaderMap, Method},
    response::Response,
};
use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::{
    StorageError, caller, key, readable,
    serve::{Asked, serve},
};
use crate::{app::App, db::Tx, policy::Caller, session::Credential};

/// No link lives longer. Seconds: a week.
const MAX_LIFE: i64 = 7 * 24 * 3600;

#[derive(Serialize, Deserialize)]
struct Link {
    url: String,
    scope: String,
    /// Whose leave it is; none for a program of the office.
    sub: Option<Uuid>,
    iat: i64,
    exp: i64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wanted {
    expires_in: i64,
}

/// Answers with a link relative to the storage address (contract §3.2).
///
/// # Errors
/// `NoSuchKey` for what the caller may not read.
pub async fn create(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path((bucket, path)): Path<(String, String)>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Answer<Value>, StorageError> {
    let name = key::parse(&path)?;
    let wanted: Wanted = super::json(body, "expiresIn")?;
    if wanted.expires_in < 1 {
        return Err(StorageError::invalid_request("body/expiresIn must be >= 1"));
    }
    let inner = Arc::clone(&app);
    let find = move |tx: &mut Tx<'_>| {
        let caller = caller(tx, &credential, &inner)?;
        Ok::<_, StorageError>((caller, readable(tx, caller, &bucket, &name)?))
    };
    let (caller, object) = app.db.read(find).await?;
    let now = app.clock.now().as_second();
    let url = format!("{}/{}", object.bucket_id, object.name);
    let link = Link {
        url: url.clone(),
        scope: "download".into(),
        sub: caller.user(),
        iat: now,
        exp: now + wanted.expires_in.min(MAX_LIFE),
    };
    Ok(Answer(
        json!({"signedURL": format!("/object/sign/{url}?token={}", app.keys.sign_link(&link))}),
    ))
}

/// Answers with the bytes to whoever holds the link.
///
/// # Errors
/// `InvalidJWT` when the link is not ours, not for this file or too old; `NoSuchKey` when its maker lost their leave.
pub async fn follow(
    State(app): State<Arc<App>>,
    Path((bucket, path)): Path<(String, String)>,
    RawQuery(query): RawQuery,
    method: Method,
    headers: HeaderMap,
) -> Result<Response, StorageError> {
    let name = key::parse(&path)?;
    let token = parameter(query.as_deref(), "token").unwrap_or_default();
    let link: Link = app
        .keys
        .verify_link(&token)
        .map_err(|_| StorageError::invalid_link("signature verification failed"))?;
    if link.exp <= app.clock.now().as_second() {
        return Err(StorageError::link_expired());
    }
    if link.scope != "download" || link.url != format!("{bucket}/{name}") {
        return Err(StorageError::invalid_link("Token is not scoped for download"));
    }
    let inner = Arc::clone(&app);
    let find = move |tx: &mut Tx<'_>| {
        let caller = match link.sub {
            None => Caller::Service,
            Some(user) => caller(tx, &Credential::Person { user, session: None }, &inner)?,
        };
        readable(tx, caller, &bucket, &name)
    };
    let object = app.db.read(find).await?;
    let download = parameter(query.as_deref(), "download");
    let asked = Asked { method: &method, headers: &headers, download: download.as_deref() };
    serve(&app, &object, asked).await
}

/// A decoded parameter of a query string.
pub(super) fn parameter(query: Option<&str>, name: &str) -> Option<String> {
    let pairs = query?.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let (_, value) = pairs.into_iter().find(|(key, _)| *key == name)?;
    percent_decode_str(&value.replace('+', " ")).decode_utf8().ok().map(Into::into)
}
