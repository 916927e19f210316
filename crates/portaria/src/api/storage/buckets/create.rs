//! `POST /bucket`: creates a bucket.

use std::sync::Arc;

use axum::{Extension, Json, extract::State};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api::storage::{
    StorageError, audit_bucket,
    buckets::{self, BucketLimits},
    coercion,
    extract::JsonBody,
    require_bucket_manager,
};
use crate::audit::EventName;
use crate::{
    accounts::authenticate::Credential,
    app::App,
    clock::format_timestamp,
    db::{self, Tx},
    stored_files::bucket::{self, Bucket},
};

/// Request body.
#[derive(Deserialize)]
struct Body {
    name: String,
    #[serde(default)]
    id: Option<String>,
    #[serde(default, deserialize_with = "coercion::boolean")]
    public: Option<bool>,
    #[serde(default, rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    versioning_status: Option<String>,
    #[serde(flatten)]
    limits: BucketLimits,
}

/// Creates a bucket and returns its name.
///
/// # Errors
/// `AccessDenied` for clients, `BucketAlreadyExists`, `InvalidBucketName`; `InvalidRequest` for versioning and for
/// bucket types other than `STANDARD`.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    body: JsonBody,
) -> Result<Json<Value>, StorageError> {
    let body = body.read::<Body>(&["name"]);
    let create = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        // Check permission before the body, so that other callers learn nothing about valid requests.
        let caller = require_bucket_manager(tx, &credential, app)?;
        let body = body?;
        let is_supported = body.kind.as_deref().is_none_or(|kind| kind == "STANDARD")
            && body.versioning_status.as_deref().is_none_or(|status| status == "DISABLED");
        if !is_supported {
            return Err(StorageError::invalid_request(
                "Only standard buckets without versions are offered",
            ));
        }

        let name = buckets::validate_new_name(body.name)?;
        let id = body.id.filter(|id| !id.is_empty()).unwrap_or_else(|| name.clone());
        let now = format_timestamp(app.clock.now());
        let mut bucket = Bucket {
            id: buckets::validate_new_name(id)?,
            name,
            owner_id: caller.user(),
            public: body.public.unwrap_or(false),
            file_size_limit: None,
            allowed_mime_types: None,
            created_at: now.clone(),
            updated_at: now,
        };
        body.limits.apply(&mut bucket, app.config.max_upload)?;
        match bucket::insert(tx, &bucket) {
            Err(db::Error::Unique(_)) => Err(StorageError::bucket_exists()),
            Err(error) => Err(error.into()),
            Ok(()) => {
                audit_bucket(tx, app, caller, &bucket, EventName::BucketCreated, json!({}));
                Ok(json!({"name": bucket.name}))
            }
        }
    };
    Ok(Json(app.write(create).await?))
}
