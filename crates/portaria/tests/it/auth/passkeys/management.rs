//! Listing, renaming and removing passkeys; passkeys as the second step; the office's reset.

use std::sync::Arc;

use portaria::{accounts::user, api::auth::mfa, db::Tx};
use serde_json::json;

use crate::auth::mfa::{lines, try_enroll, verified_admin};
use crate::auth::passkeys::{
    Device, ORIGIN, options, register, sign_in, try_sign_in, use_domain, verify,
};
use crate::harness::{PASSWORD, TestUser, portal_test};

portal_test!(passkeys_are_listed_renamed_and_removed_by_their_owner, async |portal| {
    use_domain(portal);
    let (joao, bia) = (portal.client("joao").await, portal.client("bia").await);
    let (mut device, id) = register(portal, &joao, "telefone").await;
    let path = format!("/auth/v1/passkeys/{id}");
    let rename = |user: &TestUser, name: &str| {
        portal.patch(&path).auth(user).json(&json!({"friendly_name": name})).send()
    };
    let long = "x".repeat(121);
    for (name, status) in [("", 400), ("  ", 400), (long.as_str(), 400), ("Telefone", 200)] {
        rename(&joao, name).await.is(status);
    }
    rename(&bia, "Meu").await.refused(404, "validation_failed");
    portal.delete(&path).auth(&bia).send().await.refused(404, "validation_failed");
    assert_eq!(portal.get("/auth/v1/passkeys").auth(&bia).send().await.is(200).json(), json!([]));

    let elsewhere = sign_in(portal, &mut device).await;
    let listed = portal.get("/auth/v1/passkeys").auth(&joao).send().await.is(200).json();
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(listed[0]["friendly_name"], "Telefone");
    assert!(listed[0]["last_used_at"].as_str().unwrap().ends_with('Z'));
    assert!(listed[0].get("credential").is_none());

    portal.delete(&path).auth(&joao).send().await.is(204);
    portal.get("/auth/v1/user").auth(&elsewhere).send().await.refused(403, "session_not_found");
    portal.get("/auth/v1/user").auth(&joao).send().await.is(200);
    try_sign_in(portal, &mut device).await.refused(400, "webauthn_verification_failed");
    portal.mail("passkey_removed", &joao.email).await;
    assert_eq!(lines(portal, "passkey.renamed").await.len(), 1);
    assert_eq!(lines(portal, "passkey.removed").await.len(), 1);
});

portal_test!(person_has_at_most_ten_passkeys_and_each_once, async |portal| {
    use_domain(portal);
    let joao = portal.client("joao").await;
    let challenge = options(portal, &joao).await.is(200).json();
    for number in 0..10 {
        register(portal, &joao, &format!("aparelho {number}")).await;
    }
    options(portal, &joao).await.refused(422, "too_many_passkeys");
    let credential = Device::new(ORIGIN, "mais um").create(&challenge["options"]);
    verify(portal, &joao, &challenge, &credential).await.refused(422, "too_many_passkeys");
    // A refused registration consumes its challenge as well.
    let again = verify(portal, &joao, &challenge, &credential).await;
    again.refused(400, "webauthn_challenge_not_found");

    let bia = portal.client("bia").await;
    let challenge = options(portal, &bia).await.is(200).json();
    let credential = Device::new(ORIGIN, "aparelho 0").create(&challenge["options"]);
    verify(portal, &bia, &challenge, &credential).await.refused(422, "webauthn_credential_exists");
    let again = verify(portal, &bia, &challenge, &credential).await;
    again.refused(400, "webauthn_challenge_not_found");
});

portal_test!(changes_of_passkeys_are_limited, async |portal| {
    use_domain(portal);
    let joao = portal.client("joao").await;
    let (_, id) = register(portal, &joao, "telefone").await;
    portal.set("rate_account", "3/5m");
    portal.set("rate_verify", "2/5m");
    let path = format!("/auth/v1/passkeys/{id}");
    let rename =
        |name: &str| portal.patch(&path).auth(&joao).json(&json!({"friendly_name": name})).send();
    rename("Telefone").await.is(200);
    // An unchanged name is no event.
    rename("Telefone").await.is(200);
    rename("Aparelho").await.is(200);
    rename("Telefone").await.refused(429, "over_request_rate_limit");
    let removal = portal.delete(&path).auth(&joao).send().await;
    removal.refused(429, "over_request_rate_limit");
    assert_eq!(lines(portal, "passkey.renamed").await.len(), 2);

    options(portal, &joao).await.is(200);
    options(portal, &joao).await.is(200);
    options(portal, &joao).await.refused(429, "over_request_rate_limit");
    let path = "/auth/v1/passkeys/authentication/options";
    let anyone = portal.post(path).json(&json!({})).send().await;
    anyone.refused(429, "over_request_rate_limit");
});

