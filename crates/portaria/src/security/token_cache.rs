//! Access tokens that came lately: the same one comes with each of a person's requests.
//!
//! Only that the portal signed a token is remembered, which never changes. What it is worth now, by its times and its
//! session, is asked with every request.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// So many tokens are remembered at most.
const KNOWN: usize = 10_000;

/// The claims of an access token that we read (RFC 7519 and the contract name them); the others are for the client
/// library.
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "RFC 7519 and the contract name them")]
pub struct Claims {
    pub sub: Option<String>,
    pub aud: Option<Value>,
    pub exp: Option<i64>,
    pub iat: Option<i64>,
    pub nbf: Option<i64>,
    pub role: Option<String>,
    pub session_id: Option<String>,
    /// Whose portal a viewer looks at.
    pub client_id: Option<String>,
}

/// Claims by the hash of the token that made them.
#[derive(Default)]
pub(crate) struct TokenCache(Mutex<HashMap<[u8; 32], Arc<Claims>>>);

impl TokenCache {
    /// The claims of a token: as they are known, or as `verify` finds them.
    pub(crate) fn claims<E>(
        &self,
        token: &str,
        verify: impl FnOnce() -> Result<Claims, E>,
    ) -> Result<Arc<Claims>, E> {
        let hash: [u8; 32] = Sha256::digest(token.as_bytes()).into();
        let known = || self.0.lock().expect("nobody panics while they hold it");
        let found = known().get(&hash).cloned();
        if let Some(claims) = found {
            return Ok(claims);
        }
        let claims = Arc::new(verify()?);
        let mut known = known();
        if known.len() >= KNOWN {
            known.clear();
        }
        known.insert(hash, Arc::clone(&claims));
        Ok(claims)
    }
}
