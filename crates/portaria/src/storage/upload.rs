//! `POST` and `PUT /object/{bucket}/{path}`: add or replace a file, streamed to the disk.

use std::sync::Arc;

use axum::{
    Extension, Json,
    body::Body,
    extract::{FromRequest, Multipart, Path, Request, State},
    http::{HeaderMap, Method, header},
};
use base64::{Engine, prelude::BASE64_STANDARD};
use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use serde_json::{Value, json};

use super::{StorageError, bucket_exists, caller, key, kind, text};
use crate::{
    app::App,
    db::Tx,
    files::Writer,
    keys,
    objects::{self, New},
    policy,
    session::Credential,
};

/// How much room the form around a file may take. Bytes.
const FORM: u64 = 64 * 1024;

/// What came with the file.
#[derive(Debug, Default)]
struct Extra {
    cache_control: Option<String>,
    metadata: Option<String>,
}

/// Answers with the file's key once it is on the disk.
///
/// # Errors
/// [`StorageError`]; neither a row nor a blob is left behind then.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path((bucket, path)): Path<(String, String)>,
    request: Request,
) -> Result<Json<Value>, StorageError> {
    let name = key::parse(&path)?;
    let headers = request.headers().clone();
    let replace = request.method() == Method::PUT || text(&headers, "x-upsert") == Some("true");
    let declared = text(&headers, "content-length").and_then(|length| length.parse::<u64>().ok());
    if declared.is_some_and(|length| length > app.config.max_upload.saturating_add(FORM)) {
        return Err(StorageError::too_large());
    }
    // Asked before the first byte is read, and again when the row is written.
    let (inner, asked, wanted) = (Arc::clone(&app), credential.clone(), bucket.clone());
    app.db
        .read::<_, StorageError, _>(move |tx| {
            policy::write_objects(caller(tx, &asked, &inner)?)?;
            bucket_exists(tx, &wanted)
        })
        .await?;

    let (writer, extra) = receive(&app, &headers, request).await?;
    if writer.size() == 0 {
        return Err(StorageError::invalid_request("O arquivo está vazio."));
    }
    let mime_type = kind::sniff(&name, writer.head())?;
    let written = writer.finish().await?;
    let blob = written.blob.clone();
    let inner = Arc::clone(&app);
    let write = move |tx: &mut Tx<'_>| {
        let now = inner.clock.now();
        let caller = caller(tx, &credential, &inner)?;
        policy::write_objects(caller)?;
        let new = New {
            id: keys::new_id(now).to_string(),
            bucket_id: bucket,
            name,
            owner_id: caller.user().map(|id| id.to_string()),
            mime_type: mime_type.into(),
            cache_control: extra.cache_control.unwrap_or_else(|| "no-cache".into()),
            user_metadata: extra.metadata,
        };
        let id = objects::insert(tx, &new, &written, replace, now)?;
        Ok(json!({"Id": id, "Key": format!("{}/{}", new.bucket_id, new.name)}))
    };
    let stored = app.db.write(write).await;
    if stored.is_err() {
        app.files.remove(&blob).await?;
    }
    stored.map(Json)
}

/// The body's file, whole but not yet kept: the one part of a form, or the raw body.
async fn receive(
    app: &App,
    headers: &HeaderMap,
    request: Request,
) -> Result<(Writer, Extra), StorageError> {
    let is_form = text(headers, header::CONTENT_TYPE.as_str())
        .is_some_and(|kind| kind.to_ascii_lowercase().starts_with("multipart/form-data"));
    if is_form {
        return form(app, request).await;
    }
    let metadata = text(headers, "x-metadata")
        .and_then(|encoded| BASE64_STANDARD.decode(encoded).ok())
        .and_then(|bytes| json_object(&bytes));
    let extra =
        Extra { cache_control: text(headers, "cache-control").map(str::to_owned), metadata };
    let writer = write_all(app, Body::into_data_stream(request.into_body())).await?;
    Ok((writer, extra))
}

async fn form(app: &App, request: Request) -> Result<(Writer, Extra), StorageError> {
    let invalid = |error: axum::extract::multipart::MultipartError| {
        StorageError::invalid_request(error.body_text())
    };
    let mut parts = Multipart::from_request(request, &())
        .await
        .map_err(|error| StorageError::invalid_request(error.body_text()))?;
    let mut extra = Extra::default();
    let mut file = None;
    let mut fields = 0;
    // The text fields stand before the file in new clients, behind it in old ones.
    while let Some(part) = parts.next_field().await.map_err(invalid)? {
        fields += 1;
        if fields > 11 {
            return Err(StorageError::invalid_request("A form holds at most 10 fields and a file"));
        }
        match part.name().unwrap_or_default() {
            "" if file.is_some() => {
                return Err(StorageError::invalid_request("A form holds one file"));
            }
            "" => file = Some(write_all(app, part).await?),
            name @ ("cacheControl" | "metadata") => {
                let name = name.to_owned();
                let value = part.bytes().await.map_err(invalid)?;
                if value.len() as u64 > FORM {
                    return Err(StorageError::invalid_request(format!(
                        "The field {name} is too long"
                    )));
                }
                if name == "metadata" {
                    extra.metadata = json_object(&value);
                } else {
                    let seconds: String = String::from_utf8_lossy(&value)
                        .chars()
                        .filter(char::is_ascii_digit)
                        .collect();
                    extra.cache_control =
                        (!seconds.is_empty()).then(|| format!("max-age={seconds}"));
                }
            }
            _ => {}
        }
    }
    let file = file.ok_or_else(|| StorageError::invalid_request("No content provided"))?;
    Ok((file, extra))
}

fn json_object(bytes: &[u8]) -> Option<String> {
    let value: Value = serde_json::from_slice(bytes).ok()?;
    value.is_object().then(|| value.to_string())
}

/// Writes a stream to a new blob, as far as the limit allows.
async fn write_all<E: std::fmt::Display>(
    app: &App,
    mut bytes: impl Stream<Item = Result<Bytes, E>> + Unpin,
) -> Result<Writer, StorageError> {
    let mut writer = app.files.create().await?;
    while let Some(chunk) = bytes.next().await {
        let chunk = chunk.map_err(|_| StorageError::invalid_request("The upload was cut off"))?;
        if writer.size() + chunk.len() as u64 > app.config.max_upload {
            return Err(StorageError::too_large());
        }
        writer = writer.write(chunk).await?;
    }
    Ok(writer)
}
