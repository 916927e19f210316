//! Errors of the Storage API (`docs/protocol/storage.md`, sections 1.2 and 1.3).
//!
//! As in the original, the HTTP status is 400 for most of them, and `statusCode` in the body is the real status.

use std::io;

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::json;

use crate::{
    accounts::authenticate::{AuthenticationError, SessionError, TokenError},
    api::retry_after,
    blob::is_disk_full,
    db,
    error::{internal_error_status, log_internal_error},
    policy::Denied,
    stored_files::{
        client_upload::ClientUploadError, file_type::UnacceptedType, quota::QuotaError,
    },
    telemetry::request_id,
};

/// Error code for an exhausted quota or a full disk.
const QUOTA_EXCEEDED: &str = "QuotaExceeded";
/// The message for a full disk.
const DISK_FULL: &str = "Não há espaço livre para guardar o arquivo.";

/// The codes of all errors of the Storage API. The web app's type `ErrorCode` is generated from them.
pub const CODES: &[&str] = &[
    "AccessDenied",
    "BucketAlreadyExists",
    "DatabaseTimeout",
    "EntityTooLarge",
    "InternalError",
    "InvalidBucketName",
    "InvalidJWT",
    "InvalidKey",
    "InvalidMimeType",
    "InvalidRange",
    "InvalidRequest",
    "InvalidSignature",
    "KeyAlreadyExists",
    "MethodNotAllowed",
    "NoSuchBucket",
    "NoSuchKey",
    "NoSuchUpload",
    "NotFound",
    "QuotaExceeded",
    "ResourceLocked",
    "ResourceNotEmpty",
    "ServerBusy",
    "SlowDown",
    "TusError",
    "insufficient_aal",
    "password_change_required",
];

/// An error response. `http` is the HTTP status; `status` is the `statusCode` of the body.
#[derive(Debug)]
pub struct StorageError {
    http: StatusCode,
    status: u16,
    code: &'static str,
    error: &'static str,
    message: String,
}

impl StorageError {
    fn new(
        status: u16,
        code: &'static str,
        error: &'static str,
        message: impl Into<String>,
    ) -> Self {
        debug_assert!(CODES.contains(&code), "{code} is missing in CODES");
        Self { http: StatusCode::BAD_REQUEST, status, code, error, message: message.into() }
    }

    pub(crate) fn no_bucket() -> Self {
        Self::new(404, "NoSuchBucket", "Bucket not found", "Bucket not found")
    }

    pub(crate) fn no_object() -> Self {
        Self::new(404, "NoSuchKey", "not_found", "Object not found")
    }

    pub(crate) fn exists() -> Self {
        Self::new(409, "KeyAlreadyExists", "Duplicate", "The resource already exists")
    }

    pub(crate) fn bucket_exists() -> Self {
        Self::new(409, "BucketAlreadyExists", "Duplicate", "The resource already exists")
    }

    pub(crate) fn bucket_not_empty() -> Self {
        Self::new(
            409,
            "ResourceNotEmpty",
            "ResourceNotEmpty",
            "The bucket you tried to delete is not empty",
        )
    }

    pub(crate) fn invalid_bucket_name() -> Self {
        Self::new(400, "InvalidBucketName", "Invalid Input", "Bucket name invalid")
    }

    pub(crate) fn too_large() -> Self {
        Self::new(
            413,
            "EntityTooLarge",
            "Payload too large",
            "The object exceeded the maximum allowed size",
        )
    }

    /// As [`Self::too_large`], with the message that tus clients know.
    pub(crate) fn resumable_too_large() -> Self {
        Self::new(413, "EntityTooLarge", "Payload too large", "Maximum size exceeded")
    }

    pub(crate) fn invalid_mime_type(mime_type: &str) -> Self {
        Self::new(
            415,
            "InvalidMimeType",
            "invalid_mime_type",
            format!("mime type {mime_type} is not supported"),
        )
    }

    pub(crate) fn invalid_content_type() -> Self {
        Self::new(415, "InvalidMimeType", "invalid_mime_type", "Invalid Content-Type header")
    }

    pub(crate) fn invalid_key(key: &str) -> Self {
        Self::new(400, "InvalidKey", "InvalidKey", format!("Invalid key: {key}"))
    }

