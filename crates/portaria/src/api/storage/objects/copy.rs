//! `POST /object/copy`: creates an object that shares the source's blob. The bytes are not copied.

use std::sync::Arc;

use axum::{Extension, Json, extract::State, http::HeaderMap};
use serde::Deserialize;
use serde_json::Value;

use crate::{accounts::authenticate::Credential, app::App, db::Tx};
use crate::{
    api::storage::{
        StorageError, coercion,
        extract::JsonBody,
        objects::{
            rename::{MoveBody, REQUIRED_PROPERTIES},
            upload::wants_upsert,
        },
        response,
        upload_body::user_metadata_header,
        upload_target::FileMetadata,
    },
    stored_files::quota,
};

/// Request body. `metadata` and the header `x-metadata` apply only if `copy_metadata` is false.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    #[serde(flatten)]
    names: MoveBody,
    #[serde(default, deserialize_with = "coercion::boolean")]
    copy_metadata: Option<bool>,
    #[serde(default)]
    metadata: Option<Metadata>,
}

/// Properties that the copy gets in place of the source's.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    #[serde(default)]
    cache_control: Option<String>,
    #[serde(default)]
    mimetype: Option<String>,
    #[serde(default)]
    content_encoding: Option<String>,
}

/// Copies an object and returns the copy.
///
/// # Errors
/// `AccessDenied` for clients, `NoSuchKey`, `KeyAlreadyExists`, and the errors of the destination's upload policy.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Json<Value>, StorageError> {
    let body: Body = body.read(&REQUIRED_PROPERTIES)?;
    let request = body.names.into_request(credential, wants_upsert(&headers))?;
    let source = request.find_source(&app).await?;

    let (metadata, user_metadata) = match body.copy_metadata {
        Some(false) => (body.metadata.unwrap_or_default(), user_metadata_header(&headers)),
        _ => (Metadata::default(), source.user_metadata.clone()),
    };
    let upload_headers = FileMetadata {
        declared_type: metadata.mimetype.unwrap_or_else(|| source.mime_type.clone()),
        cache_control: metadata.cache_control.or_else(|| Some(source.cache_control.clone())),
        content_encoding: metadata.content_encoding.or_else(|| source.content_encoding.clone()),
        metadata: user_metadata,
    };
    let file_type = request.check_destination(&app, &source, &upload_headers.declared_type).await?;

    let copy = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        quota::lock(tx, app)?;
        // The lock keeps the source, and so its blob, until the copy refers to the blob too.
        let source = request.lock_source(tx, &source)?;
        request.to.commit_object(tx, app, file_type, &upload_headers, &source.blob())
    };
    let copy = app.write(copy).await?;

    let mut response = response::object_json(&copy);
    response["Id"] = copy.id.to_string().into();
    response["Key"] = format!("{}/{}", copy.bucket_id, copy.name).into();
    Ok(Json(response))
}
