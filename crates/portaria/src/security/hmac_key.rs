//! Keys for HMAC-SHA-256.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::security::keys::hex;

/// A key for HMAC-SHA-256.
#[derive(Clone, Copy)]
pub struct HmacKey(pub(super) [u8; 32]);

impl HmacKey {
    /// Returns the HMAC-SHA-256 of a text, in lower-case hexadecimal.
    #[must_use]
    pub fn hmac_hex(&self, text: &str) -> String {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes a key of any length");
        mac.update(text.as_bytes());
        hex(&mac.finalize().into_bytes())
    }
}
