//! `GET /object/info/{bucket}/{path}`, `…/info/authenticated/…` and `…/info/public/…`: what is known of a file.

use std::sync::Arc;

use axum::{Extension, Json, extract::State};
use serde_json::{Value, json};

use crate::api::storage::{
    StorageError,
    extract::ObjectPath,
    find, find_public,
    response::{etag, user_metadata},
};
use crate::{accounts::authenticate::Credential, app::App, stored_files::object::Object};

/// Answers with the file's facts (contract §3.2).
///
/// # Errors
/// `NoSuchKey`, by which the client library's `exists` knows.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    place: ObjectPath,
) -> Result<Json<Value>, StorageError> {
    Ok(Json(facts(&find(&app, credential, place).await?.object)))
}

/// The same for everybody, of a public bucket's files.
///
/// # Errors
/// `NoSuchBucket` when the bucket is not public.
pub async fn public(
    State(app): State<Arc<App>>,
    place: ObjectPath,
) -> Result<Json<Value>, StorageError> {
    Ok(Json(facts(&find_public(&app, place).await?.object)))
}

fn facts(object: &Object) -> Value {
    let mut facts = json!({
        "id": object.id,
        "name": object.name,
        "version": object.version,
        "bucket_id": object.bucket_id,
        "size": object.size,
        "content_type": object.mime_type,
        "cache_control": object.cache_control,
        "etag": etag(object),
        "metadata": user_metadata(object),
        "last_modified": object.updated_at,
        "created_at": object.created_at,
    });
    if let Some(encoding) = &object.content_encoding {
        facts["content_encoding"] = encoding.as_str().into();
    }
    facts
}
