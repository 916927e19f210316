//! Encryption of push messages for one browser (RFC 8291, with the content coding of RFC 8188).

use aws_lc_rs::{
    aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey},
    agreement::{ECDH_P256, PrivateKey, UnparsedPublicKey, agree},
    error::Unspecified,
    hkdf::{HKDF_SHA256, KeyType, Prk, Salt},
};

use crate::security::keys::random_bytes;

/// Length of an uncompressed point on P-256, in bytes.
pub const PUBLIC_KEY_BYTES: usize = 65;
/// Length of a browser's authentication secret, in bytes (RFC 8291, section 3.2).
pub const AUTH_BYTES: usize = 16;
/// Record size in the header (RFC 8188, section 2.1). A message is one record.
const RECORD_BYTES: u32 = 4096;
/// Maximum length of a message, in bytes: push services accept bodies of 4,096 bytes (RFC 8030, section 7.2).
pub const MAX_MESSAGE_BYTES: usize = 3_000;
/// The delimiter that ends the last record (RFC 8188, section 2).
const LAST_RECORD: u8 = 2;

/// Encrypts a message for a browser with the public key `p256dh` and the secret `auth`. `None` if the public key is no
/// point on the curve, or the message is too long.
#[must_use]
pub fn encrypt(message: &[u8], p256dh: &[u8], auth: &[u8]) -> Option<Vec<u8>> {
    let mut salt = [0; 16];
    random_bytes(&mut salt);
    encrypt_with(message, p256dh, auth, &new_private_key(), salt)
}

/// Creates the key pair of one message.
fn new_private_key() -> PrivateKey {
    loop {
        let mut scalar = [0; 32];
        random_bytes(&mut scalar);
        // One of 2^32 values is not below the order of the curve.
        if let Ok(key) = PrivateKey::from_private_key(&ECDH_P256, &scalar) {
            return key;
        }
    }
}

fn encrypt_with(
    message: &[u8],
    p256dh: &[u8],
    auth: &[u8],
    private: &PrivateKey,
    salt: [u8; 16],
) -> Option<Vec<u8>> {
    if message.len() > MAX_MESSAGE_BYTES {
        return None;
    }
    let public = private.compute_public_key().ok()?;
    let peer = UnparsedPublicKey::new(&ECDH_P256, p256dh);
    let mut input = agree(private, peer, Unspecified, |shared| {
        let combined = Salt::new(HKDF_SHA256, auth).extract(shared);
        expand::<32>(&combined, &[b"WebPush: info\0", p256dh, public.as_ref()])
    })
    .ok()?;
    let record = Salt::new(HKDF_SHA256, &salt).extract(&input);
    input.fill(0);
    let key = expand::<16>(&record, &[b"Content-Encoding: aes128gcm\0"]).ok()?;
    let nonce = expand::<12>(&record, &[b"Content-Encoding: nonce\0"]).ok()?;

    let mut sealed = [message, &[LAST_RECORD]].concat();
    let key = LessSafeKey::new(UnboundKey::new(&AES_128_GCM, &key).ok()?);
    let nonce = Nonce::assume_unique_for_key(nonce);
    key.seal_in_place_append_tag(nonce, Aad::empty(), &mut sealed).ok()?;

    let key_length = u8::try_from(public.as_ref().len()).ok()?;
    let header = [&salt[..], &RECORD_BYTES.to_be_bytes(), &[key_length], public.as_ref()].concat();
    Some([header, sealed].concat())
}

/// The length of a derived key, in bytes.
struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

/// Derives `N` bytes (RFC 5869, section 2.3).
fn expand<const N: usize>(key: &Prk, info: &[&[u8]]) -> Result<[u8; N], Unspecified> {
    let mut out = [0; N];
    key.expand(info, Length(N))?.fill(&mut out)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use aws_lc_rs::agreement::{ECDH_P256, PrivateKey};
    use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};

    use crate::security::push_encryption::{MAX_MESSAGE_BYTES, encrypt, encrypt_with};

    const P256DH: &str =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
    const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";

    #[test]
    fn encryption_matches_the_example_of_rfc_8291() {
        let decode = |text: &str| BASE64.decode(text).unwrap();
        let private = decode("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw");
        let private = PrivateKey::from_private_key(&ECDH_P256, &private).unwrap();
        let salt = decode("DGv6ra1nlYgDCS1FRnbzlw").try_into().unwrap();
        let message = b"When I grow up, I want to be a watermelon";
        let body = encrypt_with(message, &decode(P256DH), &decode(AUTH), &private, salt).unwrap();
        let expected = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIg\
            Dll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN";
        assert_eq!(BASE64.encode(body), expected);
    }

    #[test]
    fn encryption_rejects_a_point_off_the_curve_and_a_long_message() {
        let mut point = BASE64.decode(P256DH).unwrap();
        let auth = BASE64.decode(AUTH).unwrap();
        assert!(encrypt(&[b'a'; MAX_MESSAGE_BYTES], &point, &auth).is_some());
        assert_eq!(encrypt(&[b'a'; MAX_MESSAGE_BYTES + 1], &point, &auth), None);
        point[64] ^= 1;
        assert_eq!(encrypt(b"a", &point, &auth), None);
        assert_eq!(encrypt(b"a", &[4; 65], &auth), None);
        assert_eq!(encrypt(b"a", b"", &auth), None);
    }
}