portal_test!(person_without_a_name_registers_under_the_address, async |portal| {
    use_domain(portal);
    let joao = portal.client("joao").await;
    let unnamed = json!({"data": {"full_name": ""}});
    portal.put("/auth/v1/user").auth(&joao).json(&unnamed).send().await.is(200);
    let challenge = options(portal, &joao).await.is(200).json();
    assert_eq!(challenge["options"]["user"]["displayName"], joao.email.as_str());
});

portal_test!(passkey_passes_mfa, async |portal| {
    use_domain(portal);
    let (ana, _) = verified_admin(portal).await;
    let (mut device, _) = register(portal, &ana, "telefone").await;
    let with_password = portal.sign_in(&ana.email).await;
    options(portal, &with_password).await.refused(403, "insufficient_aal");
    portal
        .get("/auth/v1/passkeys")
        .auth(&with_password)
        .send()
        .await
        .refused(403, "insufficient_aal");
    let with_passkey = sign_in(portal, &mut device).await;
    portal.get("/rest/v1/clients").auth(&with_passkey).send().await.is(200);
});

portal_test!(passkey_is_enough_where_mfa_is_required, async |portal| {
    use_domain(portal);
    let ana = portal.admin().await;
    portal.set("require_second_step", "true");
    portal.get("/rest/v1/clients").auth(&ana).send().await.is(403);
    let (mut device, id) = register(portal, &ana, "telefone").await;
    // The registration verified the person.
    portal.get("/rest/v1/clients").auth(&ana).send().await.is(200);

    // The password alone neither enters nor adds another second step.
    let with_password = portal.sign_in(&ana.email).await;
    portal.get("/rest/v1/clients").auth(&with_password).send().await.is(403);
    options(portal, &with_password).await.refused(403, "insufficient_aal");
    try_enroll(portal, &with_password, json!({"factor_type": "totp"}))
        .await
        .refused(403, "insufficient_aal");
    let with_passkey = sign_in(portal, &mut device).await;
    portal.get("/rest/v1/clients").auth(&with_passkey).send().await.is(200);

    // Without its passkey the session is no longer verified.
    let path = format!("/auth/v1/passkeys/{id}");
    portal.delete(&path).auth(&with_passkey).send().await.is(204);
    portal.get("/rest/v1/clients").auth(&with_passkey).send().await.is(403);
});

portal_test!(temporary_password_adds_no_passkey, async |portal| {
    use_domain(portal);
    let joao = portal.client("joao").await;
    let path = format!("/auth/v1/admin/users/{}", joao.id);
    let body = json!({"app_metadata": {"must_change_password": true}});
    portal.put(&path).auth(&portal.admin().await).json(&body).send().await.is(200);
    let joao = portal.sign_in(&joao.email).await;
    options(portal, &joao).await.refused(403, "password_change_required");
});

portal_test!(office_removes_passkeys, async |portal| {
    use_domain(portal);
    let ana = portal.admin().await;
    let joao = portal.client("joao").await;
    let user = format!("/auth/v1/admin/users/{}", joao.id);
    let (mut device, id) = register(portal, &joao, "telefone").await;
    let (mut tablet, tablet_id) = register(portal, &joao, "tablet").await;
    let on_tablet = sign_in(portal, &mut tablet).await;
    let list = format!("{user}/passkeys");
    portal.delete(&format!("{list}/{tablet_id}")).auth(&ana).send().await.is(204);
    portal.get("/auth/v1/user").auth(&on_tablet).send().await.refused(403, "session_not_found");
    // Only the passkey was added in this session.
    portal.get("/auth/v1/user").auth(&joao).send().await.is(200);
    let listed = portal.get(&list).auth(&ana).send().await.is(200).json();
    assert_eq!(listed[0]["id"], id.as_str());
    portal.get(&list).auth(&joao).send().await.refused(403, "not_admin");
    portal.delete(&format!("{list}/{id}")).auth(&ana).send().await.is(204);
    portal.get("/auth/v1/user").auth(&joao).send().await.refused(403, "session_not_found");
    try_sign_in(portal, &mut device).await.refused(400, "webauthn_verification_failed");

    // A password that the office sets shuts others out.
    let joao = portal.sign_in(&joao.email).await;
    let (mut device, _) = register(portal, &joao, "notebook").await;
    portal.put(&user).auth(&ana).json(&json!({"password": PASSWORD})).send().await.is(200);
    try_sign_in(portal, &mut device).await.refused(400, "webauthn_verification_failed");

    // The operator's reset.
    let joao = portal.sign_in(&joao.email).await;
    let (mut device, _) = register(portal, &joao, "chaveiro").await;
    let (app, address) = (Arc::clone(&portal.app), joao.email.clone());
    let reset = move |tx: &mut Tx<'_>| {
        let user = user::by_email(tx, &address)?.unwrap();
        mfa::reset_mfa(tx, &app, &user)
    };
    assert!(portal.app.db.write(reset).await.unwrap());
    try_sign_in(portal, &mut device).await.refused(400, "webauthn_verification_failed");
});
