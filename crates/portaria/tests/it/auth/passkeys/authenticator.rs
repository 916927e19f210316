//! A software authenticator: ES256 credentials without attestation (WebAuthn Level 3, sections 6.1 and 6.5).

use aws_lc_rs::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair},
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

const USER_PRESENT: u8 = 0x01;
const USER_VERIFIED: u8 = 0x04;
const HAS_CREDENTIAL: u8 = 0x40;

/// A device with one credential. Tests change the public fields to misbehave.
pub(crate) struct Device {
    key: EcdsaKeyPair,
    pub(crate) id: Vec<u8>,
    pub(crate) user_handle: String,
    pub(crate) counter: u32,
    pub(crate) origin: String,
    pub(crate) verifies_user: bool,
}

impl Device {
    /// A device that speaks to the portal at `origin`, with a credential of this id.
    pub(crate) fn new(origin: &str, id: &str) -> Self {
        Self {
            key: EcdsaKeyPair::generate(&ECDSA_P256_SHA256_ASN1_SIGNING).unwrap(),
            id: id.as_bytes().to_vec(),
            user_handle: String::new(),
            counter: 0,
            origin: origin.to_owned(),
            verifies_user: true,
        }
    }

    /// The answer to the options of a registration.
    pub(crate) fn create(&mut self, options: &Value) -> Value {
        options["user"]["id"].as_str().unwrap().clone_into(&mut self.user_handle);
        let mut data =
            self.authenticator_data(options["rp"]["id"].as_str().unwrap(), HAS_CREDENTIAL);
        data.extend([0; 16]);
        data.extend(u16::try_from(self.id.len()).unwrap().to_be_bytes());
        data.extend(&self.id);
        data.extend(self.cose_key());

        // {"fmt": "none", "attStmt": {}, "authData": data}, in CBOR.
        let mut attestation = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58".to_vec();
        attestation.push(u8::try_from(data.len()).unwrap());
        attestation.extend(data);
        let client = self.client_data("webauthn.create", options);
        self.credential(&json!({
            "clientDataJSON": BASE64.encode(client),
            "attestationObject": BASE64.encode(attestation),
            "transports": ["internal"],
        }))
    }

    /// The answer to the options of an authentication.
    pub(crate) fn get(&mut self, options: &Value) -> Value {
        let data = self.authenticator_data(options["rpId"].as_str().unwrap(), 0);
        let client = self.client_data("webauthn.get", options);
        let signed = [data.as_slice(), &Sha256::digest(&client)].concat();
        let signature = self.key.sign(&SystemRandom::new(), &signed).unwrap();
        self.credential(&json!({
            "clientDataJSON": BASE64.encode(client),
            "authenticatorData": BASE64.encode(data),
            "signature": BASE64.encode(signature),
            "userHandle": self.user_handle,
        }))
    }

    fn credential(&self, response: &Value) -> Value {
        let id = BASE64.encode(&self.id);
        json!({
            "id": id, "rawId": id, "type": "public-key", "response": response,
            "clientExtensionResults": {}, "authenticatorAttachment": "platform",
        })
    }

    fn client_data(&self, kind: &str, options: &Value) -> Vec<u8> {
        let challenge = &options["challenge"];
        let data = json!({
            "type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": false,
        });
        data.to_string().into_bytes()
    }

    fn authenticator_data(&mut self, rp_id: &str, flags: u8) -> Vec<u8> {
        self.counter += 1;
        let verified = if self.verifies_user { USER_VERIFIED } else { 0 };
        let mut data = Sha256::digest(rp_id).to_vec();
        data.push(flags | USER_PRESENT | verified);
        data.extend(self.counter.to_be_bytes());
        data
    }

    /// {kty: EC2, alg: ES256, crv: P-256, x, y}, in CBOR (RFC 9053).
    fn cose_key(&self) -> Vec<u8> {
        let point = &self.key.public_key().as_ref()[1..];
        let (x, y) = point.split_at(32);
        [b"\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20".as_slice(), x, b"\x22\x58\x20", y].concat()
    }
}
