//! Errors of the table API: `{code, message, details, hint}` (docs/protocol/rest.md, section 4.4).
//!
//! Codes are PostgREST's (`PGRST…`) and PostgreSQL's, because the client library and its users match on them.
//! Texts for people are in Portuguese and have codes of their own, such as `document_held`.

use std::time::Duration;

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use crate::{
    accounts::authenticate::{AuthenticationError, SessionError, TokenError},
    api::retry_after,
    db,
    error::internal_error_status,
    schema::{Column, Table, value::InvalidValue},
    security::{caller::Caller, rate_limit::RateLimited},
    table_write::{RejectionKind, WriteError},
    telemetry::request_id,
};

/// The codes of all errors of the table API. The web app's type `ErrorCode` is generated from them.
pub const CODES: &[&str] = &[
    "21000",
    "22001",
    "22003",
    "22007",
    "22008",
    "2201B",
    "22023",
    "22025",
    "22P02",
    "22P05",
    "23502",
    "23503",
    "23505",
    "23514",
    "42501",
    "42601",
    "42703",
    "42704",
    "42803",
    "42804",
    "42883",
    "428C9",
    "42P10",
    "53100",
    "53200",
    "57014",
    "PGRST001",
    "PGRST100",
    "PGRST101",
    "PGRST102",
    "PGRST103",
    "PGRST105",
    "PGRST106",
    "PGRST107",
    "PGRST108",
    "PGRST114",
    "PGRST115",
    "PGRST116",
    "PGRST117",
    "PGRST118",
    "PGRST120",
    "PGRST122",
    "PGRST124",
    "PGRST125",
    "PGRST127",
    "PGRST200",
    "PGRST201",
    "PGRST202",
    "PGRST204",
    "PGRST205",
    "PGRST301",
    "PGRST303",
    "PT404",
    "PT409",
    "PT429",
    "XX000",
    "answer_too_large",
    "document_held",
    "document_answered",
    "document_replaced",
    "folder_deleted",
    "folder_held",
    "file_filed",
    "idempotency_key_in_use",
    "idempotency_key_invalid",
    "idempotency_key_reused",
    "inbox_published",
    "inbox_unresolved",
    "insufficient_aal",
    "mail_gone",
    "mail_state",
    "office_settings",
    "password_change_required",
    "reminders_off",
    "request_state",
    "template_depth",
    "template_image",
    "template_size",
    "template_subject",
    "template_variables",
    "too_many_recognition_rules",
    "too_many_saved_views",
];

/// An error answer. Its texts contain at most what the caller sent, never data of other people.
#[derive(Debug)]
pub struct RestError {
    status: StatusCode,
    code: &'static str,
    message: String,
    /// Boxed: a value is larger than all other fields together.
    with_details: Option<Box<Value>>,
    hint: Option<String>,
    authenticate: bool,
    /// Time after which a retry can succeed.
    retry_after: Option<Duration>,
}

