//! `POST` and `PUT /object/{bucket}/{path}`: upload a file. `PUT`, and `x-upsert: true`, replace an existing file.
//!
//! The body is staged on the local disk, published as a blob, and its row is inserted last
//! (`docs/decisions/0009-uploads-are-staged-on-the-local-disk.md`).

use std::sync::Arc;

use axum::{
    Extension, Json,
    extract::{Request, State},
    http::{HeaderMap, Method, request::Parts},
};
use serde_json::{Value, json};
use tokio::sync::SemaphorePermit;

use crate::api::storage::{
    StorageError,
    extract::ObjectPath,
    header_text, run_detached,
    upload_body::{BodyReader, receive},
    upload_target::{UploadTarget, commit_or_undo},
};
use crate::{
    accounts::authenticate::Credential,
    app::App,
    db::Tx,
    inbox::tokens::TokenHash,
    policy,
    security::{concurrency_limit::ConcurrencyPermit, ids::UserId, rate_limit::ClientAddr},
    stored_files::object::Object,
};

/// Stores a file and returns its key when it is durable.
///
/// # Errors
/// As `receive_and_store`.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    path: ObjectPath,
    request: Request,
) -> Result<Json<Value>, StorageError> {
    let replace = request.method() == Method::PUT || wants_upsert(request.headers());
    let person = credential.person();
    let token = inbox_token(request.method(), request.headers(), &path);
    let is_token = token.is_some();
    let now = app.clock.now();
    let target = UploadTarget::new(credential, path, replace);
    let target = match token {
        Some(token) => target.with_inbox_token(token, now),
        None => target,
    };
    let stored = receive_and_store(app, Ok(target), person, request).await;
    // Scripts evaluate the status alone.
    let object = stored.map_err(|error| if is_token { error.with_real_status() } else { error })?;
    Ok(Json(json!({"Id": object.id, "Key": format!("{}/{}", object.bucket_id, object.name)})))
}

/// Returns the hash of the token of the inbox that a request presents, if it adds a file to the inbox. Everywhere else
/// such a token is an invalid credential.
fn inbox_token(method: &Method, headers: &HeaderMap, path: &ObjectPath) -> Option<TokenHash> {
    if method != Method::POST || !policy::inbox_token_may_add(&path.bucket) {
        return None;
    }
    let (scheme, token) = header_text(headers, "authorization")?.split_once(' ')?;
    if scheme.eq_ignore_ascii_case("bearer") { TokenHash::of(token.trim()) } else { None }
}

/// Whether the header `x-upsert` permits replacing an existing file.
pub(crate) fn wants_upsert(headers: &HeaderMap) -> bool {
    header_text(headers, "x-upsert") == Some("true")
}

/// Receives and stores the file of a request, in the share of simultaneous uploads of `person`. The body of a refused
/// upload is drained within limits.
///
/// # Errors
/// The error in `target`; `ServerBusy`; those of the upload policy, the quota and the body. A refused upload leaves
/// neither a row nor a blob.
pub(crate) async fn receive_and_store(
    app: Arc<App>,
    target: Result<UploadTarget, StorageError>,
    person: Option<UserId>,
    request: Request,
) -> Result<Object, StorageError> {
    let (parts, body) = request.into_parts();
    let mut body = BodyReader::new(&parts.headers, body);
    run_detached(app.uploads.begin(), async move {
        let result = match target {
            Ok(target) => store(&app, target, person, &parts, &mut body).await,
            Err(error) => Err(error),
        };
        if result.is_err() {
            body.drain().await;
        }
        result
    })
    .await
}

/// A permit for one upload, and the shares of its sender.
pub(crate) struct UploadPermit<'a> {
    _upload: SemaphorePermit<'a>,
    _address: ConcurrencyPermit<ClientAddr>,
    _person: Option<ConcurrencyPermit<UserId>>,
}

/// Acquires a permit for one upload. The setting `uploads_at_once` bounds concurrent uploads, so that each one is fast.
/// The shares of an address and of a person ensure that one sender never holds all of them. A sender with a signed URL
/// is no `person`.
///
/// # Errors
/// `ServerBusy` if no permit is free, or the sender holds a full share.
pub(crate) fn acquire_upload_permit<'a>(
    app: &'a App,
    person: Option<UserId>,
    parts: &Parts,
) -> Result<UploadPermit<'a>, StorageError> {
    let busy = StorageError::too_many_uploads;
    let origin = parts.extensions.get::<ClientAddr>().expect("a layer adds the address");
    let person = person.map(|person| app.uploads_per_person.acquire(person).ok_or_else(busy));
    Ok(UploadPermit {
        _person: person.transpose()?,
        _address: app.uploads_per_address.acquire(*origin).ok_or_else(busy)?,
        _upload: app.upload_permits.try_acquire().map_err(|_| busy())?,
    })
}

/// Authorizes the upload, receives the body, publishes the blob and inserts the row.
async fn store(
    app: &Arc<App>,
    target: UploadTarget,
    person: Option<UserId>,
    parts: &Parts,
    body: &mut BodyReader,
) -> Result<Object, StorageError> {
    let _permit = acquire_upload_permit(app, person, parts)?;
    // The size is unknown until the file was received: require space for one byte now.
    let policy = target.authorize(app, 1).await?;
    let (writer, upload_headers) = receive(app, &policy, &parts.headers, body).await?;

    let name = &target.path.name;
    let declared = &upload_headers.declared_type;
    let file_type = policy.check_content(name, declared, writer.size(), writer.first_bytes())?;
    let stored = writer.commit().await?;
    let blob = stored.blob.clone();

    let insert = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        target.commit_object(tx, app, file_type, &upload_headers, &stored)
    };
    commit_or_undo(app, insert, async || app.files.remove(&blob).await).await
}
