//! `POST /object/upload/sign/{bucket}/{path}` makes a link by which anybody may upload one file; `PUT` on it does.

use std::sync::Arc;

use axum::{
    Extension, Json as Answer,
    extract::{RawQuery, Request, State},
    http::HeaderMap,
};
use serde_json::{Value, json};

use crate::api::storage::{
    StorageError, caller,
    extract::{ObjectPath, query_param},
    objects::upload::{may_replace, take},
    signed_url::token::{Scope, SignedUrlToken},
    upload_target::UploadTarget,
};
use crate::{accounts::authenticate::Credential, app::App, db::Tx};

/// How long such a link lives, as the client library promises. Seconds: two hours.
const LIFE: i64 = 2 * 3600;

/// Answers with the link and the token in it (contract §3.2).
///
/// # Errors
/// As an upload that sent nothing yet.
pub async fn create(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    place: ObjectPath,
    headers: HeaderMap,
) -> Result<Answer<Value>, StorageError> {
    let replace = may_replace(&headers);
    let slot = UploadTarget { credential: credential.clone(), place: place.clone(), replace };
    slot.authorize(&app, 1).await?;
    let inner = Arc::clone(&app);
    let sign = move |tx: &mut Tx<'_>| {
        let caller = caller(tx, &credential, &inner)?;
        let link = SignedUrlToken::new(&inner, caller, &place, Scope::Upload, LIFE)?;
        Ok::<_, StorageError>(link.replacing(replace).sign(&inner))
    };
    let (url, token) = app.db.read(sign).await?;
    Ok(Answer(json!({"url": url, "token": token})))
}

/// Puts the file into its place, in the name of the link's maker.
///
/// # Errors
/// `InvalidJWT` and `InvalidSignature` for a link that is not one, or not for this; then as an upload.
pub async fn follow(
    State(app): State<Arc<App>>,
    place: ObjectPath,
    RawQuery(query): RawQuery,
    request: Request,
) -> Result<Answer<Value>, StorageError> {
    let token = query_param(query.as_deref(), "token");
    let slot = SignedUrlToken::read(&app, token.as_deref(), &place, Scope::Upload)
        .map(|link| UploadTarget { credential: link.issuer(), place, replace: link.upsert() });
    let object = take(app, slot, request).await?;
    Ok(Answer(json!({"Key": format!("{}/{}", object.bucket_id, object.name)})))
}