    pub(crate) fn invalid_range() -> Self {
        Self::new(400, "InvalidRange", "invalid_range", "invalid range provided")
    }

    pub(crate) fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(400, "InvalidRequest", "InvalidRequest", message)
    }

    pub(crate) fn row_level_security() -> Self {
        Self::denied("new row violates row-level security policy")
    }

    pub(crate) fn denied(message: impl Into<String>) -> Self {
        Self::new(403, "AccessDenied", "Unauthorized", message)
    }

    /// A token of the inbox that is unknown or was revoked.
    pub(crate) fn no_inbox_token() -> Self {
        Self::denied("The token is unknown or was revoked")
    }

    /// A request without any credential. The original refuses it while it validates the headers.
    fn missing_authorization() -> Self {
        let message = "headers must have required property 'authorization'";
        Self::new(400, "InvalidRequest", "Error", message)
    }

    pub(crate) fn too_many_unattached_files() -> Self {
        Self::new(429, "SlowDown", "SlowDown", "Too many files wait for their message")
    }

    /// No space is left. `message` is shown to the user.
    pub(crate) fn no_space(message: &str) -> Self {
        Self::new(507, QUOTA_EXCEEDED, QUOTA_EXCEEDED, message)
    }

    pub(crate) fn too_many_uploads() -> Self {
        Self::busy("Too many files are on their way in")
    }

    pub(crate) fn too_many_images() -> Self {
        Self::busy("Too many images wait for their transformation")
    }

    pub(crate) fn out_of_memory() -> Self {
        Self::busy("The memory for answers is in use")
    }

    fn busy(message: &str) -> Self {
        let error = Self::new(503, "ServerBusy", "ServerBusy", message);
        Self { http: StatusCode::SERVICE_UNAVAILABLE, ..error }
    }

    pub(crate) fn locked() -> Self {
        Self::new(409, "ResourceLocked", "ResourceLocked", "The resource is locked")
    }

    pub(crate) fn offset_mismatch() -> Self {
        Self::new(409, "TusError", "TusError", "Upload-Offset conflict")
    }

    pub(crate) fn wrong_version() -> Self {
        Self::new(412, "TusError", "TusError", "Tus-Resumable version not supported")
    }

    pub(crate) fn no_upload() -> Self {
        Self::new(404, "NoSuchUpload", "NoSuchUpload", "Upload not found")
    }

    /// Replaces the HTTP status 400 by the real status, which tus clients evaluate.
    pub(crate) fn with_real_status(self) -> Self {
        if self.http != StatusCode::BAD_REQUEST {
            return self;
        }
        let http = StatusCode::from_u16(self.status).unwrap_or(self.http);
        Self { http, ..self }
    }

    /// Whether a retry would fail in the same way.
    pub(crate) fn is_final(&self) -> bool {
        self.http.is_client_error() && self.code != QUOTA_EXCEEDED
    }

    pub(crate) fn invalid_signature(message: impl Into<String>) -> Self {
        Self::new(400, "InvalidSignature", "InvalidSignature", message)
    }

    pub(crate) fn invalid_url_token(message: impl Into<String>) -> Self {
        Self::new(400, "InvalidJWT", "InvalidJWT", message)
    }

    pub(crate) fn url_token_expired() -> Self {
        Self::invalid_url_token("\"exp\" claim timestamp check failed")
    }

    pub(crate) fn not_found() -> Self {
        let error = Self::new(404, "NotFound", "not_found", "Not found");
        Self { http: StatusCode::NOT_FOUND, ..error }
    }

    pub(crate) fn method_not_allowed() -> Self {
        let error = Self::new(405, "MethodNotAllowed", "method_not_allowed", "Method not allowed");
        Self { http: StatusCode::METHOD_NOT_ALLOWED, ..error }
    }

    /// An internal error. The HTTP status 503 means that a retry may succeed; the body carries the original's status.
    fn internal(http: StatusCode, status: u16, code: &'static str, error: &'static str) -> Self {
        let message = format!("Internal error, request {}", request_id::current());
        Self { http, ..Self::new(status, code, error, message) }
    }
}

