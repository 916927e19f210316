//! MFA: enrollment, verification, recovery, enforcement.

mod enforcement;
mod recovery;
mod verification;

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use jiff::SignedDuration;
use portaria::security::totp;
use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, request::Answer};

const STEP: SignedDuration = SignedDuration::from_secs(30);

/// An authenticator app.
pub(crate) struct Authenticator {
    pub(crate) id: String,
    pub(crate) secret: Vec<u8>,
}

impl Authenticator {
    /// The code at an offset of `steps` from now.
    pub(crate) fn code(&self, portal: &TestPortal, steps: i64) -> String {
        totp::code(&self.secret, portal.now().as_second() / 30 + steps)
    }
}

fn from_base32(text: &str) -> Vec<u8> {
    let (mut bytes, mut held, mut bits) = (Vec::new(), 0_u32, 0);
    for letter in text.bytes() {
        let value = if letter.is_ascii_digit() { letter - b'2' + 26 } else { letter - b'A' };
        held = held << 5 | u32::from(value);
        bits += 5;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits & 0xff) as u8);
        }
    }
    bytes
}

pub(crate) async fn try_enroll(portal: &TestPortal, user: &TestUser, body: Value) -> Answer {
    portal.post("/auth/v1/factors").auth(user).json(&body).send().await
}

async fn enroll(portal: &TestPortal, user: &TestUser) -> Authenticator {
    let response = try_enroll(portal, user, json!({"factor_type": "totp"})).await.is(200).json();
    Authenticator {
        id: response["id"].as_str().unwrap().to_owned(),
        secret: from_base32(response["totp"]["secret"].as_str().unwrap()),
    }
}

pub(crate) async fn challenge(portal: &TestPortal, user: &TestUser, app: &Authenticator) -> String {
    let path = format!("/auth/v1/factors/{}/challenge", app.id);
    let response = portal.post(&path).auth(user).json(&json!({})).send().await.is(200).json();
    assert_eq!(response["type"], "totp");
    assert_eq!(response["expires_at"], portal.now().as_second() + 300);
    response["id"].as_str().unwrap().to_owned()
}

async fn answer(
    portal: &TestPortal,
    user: &TestUser,
    app: &Authenticator,
    challenge: &str,
    code: &str,
) -> Answer {
    let path = format!("/auth/v1/factors/{}/verify", app.id);
    let body = json!({"challenge_id": challenge, "code": code});
    portal.post(&path).auth(user).json(&body).send().await
}

pub(crate) async fn submit_code(
    portal: &TestPortal,
    user: &TestUser,
    app: &Authenticator,
    code: &str,
) -> Answer {
    let challenge = challenge(portal, user, app).await;
    answer(portal, user, app, &challenge, code).await
}

/// The session after the verification, at a time when the app shows the next code.
async fn verify_second_step(portal: &TestPortal, user: &TestUser, app: &Authenticator) -> TestUser {
    portal.advance(STEP);
    let session = submit_code(portal, user, app, &app.code(portal, 0)).await.is(200).json();
    TestUser::from_session(&session)
}

/// An administrator with a verified factor.
pub(crate) async fn verified_admin(portal: &TestPortal) -> (TestUser, Authenticator) {
    let ana = portal.admin().await;
    let app = enroll(portal, &ana).await;
    (verify_second_step(portal, &ana, &app).await, app)
}

/// A client with a verified factor.
async fn verified_client(portal: &TestPortal, name: &str) -> (TestUser, Authenticator) {
    let client = portal.client(name).await;
    let app = enroll(portal, &client).await;
    (verify_second_step(portal, &client, &app).await, app)
}

pub(crate) fn claims(token: &str) -> Value {
    let body = token.split('.').nth(1).unwrap();
    serde_json::from_slice(&BASE64.decode(body).unwrap()).unwrap()
}

async fn methods(portal: &TestPortal, refresh_token: &str) -> (String, Vec<String>) {
    let session = portal.refresh(refresh_token).await.is(200).json();
    let claims = claims(session["access_token"].as_str().unwrap());
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let amr = claims["amr"].as_array().unwrap();
    (text(&claims["aal"]), amr.iter().map(|way| text(&way["method"])).collect())
}

pub(crate) async fn codes(portal: &TestPortal, ana: &TestUser) -> Vec<String> {
    let path = "/auth/v1/factors/recovery-codes";
    let response = portal.post(path).auth(ana).json(&json!({})).send().await.is(200).json();
    let codes = response["codes"].as_array().unwrap();
    codes.iter().map(|code| code.as_str().unwrap().to_owned()).collect()
}

async fn recover(portal: &TestPortal, user: &TestUser, code: &str) -> Answer {
    let path = "/auth/v1/factors/recovery-codes/verify";
    portal.post(path).auth(user).json(&json!({"code": code})).send().await
}

pub(crate) async fn lines(portal: &TestPortal, event: &str) -> Vec<Value> {
    let path = format!("/rest/v1/activity?event=eq.{event}&order=number");
    let lines = portal.get(&path).bearer(&portal.app.keys.service_role).send().await.is(200).json();
    lines.as_array().unwrap().clone()
}
