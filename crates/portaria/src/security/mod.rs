//! Callers, ids, e-mail addresses, keys, tokens, password hashing, encryption, TOTP, rate limits, concurrency
//! limits and memory pools.

pub mod caller;
pub mod cipher;
pub mod concurrency_limit;
pub mod email_address;
pub mod hmac_key;
pub mod ids;
pub(crate) mod jwt;
pub mod key_ring;
pub mod keys;
pub mod last_callers;
pub mod memory_pool;
pub mod password;
pub(crate) mod portal_secret;
pub mod push_encryption;
pub mod rate_limit;
pub mod signing_key;
pub mod token_cache;
pub mod totp;
pub mod vapid;
