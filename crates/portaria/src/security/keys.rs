//! Randomness, signing keys and tokens. Only this module calls the system's random number generator.

use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use jsonwebtoken::{
    Algorithm, DecodingKey, EncodingKey, Header,
    errors::{Error, ErrorKind},
};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::json;
use sha2::{Digest, Sha256};
use uuid::Uuid;

pub use crate::security::cipher::Cipher;
pub use crate::security::hmac_key::HmacKey;
pub use crate::security::portal_secret::{SECRET_FILE, check_secret};
pub use crate::security::token_cache::Claims;
use crate::{
    db::{self, Tx},
    security::{
        ids::SessionId,
        jwt::{self, TokenKey},
        key_ring::KeyRing,
        portal_secret,
        token_cache::TokenCache,
        vapid::VapidKey,
    },
};

/// Keys of the portal. All are derived from the portal secret, so a node needs no other secret.
pub struct Keys {
    encoding: EncodingKey,
    decoding: DecodingKey,
    token_cache: TokenCache,
    refresh_key: [u8; 32],
    otp_key: [u8; 32],
    calendar_key: [u8; 32],
    setup_key: HmacKey,
    personal_link_key: HmacKey,
    audit_chain_key: HmacKey,
    factor_cipher: Cipher,
    ring: KeyRing,
    unsubscribe: HmacKey,
    reply_address: HmacKey,
    vapid: VapidKey,
    signed_url_jwt: (EncodingKey, DecodingKey),
    fingerprint: String,
    /// The public key: a JWT with the role `anon`.
    pub anon: String,
    /// The service key: a JWT with the role `service_role`.
    pub service_role: String,
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keys").finish_non_exhaustive()
    }
}

impl Keys {
    /// Derives the keys from the configured secret, or from the secret in `folder`. A missing one is created if `is_new`
    /// returns true: rows that were written under another secret cannot be read with a new one.
    ///
    /// # Errors
    /// A message for the operator if the secret is missing, or if its file can be neither read nor written.
    pub fn open(
        configured: Option<&str>,
        folder: &Path,
        is_new: impl FnOnce() -> anyhow::Result<bool>,
    ) -> anyhow::Result<Self> {
        portal_secret::find(configured, folder, is_new).map(|secret| Self::from_secret(&secret))
    }

    /// Returns the secret in `folder`.
    ///
    /// # Errors
    /// A message for the operator if the file is missing or cannot be read.
    pub fn stored(folder: &Path) -> anyhow::Result<String> {
        portal_secret::read(folder)
    }

    /// Derives the keys from a secret that [`check_secret`] accepts.
    #[must_use]
    pub fn from_secret(secret: &str) -> Self {
        let encoding = EncodingKey::from_secret(secret.as_bytes());
        let decoding = DecodingKey::from_secret(secret.as_bytes());
        let signed_url_jwt = derive(secret, "file links");
        let api_key = |role: &str| {
            // Constant times make the API keys a function of the secret: they are not stored, and equal on every node.
            let claims = json!({"iss": "portaria", "role": role, "iat": 1_767_225_600, "exp": 4_102_444_800_i64});
            sign(&claims, &encoding)
        };
        let (anon, service_role) = (api_key("anon"), api_key("service_role"));
        Self {
            refresh_key: derive(secret, "refresh tokens"),
            otp_key: derive(secret, "mailed codes"),
            calendar_key: derive(secret, "calendar addresses"),
            setup_key: HmacKey(derive(secret, "set-up links")),
            personal_link_key: HmacKey(derive(secret, "personal links")),
            audit_chain_key: HmacKey(derive(secret, "activity log")),
            factor_cipher: Cipher::new(&derive(secret, "second factors")),
            ring: KeyRing::new(Cipher::new(&derive(secret, "signing keys"))),
            unsubscribe: HmacKey(derive(secret, "unsubscribe links")),
            reply_address: HmacKey(derive(secret, "reply addresses")),
            vapid: VapidKey::derive(derive(secret, "web push")),
            signed_url_jwt: (
                EncodingKey::from_secret(&signed_url_jwt),
                DecodingKey::from_secret(&signed_url_jwt),
            ),
            fingerprint: hex(&derive(secret, "mark of the secret")),
            encoding,
            decoding,
            token_cache: TokenCache::default(),
            anon,
            service_role,
        }
    }

