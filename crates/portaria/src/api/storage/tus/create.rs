//! `POST /upload/resumable`: begin an upload, and perhaps send its first piece at once.

use std::sync::Arc;

use axum::{
    Extension,
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
};

use crate::api::storage::tus::{
    append::append, brings_piece, complete::finish, expires, metadata, number,
};
use crate::{
    accounts::authenticate::Credential,
    api::storage::{
        StorageError, objects::upload::may_replace, require_staff, run_detached, text,
        upload_body::BodyReader, upload_target::UploadTarget,
    },
    app::App,
    db::Tx,
    stored_files::upload::{self, New, Upload},
};

/// Answers 201 with the upload's address.
///
/// # Errors
/// With their real status: `AccessDenied`, `EntityTooLarge`, `InvalidRequest`, and as an upload that sent nothing yet.
pub async fn handler(
    State(app): State<Arc<App>>,
    Extension(credential): Extension<Credential>,
    request: Request,
) -> Result<Response, StorageError> {
    let (parts, body) = request.into_parts();
    let mut incoming = BodyReader::new(&parts.headers, body);
    let created = run_detached(async move {
        let created = create(&app, credential, &parts.headers, &mut incoming).await;
        if created.is_err() {
            incoming.drain().await;
        }
        created
    });
    let (upload, received) = created.await.map_err(StorageError::plain)?;
    let headers = [
        (header::LOCATION.as_str(), format!("/storage/v1/upload/resumable/{}", upload.id)),
        ("upload-expires", expires(&upload)),
        ("upload-offset", received.to_string()),
    ];
    Ok((StatusCode::CREATED, headers).into_response())
}

/// The upload, and how much of it is there.
async fn create(
    app: &Arc<App>,
    credential: Credential,
    headers: &HeaderMap,
    incoming: &mut BodyReader,
) -> Result<(Upload, u64), StorageError> {
    let metadata = text(headers, "upload-metadata").unwrap_or_default().to_owned();
    let told = metadata::read(&metadata);
    let size = number(headers, "upload-length");
    let (inner, asked) = (Arc::clone(app), credential.clone());
    // Who may not upload is not told what is wrong with their upload.
    app.db.read(move |tx: &mut Tx<'_>| require_staff(tx, &asked, &inner).map(drop)).await?;
    let (place, extra) = told?;
    let size = size?;
    let slot =
        UploadTarget { credential: credential.clone(), place, replace: may_replace(headers) };
    let rules = slot.authorize(app, size).await?;
    if size > rules.max() {
        return Err(StorageError::too_large());
    }
    rules.check_declared_type(&extra.claimed)?;

    let inner = Arc::clone(app);
    let begin = move |tx: &mut Tx<'_>| {
        let caller = require_staff(tx, &slot.credential, &inner)?;
        let new = New {
            bucket_id: slot.place.bucket,
            name: slot.place.name,
            owner_id: caller.user().map(|id| id.to_string()),
            replaces: slot.replace,
            size,
            metadata,
        };
        Ok::<_, StorageError>(upload::insert(tx, new, inner.clock.now())?)
    };
    let upload = app.db.write(begin).await?;
    let received = if size == 0 {
        finish(app, &upload, credential, None).await?;
        0
    } else if brings_piece(headers) {
        append(app, &upload, credential, 0, incoming).await?
    } else {
        0
    };
    Ok((upload, received))
}
