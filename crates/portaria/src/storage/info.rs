//! `GET /object/info/{bucket}/{path}`: what is known of a file.

use std::sync::Arc;

use axum::{
    Extension, Json,
    extract::{Path, State},
};
use serde_json::{Value, json};

use super::{StorageError, caller, key, readable};
use crate::{app::App, db::Tx, session::Credential};

/// Answers with the file's facts (contract §3.2).
///
/// # Errors
/// `NoSuchKey`, by which the client library's `exists` knows.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path((bucket, path)): Path<(String, String)>,
) -> Result<Json<Value>, StorageError> {
    let name = key::parse(&path)?;
    let inner = Arc::clone(&app);
    let find = move |tx: &mut Tx<'_>| {
        let caller = caller(tx, &credential, &inner)?;
        readable(tx, caller, &bucket, &name)
    };
    let object = app.db.read(find).await?;
    let metadata: Value = object
        .user_metadata
        .as_deref()
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_else(|| json!({}));
    Ok(Json(json!({
        "id": object.id,
        "name": object.name,
        "version": object.id,
        "bucket_id": object.bucket_id,
        "size": object.size,
        "content_type": object.mime_type,
        "cache_control": object.cache_control,
        "etag": format!("\"{}\"", object.sha256),
        "metadata": metadata,
        "last_modified": object.updated_at,
        "created_at": object.created_at,
    })))
}
