//! `POST /object/upload/sign/{bucket}/{path}` creates a signed upload URL; `PUT` on that URL uploads the file.

use std::sync::Arc;

use axum::{
    Extension, Json,
    extract::{RawQuery, Request, State},
    http::HeaderMap,
};
use serde_json::{Value, json};

use crate::api::storage::{
    StorageError, caller,
    extract::{ObjectPath, query_param},
    objects::upload::{receive_and_store, wants_upsert},
    signed_url::token::{Scope, SignedUrlToken},
    upload_target::UploadTarget,
};
use crate::{accounts::authenticate::Credential, app::App, db::Tx};

/// Lifetime of a signed upload URL, which the client library documents as two hours. Seconds.
const LIFETIME: i64 = 2 * 3600;

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
    let target = UploadTarget { credential: credential.clone(), path: place.clone(), replace };
    target.authorize(&app, 1).await?;
    let sign = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let caller = caller(tx, &credential, app)?;
        let token = SignedUrlToken::new(app, caller, &place, Scope::Upload, LIFETIME)?;
        Ok::<_, StorageError>(token.with_upsert(replace).sign(app))
    };
    let (url, token) = app.read(sign).await?;
    Ok(Json(json!({"url": url, "token": token})))
}

/// Uploads the file on behalf of the URL's issuer.
///
/// # Errors
/// `InvalidJWT` if the token is invalid or expired, `InvalidSignature` if it is for another file or purpose; then as
/// `receive_and_store`.
pub async fn upload(
    State(app): State<Arc<App>>,
    place: ObjectPath,
    RawQuery(query): RawQuery,
    request: Request,
) -> Result<Json<Value>, StorageError> {
    let token = query_param(query.as_deref(), "token");
    let target = SignedUrlToken::read(&app, token.as_deref(), &place, Scope::Upload).map(|token| {
        UploadTarget { credential: token.issuer(), path: place, replace: token.upsert() }
    });
    let object = receive_and_store(app, target, request).await?;
    Ok(Json(json!({"Key": format!("{}/{}", object.bucket_id, object.name)})))
}
