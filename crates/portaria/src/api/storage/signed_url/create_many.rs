//! `POST /object/sign/{bucket}`: links to many files at once.

use std::{collections::HashSet, sync::Arc};

use axum::{Extension, Json as Answer, extract::State};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::storage::{
    StorageError, caller,
    extract::{BucketPath, JsonBody, ObjectPath},
    known_bucket, object_key,
    signed_url::{
        create::life,
        token::{Scope, SignedUrlToken},
    },
};
use crate::{accounts::authenticate::Credential, app::App, db::Tx, policy, stored_files::object};

/// Files in one request at most.
const MAX_PATHS: usize = 1000;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    expires_in: i64,
    paths: Vec<String>,
}

/// Answers with a link or an error for each path. What the caller may not read is not there.
///
/// # Errors
/// `InvalidRequest` for a list that is empty or too long.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    BucketPath(bucket): BucketPath,
    body: JsonBody,
) -> Result<Answer<Value>, StorageError> {
    let body: Body = body.read(&["expiresIn", "paths"])?;
    let life = life(body.expires_in)?;
    if !(1..=MAX_PATHS).contains(&body.paths.len()) {
        return Err(StorageError::invalid_request(format!(
            "body/paths must hold 1 to {MAX_PATHS} names"
        )));
    }
    let inner = Arc::clone(&app);
    let sign = move |tx: &mut Tx<'_>| {
        let caller = caller(tx, &credential, &inner)?;
        let bucket = known_bucket(tx, caller, &bucket)?;
        // A name that no object can have is a name that no object has.
        let names: Vec<Option<String>> =
            body.paths.iter().map(|path| object_key::parse(path).ok()).collect();
        let asked: Vec<&str> = names.iter().flatten().map(String::as_str).collect();
        let mut readable = HashSet::new();
        for asked in asked.chunks(200) {
            let condition = policy::readable_objects(caller);
            readable.extend(object::existing_names(tx, &bucket.id, asked, condition)?);
        }
        let link = |name: String| {
            let place = ObjectPath { bucket: bucket.id.clone(), name };
            Some(
                SignedUrlToken::new(&inner, caller, &place, Scope::Download, life)
                    .ok()?
                    .sign(&inner)
                    .0,
            )
        };
        let links = names
            .into_iter()
            .map(|name| name.filter(|name| readable.contains(name)).and_then(link));
        Ok::<_, StorageError>(body.paths.iter().zip(links).map(entry).collect::<Value>())
    };
    Ok(Answer(app.db.read(sign).await?))
}

fn entry((path, link): (&String, Option<String>)) -> Value {
    let error = link
        .is_none()
        .then_some("Either the object does not exist or you do not have access to it");
    json!({"error": error, "path": path, "signedURL": link})
}
