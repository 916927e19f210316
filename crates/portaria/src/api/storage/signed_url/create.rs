//! `POST /object/sign/{bucket}/{path}` creates a signed URL of a file; `GET` on that URL sends the file.

use std::sync::Arc;

use axum::{Extension, Json, extract::State, response::Response};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::storage::{
    ReadableFile, StorageError, caller, coercion,
    extract::{JsonBody, ObjectPath},
    file_response::{FileRequest, file_response},
    find_readable,
    images::transform::Transform,
    signed_url::{
        issuer::Issuer,
        token::{Scope, SignedUrlToken},
    },
};
use crate::{
    accounts::authenticate::Credential, app::App, db::Tx, security::ids::UserId,
    stored_files::references,
};

/// Request body. `expires_in` is in seconds.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    #[serde(deserialize_with = "coercion::integer")]
    expires_in: i64,
    /// Transformation of an image, with which alone the URL shows it.
    #[serde(default)]
    transform: Option<Value>,
}

/// Maximum number of seconds that a program may name: the largest one that JSON numbers keep exactly.
const MAX_EXPIRES_IN: i64 = 9_007_199_254_740_991;

/// Checks the requested lifetime of a signed URL. The token caps a longer one than allowed instead of a refusal, because
/// programs ask for a day or a week by habit and the client library has no second try. The token states the real expiry.
///
/// # Errors
/// `InvalidRequest` for less than a second, and for a number that is no time.
pub(crate) fn check_lifetime(expires_in: i64) -> Result<i64, StorageError> {
    if expires_in < 1 {
        return Err(StorageError::invalid_request("body/expiresIn must be >= 1"));
    }
    if expires_in > MAX_EXPIRES_IN {
        let message = format!("body/expiresIn must be <= {MAX_EXPIRES_IN}");
        return Err(StorageError::invalid_request(message));
    }
    Ok(expires_in)
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
    let body: Body = body.read(&["expiresIn"])?;
    let life = check_lifetime(body.expires_in)?;
    let transform = body.transform.filter(|transform| !transform.is_null());
    let transform = transform.map(|transform| Transform::read(transform, "body/transform"));
    let transform = transform.transpose()?.unwrap_or_default();
    let sign = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let caller = caller(tx, &credential, app)?;
        find_readable(tx, caller, &path.bucket, &path.name)?;
        let issuer = Issuer::of(&credential).ok_or_else(StorageError::no_object)?;
        let owner = document_owner(tx, &path)?;
        let token = SignedUrlToken::download(app, issuer, &path, owner, life);
        Ok::<_, StorageError>(token.with_transform(transform).sign(app).0)
    };
    Ok(Json(json!({"signedURL": app.read(sign).await?})))
}

/// Sends the file of a signed URL.
///
/// # Errors
/// As `find_signed_file`; `InvalidSignature` if the URL shows a transformed image only.
pub async fn download(
    State(app): State<Arc<App>>,
    path: ObjectPath,
    request: FileRequest,
) -> Result<Response, StorageError> {
    let (file, token, request) = find_signed_file(&app, path, request).await?;
    if !token.transform().is_identity() {
        return Err(StorageError::invalid_signature("Token is not scoped for the original"));
    }
    file_response(&app, file, request).await
}

/// Finds the file of a signed URL with the rights of its issuer. The response will announce the expiry of the URL.
///
/// # Errors
/// `InvalidJWT` if the token is invalid or expired, `InvalidSignature` if it is for another file or purpose;
/// `AccessDenied` if the issuer's session ended, the password was changed or the account banned; `NoSuchKey` if the
/// issuer may not read the file any more, or its document has another owner.
pub(crate) async fn find_signed_file(
    app: &Arc<App>,
    path: ObjectPath,
    request: FileRequest,
) -> Result<(ReadableFile, SignedUrlToken, FileRequest), StorageError> {
    let token = SignedUrlToken::read(app, request.token.as_deref(), &path, Scope::Download)?;
    let request = request.expires_at(token.exp());
    let find = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let issuer = token.issuer().authenticate(tx, app, token.signed_at())?;
        let file = find_readable(tx, issuer, &path.bucket, &path.name)?;
        if token.owner().is_some() && document_owner(tx, &path)? != token.owner() {
            return Err(StorageError::no_object());
        }
        Ok((file, token))
    };
    request.find(app, find).await
}

/// Returns the client whose document a file belongs to, if any.
fn document_owner(tx: &mut Tx<'_>, path: &ObjectPath) -> Result<Option<UserId>, StorageError> {
    Ok(references::document_owners(tx, &path.bucket, &[&path.name])?.remove(&path.name))
}
