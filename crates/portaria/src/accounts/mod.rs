//! Accounts: users, sessions, MFA factors, passkeys, one-time tokens, signing keys, and the rules that change them.
//!
//! The handlers of `/auth/v1` (`api/auth`) parse requests and call these modules within a transaction.

pub(crate) mod assignment_hooks;
pub mod authenticate;
pub mod confirmation;
pub mod email_change;
pub mod error;
pub(crate) mod hooks;
pub(crate) mod invitation;
pub mod login_attempts;
pub(crate) mod member_invitation;
pub(crate) mod member_limit;
pub mod mfa_factor;
pub mod office_role;
pub mod one_time_token;
pub mod passkeys;
pub mod pkce;
pub mod redirect_to;
mod resolve;
pub(crate) mod saved_views;
pub mod session;
pub mod signing_keys;
pub mod user;
pub mod validation;
pub mod verification_mail;

pub use error::AccountError;
