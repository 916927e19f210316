//! `POST /object/sign/{bucket}`: creates signed URLs of many files.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use axum::{Extension, extract::State, response::Response};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::answer_memory;
use crate::api::storage::{
    StorageError, caller, coercion,
    extract::{BucketPath, JsonBody, ObjectPath},
    object_key, reserve_answer,
    signed_url::{create::check_lifetime, issuer::Issuer, token::SignedUrlToken},
};
use crate::{
    accounts::authenticate::Credential,
    app::App,
    db::Tx,
    policy,
    stored_files::{bucket, object, references},
};

/// Maximum number of paths per request.
const MAX_PATHS: usize = 1000;
/// Maximum size of an entry, in addition to eight times its path: the path itself, the URL, and the token with the URL.
const ENTRY_BYTES: usize = 1 << 10;

/// Request body. `expires_in` is in seconds.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    #[serde(deserialize_with = "coercion::integer")]
    expires_in: i64,
    paths: Vec<String>,
}

/// Returns a signed URL or an error for each path. A file that the caller may not read is reported like a missing one.
///
/// # Errors
/// `InvalidRequest` for a list that is empty or too long; `ServerBusy`.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    BucketPath(bucket): BucketPath,
    body: JsonBody,
) -> Result<Response, StorageError> {
    let body: Body = body.read(&["expiresIn", "paths"])?;
    let life = check_lifetime(body.expires_in)?;
    if !(1..=MAX_PATHS).contains(&body.paths.len()) {
        return Err(StorageError::invalid_request(format!(
            "body/paths must hold 1 to {MAX_PATHS} names"
        )));
    }
    let bytes = body.paths.iter().map(|path| ENTRY_BYTES + 8 * path.len()).sum();
    let memory = reserve_answer(&app, &credential, bytes).await?;
    let sign = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let caller = caller(tx, &credential, app)?;
        // Like in the original, the files of a bucket that does not exist are missing files.
        let is_visible = bucket::find(tx, &bucket, policy::visible_buckets(caller))?.is_some();

        // No object has an invalid name.
        let names: Vec<Option<String>> =
            body.paths.iter().map(|path| object_key::parse(path).ok()).collect();
        let valid_names: Vec<&str> = names.iter().flatten().map(String::as_str).collect();
        let issuer = Issuer::of(&credential);
        let (mut readable, mut owners) = (HashSet::new(), HashMap::new());
        for names in valid_names.chunks(200).filter(|_| is_visible) {
            let condition = policy::readable_objects(caller);
            readable.extend(object::existing_names(tx, &bucket, names, condition)?);
            owners.extend(references::document_owners(tx, &bucket, names)?);
        }

        let sign_name = |name: String| {
            let owner = owners.get(&name).copied();
            let path = ObjectPath { bucket: bucket.clone(), name };
            let token = SignedUrlToken::download(app, issuer?, &path, owner, life);
            Some(token.sign(app).0)
        };
        let urls = names
            .into_iter()
            .map(|name| name.filter(|name| readable.contains(name)).and_then(sign_name));
        let entries = body.paths.iter().zip(urls).map(|(path, url)| entry(path, url.as_deref()));
        Ok::<_, StorageError>(entries.collect::<Value>())
    };
    Ok(answer_memory::json(&app, &app.read(sign).await?, memory))
}

/// The response entry of one path.
fn entry(path: &str, signed_url: Option<&str>) -> Value {
    let error = signed_url
        .is_none()
        .then_some("Either the object does not exist or you do not have access to it");
    json!({"error": error, "path": path, "signedURL": signed_url})
}
