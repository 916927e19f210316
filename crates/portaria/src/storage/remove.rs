//! `DELETE /object/{bucket}`: remove files by name.

use std::sync::Arc;

use axum::{
    Extension, Json as Answer,
    body::Bytes,
    extract::{Path, State, rejection::BytesRejection},
};
use sea_query::Condition;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{StorageError, caller, key};
use crate::{app::App, db::Tx, objects, policy, session::Credential};

/// Names in one request at most.
const MAX_NAMES: usize = 1000;

/// Exact names, despite the word.
#[derive(Deserialize)]
struct Body {
    prefixes: Vec<String>,
}

/// Answers with the files that were removed; a name that was not there is just absent.
///
/// # Errors
/// `InvalidRequest` for a list that is empty or too long. Who may remove nothing removes nothing.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    Path(bucket): Path<String>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Answer<Value>, StorageError> {
    let body: Body = super::json(body, "prefixes")?;
    if !(1..=MAX_NAMES).contains(&body.prefixes.len()) {
        return Err(StorageError::invalid_request(format!(
            "body/prefixes must hold 1 to {MAX_NAMES} names"
        )));
    }
    // A name that no object can have is a name that no object has.
    let names: Vec<String> =
        body.prefixes.iter().filter_map(|name| key::parse(name).ok()).collect();
    let inner = Arc::clone(&app);
    let remove = move |tx: &mut Tx<'_>| {
        let caller = caller(tx, &credential, &inner)?;
        if policy::write_objects(caller).is_err() {
            return Ok(Vec::new());
        }
        let mut removed = Vec::new();
        for name in names {
            if let Some(object) = objects::find(tx, &bucket, &name, Condition::all())? {
                objects::retire(tx, &objects::named(&bucket, &[&name]), inner.clock.now())?;
                removed.push(json!({
                    "name": object.name,
                    "bucket_id": object.bucket_id,
                    "id": object.id,
                    "created_at": object.created_at,
                    "updated_at": object.updated_at,
                    "metadata": {"size": object.size, "mimetype": object.mime_type},
                }));
            }
        }
        Ok::<_, StorageError>(removed)
    };
    Ok(Answer(app.db.write(remove).await?.into()))
}
