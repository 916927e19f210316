//! Callers, ids, e-mail addresses, keys, tokens, password hashing, encryption, TOTP and rate limits.

pub mod caller;
pub mod cipher;
pub mod email_address;
pub mod ids;
pub mod keys;
pub mod password;
pub mod rate_limit;
pub mod token_cache;
pub mod totp;