impl RestError {
    pub(crate) fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        debug_assert!(CODES.contains(&code), "{code} is missing in CODES");
        Self {
            status,
            code,
            message: message.into(),
            with_details: None,
            hint: None,
            authenticate: false,
            retry_after: None,
        }
    }

    pub(crate) fn bad_request(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, code, message)
    }

    pub(crate) fn details(self, details: impl Into<Value>) -> Self {
        Self { with_details: Some(Box::new(details.into())), ..self }
    }

    pub(crate) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    pub(crate) fn not_acceptable(accept: &str) -> Self {
        let message = format!("None of these media types are available: {accept}");
        Self::new(StatusCode::NOT_ACCEPTABLE, "PGRST107", message)
    }

    pub(crate) fn unknown_table(name: &str) -> Self {
        let message = format!("Could not find the table 'public.{name}' in the schema cache");
        Self::new(StatusCode::NOT_FOUND, "PGRST205", message)
    }

    pub(crate) fn unknown_schema(name: &str) -> Self {
        Self::new(StatusCode::NOT_ACCEPTABLE, "PGRST106", format!("Invalid schema: {name}"))
            .hint("Only the following schemas are exposed: public")
    }

    /// A text with a NUL character, which PostgreSQL cannot store or compare.
    pub(crate) fn nul_byte() -> Self {
        Self::bad_request("22P05", "unsupported Unicode escape sequence")
    }

    pub(crate) fn unknown_column(table: &Table, name: &str) -> Self {
        Self::bad_request("42703", format!("column {}.{name} does not exist", table.name))
    }

    pub(crate) fn unknown_payload_column(table: &Table, name: &str) -> Self {
        Self::bad_request(
            "PGRST204",
            format!("Could not find the '{name}' column of '{}' in the schema cache", table.name),
        )
    }

    pub(crate) fn unknown_relation(table: &Table, name: &str, hint: Option<&str>) -> Self {
        let using = hint.map(|hint| format!(" using the hint '{hint}'")).unwrap_or_default();
        Self::bad_request(
            "PGRST200",
            format!("Could not find a relationship between '{}' and '{name}' in the schema cache", table.name),
        )
        .details(format!(
            "Searched for a foreign key relationship between '{}' and '{name}'{using} in the schema 'public', but no matches were found.",
            table.name
        ))
    }

    pub(crate) fn bad_embed_operator(name: &str) -> Self {
        Self::bad_request("PGRST120", format!("Bad operator on the '{name}' embedded resource"))
            .details("Only is null or not is null filters are allowed on embedded resources")
    }

    /// An operator or function that does not exist for a type.
    pub(crate) fn undefined_function(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "42883", message)
    }

    pub(crate) fn no_path_into(column: &Column) -> Self {
        Self::undefined_function(format!("operator does not exist: -> on column {}", column.name))
    }

    pub(crate) fn unsupported(feature: impl Into<String>) -> Self {
        let feature: String = feature.into();
        Self::bad_request("PGRST127", "Feature not implemented").details(feature)
    }

    pub(crate) fn denied(caller: Caller, table: &Table) -> Self {
        if table.staff_only && !caller.is_staff() {
            return Self::unknown_table(table.name);
        }
        Self::forbidden(caller, format!("permission denied for table {}", table.name))
    }

    fn forbidden(caller: Caller, message: String) -> Self {
        let status =
            if caller == Caller::Anon { StatusCode::UNAUTHORIZED } else { StatusCode::FORBIDDEN };
        Self { authenticate: caller == Caller::Anon, ..Self::new(status, "42501", message) }
    }

    pub(crate) fn not_single(rows: usize) -> Self {
        Self::new(
            StatusCode::NOT_ACCEPTABLE,
            "PGRST116",
            "Cannot coerce the result to a single JSON object",
        )
        .details(format!("The result contains {rows} rows"))
    }

    pub(crate) fn offset_beyond(offset: u64, total: u64) -> Self {
        Self::new(StatusCode::RANGE_NOT_SATISFIABLE, "PGRST103", "Requested range not satisfiable")
            .details(format!(
                "An offset of {offset} was requested, but there are only {total} rows."
            ))
    }

    /// An answer above a limit, which `details` names.
    pub(crate) fn answer_too_large(details: impl Into<String>) -> Self {
        let message = "A resposta é grande demais. Peça menos linhas ou menos colunas.";
        let details: String = details.into();
        Self::bad_request("answer_too_large", message).details(details)
    }

    /// The answers in flight use all their memory.
    pub(crate) fn out_of_memory() -> Self {
        let message = "The memory for answers is in use. Retry later.";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "53200", message)
    }

    /// Whether the request may succeed when other answers have been sent.
    pub(crate) fn is_out_of_memory(&self) -> bool {
        self.code == "53200"
    }

    /// A text of a person that cannot be saved. The interface displays the message.
    pub(crate) fn unprocessable(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, message)
    }

    pub(crate) fn body_too_large() -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "PGRST102", "The request body is larger than 1 MB")
    }

    pub(crate) fn method_not_allowed(method: &str) -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "PGRST117",
            format!("Unsupported HTTP method: {method}"),
        )
    }

    pub(crate) fn unknown_path() -> Self {
        Self::new(StatusCode::NOT_FOUND, "PGRST125", "Invalid path specified in request URL")
    }
}

impl From<WriteError> for RestError {
    fn from(error: WriteError) -> Self {
        let rejection = match error {
            WriteError::Rejected(rejection) => rejection,
            WriteError::Database(error) => return error.into(),
        };
        let status = match rejection.kind {
            RejectionKind::Invalid => StatusCode::BAD_REQUEST,
            RejectionKind::Unauthenticated => StatusCode::UNAUTHORIZED,
            RejectionKind::Forbidden => StatusCode::FORBIDDEN,
            RejectionKind::NotFound => StatusCode::NOT_FOUND,
            RejectionKind::Conflict => StatusCode::CONFLICT,
            RejectionKind::Unprocessable => StatusCode::UNPROCESSABLE_ENTITY,
            RejectionKind::RateLimited(_) => StatusCode::TOO_MANY_REQUESTS,
        };
        Self {
            status,
            code: rejection.code,
            message: rejection.message,
            with_details: rejection.details.map(|details| Box::new(details.into())),
            hint: rejection.hint.map(str::to_owned),
            authenticate: rejection.kind == RejectionKind::Unauthenticated,
            retry_after: match rejection.kind {
                RejectionKind::RateLimited(RateLimited(wait)) => Some(wait),
                _ => None,
            },
        }
    }
}

