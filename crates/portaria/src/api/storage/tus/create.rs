//! `POST /upload/resumable` and `/upload/resumable/sign`: creates an upload, optionally with its first bytes
//! (creation-with-upload).

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};

use crate::api::storage::tus::{
    append::append, byte_count_header, complete::complete, has_upload_data, metadata,
    sender::UploadSender, upload_expires,
};
use crate::{
    api::storage::{
        StorageError, header_text,
        objects::upload::{acquire_upload_permit, wants_upsert},
        require_staff, run_detached,
        upload_body::BodyReader,
        upload_target::UploadTarget,
    },
    app::App,
    db::Tx,
    stored_files::upload::{self, NewUpload, Upload},
};

/// Creates an upload and responds 201 with its address in `Location`.
///
/// # Errors
/// With their real status: `AccessDenied`, `EntityTooLarge`, `InvalidRequest`, `ResourceLocked` for too many unfinished
/// uploads by token, and those of `UploadTarget::authorize`.
pub async fn handler(
    State(app): State<Arc<App>>,
    sender: UploadSender,
    request: Request,
) -> Result<Response, StorageError> {
    let (parts, body) = request.into_parts();
    let mut body = BodyReader::new(&parts.headers, body);
    let route = sender.route();
    let task = run_detached(app.uploads.begin(), async move {
        let result = create(&app, sender, &parts, &mut body).await;
        if result.is_err() {
            body.drain().await;
        }
        result
    });
    let (upload, received) = task.await.map_err(StorageError::with_real_status)?;
    let address = format!("/storage/v1/{route}/{}", upload.id);
    let headers = [
        (header::LOCATION.as_str(), address),
        ("upload-expires", upload_expires(&upload)),
        ("upload-offset", received.to_string()),
    ];
    Ok((StatusCode::CREATED, headers).into_response())
}

/// Creates the upload and returns it with the number of bytes received.
async fn create(
    app: &Arc<App>,
    sender: UploadSender,
    parts: &Parts,
    body: &mut BodyReader,
) -> Result<(Upload, u64), StorageError> {
    let headers = &parts.headers;
    let metadata = header_text(headers, "upload-metadata").unwrap_or_default().to_owned();
    let parsed = metadata::read(&metadata);
    let size = byte_count_header(headers, "upload-length");
    let credential = sender.credential.clone();
    // Check permission before the headers, so that other callers learn nothing about valid requests.
    app.read(move |tx, app| require_staff(tx, &credential, app).map(drop)).await?;
    let (place, upload_headers) = parsed?;
    let size = size?;

    let replace = sender.check_target(&place, wants_upsert(headers))?;
    let target = UploadTarget::new(sender.credential.clone(), place, replace);
    let policy = target.authorize(app, size).await?;
    if size > policy.max() {
        return Err(StorageError::resumable_too_large());
    }
    policy.check_declared_type(&upload_headers.declared_type)?;

    let creator = sender.clone();
    let insert = move |tx: &mut Tx<'_>, app: &Arc<App>| {
        let caller = require_staff(tx, &target.credential, app)?;
        creator.check_unfinished(tx, app, &target.path)?;
        let new = NewUpload {
            bucket_id: target.path.bucket,
            name: target.path.name,
            owner_id: caller.user(),
            replaces: target.replace,
            size,
            metadata,
        };
        Ok::<_, StorageError>(upload::insert(tx, new, app.clock.now())?)
    };
    let upload = app.write(insert).await?;

    let received = if size == 0 {
        complete(app, &upload, sender.credential, None).await?;
        0
    } else if has_upload_data(headers) {
        let _permit = acquire_upload_permit(app, sender.person(), parts)?;
        append(app, &upload, sender, 0, body).await?
    } else {
        0
    };
    Ok((upload, received))
}
