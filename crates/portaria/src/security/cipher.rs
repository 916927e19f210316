//! Secrets that must be read again and therefore cannot be hashed: they are stored encrypted (AES-256-GCM), by a key
//! that is not in the database.

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};

/// Encrypts and decrypts.
pub struct Cipher(LessSafeKey);

impl Cipher {
    pub(crate) fn new(key: &[u8; 32]) -> Self {
        let key = UnboundKey::new(&AES_256_GCM, key).expect("a key of AES-256 has 32 bytes");
        Self(LessSafeKey::new(key))
    }

    /// A secret as it is stored. It can be read only as what belongs to `place`, so that nobody who writes to the
    /// database can put one account's secret in the place of another's.
    #[must_use]
    pub fn close(&self, place: &str, secret: &[u8]) -> String {
        // Chance repeats itself only after far more secrets than there are people.
        let mut nonce = [0; NONCE_LEN];
        crate::security::keys::random_bytes(&mut nonce);
        let mut sealed = secret.to_vec();
        self.0
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(place.as_bytes()),
                &mut sealed,
            )
            .expect("a secret is short");
        BASE64.encode([nonce.as_slice(), &sealed].concat())
    }

    /// A stored secret; `None` if it was changed, belongs elsewhere, or was stored under another key.
    #[must_use]
    pub fn open(&self, place: &str, stored: &str) -> Option<Vec<u8>> {
        let bytes = BASE64.decode(stored).ok()?;
        let (nonce, sealed) = bytes.split_at_checked(NONCE_LEN)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut sealed = sealed.to_vec();
        let opened = self.0.open_in_place(nonce, Aad::from(place.as_bytes()), &mut sealed);
        opened.ok().map(|secret| secret.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use crate::security::cipher::Cipher;

    #[test]
    fn a_secret_opens_unchanged_in_its_own_place_by_its_own_key() {
        let vault = Cipher::new(&[7; 32]);
        let stored = vault.close("a", b"secret");
        assert_eq!(vault.open("a", &stored).as_deref(), Some(b"secret".as_slice()));
        assert_ne!(vault.close("a", b"secret"), stored);
        assert_eq!(vault.open("b", &stored), None);
        assert_eq!(Cipher::new(&[8; 32]).open("a", &stored), None);
        for at in 0..stored.len() - 1 {
            let mut other = stored.clone().into_bytes();
            other[at] = if other[at] == b'A' { b'B' } else { b'A' };
            assert_eq!(vault.open("a", &String::from_utf8(other).unwrap()), None);
        }
        assert_eq!(vault.open("a", ""), None);
    }
}
