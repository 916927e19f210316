//! A file's row as the wire shows it.

use serde_json::{Value, json};

use crate::stored_files::object::Object;

/// What the protocol calls a file's metadata: facts of its bytes.
pub(crate) fn metadata(object: &Object) -> Value {
    let mut metadata = json!({
        "eTag": etag(object),
        "size": object.size,
        "mimetype": object.mime_type,
        "cacheControl": object.cache_control,
        "lastModified": object.updated_at,
        "contentLength": object.size,
        "httpStatusCode": 200,
    });
    if let Some(encoding) = &object.content_encoding {
        metadata["contentEncoding"] = encoding.as_str().into();
    }
    metadata
}

/// The entity tag: the same bytes have the same.
pub(crate) fn etag(object: &Object) -> String {
    format!("\"{}\"", object.sha256)
}

/// What whoever uploaded a file said of it.
pub(crate) fn user_metadata(object: &Object) -> Value {
    let told = object.user_metadata.as_deref().and_then(|text| serde_json::from_str(text).ok());
    told.unwrap_or_else(|| json!({}))
}

/// An entry of a list, under the name that it has there.
pub(crate) fn list_entry(object: &Object, name: &str) -> Value {
    json!({
        "name": name,
        "id": object.id,
        "updated_at": object.updated_at,
        "created_at": object.created_at,
        // Who reads what is not written down here.
        "last_accessed_at": object.updated_at,
        "metadata": metadata(object),
    })
}

/// All that the office is told of a file.
pub(crate) fn object_json(object: &Object) -> Value {
    let owner = object.owner_id.as_deref().unwrap_or_default();
    json!({
        "name": object.name,
        "bucket_id": object.bucket_id,
        "owner": owner,
        "owner_id": owner,
        "version": object.version,
        "id": object.id,
        "updated_at": object.updated_at,
        "created_at": object.created_at,
        "last_accessed_at": object.updated_at,
        "metadata": metadata(object),
        "user_metadata": user_metadata(object),
    })
}
