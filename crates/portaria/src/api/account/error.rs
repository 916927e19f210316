//! Errors of `/account/v1` (`docs/protocol/account.md`, section 1).

use std::time::Duration;

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde_json::json;

use crate::{
    accounts::{
        self,
        authenticate::{AuthenticationError, SessionError},
    },
    api::retry_after,
    db,
    error::{internal_error_message, internal_error_status},
    security::rate_limit::RateLimited,
    telemetry::request_id,
};

/// The codes of all errors of `/account/v1`. The web app's type `ErrorCode` is generated from them.
pub const CODES: &[&str] = &[
    "insufficient_aal",
    "link_closed",
    "member_exists",
    "member_not_possible",
    "method_not_allowed",
    "no_authorization",
    "no_person",
    "no_recipient",
    "not_admin",
    "not_found",
    "not_owner",
    "over_request_rate_limit",
    "password_change_required",
    "session_not_found",
    "too_many_devices",
    "too_many_inbox_tokens",
    "too_many_members",
    "unexpected_failure",
    "user_not_found",
    "validation_failed",
    "wrong_answer",
];

/// An error response, `{"code", "message"}`.
#[derive(Debug)]
pub struct AccountError {
    status: StatusCode,
    code: &'static str,
    message: String,
    /// Time after which a retry can succeed.
    retry_after: Option<Duration>,
}

impl AccountError {
    fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        debug_assert!(CODES.contains(&code), "{code} is missing in CODES");
        Self { status, code, message: message.into(), retry_after: None }
    }

    pub(crate) fn no_authorization() -> Self {
        let message = "This endpoint requires a valid Bearer token";
        Self::new(StatusCode::UNAUTHORIZED, "no_authorization", message)
    }

    pub(crate) fn session_ended() -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "session_not_found", "The session is over")
    }

    pub(crate) fn no_person() -> Self {
        Self::new(StatusCode::FORBIDDEN, "no_person", "This is for people alone")
    }

    pub(crate) fn not_admin() -> Self {
        Self::new(StatusCode::FORBIDDEN, "not_admin", "User not allowed")
    }

    pub(crate) fn no_client() -> Self {
        Self::new(StatusCode::NOT_FOUND, "user_not_found", "User not found")
    }

    pub(crate) fn not_owner() -> Self {
        let message = "Only an owner of the client manages its people";
        Self::new(StatusCode::FORBIDDEN, "not_owner", message)
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "validation_failed", message)
    }

    pub(crate) fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", "Not found")
    }

    pub(crate) fn no_recipient() -> Self {
        let message = "No client may open the document at present";
        Self::new(StatusCode::CONFLICT, "no_recipient", message)
    }

    pub(crate) fn link_closed() -> Self {
        Self::new(StatusCode::GONE, "link_closed", "The link does not open the document any more")
    }

    pub(crate) fn wrong_answer() -> Self {
        Self::new(StatusCode::FORBIDDEN, "wrong_answer", "The answer is wrong")
    }

    pub(crate) fn invalid_subscription() -> Self {
        Self::invalid("The subscription is invalid, or its push service is not supported")
    }

    pub(crate) fn too_many_devices() -> Self {
        let message = "The person has the maximum number of devices with notifications";
        Self::new(StatusCode::CONFLICT, "too_many_devices", message)
    }

    pub(crate) fn too_many_inbox_tokens() -> Self {
        let message = "The office has the maximum number of tokens of the inbox";
        Self::new(StatusCode::CONFLICT, "too_many_inbox_tokens", message)
    }

    pub(crate) fn method_not_allowed() -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", "Method not allowed")
    }

    /// An error of the program. It is logged; the caller learns the request's id.
    pub(crate) fn internal(error: &anyhow::Error) -> Self {
        tracing::error!(request = request_id::current(), %error, "request failed");
        let message = format!("Internal error, request {}", request_id::current());
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "unexpected_failure", message)
    }
}

impl From<db::Error> for AccountError {
    fn from(error: db::Error) -> Self {
        let message = internal_error_message(&error);
        Self::new(internal_error_status(&error), "unexpected_failure", message)
    }
}

impl From<AuthenticationError> for AccountError {
    fn from(error: AuthenticationError) -> Self {
        match error {
            AuthenticationError::Session(error) => error.into(),
            AuthenticationError::Database(error) => error.into(),
        }
    }
}

impl From<SessionError> for AccountError {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::SessionEnded | SessionError::UserNotFound | SessionError::Banned => {
                Self::session_ended()
            }
            SessionError::MfaRequired { .. } => {
                let message = "AAL2 session is required";
                Self::new(StatusCode::FORBIDDEN, "insufficient_aal", message)
            }
            SessionError::PasswordChangeRequired { .. } => {
                let message = "A new password must be chosen first";
                Self::new(StatusCode::FORBIDDEN, "password_change_required", message)
            }
        }
    }
}

impl From<accounts::AccountError> for AccountError {
    fn from(error: accounts::AccountError) -> Self {
        use accounts::AccountError as E;
        match error {
            E::MemberExists => Self::new(StatusCode::CONFLICT, "member_exists", error.to_string()),
            E::MemberNotPossible => {
                let status = StatusCode::UNPROCESSABLE_ENTITY;
                Self::new(status, "member_not_possible", error.to_string())
            }
            E::TooManyMembers => {
                Self::new(StatusCode::CONFLICT, "too_many_members", error.to_string())
            }
            E::RateLimited(wait) | E::MailRateLimited(wait) | E::MailLimitExceeded(wait) => {
                wait.into()
            }
            E::Session(error) => error.into(),
            E::Database(error) => error.into(),
            error => Self::invalid(error.to_string()),
        }
    }
}

impl From<RateLimited> for AccountError {
    fn from(RateLimited(wait): RateLimited) -> Self {
        let status = StatusCode::TOO_MANY_REQUESTS;
        let error = Self::new(status, "over_request_rate_limit", "Request rate limit reached");
        Self { retry_after: Some(wait), ..error }
    }
}

impl IntoResponse for AccountError {
    fn into_response(self) -> Response {
        let body = Json(json!({"code": self.code, "message": self.message}));
        retry_after::add((self.status, body).into_response(), self.retry_after)
    }
}
