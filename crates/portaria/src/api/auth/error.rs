//! Errors of the routes below `/auth/v1` and their two JSON forms (`docs/protocol/auth.md`, section 2).

use std::time::Duration;

use axum::{
    extract::Request,
    http::{HeaderValue, StatusCode},
    middleware::Next,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use crate::{
    accounts::{
        AccountError,
        authenticate::{AuthenticationError, SessionError, TokenError},
        session::RefreshError,
    },
    api::{
        auth::error_codes::CODES,
        retry_after::{self, ceil_seconds},
    },
    db,
    error::{internal_error_message, internal_error_status},
    security::{password, rate_limit::RateLimited},
};

/// An error with the code on which clients act.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct AuthError {
    status: StatusCode,
    code: &'static str,
    message: String,
    /// Reason of `weak_password`: `length` or `pwned`.
    weak_password: Option<&'static str>,
    /// Time after which a retry can succeed.
    retry_after: Option<Duration>,
}

const VERSION_HEADER: &str = "x-supabase-api-version";
/// First version of the protocol whose error bodies are `{code, message}`.
const API_VERSION: &str = "2024-01-01";
/// Timeout for a request to `/auth/v1`.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

impl AuthError {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        debug_assert!(CODES.contains(&code), "{code} is missing in CODES");
        Self { status, code, message: message.into(), weak_password: None, retry_after: None }
    }

    pub(crate) fn bad_request(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, message)
    }

    pub(crate) fn validation(message: impl Into<String>) -> Self {
        Self::bad_request("validation_failed", message)
    }

    pub(crate) fn unprocessable(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, message)
    }

    pub(crate) fn forbidden(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, code, message)
    }

    pub(crate) fn invalid_credentials() -> Self {
        Self::bad_request("invalid_credentials", "Invalid login credentials")
    }

    pub(crate) fn no_authorization() -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "no_authorization",
            "This endpoint requires a valid Bearer token",
        )
    }

    pub(crate) fn not_admin() -> Self {
        Self::forbidden("not_admin", "User not allowed")
    }

    pub(crate) fn insufficient_aal(message: &str) -> Self {
        Self::forbidden("insufficient_aal", message)
    }

    pub(crate) fn staff_account() -> Self {
        let message = "An administrator's data are erased once the role is taken away";
        Self::unprocessable("staff_account", message)
    }

    pub(crate) fn erasure_not_confirmed() -> Self {
        Self::unprocessable("erasure_not_confirmed", "The address typed is not the account's")
    }

    pub(crate) fn user_not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "user_not_found", "User not found")
    }

    pub(crate) fn not_a_user_id() -> Self {
        Self::new(StatusCode::NOT_FOUND, "validation_failed", "user_id must be an UUID")
    }

    pub(crate) fn not_a_factor_id() -> Self {
        Self::new(StatusCode::NOT_FOUND, "validation_failed", "factor_id must be an UUID")
    }

    pub(crate) fn factor_not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "mfa_factor_not_found", "Factor not found")
    }

    pub(crate) fn recovery_codes_locked(limit: RateLimited) -> Self {
        let message = "Too many wrong recovery codes, try again later";
        Self {
            code: "mfa_recovery_codes_locked",
            message: message.into(),
            ..Self::rate_limited(limit)
        }
    }

    pub(crate) fn last_admin() -> Self {
        Self::unprocessable("last_admin", "The last administrator must remain one, and not banned")
    }

    /// Banned account in a request for tokens. Other requests answer with [`SessionError::Banned`].
    pub(crate) fn banned() -> Self {
        Self::bad_request("user_banned", "User is banned")
    }

    pub(crate) fn own_account() -> Self {
        Self::forbidden("own_account", "Administrators cannot delete themselves")
    }

    pub(crate) fn setup_token_invalid() -> Self {
        Self::forbidden("setup_token_invalid", "The set-up link is invalid or was used already")
    }

    pub(crate) fn email_exists() -> Self {
        Self::unprocessable(
            "email_exists",
            "A user with this email address has already been registered",
        )
    }

    /// JSON of `weak_password` in the response to a sign-in whose password no longer meets the rules.
    pub(crate) fn weak_password_json(&self) -> Option<Value> {
        self.weak_password.map(|reason| json!({"message": self.message, "reasons": [reason]}))
    }

    pub(crate) fn user_exists() -> Self {
        Self::unprocessable("user_already_exists", "User already registered")
    }

    pub(crate) fn link_expired() -> Self {
        Self::forbidden("otp_expired", "Email link is invalid or has expired")
    }

    pub(crate) fn code_expired() -> Self {
        Self::forbidden("otp_expired", "Token has expired or is invalid")
    }

    pub(crate) fn phone_provider_disabled(message: &str) -> Self {
        Self::bad_request("phone_provider_disabled", message)
    }

    pub(crate) fn rate_limited(RateLimited(wait): RateLimited) -> Self {
        let error = Self::new(
            StatusCode::TOO_MANY_REQUESTS,
            "over_request_rate_limit",
            "Request rate limit reached",
        );
        Self { retry_after: Some(wait), ..error }
    }

    /// 503 instead of 429: the client library drops a session whose refresh is answered with any 4xx.
    pub(crate) fn refresh_rate_limited(limit: RateLimited) -> Self {
        Self { status: StatusCode::SERVICE_UNAVAILABLE, ..Self::rate_limited(limit) }
    }

    pub(crate) fn mail_rate_limited(RateLimited(wait): RateLimited) -> Self {
        let seconds = ceil_seconds(wait);
        let message =
            format!("For security purposes, you can only request this after {seconds} seconds.");
        let status = StatusCode::TOO_MANY_REQUESTS;
        let error = Self::new(status, "over_email_send_rate_limit", message);
        Self { retry_after: Some(wait), ..error }
    }

    pub(crate) fn timeout() -> Self {
        Self::new(
            StatusCode::GATEWAY_TIMEOUT,
            "request_timeout",
            "Processing this request timed out, please retry after a moment.",
        )
    }

    pub(crate) fn too_large() -> Self {
        Self::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "request_entity_too_large",
            "Request body exceeds the maximum of 1 MB",
        )
    }

    /// Status, code and message, for the redirect of an opened link.
    pub(crate) fn parts(&self) -> (StatusCode, &'static str, &str) {
        (self.status, self.code, &self.message)
    }

    pub(crate) fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", "Not found")
    }

    pub(crate) fn method_not_allowed() -> Self {
        Self::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", "Method not allowed")
    }
}

