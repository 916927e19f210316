//! `/storage/v1`: files (contract §3). One file per action; bytes leave through `serve.rs` alone.

mod admit;
mod ask;
mod attach;
mod bucket;
pub mod bucket_create;
pub mod bucket_delete;
pub mod bucket_empty;
pub mod bucket_list;
pub mod bucket_update;
pub mod copy;
mod cursor;
mod disposition;
pub mod download;
mod error;
pub mod info;
mod key;
mod kind;
mod level;
mod link;
pub mod list;
pub mod list_v2;
mod opening;
pub mod purge;
mod quota;
mod receive;
pub mod relocate;
pub mod remove;
pub mod render;
pub mod resumable;
mod serve;
mod shape;
pub mod sign;
pub mod sign_many;
mod slot;
pub mod upload;
pub mod upload_link;

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

use ask::Place;
pub use error::StorageError;

use crate::{
    activity::{self, Line},
    app::App,
    buckets::{self, Bucket},
    db::Tx,
    holds,
    objects::{self, Object},
    policy::{self, Caller},
    request_id,
    session::Credential,
};

/// A file that may be read: by whom, and whether by everybody.
#[derive(Debug, Clone)]
struct Found {
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
fn office(tx: &mut Tx<'_>, credential: &Credential, app: &App) -> Result<Caller, StorageError> {
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
    let caller = office(tx, credential, app)?;
    let bucket = buckets::lock(tx, id)?.ok_or_else(StorageError::no_bucket)?;
    Ok((caller, bucket))
}

/// The bucket of that id, if it exists for the caller.
fn known_bucket(tx: &mut Tx<'_>, caller: Caller, id: &str) -> Result<Bucket, StorageError> {
    let bucket = buckets::find(tx, id, policy::known_buckets(caller))?;
    bucket.ok_or_else(StorageError::no_bucket)
}

/// The file of that name, if the caller may read it; to anybody else it does not exist.
fn readable(
    tx: &mut Tx<'_>,
    caller: Caller,
    bucket: &str,
    name: &str,
) -> Result<Found, StorageError> {
    let bucket = known_bucket(tx, caller, bucket)?;
    let object = objects::find(tx, &bucket.id, name, policy::readable_objects(caller))?;
    let object = object.ok_or_else(StorageError::no_object)?;
    Ok(Found { object, public: bucket.public, reader: caller })
}

/// The file in that place, if the caller may read it.
async fn find(app: &Arc<App>, credential: Credential, place: Place) -> Result<Found, StorageError> {
    let inner = Arc::clone(app);
    let find = move |tx: &mut Tx<'_>| {
        let caller = caller(tx, &credential, &inner)?;
        readable(tx, caller, &place.bucket, &place.name)
    };
    app.db.read(find).await
}

/// The file in that place, if its bucket is open to everybody.
async fn find_public(app: &App, place: Place) -> Result<Found, StorageError> {
    let find = move |tx: &mut Tx<'_>| {
        let bucket = known_bucket(tx, Caller::Anon, &place.bucket)?;
        if !bucket.public {
            return Err(StorageError::no_bucket());
        }
        let object = objects::find(tx, &bucket.id, &place.name, Condition::all())?;
        let object = object.ok_or_else(StorageError::no_object)?;
        Ok(Found { object, public: true, reader: Caller::Anon })
    };
    app.db.read(find).await
}

/// Refuses to take away or to change what a legal hold keeps.
fn not_held(tx: &mut Tx<'_>, bucket: &str, name: &str) -> Result<(), StorageError> {
    let there = objects::names(tx, bucket, &[name], Condition::all())?;
    if objects::names(tx, bucket, &[name], holds::free())? == there {
        return Ok(());
    }
    Err(StorageError::denied("The file is under legal hold"))
}

/// Writes down what the office did to files.
fn tell(tx: &mut Tx<'_>, app: &App, caller: Caller, event: &str, files: &[Object]) {
    activity::tell(tx, app, caller, files.iter().map(|file| Line::of_file(event, file)));
}

/// Writes down what the office did to a bucket.
fn tell_bucket(
    tx: &mut Tx<'_>,
    app: &App,
    caller: Caller,
    (event, detail): (&str, Value),
    bucket: &Bucket,
) {
    let line = Line::new(event).to(Some(bucket.id.clone()), Some(bucket.name.clone()));
    activity::tell(tx, app, caller, [line.with(detail)]);
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
struct UnderWay(&'static AtomicUsize);

impl UnderWay {
    fn begin(them: &'static AtomicUsize) -> Self {
        them.fetch_add(1, Ordering::Relaxed);
        Self(them)
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Does work to its end, also when the caller hangs up: a blob must not be left without its row.
async fn to_the_end<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> T {
    let under_way = UnderWay::begin(&UPLOADS);
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