impl From<InvalidValue> for RestError {
    fn from(InvalidValue { code, message }: InvalidValue) -> Self {
        Self::bad_request(code, message)
    }
}

impl From<db::Error> for RestError {
    fn from(error: db::Error) -> Self {
        if let db::Error::TimedOut = error {
            let status = StatusCode::INTERNAL_SERVER_ERROR;
            return Self::new(status, "57014", "canceling statement due to statement timeout");
        }
        let status = internal_error_status(&error);
        let details = format!("Request {}", request_id::current());
        if let db::Error::DiskFull(_) = error {
            let message = "could not write: No space left on device";
            return Self::new(status, "53100", message).details(details);
        }
        if status == StatusCode::SERVICE_UNAVAILABLE {
            Self::new(status, "PGRST001", "Database client error. Retrying the connection.")
                .details(details)
        } else {
            Self::new(status, "XX000", "Internal server error").details(details)
        }
    }
}

impl From<AuthenticationError> for RestError {
    fn from(error: AuthenticationError) -> Self {
        match error {
            AuthenticationError::Session(error) => error.into(),
            AuthenticationError::Database(error) => error.into(),
        }
    }
}

impl From<SessionError> for RestError {
    fn from(error: SessionError) -> Self {
        let message = match error {
            SessionError::SessionEnded => "The session of this JWT has ended",
            SessionError::UserNotFound => "The user of this JWT does not exist",
            SessionError::Banned => "The user of this JWT is banned",
            SessionError::MfaRequired { .. } => {
                let message = "AAL2 session is required";
                return Self::new(StatusCode::FORBIDDEN, "insufficient_aal", message);
            }
            SessionError::PasswordChangeRequired { .. } => {
                let message = "A new password must be chosen first";
                return Self::new(StatusCode::FORBIDDEN, "password_change_required", message);
            }
        };
        Self { authenticate: true, ..Self::new(StatusCode::UNAUTHORIZED, "PGRST301", message) }
    }
}

impl From<TokenError> for RestError {
    fn from(error: TokenError) -> Self {
        let (code, message) = match error {
            TokenError::Missing | TokenError::Malformed => ("PGRST301", "Expected 3 parts in JWT"),
            TokenError::Signature => ("PGRST301", "No suitable key or wrong key type"),
            TokenError::Expired => ("PGRST303", "JWT expired"),
            TokenError::NotYetValid => ("PGRST303", "JWT not yet valid"),
            TokenError::Audience => ("PGRST303", "JWT not in audience"),
            TokenError::NoRole | TokenError::NoSubject => ("PGRST303", "Parsing claims failed"),
        };
        Self { authenticate: true, ..Self::new(StatusCode::UNAUTHORIZED, code, message) }
    }
}

impl From<portaria_query::Error> for RestError {
    fn from(error: portaria_query::Error) -> Self {
        match error {
            portaria_query::Error::Syntax { part, text, column, details } => Self::bad_request(
                "PGRST100",
                format!("\"failed to parse {part} ({text})\" (line 1, column {column})"),
            )
            .details(details),
            portaria_query::Error::NotEmbedded(name) => Self::bad_request(
                "PGRST108",
                format!("'{name}' is not an embedded resource in this request"),
            )
            .hint(format!("Verify that '{name}' is included in the 'select' query parameter.")),
            portaria_query::Error::NegativeLimit => Self::new(
                StatusCode::RANGE_NOT_SATISFIABLE,
                "PGRST103",
                "Requested range not satisfiable",
            )
            .details("Limit should be greater than or equal to zero."),
            portaria_query::Error::TooLarge(what) => Self::unsupported(what),
        }
    }
}

impl IntoResponse for RestError {
    fn into_response(self) -> Response {
        let body = json!({
            "code": self.code, "message": self.message, "details": self.with_details, "hint": self.hint,
        });
        let mut response = (self.status, Json(body)).into_response();
        let headers = response.headers_mut();
        if let Ok(value) = HeaderValue::from_str(&format!("PostgREST; error={}", self.code)) {
            headers.insert("proxy-status", value);
        }
        if self.authenticate {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        retry_after::add(response, self.retry_after)
    }
}