impl From<db::Error> for StorageError {
    fn from(error: db::Error) -> Self {
        match error {
            db::Error::Unique(_) => Self::exists(),
            // An object's only foreign key is its bucket, which was deleted during the upload.
            db::Error::ForeignKey(_) => Self::no_bucket(),
            db::Error::Busy => {
                Self::internal(internal_error_status(&error), 429, "SlowDown", "SlowDown")
            }
            db::Error::DiskFull(_) => {
                log_internal_error(&error);
                Self::no_space(DISK_FULL)
            }
            db::Error::Unavailable(_) | db::Error::SyncFailed(_) => Self::internal(
                internal_error_status(&error),
                544,
                "DatabaseTimeout",
                "DatabaseTimeout",
            ),
            error => Self::internal(
                internal_error_status(&error),
                500,
                "InternalError",
                "internal_error",
            ),
        }
    }
}

impl From<io::Error> for StorageError {
    fn from(error: io::Error) -> Self {
        if is_disk_full(&error) {
            tracing::error!(request = request_id::current(), %error, "disk full");
            return Self::no_space(DISK_FULL);
        }
        tracing::error!(request = request_id::current(), %error, "blob store failed");
        Self::internal(StatusCode::SERVICE_UNAVAILABLE, 503, "InternalError", "internal_error")
    }
}

impl From<UnacceptedType> for StorageError {
    fn from(unaccepted: UnacceptedType) -> Self {
        match unaccepted {
            UnacceptedType::NoExtension => Self::invalid_mime_type("without an extension"),
            UnacceptedType::Found(found) => Self::invalid_mime_type(&found),
        }
    }
}

impl From<QuotaError> for StorageError {
    fn from(error: QuotaError) -> Self {
        match error {
            QuotaError::Portal => Self::no_space("O espaço para arquivos do portal acabou."),
            QuotaError::Client => Self::no_space("O espaço para os arquivos deste cliente acabou."),
            QuotaError::Database(error) => error.into(),
        }
    }
}

impl From<Denied> for StorageError {
    fn from(_: Denied) -> Self {
        Self::row_level_security()
    }
}

impl From<ClientUploadError> for StorageError {
    fn from(error: ClientUploadError) -> Self {
        match error {
            ClientUploadError::Denied => Self::row_level_security(),
            ClientUploadError::TooManyWaiting => Self::too_many_unattached_files(),
            ClientUploadError::InvalidName(name) => Self::invalid_key(&name),
            ClientUploadError::Database(error) => error.into(),
        }
    }
}

impl From<AuthenticationError> for StorageError {
    fn from(error: AuthenticationError) -> Self {
        match error {
            AuthenticationError::Session(error) => error.into(),
            AuthenticationError::Database(error) => error.into(),
        }
    }
}

impl From<SessionError> for StorageError {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::SessionEnded | SessionError::UserNotFound | SessionError::Banned => {
                Self::denied("The session of this JWT has ended")
            }
            SessionError::MfaRequired { .. } => {
                Self::new(403, "insufficient_aal", "Unauthorized", "AAL2 session is required")
            }
            SessionError::PasswordChangeRequired { .. } => {
                let message = "A new password must be chosen first";
                Self::new(403, "password_change_required", "Unauthorized", message)
            }
        }
    }
}

impl From<TokenError> for StorageError {
    fn from(error: TokenError) -> Self {
        Self::denied(match error {
            TokenError::Malformed => "Invalid Compact JWS",
            TokenError::Expired => "\"exp\" claim timestamp check failed",
            TokenError::NotYetValid => "\"nbf\" claim timestamp check failed",
            TokenError::Missing => return Self::missing_authorization(),
            _ => "signature verification failed",
        })
    }
}

impl IntoResponse for StorageError {
    fn into_response(self) -> Response {
        let body = json!({
            "statusCode": self.status.to_string(), "code": self.code, "error": self.error, "message": self.message,
        });
        let response = (self.http, Json(body)).into_response();
        // A limit has the HTTP status 400, except for resumable uploads.
        let is_limited = self.http.is_client_error() && self.status == 429;
        retry_after::add(response, is_limited.then_some(retry_after::DEFAULT_WAIT))
    }
}
