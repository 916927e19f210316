//! Errors of the account rules.

use crate::{accounts::authenticate::SessionError, db, security::rate_limit::RateLimited};

/// A rule of accounts refuses an operation. [`AccountError::code`] identifies the rule.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AccountError {
    /// An input is malformed. The message names it.
    #[error("{0}")]
    Invalid(&'static str),
    /// The local part of an e-mail address is not ASCII.
    #[error("The part of an email address before the @ may hold only ASCII characters")]
    EmailNotAscii,
    /// The password has fewer characters than the setting `password_min` requires.
    #[error("Password should be at least {min} characters.")]
    PasswordTooShort {
        /// Minimum number of characters.
        min: usize,
    },
    /// Attackers try the password first.
    #[error("Password is known to be weak and easy to guess, please choose a different one.")]
    CommonPassword,
    /// Another account has the address.
    #[error("A user with this email address has already been registered")]
    EmailExists,
    /// The person is a member of the client already.
    #[error("The person is a member of the client already")]
    MemberExists,
    /// The address belongs to an account that cannot act for a client.
    #[error("The account of this address cannot act for a client")]
    MemberNotPossible,
    /// The client has too many people, or the person too many clients.
    #[error("The client has too many people, or the person too many clients")]
    TooManyMembers,
    /// The one-time token does not apply to the account any more.
    #[error("Email link is invalid or has expired")]
    LinkExpired,
    /// Too many wrong passwords or codes.
    #[error("too many attempts")]
    RateLimited(RateLimited),
    /// Too many mails were requested for an address.
    #[error("too many mails for one address")]
    MailRateLimited(RateLimited),
    /// Too many mails were requested from the portal.
    #[error("email rate limit exceeded")]
    MailLimitExceeded(RateLimited),
    /// No PKCE flow has this code.
    #[error("invalid flow state, no valid flow state found")]
    FlowStateNotFound,
    /// The code of the PKCE flow has expired.
    #[error("invalid flow state, flow state has expired")]
    FlowStateExpired,
    /// The code verifier does not match the code challenge (RFC 7636, section 4.6).
    #[error("code challenge does not match previously saved code verifier")]
    BadCodeVerifier,
    /// The session grants no access.
    #[error("the session grants no access: {0:?}")]
    Session(SessionError),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] db::Error),
}

impl AccountError {
    /// Returns the stable code of the rule.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Invalid(_) => "validation_failed",
            Self::EmailNotAscii => "email_address_not_ascii",
            Self::PasswordTooShort { .. } | Self::CommonPassword => "weak_password",
            Self::EmailExists => "email_exists",
            Self::MemberExists => "member_exists",
            Self::MemberNotPossible => "member_not_possible",
            Self::TooManyMembers => "too_many_members",
            Self::LinkExpired => "otp_expired",
            Self::RateLimited(_) => "over_request_rate_limit",
            Self::MailRateLimited(_) | Self::MailLimitExceeded(_) => "over_email_send_rate_limit",
            Self::FlowStateNotFound => "flow_state_not_found",
            Self::FlowStateExpired => "flow_state_expired",
            Self::BadCodeVerifier => "bad_code_verifier",
            Self::Session(_) => "session",
            Self::Database(_) => "unexpected_failure",
        }
    }
}

impl From<SessionError> for AccountError {
    fn from(error: SessionError) -> Self {
        Self::Session(error)
    }
}
