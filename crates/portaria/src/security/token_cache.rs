//! Cache of verified access tokens: a client sends the same token with each request.
//!
//! The cache holds only the result of the signature check, which never changes. Times, session and account are checked
//! on every request.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::{Number, Value};
use sha2::{Digest, Sha256};

/// Maximum number of cached tokens.
const MAX_ENTRIES: usize = 10_000;

/// Claims of an access token that the server reads (`docs/protocol/auth.md`, section 3.3). The other claims are for the
/// client library.
#[derive(Debug, Deserialize)]
#[expect(missing_docs, reason = "RFC 7519 and docs/protocol/auth.md define them")]
pub struct Claims {
    pub sub: Option<String>,
    pub aud: Option<Value>,
    #[serde(default, deserialize_with = "numeric_date")]
    pub exp: Option<i64>,
    #[serde(default, deserialize_with = "numeric_date")]
    pub iat: Option<i64>,
    #[serde(default, deserialize_with = "numeric_date")]
    pub nbf: Option<i64>,
    pub role: Option<String>,
    pub session_id: Option<String>,
    /// The impersonated client of a viewer's token.
    pub client_id: Option<String>,
    pub app_metadata: Option<Value>,
}

/// Deserializes a time in seconds, which may have a fraction (RFC 7519, `NumericDate`). The fraction is dropped.
fn numeric_date<'de, D: Deserializer<'de>>(source: D) -> Result<Option<i64>, D::Error> {
    let number: Option<Number> = Option::deserialize(source)?;
    let Some(number) = number else { return Ok(None) };
    let whole = number.as_f64().and_then(|seconds| format!("{:.0}", seconds.floor()).parse().ok());
    let seconds = number.as_i64().or(whole);
    seconds.map(Some).ok_or_else(|| D::Error::custom("a time is out of range"))
}

impl Claims {
    /// Whether the account had the role `admin` when the token was issued.
    pub(crate) fn was_admin(&self) -> bool {
        let roles = self.app_metadata.as_ref().and_then(|metadata| metadata.get("roles"));
        roles
            .and_then(Value::as_array)
            .is_some_and(|roles| roles.iter().any(|role| role == "admin"))
    }
}

/// Claims by the SHA-256 of their token.
#[derive(Default)]
pub(crate) struct TokenCache(Mutex<HashMap<[u8; 32], Arc<Claims>>>);

impl TokenCache {
    /// Returns the cached claims of a token, or those that `verify` returns.
    pub(crate) fn claims<E>(
        &self,
        token: &str,
        verify: impl FnOnce() -> Result<Claims, E>,
    ) -> Result<Arc<Claims>, E> {
        let hash: [u8; 32] = Sha256::digest(token.as_bytes()).into();
        let entries = || self.0.lock().expect("no thread panics while it holds the lock");
        let cached = entries().get(&hash).cloned();
        if let Some(claims) = cached {
            return Ok(claims);
        }
        let claims = Arc::new(verify()?);
        let mut entries = entries();
        if entries.len() >= MAX_ENTRIES {
            entries.clear();
        }
        entries.insert(hash, Arc::clone(&claims));
        Ok(claims)
    }
}
