//! `/storage/v1`: files (contract §3). One file per action; bytes leave through `serve.rs` alone.

pub mod access_audit;
pub mod buckets;
pub mod cdn_purge;
pub mod content_disposition;
pub mod content_type;
pub mod error;
pub mod extract;
pub mod file_response;
pub mod image;
pub mod object_key;
pub mod objects;
pub mod response;
pub mod signed_url;
pub mod tus;
pub mod upload_body;
pub mod upload_policy;
pub mod upload_target;

use std::{
    panic::resume_unwind,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use axum::http::HeaderMap;
use sea_query::Condition;
use serde_json::Value;

use crate::api::storage::extract::ObjectPath;
pub use error::StorageError;

use crate::{
    accounts::authenticate::Credential,
    app::App,
    audit::{self, AuditEvent},
    db::Tx,
    documents::legal_hold,
    policy::{self, Caller},
    stored_files::{
        bucket::{self, Bucket},
        object::{self, Object},
    },
    telemetry::request_id,
};

/// A file that may be read: by whom, and whether by everybody.
#[derive(Debug, Clone)]
pub(crate) struct ReadableFile {
    object: Object,
    public: bool,
    reader: Caller,
}

/// The caller, or the refusal of a token that proves nothing.
fn caller(tx: &mut Tx<'_>, credential: &Credential, app: &App) -> Result<Caller, StorageError> {
    if let Credential::Invalid(why) = credential {
        return Err((*why).into());
    }
    Ok(credential.caller(tx, &app.config, app.clock.now())??)
}

/// The caller, if it is the office.
fn require_staff(
    tx: &mut Tx<'_>,
    credential: &Credential,
    app: &App,
) -> Result<Caller, StorageError> {
    let caller = caller(tx, credential, app)?;
    policy::write_objects(caller)?;
    Ok(caller)
}

/// The bucket that the office is to change, and who does. Nobody else changes it, or adds to it, before this
/// transaction has ended.
fn locked_bucket(
    tx: &mut Tx<'_>,
    credential: &Credential,
    app: &App,
    id: &str,
) -> Result<(Caller, Bucket), StorageError> {
    let caller = require_staff(tx, credential, app)?;
    let bucket = bucket::lock(tx, id)?.ok_or_else(StorageError::no_bucket)?;
    Ok((caller, bucket))
}

/// The bucket of that id, if it exists for the caller.
fn known_bucket(tx: &mut Tx<'_>, caller: Caller, id: &str) -> Result<Bucket, StorageError> {
    let bucket = bucket::find(tx, id, policy::known_buckets(caller))?;
    bucket.ok_or_else(StorageError::no_bucket)
}

/// The file of that name, if the caller may read it; to anybody else it does not exist.
fn find_readable(
    tx: &mut Tx<'_>,
    caller: Caller,
    bucket: &str,
    name: &str,
) -> Result<ReadableFile, StorageError> {
    let bucket = known_bucket(tx, caller, bucket)?;
    let object = object::find(tx, &bucket.id, name, policy::readable_objects(caller))?;
    let object = object.ok_or_else(StorageError::no_object)?;
    Ok(ReadableFile { object, public: bucket.public, reader: caller })
}

/// The file in that place, if the caller may read it.
async fn find(
    app: &Arc<App>,
    credential: Credential,
    place: ObjectPath,
) -> Result<ReadableFile, StorageError> {
    let inner = Arc::clone(app);
    let find = move |tx: &mut Tx<'_>| {
        let caller = caller(tx, &credential, &inner)?;
        find_readable(tx, caller, &place.bucket, &place.name)
    };
    app.db.read(find).await
}

/// The file in that place, if its bucket is open to everybody.
async fn find_public(app: &App, place: ObjectPath) -> Result<ReadableFile, StorageError> {
    let find = move |tx: &mut Tx<'_>| {
        let bucket = known_bucket(tx, Caller::Anon, &place.bucket)?;
        if !bucket.public {
            return Err(StorageError::no_bucket());
        }
        let object = object::find(tx, &bucket.id, &place.name, Condition::all())?;
        let object = object.ok_or_else(StorageError::no_object)?;
        Ok(ReadableFile { object, public: true, reader: Caller::Anon })
    };
    app.db.read(find).await
}

/// Refuses to take away or to change what a legal hold keeps.
fn ensure_not_on_hold(tx: &mut Tx<'_>, bucket: &str, name: &str) -> Result<(), StorageError> {
    let there = object::existing_names(tx, bucket, &[name], Condition::all())?;
    if object::existing_names(tx, bucket, &[name], legal_hold::not_on_hold())? == there {
        return Ok(());
    }
    Err(StorageError::denied("The file is under legal hold"))
}

/// Writes down what the office did to files.
fn audit_files(tx: &mut Tx<'_>, app: &App, caller: Caller, event: &str, files: &[Object]) {
    audit::record(tx, app, caller, files.iter().map(|file| AuditEvent::for_file(event, file)));
}

/// Writes down what the office did to a bucket.
fn tell_bucket(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    (event, detail): (&str, Value),
    bucket: &Bucket,
) {
    let line = AuditEvent::new(event).subject(Some(bucket.id.clone()), Some(bucket.name.clone()));
    audit::record(tx, app, caller, [line.detail(detail)]);
}

/// Uploads that this process is receiving.
static UPLOADS: AtomicUsize = AtomicUsize::new(0);
/// Files that it is sending.
static DOWNLOADS: AtomicUsize = AtomicUsize::new(0);

/// How many uploads are being received: who stops waits longer for them than for anything else.
#[must_use]
pub fn uploads_under_way() -> usize {
    UPLOADS.load(Ordering::Relaxed)
}

/// Counts as one of them for as long as it lives.
#[derive(Debug)]
struct InFlight(&'static AtomicUsize);

impl InFlight {
    fn begin(them: &'static AtomicUsize) -> Self {
        them.fetch_add(1, Ordering::Relaxed);
        Self(them)
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Does work to its end, also when the caller hangs up: a blob must not be left without its row.
async fn run_detached<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
    let under_way = InFlight::begin(&UPLOADS);
    let work = async move {
        let _under_way = under_way;
        work.await
    };
    match tokio::spawn(request_id::scope(request_id::current(), work)).await {
        Ok(done) => done,
        Err(failed) => resume_unwind(failed.into_panic()),
    }
}

/// A header's text, if it is one.
fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}
