//! Callers, ids, e-mail addresses, keys, tokens, password hashing, encryption, TOTP, rate limits and concurrency
//! limits.

pub mod caller;
pub mod cipher;
pub mod concurrency_limit;
pub mod email_address;
pub mod ids;
pub mod keys;
pub mod password;
pub mod rate_limit;
pub mod token_cache;
pub mod totp;
