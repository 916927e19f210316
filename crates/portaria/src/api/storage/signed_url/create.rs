//! `POST /object/sign/{bucket}/{path}` makes a link to a file, `GET` on it gives the bytes.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State, response::Response};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::storage::{
    StorageError, caller,
    extract::{JsonBody, ObjectPath},
    file_response::{FileRequest, file_response},
    find, find_readable,
    signed_url::token::{Scope, SignedUrlToken},
};
use crate::{accounts::authenticate::Credential, app::App, db::Tx};

/// No link lives longer. Seconds: a week.
const MAX_LIFE: i64 = 7 * 24 * 3600;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    expires_in: i64,
}

/// How long a link is to live, by what was asked.
///
/// # Errors
/// `InvalidRequest`.
pub(crate) fn life(expires_in: i64) -> Result<i64, StorageError> {
    if expires_in < 1 {
        return Err(StorageError::invalid_request("body/expiresIn must be >= 1"));
    }
    Ok(expires_in.min(MAX_LIFE))
}

/// Answers with a link relative to the storage address (contract §3.2).
///
/// # Errors
/// `NoSuchKey` for what the caller may not read.
pub async fn create(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    place: ObjectPath,
    body: JsonBody,
) -> Result<Answer<Value>, StorageError> {
    let life = life(body.read::<Body>(&["expiresIn"])?.expires_in)?;
    let inner = Arc::clone(&app);
    let sign = move |tx: &mut Tx<'_>| {
        let caller = caller(tx, &credential, &inner)?;
        find_readable(tx, caller, &place.bucket, &place.name)?;
        let link = SignedUrlToken::new(&inner, caller, &place, Scope::Download, life)
            .map_err(|_| StorageError::no_object())?;
        Ok::<_, StorageError>(link.sign(&inner).0)
    };
    Ok(Answer(json!({"signedURL": app.db.read(sign).await?})))
}

/// Answers with the bytes to whoever holds the link.
///
/// # Errors
/// `InvalidJWT` when the link is not ours or too old, `InvalidSignature` when it is for something else; `NoSuchKey`
/// when its maker lost their leave.
pub async fn follow(
    State(app): State<Arc<App>>,
    place: ObjectPath,
    asked: FileRequest,
) -> Result<Response, StorageError> {
    let link = SignedUrlToken::read(&app, asked.token.as_deref(), &place, Scope::Download)?;
    file_response(&app, find(&app, link.issuer(), place).await?, asked.expires_at(link.exp())).await
}
