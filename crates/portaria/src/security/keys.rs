//! Chance and secrets: ids, tokens, signatures. Asked here and nowhere else.

use std::{
    collections::BTreeSet,
    fs,
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::json;
use sha2::{Digest, Sha256};
use uuid::Uuid;

pub use crate::security::cipher::Cipher;
pub use crate::security::token_cache::Claims;
use crate::security::token_cache::TokenCache;

/// A shorter secret could be found by trying (RFC 7518 §3.2).
const MIN_SECRET: usize = 32;
/// A secret of fewer different bytes is a key held down.
const MIN_VARIETY: usize = 8;

/// The file in the data folder that holds a secret which nobody configured.
pub const SECRET: &str = "jwt_secret";

/// The portal's signing keys. All derive from one secret, so a node needs to know no other.
pub struct Keys {
    encoding: EncodingKey,
    decoding: DecodingKey,
    known: TokenCache,
    refresh: [u8; 32],
    otp_key: [u8; 32],
    calendars: [u8; 32],
    activity: HmacKey,
    factors: Cipher,
    unsubscribe: HmacKey,
    links: (EncodingKey, DecodingKey),
    mark: String,
    /// The key that the browser app sends: a JWT with the role `anon`.
    pub anon: String,
    /// The key for programs of the office: a JWT with the role `service_role`.
    pub service_role: String,
}

impl std::fmt::Debug for Keys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keys").finish_non_exhaustive()
    }
}

impl Keys {
    /// Keys from the configured secret, or from the one in `folder`, which is made on first use.
    ///
    /// # Errors
    /// A sentence when the file can be neither read nor written.
    pub fn open(configured: Option<&str>, folder: &Path) -> Result<Self, String> {
        match configured {
            Some(secret) => Ok(Self::from_secret(secret)),
            None => Ok(Self::from_secret(&stored_secret(&folder.join(SECRET))?)),
        }
    }

    /// The secret that lies in `folder`; nothing where one is configured.
    ///
    /// # Errors
    /// A sentence when the file cannot be read.
    pub fn stored(configured: Option<&str>, folder: &Path) -> Result<Option<String>, String> {
        if configured.is_some() { Ok(None) } else { stored_secret(&folder.join(SECRET)).map(Some) }
    }

    /// Keys from a secret that [`check_secret`] lets pass.
    #[must_use]
    pub fn from_secret(secret: &str) -> Self {
        let encoding = EncodingKey::from_secret(secret.as_bytes());
        let decoding = DecodingKey::from_secret(secret.as_bytes());
        let links = derive(secret, "file links");
        let api_key = |role: &str| {
            // Fixed times make the keys a function of the secret: nothing to store, the same on every node.
            let claims = json!({"iss": "portaria", "role": role, "iat": 1_767_225_600, "exp": 4_102_444_800_i64});
            sign(&claims, &encoding)
        };
        let (anon, service_role) = (api_key("anon"), api_key("service_role"));
        Self {
            refresh: derive(secret, "refresh tokens"),
            otp_key: derive(secret, "mailed codes"),
            calendars: derive(secret, "calendar addresses"),
            activity: HmacKey(derive(secret, "activity log")),
            factors: Cipher::new(&derive(secret, "second factors")),
            unsubscribe: HmacKey(derive(secret, "unsubscribe links")),
            links: (EncodingKey::from_secret(&links), DecodingKey::from_secret(&links)),
            mark: hex(&derive(secret, "mark of the secret")),
            encoding,
            decoding,
            known: TokenCache::default(),
            anon,
            service_role,
        }
    }

    /// A signed access token.
    #[must_use]
    pub fn sign_token(&self, claims: &impl Serialize) -> String {
        sign(claims, &self.encoding)
    }

    /// The claims of a token that this portal's secret signed. Its times are the caller's to check.
    ///
    /// # Errors
    /// When it is no token of three parts, of another algorithm, or signed by another key.
    pub fn verify_token(&self, token: &str) -> Result<Arc<Claims>, jsonwebtoken::errors::Error> {
        self.known.claims(token, || verify(token, &self.decoding))
    }

    /// A token for a link to a file. Its key is another one, so it never passes as an access token.
    #[must_use]
    pub fn sign_link(&self, claims: &impl Serialize) -> String {
        sign(claims, &self.links.0)
    }

    /// The claims of a link's token. Its times are the caller's to check.
    ///
    /// # Errors
    /// As [`Keys::verify_token`].
    pub fn verify_link<T: DeserializeOwned>(
        &self,
        token: &str,
    ) -> Result<T, jsonwebtoken::errors::Error> {
        verify(token, &self.links.1)
    }

    /// The refresh token number `counter` of a session. It can be made again at any time, so it need not be stored.
    #[must_use]
    pub fn refresh_token(&self, session: Uuid, counter: u64) -> String {
        let mut token = Vec::with_capacity(40);
        token.extend_from_slice(session.as_bytes());
        token.extend_from_slice(&counter.to_be_bytes());
        let tag = self.refresh_mac(&token).finalize().into_bytes();
        token.extend_from_slice(&tag[..16]);
        BASE64.encode(token)
    }