    /// Signs a token with the portal secret (HS256).
    #[must_use]
    pub fn sign_token(&self, claims: &impl Serialize) -> String {
        sign(claims, &self.encoding)
    }

    /// Signs an access token of a session: with the active signing key (ES256), or with the portal secret (HS256) if
    /// there is none or it cannot be decrypted.
    ///
    /// # Errors
    /// Database errors.
    pub fn sign_access_token(
        &self,
        tx: &mut Tx<'_>,
        claims: &impl Serialize,
    ) -> Result<String, db::Error> {
        let key = self.ring.active(tx)?;
        Ok(key.map_or_else(|| self.sign_token(claims), |key| key.sign(claims)))
    }

    /// Verifies the signature of a token. The caller checks the times, and calls [`KeyRing::load_for`] before.
    ///
    /// # Errors
    /// The token is malformed, uses another algorithm than its key, or was signed with a key that is not in force.
    pub fn verify_token(&self, token: &str) -> Result<VerifiedToken, Error> {
        let (claims, has_signing_key) = match jwt::token_key(token)? {
            TokenKey::Secret => {
                let verify = || jwt::verify(token, Algorithm::HS256, &self.decoding);
                (self.token_cache.claims(token, verify)?, false)
            }
            TokenKey::SigningKey(id) => {
                // The cache does not know whether the key was revoked.
                let key = self.ring.get(id).ok_or(ErrorKind::InvalidSignature)?;
                (self.token_cache.claims(token, || key.verify(token))?, true)
            }
        };
        Ok(VerifiedToken { claims, has_signing_key })
    }

    /// Signs the token of a signed URL. Its key differs from that of access tokens, so it is not accepted as one.
    #[must_use]
    pub fn sign_link(&self, claims: &impl Serialize) -> String {
        sign(claims, &self.signed_url_jwt.0)
    }

    /// Verifies the token of a signed URL and returns its claims. The caller checks the times.
    ///
    /// # Errors
    /// As [`Keys::verify_token`].
    pub fn verify_link<T: DeserializeOwned>(&self, token: &str) -> Result<T, Error> {
        jwt::verify(token, Algorithm::HS256, &self.signed_url_jwt.1)
    }

    /// Returns the refresh token with number `counter` of a session. It is derived, so it need not be stored.
    #[must_use]
    pub fn refresh_token(&self, session: SessionId, counter: u64) -> String {
        let mut token = Vec::with_capacity(40);
        token.extend_from_slice(session.0.as_bytes());
        token.extend_from_slice(&counter.to_be_bytes());
        let tag = self.refresh_mac(&token).finalize().into_bytes();
        token.extend_from_slice(&tag[..16]);
        BASE64.encode(token)
    }

    /// Parses a refresh token. `None` if this portal did not issue it.
    #[must_use]
    pub fn read_refresh_token(&self, token: &str) -> Option<(SessionId, u64)> {
        let bytes = BASE64.decode(token).ok()?;
        let (body, tag) = bytes.split_at_checked(24)?;
        self.refresh_mac(body).verify_truncated_left(tag).ok().filter(|()| tag.len() == 16)?;
        let (session, counter) = body.split_at_checked(16)?;
        let session = SessionId(Uuid::from_slice(session).ok()?);
        Some((session, u64::from_be_bytes(counter.try_into().ok()?)))
    }