impl From<db::Error> for AuthError {
    fn from(error: db::Error) -> Self {
        match error {
            db::Error::Unique(name) if name == "users_email_key" => Self::email_exists(),
            db::Error::Unique(name) if name == "users_pkey" => Self::user_exists(),
            error => {
                let status = internal_error_status(&error);
                let code = if status == StatusCode::SERVICE_UNAVAILABLE {
                    "unavailable"
                } else {
                    "unexpected_failure"
                };
                Self::new(status, code, internal_error_message(&error))
            }
        }
    }
}

impl From<AccountError> for AuthError {
    fn from(error: AccountError) -> Self {
        let status = match error {
            AccountError::Database(error) => return error.into(),
            AccountError::Session(error) => return error.into(),
            AccountError::RateLimited(limit) => return Self::rate_limited(limit),
            AccountError::MailRateLimited(limit) => return Self::mail_rate_limited(limit),
            AccountError::FlowStateNotFound => StatusCode::NOT_FOUND,
            AccountError::LinkExpired => StatusCode::FORBIDDEN,
            AccountError::MailLimitExceeded(_) => StatusCode::TOO_MANY_REQUESTS,
            AccountError::PasswordTooShort { .. }
            | AccountError::CommonPassword
            | AccountError::EmailExists
            | AccountError::FlowStateExpired => StatusCode::UNPROCESSABLE_ENTITY,
            _ => StatusCode::BAD_REQUEST,
        };
        let weak_password = match error {
            AccountError::PasswordTooShort { .. } => Some("length"),
            AccountError::CommonPassword => Some("pwned"),
            _ => None,
        };
        let retry_after = match error {
            AccountError::MailLimitExceeded(RateLimited(wait)) => Some(wait),
            _ => None,
        };
        Self { weak_password, retry_after, ..Self::new(status, error.code(), error.to_string()) }
    }
}