    /// Session and number of a refresh token that this portal made; `None` for any other text.
    #[must_use]
    pub fn read_refresh_token(&self, token: &str) -> Option<(Uuid, u64)> {
        let bytes = BASE64.decode(token).ok()?;
        let (body, tag) = bytes.split_at_checked(24)?;
        self.refresh_mac(body).verify_truncated_left(tag).ok().filter(|()| tag.len() == 16)?;
        let (session, counter) = body.split_at_checked(16)?;
        Some((Uuid::from_slice(session).ok()?, u64::from_be_bytes(counter.try_into().ok()?)))
    }

    /// The six digits that are mailed beside a token, made from its hash: they need not be stored.
    #[must_use]
    pub fn code(&self, token_hash: &str) -> String {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.otp_key).expect("HMAC takes a key of any length");
        mac.update(token_hash.as_bytes());
        let digest = mac.finalize().into_bytes();
        let number = digest.iter().take(8).fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
        format!("{:06}", number % 1_000_000)
    }

    /// The secret in the address of a calendar: 256 bits, made from its row's id, so that it need not be stored.
    #[must_use]
    pub fn calendar_token(&self, feed: Uuid) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.calendars)
            .expect("HMAC takes a key of any length");
        mac.update(feed.as_bytes());
        BASE64.encode(mac.finalize().into_bytes())
    }

    /// What ties the lines of the activity log together.
    #[must_use]
    pub fn activity(&self) -> HmacKey {
        self.activity
    }

    /// Where the secrets of authenticator apps are kept.
    #[must_use]
    pub fn factors(&self) -> &Cipher {
        &self.factors
    }

    /// What the links that end notices are signed with.
    #[must_use]
    pub fn unsubscribe(&self) -> HmacKey {
        self.unsubscribe
    }

    /// By which one can tell whether another secret is this one, and nothing more.
    #[must_use]
    pub fn fingerprint(&self) -> &str {
        &self.mark
    }

    fn refresh_mac(&self, body: &[u8]) -> Hmac<Sha256> {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.refresh).expect("HMAC takes a key of any length");
        mac.update(body);
        mac
    }
}

/// A key that makes hashes which nobody without it can make.
#[derive(Clone, Copy)]
pub struct HmacKey([u8; 32]);

impl HmacKey {
    /// The HMAC-SHA-256 of a text, in lower-case hexadecimal.
    #[must_use]
    pub fn sha256_hex(&self, text: &str) -> String {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes a key of any length");
        mac.update(text.as_bytes());
        hex(&mac.finalize().into_bytes())
    }
}

/// Refuses a secret that others know or can guess.
///
/// # Errors
/// A sentence for the operator.
pub fn check_secret(secret: &str) -> Result<(), String> {
    if secret.len() < MIN_SECRET {
        return Err(format!("jwt_secret: must be at least {MIN_SECRET} bytes long"));
    }
    // What examples of set-ups for the same protocol give.
    let is_known = secret.contains("super-secret-jwt-token-with-at-least-32-characters");
    if is_known || secret.bytes().collect::<BTreeSet<u8>>().len() < MIN_VARIETY {
        return Err("jwt_secret: anybody can guess it; `openssl rand -base64 48` makes one".into());
    }
    Ok(())
}

/// A new id: version 7 of RFC 9562, numbered as its §6.2 says. What this process makes later sorts later, within one
/// millisecond and when the clock goes backwards too.
#[must_use]
pub fn new_id(now: Timestamp) -> Uuid {
    /// The last one's millisecond, and in the twelve lowest bits which of that millisecond it was.
    static LAST: AtomicU64 = AtomicU64::new(0);
    let millis = u64::try_from(now.as_millisecond()).unwrap_or(0);
    LAST.fetch_max(millis << 12, Ordering::Relaxed);
    let this = LAST.fetch_add(1, Ordering::Relaxed) + 1;
    let mut rest = [0; 10];
    random_bytes(&mut rest);
    let [.., high, low] = this.to_be_bytes();
    rest[..2].copy_from_slice(&[high, low]);
    uuid::Builder::from_unix_timestamp_millis(this >> 12, &rest).into_uuid()
}

/// A random name for a request, short enough to read out on the phone.
#[must_use]
pub fn new_request_id() -> String {
    let mut bytes = [0; 8];
    random_bytes(&mut bytes);
    hex(&bytes)
}

/// A random name for stored bytes: 128 bits in hexadecimal, which tells nothing of what they are.
#[must_use]
pub fn new_blob_name() -> String {
    let mut bytes = [0; 16];
    random_bytes(&mut bytes);
    hex(&bytes)
}

/// 256 bits of chance, as text for a URL.
#[must_use]
pub fn new_token() -> String {
    let mut bytes = [0; 32];
    random_bytes(&mut bytes);
    BASE64.encode(bytes)
}

