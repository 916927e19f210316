//! The key pair by which push services recognize the portal (VAPID, RFC 8292).

use aws_lc_rs::{
    agreement::{ECDH_P256, PrivateKey},
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair},
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;
use sha2::{Digest, Sha256};

/// Lifetime of a token. RFC 8292, section 2, allows 24 hours.
const LIFETIME: SignedDuration = SignedDuration::from_hours(12);

/// The key pair. It is derived from the portal secret, so every node has the same one.
#[derive(Debug)]
pub struct VapidKey {
    pair: EcdsaKeyPair,
    public: String,
}

impl VapidKey {
    /// Derives the key pair from 32 bytes that only the portal knows.
    #[must_use]
    pub(crate) fn derive(mut seed: [u8; 32]) -> Self {
        loop {
            // One of 2^32 values is not below the order of the curve.
            if let Some(key) = Self::from_scalar(&seed) {
                return key;
            }
            seed = Sha256::digest(seed).into();
        }
    }

    fn from_scalar(scalar: &[u8; 32]) -> Option<Self> {
        let private = PrivateKey::from_private_key(&ECDH_P256, scalar).ok()?;
        let public = private.compute_public_key().ok()?;
        let algorithm = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let pair =
            EcdsaKeyPair::from_private_key_and_public_key(algorithm, scalar, public.as_ref());
        let pair = pair.ok()?;
        let public = BASE64.encode(pair.public_key().as_ref());
        Some(Self { pair, public })
    }

    /// The public key, which browsers bind their subscriptions to: an uncompressed point in base64url.
    #[must_use]
    pub fn public_key(&self) -> &str {
        &self.public
    }

    /// Returns the value of the header `Authorization` for a push service.
    ///
    /// # Parameters
    /// `origin` is the push service's, `contact` an address at which its operator reaches the office: `https:` or
    /// `mailto:`.
    #[must_use]
    pub fn authorization(&self, origin: &str, contact: &str, now: Timestamp) -> String {
        let claims = json!({"aud": origin, "exp": (now + LIFETIME).as_second(), "sub": contact});
        let header = BASE64.encode(r#"{"typ":"JWT","alg":"ES256"}"#);
        let signed = format!("{header}.{}", BASE64.encode(claims.to_string()));
        let signature = self.pair.sign(&SystemRandom::new(), signed.as_bytes());
        let signature = signature.expect("the operating system provides randomness");
        let signature = BASE64.encode(signature.as_ref());
        format!("vapid t={signed}.{signature}, k={}", self.public)
    }
}
