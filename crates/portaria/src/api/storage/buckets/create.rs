//! `POST /bucket`: a new place for files.

use std::sync::Arc;

use axum::{Extension, Json as Answer, extract::State};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::storage::{
    StorageError,
    buckets::{self, Limits},
    extract::JsonBody,
    require_staff, tell_bucket,
};
use crate::{
    accounts::authenticate::Credential,
    app::App,
    clock::format_timestamp,
    db::{self, Tx},
    stored_files::bucket::{self, Bucket},
};

#[derive(Deserialize)]
struct Body {
    name: String,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    public: Option<bool>,
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    versioning_status: Option<String>,
    #[serde(flatten)]
    limits: Limits,
}

/// Answers with the name (contract §3.3).
///
/// # Errors
/// `AccessDenied` for all but the office, `BucketAlreadyExists`, `InvalidBucketName`; `InvalidRequest` for what
/// buckets here cannot do.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    body: JsonBody,
) -> Result<Answer<Value>, StorageError> {
    let body = body.read::<Body>(&["name"]);
    let inner = Arc::clone(&app);
    let create = move |tx: &mut Tx<'_>| {
        // Who may not make buckets is not told what a bucket needs.
        let caller = require_staff(tx, &credential, &inner)?;
        let body = body?;
        let offered = body.kind.as_deref().is_none_or(|kind| kind == "STANDARD")
            && body.versioning_status.as_deref().is_none_or(|status| status == "DISABLED");
        if !offered {
            return Err(StorageError::invalid_request(
                "Only standard buckets without versions are offered",
            ));
        }
        let name = buckets::new_name(body.name)?;
        let id = body.id.filter(|id| !id.is_empty()).unwrap_or_else(|| name.clone());
        let now = format_timestamp(inner.clock.now());
        let mut new = Bucket {
            id: buckets::new_name(id)?,
            name,
            owner_id: caller.user().map(|id| id.to_string()),
            public: body.public.unwrap_or(false),
            file_size_limit: None,
            allowed_mime_types: None,
            created_at: now.clone(),
            updated_at: now,
        };
        body.limits.apply(&mut new)?;
        match bucket::insert(tx, &new) {
            Err(db::Error::Unique(_)) => Err(StorageError::bucket_exists()),
            Err(error) => Err(error.into()),
            Ok(()) => {
                tell_bucket(tx, &inner, caller, ("bucket.created", json!({})), &new);
                Ok(json!({"name": new.name}))
            }
        }
    };
    Ok(Answer(app.db.write(create).await?))
}