/// 80 bits of chance as people copy them from paper: sixteen letters and digits, none of which looks like another.
#[must_use]
pub fn new_recovery_code() -> String {
    const ALPHABET: &[u8; 32] = b"23456789abcdefghijkmnpqrstuvwxyz";
    let mut bytes = [0; 16];
    random_bytes(&mut bytes);
    bytes.iter().map(|byte| char::from(ALPHABET[usize::from(byte & 31)])).collect()
}

/// 122 bits of chance in the form of an id, for where the protocol wants one.
#[must_use]
pub fn new_api_secret_id() -> Uuid {
    let mut bytes = [0; 16];
    random_bytes(&mut bytes);
    uuid::Builder::from_random_bytes(bytes).into_uuid()
}

/// Fills `bytes` with chance.
#[expect(clippy::disallowed_methods, reason = "the one place that asks the system")]
pub fn random_bytes(bytes: &mut [u8]) {
    getrandom::fill(bytes).expect("the operating system has a source of chance");
}

/// SHA-256 in lower-case hexadecimal: how a one-time token is stored.
#[must_use]
pub fn hash(token: &str) -> String {
    hex(&Sha256::digest(token.as_bytes()))
}

/// Lower-case hexadecimal.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        write!(text, "{byte:02x}").expect("writing to a String cannot fail");
        text
    })
}

fn sign(claims: &impl Serialize, key: &EncodingKey) -> String {
    jsonwebtoken::encode(&Header::new(Algorithm::HS256), claims, key)
        .expect("claims are plain JSON")
}

fn verify<T: DeserializeOwned>(
    token: &str,
    key: &DecodingKey,
) -> Result<T, jsonwebtoken::errors::Error> {
    let mut validation = Validation::new(Algorithm::HS256);
    // The library would ask the machine's clock.
    validation.validate_exp = false;
    validation.validate_nbf = false;
    validation.validate_aud = false;
    validation.required_spec_claims.clear();
    jsonwebtoken::decode(token, key, &validation).map(|token| token.claims)
}

fn derive(secret: &str, purpose: &str) -> [u8; 32] {
    let mut mac =
        Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("HMAC takes a key of any length");
    mac.update(purpose.as_bytes());
    mac.finalize().into_bytes().into()
}

fn stored_secret(path: &Path) -> Result<String, String> {
    match fs::read_to_string(path) {
        Ok(secret) if secret.len() >= MIN_SECRET => Ok(secret),
        Ok(_) => Err(format!("{} holds no usable secret", path.display())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            new_secret(path).map_err(|error| format!("cannot write {}: {error}", path.display()))
        }
        Err(error) => Err(format!("cannot read {}: {error}", path.display())),
    }
}

/// The file holds a whole secret or is not there, whenever the process dies or the power goes: half a one would keep the
/// portal from starting. Of two who make it at the same time both get the first one's.
fn new_secret(path: &Path) -> io::Result<String> {
    let new = path.with_extension(new_request_id());
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
    file.write_all(new_token().as_bytes())?;
    file.sync_all()?;
    let linked = fs::hard_link(&new, path);
    fs::remove_file(&new)?;
    match linked {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    fs::File::open(path.parent().unwrap_or(path))?.sync_all()?;
    fs::read_to_string(path)
}

#[cfg(test)]
mod tests {
    use jiff::{SignedDuration, Timestamp};
    use serde_json::json;

    use crate::security::keys::{Keys, new_id};

    #[test]
    fn ids_sort_as_they_were_made_however_the_clock_goes() {
        let now: Timestamp = "2026-11-21T12:00:00Z".parse().unwrap();
        let clock =
            [now, now - SignedDuration::from_hours(1), now + SignedDuration::from_millis(1)];
        let ids: Vec<_> =
            clock.into_iter().flat_map(|now| (0..5000).map(move |_| new_id(now))).collect();
        assert!(ids.is_sorted_by(|a, b| a < b));
        assert!(ids.iter().all(|id| id.get_version_num() == 7));
    }

    #[test]
    fn a_refresh_token_reads_back_and_resists_change() {
        let keys = Keys::from_secret("a secret of thirty-two bytes or more");
        let session = new_id(Timestamp::UNIX_EPOCH);
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
    fn a_link_is_no_access_token_and_a_foreign_token_is_neither() {
        let keys = Keys::from_secret("a secret of thirty-two bytes or more");
        let claims = json!({"role": "service_role"});
        assert!(keys.verify_token(&keys.sign_link(&claims)).is_err());
        let other = Keys::from_secret("another secret of thirty-two bytes");
        assert!(keys.verify_token(&other.sign_token(&claims)).is_err());
        assert!(keys.verify_token(&keys.anon).is_ok());
    }

    #[test]
    fn ids_sort_by_time() {
        let earlier = new_id("2026-01-01T00:00:00Z".parse().unwrap());
        let later = new_id("2026-01-01T00:00:00.001Z".parse().unwrap());
        assert!(earlier < later);
    }
}
