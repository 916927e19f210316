//! JSON representations of stored objects.

use serde_json::{Value, json};

use crate::stored_files::object::Object;

/// The protocol's `metadata` object: properties of the bytes, as opposed to [`user_metadata`].
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

/// The strong entity tag: the SHA-256 of the content, in quotes.
pub(crate) fn etag(object: &Object) -> String {
    format!("\"{}\"", object.sha256)
}

/// The JSON object that came with the upload; empty if there was none.
pub(crate) fn user_metadata(object: &Object) -> Value {
    let metadata = object.user_metadata.as_deref().and_then(|text| serde_json::from_str(text).ok());
    metadata.unwrap_or_else(|| json!({}))
}

/// An entry of an object list. `name` is relative to the listed directory.
pub(crate) fn list_entry(object: &Object, name: &str) -> Value {
    json!({
        "name": name,
        "id": object.id,
        "updated_at": object.updated_at,
        "created_at": object.created_at,
        // Reads are recorded in the audit log, not in the row.
        "last_accessed_at": object.updated_at,
        "metadata": metadata(object),
    })
}

/// The complete representation, for staff and the service key.
pub(crate) fn object_json(object: &Object) -> Value {
    let owner = object.owner_id.map_or_else(String::new, |id| id.to_string());
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
