//! The Storage API under `/storage/v1`, described in `docs/protocol/storage.md`.
//!
//! One module per action. Every action checks `policy/` and reads or writes the rows of `stored_files`; bytes are in
//! the blob store. Stored bytes leave the server through `file_response` only.

pub mod access_audit;
pub(crate) mod bucket_redirect;
pub mod buckets;
pub mod cdn_purge;
pub(crate) mod coercion;
pub mod content_disposition;
pub mod content_type;
pub mod error;
pub mod extract;
pub mod file_response;
pub mod images;
pub mod object_key;
pub mod objects;
pub mod response;
pub mod signed_url;
pub mod tus;
pub mod upload_body;
pub mod upload_policy;
pub mod upload_target;

use std::{panic::resume_unwind, sync::Arc};

use axum::http::HeaderMap;
use sea_query::Condition;
use serde_json::Value;

use crate::api::{
    answer_memory::{self, CHUNK_BYTES},
    storage::extract::ObjectPath,
};
pub use error::StorageError;

use crate::{
    accounts::authenticate::{Credential, TokenError},
    app::{App, InFlightGuard},
    audit::{self, AuditEvent, EventName},
    db::Tx,
    documents::legal_hold,
    policy,
    security::{caller::Caller, memory_pool::MemoryPermit},
    stored_files::{
        bucket::{self, Bucket},
        object::{self, Object},
        references,
    },
    telemetry::request_id::RequestContext,
};

/// A file that the caller may read. `public` is true if its bucket is public.
#[derive(Debug, Clone)]
pub(crate) struct ReadableFile {
    object: Object,
    public: bool,
    caller: Caller,
    /// The event of the same opening, if the audit log contains it already.
    recorded: Option<EventName>,
}

/// Resolves the caller of a request.
///
/// # Errors
/// `AccessDenied` for an invalid token, an ended session, or a restricted session.
fn caller(tx: &mut Tx<'_>, credential: &Credential, app: &App) -> Result<Caller, StorageError> {
    if let Credential::Invalid(why) = credential {
        return Err((*why).into());
    }
    Ok(credential.caller(tx, &app.config, app.clock.now())?)
}

/// Resolves the caller and requires one who may write objects.
fn require_staff(
    tx: &mut Tx<'_>,
    credential: &Credential,
    app: &App,
) -> Result<Caller, StorageError> {
    let caller = caller(tx, credential, app)?;
    policy::check_write_objects(caller)?;
    Ok(caller)
}

/// Resolves the caller and requires one who may write the object of this name.
///
/// # Errors
/// `AccessDenied`.
fn require_object_writer(
    tx: &mut Tx<'_>,
    credential: &Credential,
    app: &App,
    path: &ObjectPath,
) -> Result<Caller, StorageError> {
    let caller = require_staff(tx, credential, app)?;
    if policy::may_write_object(tx, caller, &path.bucket, &path.name)? {
        Ok(caller)
    } else {
        Err(policy::Denied.into())
    }
}

/// Resolves the caller and requires one who may manage buckets.
///
/// # Errors
/// `AccessDenied`.
fn require_bucket_manager(
    tx: &mut Tx<'_>,
    credential: &Credential,
    app: &App,
) -> Result<Caller, StorageError> {
    let caller = caller(tx, credential, app)?;
    policy::check_manage_buckets(caller)?;
    Ok(caller)
}

/// Resolves the caller as [`require_bucket_manager`] does and locks a bucket: until the transaction ends, no other
/// transaction changes the bucket or adds objects to it.
fn lock_bucket(
    tx: &mut Tx<'_>,
    credential: &Credential,
    app: &App,
    id: &str,
) -> Result<(Caller, Bucket), StorageError> {
    let caller = require_bucket_manager(tx, credential, app)?;
    let bucket = bucket::lock(tx, id)?.ok_or_else(StorageError::no_bucket)?;
    Ok((caller, bucket))
}

/// Finds a bucket by id.
///
/// # Errors
/// `NoSuchBucket` for a missing bucket, and for one that does not exist for this caller.
fn visible_bucket(tx: &mut Tx<'_>, caller: Caller, id: &str) -> Result<Bucket, StorageError> {
    let bucket = bucket::find(tx, id, policy::visible_buckets(caller))?;
    bucket.ok_or_else(StorageError::no_bucket)
}

/// Finds a file that the caller may read. A file that the caller may not read is reported like a missing one.
fn find_readable(
    tx: &mut Tx<'_>,
    caller: Caller,
    bucket: &str,
    name: &str,
) -> Result<ReadableFile, StorageError> {
    let bucket = visible_bucket(tx, caller, bucket)?;
    let object = object::find(tx, &bucket.id, name, policy::readable_objects(caller))?;
    let object = object.ok_or_else(StorageError::no_object)?;
    Ok(ReadableFile { object, public: bucket.public, caller, recorded: None })
}

