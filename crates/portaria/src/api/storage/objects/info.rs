//! `GET /object/info/{bucket}/{path}`, `…/info/authenticated/…` and `…/info/public/…`: metadata of a file.

use std::sync::Arc;

use axum::{
    Extension, Json,
    extract::State,
    http::{HeaderName, header},
};
use serde_json::{Value, json};

use crate::api::storage::{
    StorageError,
    extract::ObjectPath,
    find_file, find_public_file,
    response::{etag, user_metadata},
};
use crate::{accounts::authenticate::Credential, app::App, stored_files::object::Object};

/// The metadata of a file with its entity tag, which `HEAD` answers alone.
type ObjectInfo = ([(HeaderName, String); 1], Json<Value>);

/// Returns the metadata of a file that the caller may read.
///
/// # Errors
/// `NoSuchKey`, which `exists` of the client library evaluates.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    path: ObjectPath,
) -> Result<ObjectInfo, StorageError> {
    Ok(object_info(&find_file(&app, credential, path).await?.object))
}

/// Returns the metadata of a public bucket's file, without a caller.
///
/// # Errors
/// `NoSuchBucket` if the bucket is not public; `NoSuchKey`.
pub async fn public(
    State(app): State<Arc<App>>,
    path: ObjectPath,
) -> Result<ObjectInfo, StorageError> {
    Ok(object_info(&find_public_file(&app, path).await?.object))
}

fn object_info(object: &Object) -> ObjectInfo {
    let mut info = json!({
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
        info["content_encoding"] = encoding.as_str().into();
    }
    ([(header::ETAG, etag(object))], Json(info))
}
