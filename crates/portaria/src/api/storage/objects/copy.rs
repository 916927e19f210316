//! `POST /object/copy`: another name for the same bytes, which are not copied: both objects hold one blob.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State, http::HeaderMap};
use serde::Deserialize;
use serde_json::Value;

use crate::{accounts::authenticate::Credential, app::App, db::Tx};
use crate::{
    api::storage::{
        StorageError,
        extract::JsonBody,
        objects::{
            rename::{MoveBody, REQUIRED},
            upload::may_replace,
        },
        response,
        upload_target::UploadHeaders,
    },
    stored_files::quota,
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    #[serde(flatten)]
    names: MoveBody,
    #[serde(default)]
    copy_metadata: Option<bool>,
    #[serde(default)]
    metadata: Option<Metadata>,
}

/// What the copy is to say of itself, where it differs.
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

/// Answers with the new file (contract §3.2).
///
/// # Errors
/// `AccessDenied` for all but the office, `NoSuchKey`, `KeyAlreadyExists`; and what the other bucket does not take.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    headers: HeaderMap,
    body: JsonBody,
) -> Result<Answer<Value>, StorageError> {
    let body: Body = body.read(&REQUIRED)?;
    let way = body.names.into_request(credential, may_replace(&headers))?;
    let source = way.source(&app).await?;
    let told = match body.copy_metadata {
        Some(false) => body.metadata.unwrap_or_default(),
        _ => Metadata::default(),
    };
    let extra = UploadHeaders {
        claimed: told.mimetype.unwrap_or_else(|| source.mime_type.clone()),
        cache_control: told.cache_control.or_else(|| Some(source.cache_control.clone())),
        content_encoding: told.content_encoding.or_else(|| source.content_encoding.clone()),
        metadata: source.user_metadata.clone(),
    };
    let kind = way.admit(&app, &source, &extra.claimed).await?;
    let inner = Arc::clone(&app);
    let copy = move |tx: &mut Tx<'_>| {
        quota::take_turn(tx, &inner)?;
        // Held, so that it cannot lose its blob meanwhile.
        let source = way.lock(tx, &source)?;
        way.to.commit_object(tx, &inner, (kind, &extra), &source.blob())
    };
    let copy = app.db.write(copy).await?;
    let mut told = response::object_json(&copy);
    told["Id"] = copy.id.as_str().into();
    told["Key"] = format!("{}/{}", copy.bucket_id, copy.name).into();
    Ok(Answer(told))
}