    /// Returns the six-digit code that belongs to a one-time token, derived from the token's hash.
    #[must_use]
    pub fn otp_code(&self, token_hash: &str) -> String {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.otp_key).expect("HMAC takes a key of any length");
        mac.update(token_hash.as_bytes());
        let digest = mac.finalize().into_bytes();
        let number = digest.iter().take(8).fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
        format!("{:06}", number % 1_000_000)
    }

    /// Returns the secret in the address of a calendar feed: 256 bits, derived from the feed's id.
    #[must_use]
    pub fn calendar_token(&self, feed: Uuid) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.calendar_key)
            .expect("HMAC takes a key of any length");
        mac.update(feed.as_bytes());
        BASE64.encode(mac.finalize().into_bytes())
    }

    /// Returns the token of a personal link, derived from the link's id: 128 bits in hexadecimal, which messengers link.
    #[must_use]
    pub fn personal_link_token(&self, link: Uuid) -> String {
        let mut token = self.personal_link_key.hmac_hex(&link.to_string());
        token.truncate(32);
        token
    }

    /// Returns the token in the link that creates the first administrator: 256 bits, derived from a random seed.
    #[must_use]
    pub fn setup_token(&self, seed: &str) -> String {
        self.setup_key.hmac_hex(seed)
    }

    /// Key of the audit log's hash chain.
    #[must_use]
    pub fn activity(&self) -> HmacKey {
        self.audit_chain_key
    }

    /// Cipher for the secrets of authenticator apps.
    #[must_use]
    pub fn factors(&self) -> &Cipher {
        &self.factor_cipher
    }

    /// The signing keys that are in force.
    #[must_use]
    pub fn signing_keys(&self) -> &KeyRing {
        &self.ring
    }

    /// Key that signs unsubscribe links.
    #[must_use]
    pub fn unsubscribe(&self) -> HmacKey {
        self.unsubscribe
    }

    /// Key that signs the addresses for answers by mail.
    pub(crate) fn reply_address(&self) -> HmacKey {
        self.reply_address
    }

    /// Key pair by which push services recognize the portal.
    #[must_use]
    pub fn vapid(&self) -> &VapidKey {
        &self.vapid
    }

    /// Fingerprint of the portal secret. A comparison of two shows whether the secrets are equal, and nothing else.
    #[must_use]
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    fn refresh_mac(&self, body: &[u8]) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.refresh_key)
            .expect("HMAC takes a key of any length");
        mac.update(body);
        mac
    }
}

/// A token with a valid signature.
#[derive(Debug)]
pub struct VerifiedToken {
    /// The claims.
    pub claims: Arc<Claims>,
    /// Whether a signing key signed it (ES256), and not the portal secret.
    pub has_signing_key: bool,
}

/// Creates an id: UUID version 7 with a monotonic counter (RFC 9562, section 6.2). Ids of this process sort in the
/// order of their creation, also within a millisecond and when the clock goes backwards.
#[must_use]
pub fn new_id(now: Timestamp) -> Uuid {
    /// Milliseconds in the upper bits, counter within the millisecond in the lowest twelve.
    static LAST: AtomicU64 = AtomicU64::new(0);
    let millis = u64::try_from(now.as_millisecond()).unwrap_or(0);
    LAST.fetch_max(millis << 12, Ordering::Relaxed);
    let current = LAST.fetch_add(1, Ordering::Relaxed) + 1;
    let mut rest = [0; 10];
    random_bytes(&mut rest);
    let [.., high, low] = current.to_be_bytes();
    rest[..2].copy_from_slice(&[high, low]);
    uuid::Builder::from_unix_timestamp_millis(current >> 12, &rest).into_uuid()
}

/// Creates a request id: 64 random bits in hexadecimal, short enough to read out on the phone.
#[must_use]
pub fn new_request_id() -> String {
    let mut bytes = [0; 8];
    random_bytes(&mut bytes);
    hex(&bytes)
}

/// Creates a blob name: 128 random bits in hexadecimal, unrelated to the content.
#[must_use]
pub fn new_blob_name() -> String {
    let mut bytes = [0; 16];
    random_bytes(&mut bytes);
    hex(&bytes)
}

/// Creates a token: 256 random bits in base64url.
#[must_use]
pub fn new_token() -> String {
    let mut bytes = [0; 32];
    random_bytes(&mut bytes);
    BASE64.encode(bytes)
}

