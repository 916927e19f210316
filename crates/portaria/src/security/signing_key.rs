//! ES256 key pairs that sign access tokens (RFC 7518, section 3.4). Other programs verify these tokens with the public
//! key alone.

use aws_lc_rs::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair},
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, errors::Error};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::security::{cipher::Cipher, ids::SigningKeyId, jwt};

/// Length of a coordinate of a point on P-256, in bytes.
const COORDINATE_BYTES: usize = 32;

/// A key pair.
pub struct SigningKey {
    id: SigningKeyId,
    private: EncodingKey,
    public: DecodingKey,
    jwk: Value,
}

impl SigningKey {
    /// Creates a key pair, and returns its private key in the form in which the database stores it.
    #[must_use]
    pub fn generate(id: SigningKeyId, cipher: &Cipher) -> String {
        let random = SystemRandom::new();
        let private = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random)
            .expect("the operating system provides randomness");
        cipher.encrypt(&id.to_string(), private.as_ref())
    }

    /// Decrypts a stored private key. `None` if the present portal secret did not encrypt it for this id.
    ///
    /// The public key is derived from the private one, so a person who can write to the database but does not have the
    /// secret cannot add a public key of their own.
    #[must_use]
    pub fn open(id: SigningKeyId, stored: &str, cipher: &Cipher) -> Option<Self> {
        let private = cipher.decrypt(&id.to_string(), stored)?;
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &private).ok()?;
        // An uncompressed point: 4, x, y.
        let (x, y) = pair.public_key().as_ref().get(1..)?.split_at_checked(COORDINATE_BYTES)?;
        let (x, y) = (BASE64.encode(x), BASE64.encode(y));
        Some(Self {
            id,
            private: EncodingKey::from_ec_der(&private),
            public: DecodingKey::from_ec_components(&x, &y).ok()?,
            jwk: json!({
                "kid": id, "kty": "EC", "crv": "P-256", "x": x, "y": y,
                "alg": "ES256", "use": "sig", "key_ops": ["verify"], "ext": true,
            }),
        })
    }

    /// The id, which is the `kid` of the tokens.
    #[must_use]
    pub fn id(&self) -> SigningKeyId {
        self.id
    }

    /// The public key as a JSON Web Key (RFC 7517).
    #[must_use]
    pub fn jwk(&self) -> &Value {
        &self.jwk
    }

    /// Signs claims.
    #[must_use]
    pub fn sign(&self, claims: &impl Serialize) -> String {
        let mut header = Header::new(Algorithm::ES256);
        header.kid = Some(self.id.to_string());
        jwt::sign(&header, claims, &self.private)
    }

    /// Verifies the signature of a token and returns its claims. The caller checks the times.
    ///
    /// # Errors
    /// The token is malformed, uses another algorithm, or was signed with another key.
    pub fn verify<T: DeserializeOwned>(&self, token: &str) -> Result<T, Error> {
        jwt::verify(token, Algorithm::ES256, &self.public)
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::{Value, json};

    use crate::security::{cipher::Cipher, ids::SigningKeyId, signing_key::SigningKey};

    #[test]
    fn signing_key_opens_only_with_its_id_and_secret() {
        let (cipher, id) = (Cipher::new(&[7; 32]), SigningKeyId::new(Timestamp::UNIX_EPOCH));
        let stored = SigningKey::generate(id, &cipher);
        let key = SigningKey::open(id, &stored, &cipher).unwrap();
        let claims = json!({"sub": "x"});
        assert_eq!(key.verify::<Value>(&key.sign(&claims)).unwrap(), claims);
        assert!(SigningKey::open(id, &stored, &Cipher::new(&[8; 32])).is_none());
        let other = SigningKeyId::new(Timestamp::UNIX_EPOCH);
        assert!(SigningKey::open(other, &stored, &cipher).is_none());
        let other = SigningKey::open(other, &SigningKey::generate(other, &cipher), &cipher);
        assert!(key.verify::<Value>(&other.unwrap().sign(&claims)).is_err());
    }

    #[test]
    fn jwk_contains_no_private_part() {
        let (cipher, id) = (Cipher::new(&[7; 32]), SigningKeyId::new(Timestamp::UNIX_EPOCH));
        let key = SigningKey::open(id, &SigningKey::generate(id, &cipher), &cipher).unwrap();
        let names: Vec<&String> = key.jwk().as_object().unwrap().keys().collect();
        assert_eq!(names, ["kid", "kty", "crv", "x", "y", "alg", "use", "key_ops", "ext"]);
    }
}
