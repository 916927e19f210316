//! `DELETE /object/{bucket}` removes files by name, `DELETE /object/{bucket}/{path}` one.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::storage::{
    StorageError, audit_files, caller, ensure_not_on_hold,
    extract::{BucketPath, JsonBody, ObjectPath},
    known_bucket, object_key, require_staff, response,
};
use crate::{
    accounts::authenticate::Credential, app::App, db::Tx, documents::legal_hold, policy,
    stored_files::object,
};

/// Names in one request at most.
const MAX_NAMES: usize = 1000;

/// Exact names, despite the word.
#[derive(Deserialize)]
struct Body {
    prefixes: Vec<String>,
}

/// Answers with the files that were removed; a name that was not there, or that a legal hold keeps, is just absent.
///
/// # Errors
/// `InvalidRequest` for a list that is empty or too long. Who may remove nothing removes nothing.
pub async fn many(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    BucketPath(bucket): BucketPath,
    body: JsonBody,
) -> Result<Answer<Value>, StorageError> {
    let body: Body = body.read(&["prefixes"])?;
    if !(1..=MAX_NAMES).contains(&body.prefixes.len()) {
        return Err(StorageError::invalid_request(format!(
            "body/prefixes must hold 1 to {MAX_NAMES} names"
        )));
    }
    // A name that no object can have is a name that no object has.
    let names: Vec<String> =
        body.prefixes.iter().filter_map(|name| object_key::parse(name).ok()).collect();
    let inner = Arc::clone(&app);
    let remove = move |tx: &mut Tx<'_>| {
        let caller = caller(tx, &credential, &inner)?;
        if policy::write_objects(caller).is_err() || names.is_empty() {
            return Ok(Vec::new());
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let removed =
            object::lock(tx, object::by_name(&bucket, &names).add(legal_hold::not_on_hold()))?;
        if removed.is_empty() {
            return Ok(removed);
        }
        let free: Vec<&str> = removed.iter().map(|file| file.name.as_str()).collect();
        object::release(tx, &object::by_name(&bucket, &free), inner.clock.now())?;
        audit_files(tx, &inner, caller, "file.deleted", &removed);
        Ok::<_, StorageError>(removed)
    };
    Ok(Answer(app.db.write(remove).await?.iter().map(response::object_json).collect()))
}

/// Removes one file.
///
/// # Errors
/// `AccessDenied` for all but the office; `NoSuchKey`.
pub async fn one(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    ObjectPath { bucket, name }: ObjectPath,
) -> Result<Answer<Value>, StorageError> {
    let inner = Arc::clone(&app);
    let remove = move |tx: &mut Tx<'_>| {
        let caller = require_staff(tx, &credential, &inner)?;
        known_bucket(tx, caller, &bucket)?;
        let removed = object::lock(tx, object::by_name(&bucket, &[&name]))?;
        if removed.is_empty() {
            return Err(StorageError::no_object());
        }
        ensure_not_on_hold(tx, &bucket, &name)?;
        audit_files(tx, &inner, caller, "file.deleted", &removed);
        Ok(object::release(tx, &object::by_name(&bucket, &[&name]), inner.clock.now())?)
    };
    app.db.write(remove).await?;
    Ok(Answer(json!({"message": "Successfully deleted"})))
}
