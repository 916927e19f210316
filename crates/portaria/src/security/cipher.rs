//! Encryption of secrets that the server must read again, and therefore cannot hash: AES-256-GCM, with a key that is
//! not in the database.

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};

/// An encryption key.
pub struct Cipher(LessSafeKey);

impl Cipher {
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        let key = UnboundKey::new(&AES_256_GCM, key).expect("an AES-256 key has 32 bytes");
        Self(LessSafeKey::new(key))
    }

    /// Encrypts a secret for storage. `context` is authenticated (AAD), so that a person with write access to the
    /// database cannot move one account's secret to another.
    #[must_use]
    pub fn encrypt(&self, context: &str, secret: &[u8]) -> String {
        // The probability that a random nonce of 96 bits repeats is negligible for this number of secrets.
        let mut nonce = [0; NONCE_LEN];
        crate::security::keys::random_bytes(&mut nonce);
        let mut ciphertext = secret.to_vec();
        self.0
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(context.as_bytes()),
                &mut ciphertext,
            )
            .expect("the secret is shorter than the limit of AES-GCM");
        BASE64.encode([nonce.as_slice(), &ciphertext].concat())
    }

    /// Decrypts a stored secret. `None` if it was modified, belongs to another context, or was encrypted with another
    /// key.
    #[must_use]
    pub fn decrypt(&self, context: &str, stored: &str) -> Option<Vec<u8>> {
        let bytes = BASE64.decode(stored).ok()?;
        let (nonce, ciphertext) = bytes.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut ciphertext = ciphertext.to_vec();
        let plaintext = self.0.open_in_place(nonce, Aad::from(context.as_bytes()), &mut ciphertext);
        plaintext.ok().map(|secret| secret.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use crate::security::cipher::Cipher;

    #[test]
    fn secret_decrypts_only_unmodified_with_its_context_and_key() {
        let cipher = Cipher::new(&[7; 32]);
        let stored = cipher.encrypt("a", b"secret");
        assert_eq!(cipher.decrypt("a", &stored).as_deref(), Some(b"secret".as_slice()));
        assert_ne!(cipher.encrypt("a", b"secret"), stored);
        assert_eq!(cipher.decrypt("b", &stored), None);
        assert_eq!(Cipher::new(&[8; 32]).decrypt("a", &stored), None);
        for at in 0..stored.len() - 1 {
            let mut other = stored.clone().into_bytes();
            other[at] = if other[at] == b'A' { b'B' } else { b'A' };
            assert_eq!(cipher.decrypt("a", &String::from_utf8(other).unwrap()), None);
        }
        assert_eq!(cipher.decrypt("a", ""), None);
    }
}