impl From<RefreshError> for AuthError {
    fn from(error: RefreshError) -> Self {
        Self::bad_request(error.code(), error.to_string())
    }
}

impl From<RateLimited> for AuthError {
    fn from(limit: RateLimited) -> Self {
        Self::rate_limited(limit)
    }
}

impl From<password::HashingOverloaded> for AuthError {
    fn from(_: password::HashingOverloaded) -> Self {
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "unavailable",
            "Too many sign-ins at once, try again",
        )
    }
}

impl From<AuthenticationError> for AuthError {
    fn from(error: AuthenticationError) -> Self {
        match error {
            AuthenticationError::Session(error) => error.into(),
            AuthenticationError::Database(error) => error.into(),
        }
    }
}

impl From<SessionError> for AuthError {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::SessionEnded => Self::forbidden(
                "session_not_found",
                "Session from session_id claim in JWT does not exist",
            ),
            SessionError::UserNotFound => {
                Self::forbidden("user_not_found", "User from sub claim in JWT does not exist")
            }
            SessionError::Banned => Self::forbidden("user_banned", "User is banned"),
            SessionError::MfaRequired { .. } => Self::insufficient_aal("AAL2 session is required"),
            SessionError::PasswordChangeRequired { .. } => {
                Self::forbidden("password_change_required", "A new password must be chosen first")
            }
        }
    }
}

impl From<TokenError> for AuthError {
    fn from(error: TokenError) -> Self {
        let reason = match error {
            TokenError::Missing | TokenError::Malformed => {
                "token contains an invalid number of segments"
            }
            TokenError::Signature => "signature is invalid",
            TokenError::Expired => "token has invalid claims: token is expired",
            TokenError::NotYetValid => "token has invalid claims: token is not valid yet",
            TokenError::Audience => "token has invalid claims: token has invalid audience",
            TokenError::NoRole => "token has invalid claims: missing role",
            TokenError::NoSubject => {
                return Self::forbidden("bad_jwt", "invalid claim: missing sub claim");
            }
        };
        Self::forbidden(
            "bad_jwt",
            format!("invalid JWT: unable to parse or verify signature, {reason}"),
        )
    }
}

impl IntoResponse for AuthError {
    /// [`render_errors`] writes the body, because the form depends on the version in the request.
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

/// Writes the bodies of errors, in the form of the version that the request names.
pub async fn render_errors(request: Request, next: Next) -> Response {
    let versioned = request
        .headers()
        .get(VERSION_HEADER)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|text| text >= API_VERSION);
    let response = next.run(request).await;
    let Some(error) = response.extensions().get::<AuthError>() else { return response };
    let mut body = if versioned {
        json!({"code": error.code, "message": error.message})
    } else {
        json!({"code": error.status.as_u16(), "error_code": error.code, "msg": error.message})
    };
    if let Some(reason) = error.weak_password {
        body["weak_password"] = json!({"reasons": [reason]});
    }
    let mut rendered = (error.status, axum::Json(body)).into_response();
    let headers = rendered.headers_mut();
    headers.insert("x-sb-error-code", HeaderValue::from_static(error.code));
    if versioned {
        headers.insert(VERSION_HEADER, HeaderValue::from_static(API_VERSION));
    }
    retry_after::add(rendered, error.retry_after)
}

/// Ends a request with `request_timeout` after `REQUEST_TIMEOUT`. A transaction in progress is still completed.
pub async fn enforce_timeout(request: Request, next: Next) -> Response {
    let response = tokio::time::timeout(REQUEST_TIMEOUT, next.run(request)).await;
    response.unwrap_or_else(|_| AuthError::timeout().into_response())
}
