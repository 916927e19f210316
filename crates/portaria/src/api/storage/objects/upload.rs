//! `POST` and `PUT /object/{bucket}/{path}`: add or replace a file, streamed to the disk.

use std::sync::Arc;

use axum::{
    Extension, Json as Answer,
    extract::{Request, State},
    http::{HeaderMap, Method},
};
use serde_json::{Value, json};
use tokio::sync::SemaphorePermit;

use crate::api::storage::{
    StorageError,
    extract::ObjectPath,
    run_detached, text,
    upload_body::{BodyReader, receive},
    upload_target::{UploadTarget, commit_or_undo},
};
use crate::{accounts::authenticate::Credential, app::App, db::Tx, stored_files::object::Object};

/// Answers with the file's key once it is on the disk.
///
/// # Errors
/// [`StorageError`]; neither a row nor a blob is left behind by a refusal.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    place: ObjectPath,
    request: Request,
) -> Result<Answer<Value>, StorageError> {
    let replace = request.method() == Method::PUT || may_replace(request.headers());
    let object = take(app, Ok(UploadTarget { credential, place, replace }), request).await?;
    Ok(Answer(json!({"Id": object.id, "Key": format!("{}/{}", object.bucket_id, object.name)})))
}

/// Whether the request asks to replace what is there.
pub(crate) fn may_replace(headers: &HeaderMap) -> bool {
    text(headers, "x-upsert") == Some("true")
}

/// Puts a request's file into its place.
///
/// # Errors
/// As the slot's; nothing is left behind by a refusal.
pub(crate) async fn take(
    app: Arc<App>,
    slot: Result<UploadTarget, StorageError>,
    request: Request,
) -> Result<Object, StorageError> {
    let (parts, body) = request.into_parts();
    let mut incoming = BodyReader::new(&parts.headers, body);
    run_detached(async move {
        let taken = match (slot, place(&app)) {
            (Ok(slot), Ok(_place)) => fill(&app, slot, &parts.headers, &mut incoming).await,
            (Err(refusal), _) | (_, Err(refusal)) => Err(refusal),
        };
        if taken.is_err() {
            incoming.drain().await;
        }
        taken
    })
    .await
}

/// A place among the files that are on their way in, until it is dropped.
///
/// # Errors
/// When all are taken: a few files that come quickly do more good than many that crawl.
pub(crate) fn place(app: &App) -> Result<SemaphorePermit<'_>, StorageError> {
    app.upload_permits.try_acquire().map_err(|_| StorageError::too_many_uploads())
}

async fn fill(
    app: &Arc<App>,
    slot: UploadTarget,
    headers: &HeaderMap,
    incoming: &mut BodyReader,
) -> Result<Object, StorageError> {
    // How long a file is, is known when it is there.
    let rules = slot.authorize(app, 1).await?;
    let (writer, extra) = receive(app, &rules, headers, incoming).await?;
    let name = &slot.place.name;
    let kind = rules.check_content(name, &extra.claimed, writer.size(), writer.first_bytes())?;
    let written = writer.commit().await?;
    let blob = written.blob.clone();
    let inner = Arc::clone(app);
    let keep = move |tx: &mut Tx<'_>| slot.commit_object(tx, &inner, (kind, &extra), &written);
    commit_or_undo(app, keep, async || app.files.remove(&blob).await).await
}