/// Resolves the caller and finds the file at `place` as [`find_readable`] does. A request without any key is for a file of
/// a public bucket.
fn find_for(
    tx: &mut Tx<'_>,
    app: &App,
    credential: &Credential,
    place: &ObjectPath,
) -> Result<ReadableFile, StorageError> {
    if matches!(credential, Credential::Invalid(TokenError::Missing)) {
        return find_public(tx, place);
    }
    let caller = caller(tx, credential, app)?;
    find_readable(tx, caller, &place.bucket, &place.name)
}

/// Finds a file of a public bucket, without a caller.
fn find_public(tx: &mut Tx<'_>, place: &ObjectPath) -> Result<ReadableFile, StorageError> {
    let bucket = visible_bucket(tx, Caller::Anon, &place.bucket)?;
    if !bucket.public {
        return Err(StorageError::no_bucket());
    }
    let object = object::find(tx, &bucket.id, &place.name, Condition::all())?;
    let object = object.ok_or_else(StorageError::no_object)?;
    Ok(ReadableFile { object, public: true, caller: Caller::Anon, recorded: None })
}

/// [`find_for`] in a transaction of its own.
async fn find_file(
    app: &Arc<App>,
    credential: Credential,
    place: ObjectPath,
) -> Result<ReadableFile, StorageError> {
    app.read(move |tx, app| find_for(tx, app, &credential, &place)).await
}

/// [`find_public`] in a transaction of its own.
async fn find_public_file(app: &App, place: ObjectPath) -> Result<ReadableFile, StorageError> {
    app.db.read(move |tx| find_public(tx, &place)).await
}

/// Refuses to delete or rename a file that a document or a message shows. The caller has locked the file.
fn ensure_not_in_use(tx: &mut Tx<'_>, bucket: &str, name: &str) -> Result<(), StorageError> {
    if object::existing_names(tx, bucket, &[name], references::not_in_use())?.is_empty() {
        return Err(StorageError::denied("The file belongs to a document or a message"));
    }
    Ok(())
}

/// Refuses to replace, rename or delete a file that somebody sent.
fn ensure_changeable(
    tx: &mut Tx<'_>,
    caller: Caller,
    bucket: &str,
    name: &str,
) -> Result<(), StorageError> {
    let existing = object::existing_names(tx, bucket, &[name], Condition::all())?;
    if object::existing_names(tx, bucket, &[name], policy::changeable_objects(caller))? == existing
    {
        return Ok(());
    }
    Err(StorageError::denied("The file is part of a conversation with the client"))
}

/// Refuses to replace a file under legal hold.
fn ensure_not_on_hold(tx: &mut Tx<'_>, bucket: &str, name: &str) -> Result<(), StorageError> {
    let existing = object::existing_names(tx, bucket, &[name], Condition::all())?;
    if object::existing_names(tx, bucket, &[name], legal_hold::not_on_hold())? == existing {
        return Ok(());
    }
    Err(StorageError::denied("The file is under legal hold"))
}

/// Records one audit event per file.
fn audit_files(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    event: audit::EventName,
    files: &[Object],
) {
    audit::record(tx, app, caller, files.iter().map(|file| file.audit_event(event)));
}

/// Records an audit event about a bucket.
fn audit_bucket(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    bucket: &Bucket,
    event: audit::EventName,
    detail: Value,
) {
    let event = AuditEvent::new(event).subject(Some(bucket.id.clone()), Some(bucket.name.clone()));
    audit::record(tx, app, caller, [event.detail(detail)]);
}

/// Runs an upload in a task of its own, so that it completes when the client disconnects: otherwise a published blob could
/// remain without its row.
async fn run_detached<T: Send + 'static>(
    in_flight: InFlightGuard,
    work: impl Future<Output = T> + Send + 'static,
) -> T {
    let work = async move {
        let _in_flight = in_flight;
        work.await
    };

    match tokio::spawn(RequestContext::current().scope(work)).await {
        Ok(result) => result,
        Err(error) => resume_unwind(error.into_panic()),
    }
}

/// Reserves the memory of an answer of at most `bytes`. `None` for an answer that is small anyway.
///
/// # Errors
/// `ServerBusy` if the memory for answers is in use.
async fn reserve_answer(
    app: &App,
    credential: &Credential,
    bytes: usize,
) -> Result<Option<MemoryPermit>, StorageError> {
    if bytes <= CHUNK_BYTES {
        return Ok(None);
    }
    let reserved = answer_memory::reserve(app, credential.person(), bytes).await;
    reserved.map(Some).ok_or_else(StorageError::out_of_memory)
}

/// Returns a header's value if it is visible ASCII.
fn header_text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}
