//! The sender of a resumable upload: a session or the service key, or the issuer of a signed upload URL whose token is in
//! the header `x-signature` (`/upload/resumable/sign`).

use std::{convert::Infallible, sync::Arc};

use axum::{
    extract::{FromRequestParts, Request, State},
    http::{Extensions, request::Parts},
    middleware::Next,
    response::{IntoResponse, Response},
};

use crate::api::storage::{
    StorageError,
    extract::ObjectPath,
    header_text, require_staff,
    signed_url::token::{Scope, SignedUrlToken},
};
use crate::{
    accounts::authenticate::Credential,
    app::App,
    db::Tx,
    lease,
    security::{caller::Caller, ids::UserId},
    stored_files::upload::{self, Upload},
};

/// Maximum number of unfinished uploads of a file at the creation of one by token. The quotas count complete files
/// alone, and the holder of a token may be anybody.
const MAX_UNFINISHED: u64 = 3;
/// Name of the advisory lock that serializes these creations.
const LOCK_NAME: &str = "signed_uploads";

/// The sender of a request. The token limits it to the uploads of one file.
#[derive(Debug, Clone)]
pub struct UploadSender {
    pub(crate) credential: Credential,
    token: Option<Arc<SignedUrlToken>>,
}

impl<S: Sync> FromRequestParts<S> for UploadSender {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let extensions: &Extensions = &parts.extensions;
        let credential = extensions.get().cloned().expect("a layer adds the credential");
        Ok(Self { credential, token: extensions.get().cloned() })
    }
}

/// Middleware that verifies the token of a signed upload URL and adds its issuer as the credential.
///
/// # Errors
/// With their real status: `InvalidSignature` without the header and for a token of another purpose, `InvalidJWT`,
/// `AccessDenied` if the issuer's session ended, the password was changed or the account banned.
pub async fn authenticate_signature(
    State(app): State<Arc<App>>,
    mut request: Request,
    next: Next,
) -> Response {
    match verify(&app, header_text(request.headers(), "x-signature")).await {
        Ok(token) => {
            request.extensions_mut().insert(token.issuer().credential());
            request.extensions_mut().insert(Arc::new(token));
            next.run(request).await
        }
        Err(error) => error.with_real_status().into_response(),
    }
}

async fn verify(app: &Arc<App>, token: Option<&str>) -> Result<SignedUrlToken, StorageError> {
    if token.is_none() {
        return Err(StorageError::invalid_signature("Missing x-signature header"));
    }
    let token = SignedUrlToken::verify(app, token, Scope::Upload)?;
    let (issuer, signed_at) = (token.issuer(), token.signed_at());
    app.read(move |tx, app| issuer.authenticate(tx, app, signed_at).map(drop)).await?;
    Ok(token)
}

impl UploadSender {
    /// Returns the route of the sender's uploads.
    pub(crate) fn route(&self) -> &'static str {
        if self.token.is_some() { "upload/resumable/sign" } else { "upload/resumable" }
    }

    /// Checks that the sender may create an upload of this file, and returns whether it may replace an existing one. The
    /// token states both; the header `x-upsert` does not change it.
    ///
    /// # Errors
    /// `InvalidSignature` for another file than that of the token.
    pub(crate) fn check_target(
        &self,
        path: &ObjectPath,
        wants_upsert: bool,
    ) -> Result<bool, StorageError> {
        let Some(token) = &self.token else { return Ok(wants_upsert) };
        token.check_path(&path.bucket, &path.name)?;
        Ok(token.upsert())
    }

    /// Returns the person whose share of the simultaneous uploads a request takes. The holder of a token has the share
    /// of the address alone, and takes none from the issuer.
    pub(crate) fn person(&self) -> Option<UserId> {
        if self.token.is_some() { None } else { self.credential.person() }
    }

    /// Checks that a token has not begun too many uploads. The caller inserts the next one in the same transaction.
    ///
    /// # Errors
    /// `ResourceLocked` until one of them is completed, deleted or expired.
    pub(crate) fn check_unfinished(
        &self,
        tx: &mut Tx<'_>,
        app: &App,
        path: &ObjectPath,
    ) -> Result<(), StorageError> {
        if self.token.is_none() {
            return Ok(());
        }
        lease::advisory_lock(tx, LOCK_NAME)?;
        let unfinished = upload::count_unfinished(tx, &path.bucket, &path.name, app.clock.now())?;
        if unfinished >= MAX_UNFINISHED { Err(StorageError::locked()) } else { Ok(()) }
    }

    /// Finds an upload of the sender. The service key reaches every upload, a token only those of its file.
    ///
    /// # Errors
    /// `AccessDenied` for clients; `NoSuchUpload` for a missing or expired upload, and for one of another sender.
    pub(crate) fn find_upload(
        &self,
        tx: &mut Tx<'_>,
        app: &App,
        id: &str,
    ) -> Result<Upload, StorageError> {
        let caller = require_staff(tx, &self.credential, app)?;
        let upload = upload::find(tx, id, app.clock.now())?;
        let is_own = |upload: &Upload| {
            let is_creator = caller == Caller::Service || upload.owner_id == caller.user();
            is_creator && self.token.as_ref().is_none_or(|token| is_permitted(token, upload))
        };
        upload.filter(is_own).ok_or_else(StorageError::no_upload)
    }
}

/// Whether a token permits an upload: it is for the same file, and permits a replacement if the upload replaces.
fn is_permitted(token: &SignedUrlToken, upload: &Upload) -> bool {
    token.check_path(&upload.bucket_id, &upload.name).is_ok()
        && (token.upsert() || !upload.replaces)
}
