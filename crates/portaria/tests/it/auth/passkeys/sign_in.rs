//! Signing in with a passkey, and what is refused.

use futures_util::future::join_all;
use jiff::SignedDuration;
use serde_json::json;

use crate::auth::mfa::{claims, lines};
use crate::auth::passkeys::{
    Device, ORIGIN, options, register, sign_in, sign_in_options, submit, try_sign_in, use_domain,
    verify,
};
use crate::harness::{TestUser, portal_test};

portal_test!(passkey_signs_in_without_a_password, async |portal| {
    use_domain(portal);
    let joao = portal.client("joao").await;
    let challenge = options(portal, &joao).await.is(200).json();
    assert_eq!(challenge["expires_at"], portal.now().as_second() + 300);
    let asked = &challenge["options"];
    assert_eq!(asked["rp"]["id"], "portal.example.com");
    assert_eq!(asked["user"]["name"], joao.email.as_str());
    assert_eq!(asked["authenticatorSelection"]["residentKey"], "required");
    assert_eq!(asked["authenticatorSelection"]["userVerification"], "required");

    let mut device = Device::new(ORIGIN, "telefone");
    let credential = device.create(asked);
    let passkey = verify(portal, &joao, &challenge, &credential).await.is(200).json();
    assert_eq!(passkey["friendly_name"], "Chave de acesso");
    portal.mail("passkey_added", &joao.email).await;
    assert_eq!(lines(portal, "passkey.added").await[0]["person_name"], "joao");

    let challenge = sign_in_options(portal).await;
    assert_eq!(challenge["options"]["rpId"], "portal.example.com");
    assert_eq!(challenge["options"]["allowCredentials"], json!([]));
    assert_eq!(challenge["options"]["userVerification"], "required");
    let credential = device.get(&challenge["options"]);
    let session = submit(portal, &challenge, &credential).await.is(200).json();
    assert_eq!(session["user"]["id"], joao.id.as_str());
    let claims = claims(session["access_token"].as_str().unwrap());
    assert_eq!(claims["aal"], "aal2");
    assert_eq!(claims["amr"][0]["method"], "passkey");
    let refreshed = portal.refresh(session["refresh_token"].as_str().unwrap()).await.is(200).json();
    let token = refreshed["access_token"].as_str().unwrap();
    assert_eq!(crate::auth::mfa::claims(token)["aal"], "aal2");
    portal.get("/rest/v1/documents").bearer(token).send().await.is(200);
});

portal_test!(challenge_serves_once_for_five_minutes_and_its_purpose, async |portal| {
    use_domain(portal);
    let (joao, bia) = (portal.client("joao").await, portal.client("bia").await);
    let (mut device, _) = register(portal, &joao, "telefone").await;

    let challenge = sign_in_options(portal).await;
    let credential = device.get(&challenge["options"]);
    submit(portal, &challenge, &credential).await.is(200);
    let again = device.get(&challenge["options"]);
    submit(portal, &challenge, &again).await.refused(400, "webauthn_challenge_not_found");

    // A failed attempt consumes the challenge as well.
    let challenge = sign_in_options(portal).await;
    submit(portal, &challenge, &json!({})).await.refused(400, "webauthn_verification_failed");
    let credential = device.get(&challenge["options"]);
    submit(portal, &challenge, &credential).await.refused(400, "webauthn_challenge_not_found");

    let challenge = sign_in_options(portal).await;
    portal.advance(SignedDuration::from_mins(5));
    let credential = device.get(&challenge["options"]);
    submit(portal, &challenge, &credential).await.refused(400, "webauthn_challenge_expired");

    // A registration belongs to its person, and is no sign-in.
    let challenge = options(portal, &joao).await.is(200).json();
    let credential = Device::new(ORIGIN, "outro").create(&challenge["options"]);
    verify(portal, &bia, &challenge, &credential)
        .await
        .refused(400, "webauthn_challenge_not_found");
    submit(portal, &challenge, &credential).await.refused(400, "webauthn_challenge_not_found");
    verify(portal, &joao, &challenge, &credential).await.is(200);
});

portal_test!(forged_answers_are_refused_alike, async |portal| {
    use_domain(portal);
    let (joao, bia) = (portal.client("joao").await, portal.client("bia").await);
    let (mut device, _) = register(portal, &joao, "telefone").await;
    let (other, _) = register(portal, &bia, "notebook").await;

    let refused = async |device: &mut Device| {
        let answer = try_sign_in(portal, device).await;
        answer.refused(400, "webauthn_verification_failed").text()
    };
    let mut unknown = Device::new(ORIGIN, "desconhecido");
    unknown.user_handle = device.user_handle.clone();
    let expected = refused(&mut unknown).await;

    // Another key with the id of a registered credential.
    let mut forged = Device::new(ORIGIN, "telefone");
    forged.user_handle = device.user_handle.clone();
    forged.counter = 9;
    assert_eq!(refused(&mut forged).await, expected);

    device.verifies_user = false;
    assert_eq!(refused(&mut device).await, expected);
    device.verifies_user = true;
    device.origin = "https://portal.example.com.evil.example".into();
    assert_eq!(refused(&mut device).await, expected);
    device.origin = ORIGIN.into();

    // The credential of one person does not open the account of another.
    let own = std::mem::replace(&mut device.user_handle, other.user_handle);
    assert_eq!(refused(&mut device).await, expected);
    device.user_handle = own;
    sign_in(portal, &mut device).await;
});

