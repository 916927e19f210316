//! `POST /object/sign/{bucket}/{path}` creates a signed URL of a file; `GET` on that URL sends the file.

use std::sync::Arc;

use axum::{Extension, Json, extract::State, response::Response};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::storage::{
    StorageError, caller,
    extract::{JsonBody, ObjectPath},
    file_response::{FileRequest, file_response},
    find_file, find_readable,
    signed_url::token::{Scope, SignedUrlToken},
};
use crate::{accounts::authenticate::Credential, app::App, db::Tx};

/// Maximum lifetime of a signed URL. Seconds.
const MAX_LIFETIME: i64 = 7 * 24 * 3600;

/// Request body. `expires_in` is in seconds.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    expires_in: i64,
}

/// Returns the lifetime of a signed URL, in seconds: the requested one, capped at a week.
///
/// # Errors
/// `InvalidRequest` for less than a second.
pub(crate) fn lifetime(expires_in: i64) -> Result<i64, StorageError> {
    if expires_in < 1 {
        return Err(StorageError::invalid_request("body/expiresIn must be >= 1"));
    }
    Ok(expires_in.min(MAX_LIFETIME))
}

/// Creates a signed URL, relative to `/storage/v1`.
///
/// # Errors
/// `NoSuchKey` for a file that the caller may not read, and for callers without an identity.
pub async fn create(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    path: ObjectPath,
    body: JsonBody,
) -> Result<Json<Value>, StorageError> {
    let life = lifetime(body.read::<Body>(&["expiresIn"])?.expires_in)?;
    let sign = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let caller = caller(tx, &credential, app)?;
        find_readable(tx, caller, &path.bucket, &path.name)?;
        let token = SignedUrlToken::new(app, caller, &path, Scope::Download, life)
            .map_err(|_| StorageError::no_object())?;
        Ok::<_, StorageError>(token.sign(app).0)
    };
    Ok(Json(json!({"signedURL": app.read(sign).await?})))
}

/// Sends the file of a signed URL.
///
/// # Errors
/// `InvalidJWT` if the token is invalid or expired, `InvalidSignature` if it is for another file or purpose;
/// `NoSuchKey` if the issuer may not read the file any more.
pub async fn download(
    State(app): State<Arc<App>>,
    path: ObjectPath,
    request: FileRequest,
) -> Result<Response, StorageError> {
    let token = SignedUrlToken::read(&app, request.token.as_deref(), &path, Scope::Download)?;
    let file = find_file(&app, token.issuer(), path).await?;
    file_response(&app, file, request.expires_at(token.exp())).await
}
