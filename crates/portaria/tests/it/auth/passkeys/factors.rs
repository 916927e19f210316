//! WebAuthn factors: `mfa.webauthn` of the client library.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use serde_json::{Value, json};

use crate::auth::mfa::{claims, lines, try_enroll};
use crate::auth::passkeys::{Device, ORIGIN, options, register, try_sign_in, use_domain};
use crate::harness::{TestPortal, TestUser, portal_test, request::Answer};

async fn challenge(portal: &TestPortal, user: &TestUser, factor: &str) -> Value {
    let path = format!("/auth/v1/factors/{factor}/challenge");
    let body = json!({"factorId": factor, "webauthn": {"rpId": "portal.example.com"}});
    portal.post(&path).auth(user).json(&body).send().await.is(200).json()
}

async fn verify(
    portal: &TestPortal,
    user: &TestUser,
    factor: &str,
    challenge: &Value,
    credential: &Value,
) -> Answer {
    let path = format!("/auth/v1/factors/{factor}/verify");
    let webauthn = json!({
        "type": challenge["webauthn"]["type"],
        "rpId": "portal.example.com",
        "rpOrigins": [ORIGIN],
        "credential_response": credential,
    });
    let body = json!({"challenge_id": challenge["id"], "webauthn": webauthn});
    portal.post(&path).auth(user).json(&body).send().await
}

fn public_key(challenge: &Value) -> &Value {
    &challenge["webauthn"]["credential_options"]["publicKey"]
}

/// An administrator whose second step is a security key.
async fn with_key(portal: &TestPortal) -> (TestUser, String, Device) {
    let ana = portal.admin().await;
    let body = json!({"factor_type": "webauthn", "friendly_name": "Chaveiro"});
    let factor = try_enroll(portal, &ana, body).await.is(200).json();
    assert_eq!(
        (&factor["type"], &factor["friendly_name"]),
        (&json!("webauthn"), &json!("Chaveiro"))
    );
    let id = factor["id"].as_str().unwrap().to_owned();
    let asked = challenge(portal, &ana, &id).await;
    assert_eq!(
        (&asked["type"], &asked["webauthn"]["type"]),
        (&json!("webauthn"), &json!("create"))
    );
    let mut device = Device::new(ORIGIN, "chaveiro");
    let credential = device.create(public_key(&asked));
    let session = verify(portal, &ana, &id, &asked, &credential).await.is(200).json();
    (TestUser::from_session(&session), id, device)
}

portal_test!(security_key_is_a_second_step, async |portal| {
    use_domain(portal);
    let (ana, id, mut device) = with_key(portal).await;
    assert_eq!(claims(&ana.token)["aal"], "aal2");
    portal.mail("second_step_on", &ana.email).await;

    let ana = portal.sign_in(&ana.email).await;
    portal.get("/rest/v1/clients").auth(&ana).send().await.refused(403, "insufficient_aal");
    let asked = challenge(portal, &ana, &id).await;
    assert_eq!(asked["webauthn"]["type"], "request");
    assert_eq!(public_key(&asked)["allowCredentials"].as_array().unwrap().len(), 1);
    let credential = device.get(public_key(&asked));
    let session = verify(portal, &ana, &id, &asked, &credential).await.is(200).json();
    let verified = TestUser::from_session(&session);
    assert_eq!(claims(&verified.token)["amr"][0]["method"], "mfa/webauthn");
    portal.get("/rest/v1/clients").auth(&verified).send().await.is(200);

    // A factor is a second step only.
    try_sign_in(portal, &mut device).await.refused(400, "webauthn_verification_failed");
    portal.delete(&format!("/auth/v1/factors/{id}")).auth(&verified).send().await.is(200);
    let ana = portal.sign_in(&ana.email).await;
    portal.get("/rest/v1/clients").auth(&ana).send().await.is(200);
});

portal_test!(refused_security_key_consumes_its_challenge, async |portal| {
    use_domain(portal);
    let (ana, id, mut device) = with_key(portal).await;
    let ana = portal.sign_in(&ana.email).await;
    let asked = challenge(portal, &ana, &id).await;
    device.counter = 0;
    let credential = device.get(public_key(&asked));
    verify(portal, &ana, &id, &asked, &credential).await.refused(422, "mfa_verification_failed");
    let refusals = lines(portal, "session.refused").await;
    assert_eq!(refusals[0]["detail"], json!({"reason": "passkey_counter"}));
    let credential = device.get(public_key(&asked));
    verify(portal, &ana, &id, &asked, &credential).await.refused(422, "mfa_factor_not_found");

    let asked = challenge(portal, &ana, &id).await;
    let mut other = Device::new(ORIGIN, "outro");
    other.user_handle = device.user_handle.clone();
    let credential = other.get(public_key(&asked));
    verify(portal, &ana, &id, &asked, &credential).await.refused(422, "mfa_verification_failed");
    let asked = challenge(portal, &ana, &id).await;
    let path = format!("/auth/v1/factors/{id}/verify");
    let body = json!({"challenge_id": asked["id"], "code": "123456"});
    portal.post(&path).auth(&ana).json(&body).send().await.refused(400, "validation_failed");
});

portal_test!(devices_keep_passkey_and_factor_apart, async |portal| {
    use_domain(portal);
    let (ana, factor, device) = with_key(portal).await;
    let asked = options(portal, &ana).await.is(200).json();
    let excluded = |options: &Value| -> Vec<String> {
        let list = options["excludeCredentials"].as_array().unwrap();
        list.iter().map(|entry| entry["id"].as_str().unwrap().to_owned()).collect()
    };
    let id = |device: &Device| BASE64.encode(&device.id);
    assert_eq!(excluded(&asked["options"]), [id(&device)]);
    let (passkey, _) = register(portal, &ana, "telefone").await;
    let body = json!({"factor_type": "webauthn", "friendly_name": "Outro"});
    let second = try_enroll(portal, &ana, body).await.is(200).json();
    let asked = challenge(portal, &ana, second["id"].as_str().unwrap()).await;
    assert_eq!(excluded(public_key(&asked)), [id(&passkey), id(&device)]);

    // The challenge of one factor is not one of another.
    let other = challenge(portal, &ana, &factor).await;
    let answer = verify(portal, &ana, second["id"].as_str().unwrap(), &other, &json!({})).await;
    answer.refused(422, "mfa_factor_not_found");
});

portal_test!(address_without_a_domain_has_no_security_keys, async |portal| {
    let ana = portal.admin().await;
    try_enroll(portal, &ana, json!({"factor_type": "webauthn"}))
        .await
        .refused(422, "mfa_webauthn_enroll_not_enabled");
});
