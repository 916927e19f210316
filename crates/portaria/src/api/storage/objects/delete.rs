//! `DELETE /object/{bucket}` deletes files by name, `DELETE /object/{bucket}/{path}` deletes one file.

use std::sync::Arc;

use axum::{Extension, Json, extract::State};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::storage::{
    StorageError, audit_files, caller, ensure_changeable, ensure_not_in_use,
    extract::{BucketPath, JsonBody, ObjectPath},
    object_key, require_object_writer, response, visible_bucket,
};
use crate::audit::EventName;
use crate::{
    accounts::authenticate::Credential,
    app::App,
    db::Tx,
    policy,
    stored_files::{
        object::{self, Object},
        references,
    },
};

/// Maximum number of names per request.
const MAX_NAMES: usize = 1000;

/// Request body. `prefixes` is the protocol's word; the values are exact names.
#[derive(Deserialize)]
struct Body {
    prefixes: Vec<String>,
}

/// Deletes files and returns those that were deleted. Missing names and files that a document or a message shows are
/// absent from the response. For a caller without permission the response is empty, as in the original.
///
/// # Errors
/// `InvalidRequest` for a list that is empty or too long.
pub async fn many(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    BucketPath(bucket): BucketPath,
    body: JsonBody,
) -> Result<Json<Value>, StorageError> {
    let body: Body = body.read(&["prefixes"])?;
    if !(1..=MAX_NAMES).contains(&body.prefixes.len()) {
        return Err(StorageError::invalid_request(format!(
            "body/prefixes must hold 1 to {MAX_NAMES} names"
        )));
    }
    // No object has an invalid name.
    let names: Vec<String> =
        body.prefixes.iter().filter_map(|name| object_key::parse(name).ok()).collect();
    let delete = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let caller = caller(tx, &credential, app)?;
        if policy::check_write_objects(caller).is_err() || names.is_empty() {
            return Ok(Vec::new());
        }
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut writable = Vec::new();
        for name in names {
            if policy::may_write_object(tx, caller, &bucket, name)? {
                writable.push(name);
            }
        }
        if writable.is_empty() {
            return Ok(Vec::new());
        }
        let names = writable;
        let locked = object::lock(tx, object::by_name(&bucket, &names))?;
        let deletable = references::not_in_use().add(policy::changeable_objects(caller));
        let unused = object::existing_names(tx, &bucket, &names, deletable)?;
        let deleted: Vec<Object> =
            locked.into_iter().filter(|file| unused.contains(&file.name)).collect();
        if deleted.is_empty() {
            return Ok(deleted);
        }
        let deletable: Vec<&str> = deleted.iter().map(|file| file.name.as_str()).collect();
        object::release(tx, &object::by_name(&bucket, &deletable), app.clock.now())?;
        audit_files(tx, app, caller, EventName::FileDeleted, &deleted);
        Ok::<_, StorageError>(deleted)
    };
    Ok(Json(app.write(delete).await?.iter().map(response::object_json).collect()))
}

/// Deletes one file.
///
/// # Errors
/// `AccessDenied` for clients and for a file that a document or a message shows; `NoSuchBucket`; `NoSuchKey`.
pub async fn one(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    ObjectPath { bucket, name }: ObjectPath,
) -> Result<Json<Value>, StorageError> {
    app.write(move |tx, app| {
        let path = ObjectPath { bucket, name };
        let caller = require_object_writer(tx, &credential, app, &path)?;
        let ObjectPath { bucket, name } = path;
        visible_bucket(tx, caller, &bucket)?;
        let deleted = object::lock(tx, object::by_name(&bucket, &[&name]))?;
        if deleted.is_empty() {
            return Err(StorageError::no_object());
        }
        ensure_not_in_use(tx, &bucket, &name)?;
        ensure_changeable(tx, caller, &bucket, &name)?;
        audit_files(tx, app, caller, EventName::FileDeleted, &deleted);
        Ok(object::release(tx, &object::by_name(&bucket, &[&name]), app.clock.now())?)
    })
    .await?;
    Ok(Json(json!({"message": "Successfully deleted"})))
}
