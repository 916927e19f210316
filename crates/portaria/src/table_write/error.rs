//! Rejected writes: code, message and kind. The wire surface decides how it answers each kind.

use crate::{
    db,
    schema::{Table, value::InvalidValue},
    security::{caller::Caller, rate_limit::RateLimited},
};

/// A write that was not made.
#[derive(Debug)]
pub(crate) enum WriteError {
    /// A rule does not allow the write.
    Rejected(Rejection),
    /// The database failed.
    Database(db::Error),
}

/// The reason of a rejected write. Its texts contain at most what the caller sent, never data of other people.
#[derive(Debug)]
pub(crate) struct Rejection {
    pub(crate) kind: RejectionKind,
    /// A code of PostgreSQL or PostgREST for their rules, a name for the portal's own.
    pub(crate) code: &'static str,
    pub(crate) message: String,
    pub(crate) details: Option<String>,
    pub(crate) hint: Option<&'static str>,
}

/// The kind of a rejection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RejectionKind {
    /// A value, or a combination of values, is not allowed.
    Invalid,
    /// Only callers with an account may write this row.
    Unauthenticated,
    /// The caller may not write this row.
    Forbidden,
    /// The row to change does not exist.
    NotFound,
    /// The write contradicts other rows or the state of the row.
    Conflict,
    /// A person has to correct a text. The interface displays the message.
    Unprocessable,
    /// The caller created too many rows in a short time.
    RateLimited(RateLimited),
}

impl WriteError {
    pub(crate) fn new(kind: RejectionKind, code: &'static str, message: impl Into<String>) -> Self {
        let message = message.into();
        Self::Rejected(Rejection { kind, code, message, details: None, hint: None })
    }

    pub(crate) fn invalid(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(RejectionKind::Invalid, code, message)
    }

    pub(crate) fn conflict(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(RejectionKind::Conflict, code, message)
    }

    pub(crate) fn unprocessable(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(RejectionKind::Unprocessable, code, message)
    }

    /// Adds details to a rejection.
    pub(crate) fn details(mut self, text: impl Into<String>) -> Self {
        if let Self::Rejected(rejection) = &mut self {
            rejection.details = Some(text.into());
        }
        self
    }

    /// Adds a hint to a rejection.
    pub(crate) fn hint(mut self, text: &'static str) -> Self {
        if let Self::Rejected(rejection) = &mut self {
            rejection.hint = Some(text);
        }
        self
    }

    pub(crate) fn not_null(table: &Table, column: &str) -> Self {
        Self::invalid(
            "23502",
            format!(
                "null value in column \"{column}\" of relation \"{}\" violates not-null constraint",
                table.name
            ),
        )
    }

    pub(crate) fn check_violation(table: &Table, check: &str) -> Self {
        let name = table.name;
        let message =
            format!("new row for relation \"{name}\" violates check constraint \"{check}\"");
        Self::invalid("23514", message)
    }

    pub(crate) fn foreign_key(table: &str) -> Self {
        Self::conflict(
            "23503",
            format!(
                "insert, update or delete on table \"{table}\" violates foreign key constraint"
            ),
        )
    }

    pub(crate) fn row_denied(caller: Caller, table: &Table) -> Self {
        let kind = if caller == Caller::Anon {
            RejectionKind::Unauthenticated
        } else {
            RejectionKind::Forbidden
        };
        Self::new(
            kind,
            "42501",
            format!("new row violates row-level security policy for table \"{}\"", table.name),
        )
    }

    pub(crate) fn rate_limited(table: &Table, limit: RateLimited) -> Self {
        let message = format!("Too many new rows of {} in a minute, try again later", table.name);
        Self::new(RejectionKind::RateLimited(limit), "PT429", message)
    }
}

impl From<db::Error> for WriteError {
    fn from(error: db::Error) -> Self {
        Self::Database(error)
    }
}

impl From<InvalidValue> for WriteError {
    fn from(InvalidValue { code, message }: InvalidValue) -> Self {
        Self::invalid(code, message)
    }
}
