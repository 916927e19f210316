//! `POST /object/upload/sign/{bucket}/{path}` creates a signed upload URL; `PUT` on that URL uploads the file.

use std::sync::Arc;

use axum::{
    Extension, Json,
    extract::{RawQuery, Request, State},
    http::HeaderMap,
};
use serde_json::{Value, json};

use crate::api::storage::{
    StorageError,
    extract::{ObjectPath, query_param},
    objects::upload::{receive_and_store, wants_upsert},
    signed_url::{
        issuer::Issuer,
        token::{Scope, SignedUrlToken},
    },
    upload_target::UploadTarget,
};
use crate::{accounts::authenticate::Credential, app::App};

/// Creates a signed upload URL and returns it with its token.
///
/// # Errors
/// As `UploadTarget::authorize`.
pub async fn create(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    place: ObjectPath,
    headers: HeaderMap,
) -> Result<Json<Value>, StorageError> {
    let replace = wants_upsert(&headers);
    let target = UploadTarget::new(credential.clone(), place.clone(), replace);
    target.authorize(&app, 1).await?;
    let issuer = Issuer::of(&credential).ok_or_else(StorageError::row_level_security)?;
    let (url, token) = SignedUrlToken::upload(&app, issuer, &place, replace).sign(&app);
    Ok(Json(json!({"url": url, "token": token})))
}

/// Uploads the file on behalf of the URL's issuer.
///
/// # Errors
/// `InvalidJWT` if the token is invalid or expired, `InvalidSignature` if it is for another file or purpose,
/// `AccessDenied` if the issuer's session ended, the password was changed or the account banned; then as
/// `receive_and_store`.
pub async fn upload(
    State(app): State<Arc<App>>,
    place: ObjectPath,
    RawQuery(query): RawQuery,
    request: Request,
) -> Result<Json<Value>, StorageError> {
    let token = query_param(query.as_deref(), "token");
    let target = find_target(&app, token.as_deref(), place).await;
    let object = receive_and_store(app, target, None, request).await?;
    Ok(Json(json!({"Key": format!("{}/{}", object.bucket_id, object.name)})))
}

/// Verifies a token and its issuer, and returns the target of the upload.
async fn find_target(
    app: &Arc<App>,
    token: Option<&str>,
    path: ObjectPath,
) -> Result<UploadTarget, StorageError> {
    let token = SignedUrlToken::read(app, token, &path, Scope::Upload)?;
    let (credential, replace) = (token.issuer().credential(), token.upsert());
    let (issuer, signed_at) = (token.issuer(), token.signed_at());
    app.read(move |tx, app| issuer.authenticate(tx, app, signed_at).map(drop)).await?;
    Ok(UploadTarget::new(credential, path, replace))
}
