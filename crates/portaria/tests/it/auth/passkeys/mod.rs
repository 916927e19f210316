//! Passkeys: registration, sign-in, management, and their effect on MFA.

mod authenticator;
mod factors;
mod management;
mod shut_out;
mod sign_in;

pub(crate) use authenticator::Device;

use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, request::Answer};

pub(crate) const ORIGIN: &str = "https://portal.example.com";

/// Passkeys need a domain name.
pub(crate) fn use_domain(portal: &mut TestPortal) {
    portal.set("site_url", ORIGIN);
}

pub(crate) async fn options(portal: &TestPortal, user: &TestUser) -> Answer {
    let path = "/auth/v1/passkeys/registration/options";
    portal.post(path).auth(user).json(&json!({})).send().await
}

pub(crate) async fn verify(
    portal: &TestPortal,
    user: &TestUser,
    challenge: &Value,
    credential: &Value,
) -> Answer {
    let body = json!({"challenge_id": challenge["challenge_id"], "credential": credential});
    portal.post("/auth/v1/passkeys/registration/verify").auth(user).json(&body).send().await
}

/// Registers a new device and returns it with the id of its passkey.
pub(crate) async fn register(portal: &TestPortal, user: &TestUser, id: &str) -> (Device, String) {
    let mut device = Device::new(ORIGIN, id);
    let challenge = options(portal, user).await.is(200).json();
    let credential = device.create(&challenge["options"]);
    let passkey = verify(portal, user, &challenge, &credential).await.is(200).json();
    (device, passkey["id"].as_str().unwrap().to_owned())
}

pub(crate) async fn sign_in_options(portal: &TestPortal) -> Value {
    let path = "/auth/v1/passkeys/authentication/options";
    portal.post(path).json(&json!({"gotrue_meta_security": {}})).send().await.is(200).json()
}

pub(crate) async fn submit(portal: &TestPortal, challenge: &Value, credential: &Value) -> Answer {
    let body = json!({"challenge_id": challenge["challenge_id"], "credential": credential});
    portal.post("/auth/v1/passkeys/authentication/verify").json(&body).send().await
}

pub(crate) async fn try_sign_in(portal: &TestPortal, device: &mut Device) -> Answer {
    let challenge = sign_in_options(portal).await;
    let credential = device.get(&challenge["options"]);
    submit(portal, &challenge, &credential).await
}

pub(crate) async fn sign_in(portal: &TestPortal, device: &mut Device) -> TestUser {
    TestUser::from_session(&try_sign_in(portal, device).await.is(200).json())
}