portal_test!(counter_that_does_not_advance_is_refused_and_audited, async |portal| {
    use_domain(portal);
    let joao = portal.client("joao").await;
    let (mut device, _) = register(portal, &joao, "telefone").await;
    sign_in(portal, &mut device).await;
    device.counter -= 1;
    try_sign_in(portal, &mut device).await.refused(400, "webauthn_verification_failed");
    let refusal = &lines(portal, "session.refused").await[0];
    assert_eq!(refusal["detail"], json!({"reason": "passkey_counter"}));
    assert_eq!(refusal["person_name"], "joao");
    sign_in(portal, &mut device).await;
});

portal_test!(another_node_completes_the_ceremony, async |portal| {
    use_domain(portal);
    let joao = portal.client("joao").await;
    let challenge = options(portal, &joao).await.is(200).json();
    portal.restart();
    let mut device = Device::new(ORIGIN, "telefone");
    let credential = device.create(&challenge["options"]);
    verify(portal, &joao, &challenge, &credential).await.is(200);
    let challenge = sign_in_options(portal).await;
    portal.restart();
    let credential = device.get(&challenge["options"]);
    submit(portal, &challenge, &credential).await.is(200);
});

portal_test!(banned_account_is_refused, async |portal| {
    use_domain(portal);
    let joao = portal.client("joao").await;
    let (mut device, _) = register(portal, &joao, "telefone").await;
    let path = format!("/auth/v1/admin/users/{}", joao.id);
    portal
        .put(&path)
        .auth(&portal.admin().await)
        .json(&json!({"ban_duration": "1h"}))
        .send()
        .await
        .is(200);
    try_sign_in(portal, &mut device).await.refused(400, "user_banned");
    // Only the owner of the passkey learns about the ban.
    let mut forged = Device::new(ORIGIN, "telefone");
    forged.user_handle = device.user_handle.clone();
    forged.counter = 9;
    try_sign_in(portal, &mut forged).await.refused(400, "webauthn_verification_failed");
});

portal_test!(concurrent_answers_to_a_challenge_open_one_session, async |portal| {
    use_domain(portal);
    let joao = portal.client("joao").await;
    let (mut device, _) = register(portal, &joao, "telefone").await;
    let challenge = sign_in_options(portal).await;
    let credentials = [(); 4].map(|()| device.get(&challenge["options"]));
    let answers = credentials.iter().map(|credential| submit(portal, &challenge, credential));
    let answers = join_all(answers).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
});

portal_test!(registration_verifies_the_person, async |portal| {
    use_domain(portal);
    let joao = portal.client("joao").await;
    let challenge = options(portal, &joao).await.is(200).json();
    let mut device = Device::new(ORIGIN, "telefone");
    device.verifies_user = false;
    let credential = device.create(&challenge["options"]);
    let refused = verify(portal, &joao, &challenge, &credential).await;
    refused.refused(400, "webauthn_verification_failed");
});

portal_test!(recent_passkey_replaces_a_forgotten_password, async |portal| {
    use_domain(portal);
    portal.set("require_current_password", "true");
    let joao = portal.client("joao").await;
    let (mut device, _) = register(portal, &joao, "telefone").await;
    let change = |user: &TestUser, password: &str| {
        portal.put("/auth/v1/user").auth(user).json(&json!({"password": password})).send()
    };
    change(&joao, "uma senha nova").await.refused(400, "current_password_required");
    let with_passkey = sign_in(portal, &mut device).await;
    change(&with_passkey, "uma senha nova").await.is(200);
    portal.advance(SignedDuration::from_hours(25));
    let refreshed = portal.refresh(&with_passkey.refresh_token).await.is(200).json();
    let later = TestUser::from_session(&refreshed);
    change(&later, "outra senha nova").await.refused(400, "current_password_required");
});

portal_test!(address_without_a_domain_has_no_passkeys, async |portal| {
    let joao = portal.client("joao").await;
    options(portal, &joao).await.refused(404, "passkey_disabled");
    let settings = portal.get("/auth/v1/settings").send().await.is(200).json();
    assert_eq!(settings["passkeys_enabled"], false);
    use_domain(portal);
    let settings = portal.get("/auth/v1/settings").send().await.is(200).json();
    assert_eq!(settings["passkeys_enabled"], true);
});