/// Creates a recovery code: 80 random bits as sixteen letters and digits without look-alikes.
#[must_use]
pub fn new_recovery_code() -> String {
    const ALPHABET: &[u8; 32] = b"23456789abcdefghijkmnpqrstuvwxyz";
    let mut bytes = [0; 16];
    random_bytes(&mut bytes);
    bytes.iter().map(|byte| char::from(ALPHABET[usize::from(byte & 31)])).collect()
}

/// Creates a random UUID (version 4, 122 random bits), where the protocol uses one as a secret.
#[must_use]
pub fn new_api_secret_id() -> Uuid {
    let mut bytes = [0; 16];
    random_bytes(&mut bytes);
    uuid::Builder::from_random_bytes(bytes).into_uuid()
}

/// Fills `bytes` with random data.
#[expect(clippy::disallowed_methods, reason = "the only source of randomness")]
pub fn random_bytes(bytes: &mut [u8]) {
    getrandom::fill(bytes).expect("the operating system provides randomness");
}

/// Returns the SHA-256 of a token, in lower-case hexadecimal, as one-time tokens are stored.
#[must_use]
pub fn sha256_hex(token: &str) -> String {
    hex(&Sha256::digest(token.as_bytes()))
}

/// Encodes bytes in lower-case hexadecimal.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a String cannot fail");
        text
    })
}

fn sign(claims: &impl Serialize, key: &EncodingKey) -> String {
    jwt::sign(&Header::new(Algorithm::HS256), claims, key)
}

fn derive(secret: &str, purpose: &str) -> [u8; 32] {
    let mut mac =
        Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("HMAC takes a key of any length");
    mac.update(purpose.as_bytes());
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};
    use serde_json::json;

    use crate::security::{
        ids::SessionId,
        keys::{Keys, new_id},
    };

    #[test]
    fn new_id_is_monotonic_when_clock_goes_backwards() {
        let now: Timestamp = "2026-11-21T12:00:00Z".parse().unwrap();
        let clock =
            [now, now - SignedDuration::from_hours(1), now + SignedDuration::from_millis(1)];
        let ids: Vec<_> =
            clock.into_iter().flat_map(|now| (0..5000).map(move |_| new_id(now))).collect();
        assert!(ids.is_sorted_by(|a, b| a < b));
        assert!(ids.iter().all(|id| id.get_version_num() == 7));
    }

    #[test]
    fn refresh_token_round_trips_and_rejects_tampering() {
        let keys = Keys::from_secret("a secret of thirty-two bytes or more");
        let session = SessionId::new(Timestamp::UNIX_EPOCH);
        let token = keys.refresh_token(session, 7);
        assert_eq!(keys.read_refresh_token(&token), Some((session, 7)));
        for at in 0..token.len() {
            let mut other = token.clone().into_bytes();
            other[at] = if other[at] == b'A' { b'B' } else { b'A' };
            assert_ne!(
                keys.read_refresh_token(&String::from_utf8(other).unwrap()),
                Some((session, 7))
            );
        }
        assert_eq!(keys.read_refresh_token(&token[..token.len() - 2]), None);
        assert_eq!(keys.read_refresh_token(""), None);
    }

    #[test]
    fn file_link_and_foreign_tokens_are_no_access_tokens() {
        let keys = Keys::from_secret("a secret of thirty-two bytes or more");
        let claims = json!({"role": "service_role"});
        assert!(keys.verify_token(&keys.sign_link(&claims)).is_err());
        let other = Keys::from_secret("another secret of thirty-two bytes");
        assert!(keys.verify_token(&other.sign_token(&claims)).is_err());
        assert!(keys.verify_token(&keys.anon).is_ok());
    }

    #[test]
    fn new_id_sorts_by_time() {
        let earlier = new_id("2026-01-01T00:00:00Z".parse().unwrap());
        let later = new_id("2026-01-01T00:00:00.001Z".parse().unwrap());
        assert!(earlier < later);
    }
}
