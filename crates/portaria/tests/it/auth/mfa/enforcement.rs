//! Enforcement of MFA: a person who enrolled a factor may do nothing without it, and administrators may have to enroll one.

use serde_json::{Value, json};

use crate::auth::mfa::{
    Authenticator, claims, codes, enroll, from_base32, lines, methods, recover, try_enroll,
    verified_admin, verified_client, verify_second_step,
};
use crate::harness::{PASSWORD, TestPortal, TestUser, object, portal_test, request::Answer};

/// Requests that only administrators may send.
async fn rights(portal: &TestPortal, ana: &TestUser, client: &TestUser) -> Vec<Answer> {
    let path = format!("public/{}/contratos/novo.pdf", client.id);
    let list = json!({"prefix": "", "limit": 1});
    let link = json!({"type": "recovery", "email": client.email});
    let requests = [
        portal.get("/rest/v1/clients"),
        portal.get("/rest/v1/documents"),
        portal.get("/rest/v1/"),
        portal.post("/rest/v1/rpc/order_folders").json(&json!({"folders": []})),
        portal.post("/rest/v1/folders").json(&json!({"id_supabase": "x", "name": "X"})),
        portal.patch("/rest/v1/folders?id_supabase=eq.x").json(&json!({"name": "Y"})),
        portal.delete("/rest/v1/folders?id_supabase=eq.x"),
        portal.get("/auth/v1/admin/users"),
        portal.post("/auth/v1/admin/generate_link").json(&link),
        portal.get(&format!("/auth/v1/admin/users/{}/factors", ana.id)),
        portal.post(&format!("/auth/v1/admin/users/{}/view", client.id)),
        portal.get("/auth/v1/reauthenticate"),
        portal.put("/auth/v1/user").json(&json!({"data": {"full_name": "Outra"}})),
        portal.get("/account/v1/calendar"),
        portal.get("/storage/v1/bucket"),
        portal.post("/storage/v1/object/list/client-documents").json(&list),
        portal.post(&object(&path)).bytes("application/pdf", crate::harness::PDF),
        portal.delete(&object(&path)),
    ];
    let mut answers = Vec::new();
    for request in requests {
        answers.push(request.auth(ana).send().await);
    }
    answers
}

portal_test!(admin_rights_require_the_second_step, async |portal| {
    let (_, app) = verified_admin(portal).await;
    let joao = portal.client("joao").await;
    let ana = portal.sign_in("ana@escritorio.com.br").await;
    assert_eq!(claims(&ana.token)["aal"], "aal1");
    for answer in rights(portal, &ana, &joao).await {
        let status = answer.status.as_u16();
        assert!(status == 403 || status == 400, "{answer:?}");
        let body = answer.json();
        let code = body["error_code"].as_str().or_else(|| body["code"].as_str());
        assert_eq!(code, Some("insufficient_aal"), "{answer:?}");
        // The storage API puts the real status into the body.
        assert!(status == 403 || body["statusCode"] == "403", "{answer:?}");
    }
    // The own account, the verification and the sign-out remain available.
    let user = portal.get("/auth/v1/user").auth(&ana).send().await.is(200).json();
    assert_eq!(user["factors"][0]["status"], "verified");
    let raised = verify_second_step(portal, &ana, &app).await;
    for answer in rights(portal, &raised, &joao).await {
        assert!(answer.status.is_success(), "{answer:?}");
    }
    // The token from before the verification belongs to the same session.
    portal.get("/rest/v1/clients").auth(&ana).send().await.is(200);
    let again = portal.sign_in(&ana.email).await;
    portal.post("/auth/v1/logout?scope=local").auth(&again).send().await.is(204);
    portal.get("/rest/v1/clients").auth(&raised).send().await.is(200);
    // Another person's factor does not concern a client.
    portal.get("/rest/v1/documents").auth(&joao).send().await.is(200);
});

portal_test!(impersonation_requires_the_second_step, async |portal| {
    let (ana, app) = verified_admin(portal).await;
    let joao = portal.client("joao").await;
    let path = format!("/auth/v1/admin/users/{}/view", joao.id);
    let view = portal.post(&path).auth(&ana).send().await.is(200).json();
    let token = view["access_token"].as_str().unwrap();
    let read = || portal.get("/rest/v1/documents").bearer(token);
    read().send().await.is(200);
    // Another factor remains, but this session was verified with the removed one.
    let second = json!({"factor_type": "totp", "friendly_name": "Outro"});
    let second = try_enroll(portal, &ana, second).await.is(200).json();
    let second = Authenticator {
        id: second["id"].as_str().unwrap().to_owned(),
        secret: from_base32(second["totp"]["secret"].as_str().unwrap()),
    };
    let ana = verify_second_step(portal, &ana, &second).await;
    portal.delete(&format!("/auth/v1/factors/{}", second.id)).auth(&ana).send().await.is(200);
    read().send().await.refused(403, "insufficient_aal");
    let (level, ways) = methods(portal, &ana.refresh_token).await;
    assert_eq!((level.as_str(), ways), ("aal1", vec!["password".to_owned()]));
    verify_second_step(portal, &ana, &app).await;
    read().send().await.is(200);
});

portal_test!(second_step_can_be_required_by_a_setting, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    assert_eq!(portal.get("/config.json").send().await.json()["require_second_step"], false);
    portal.set("require_second_step", "true");
    assert_eq!(portal.get("/config.json").send().await.json()["require_second_step"], true);
    portal.get("/rest/v1/clients").auth(&ana).send().await.refused(403, "insufficient_aal");
    portal.get("/auth/v1/admin/users").auth(&ana).send().await.refused(403, "insufficient_aal");
    // The own account remains available, because an invited administrator must choose a password.
    let name = json!({"data": {"full_name": "Ana P."}});
    portal.put("/auth/v1/user").auth(&ana).json(&name).send().await.is(200);
    let app = enroll(portal, &ana).await;
    portal.get("/rest/v1/clients").auth(&ana).send().await.refused(403, "insufficient_aal");
    let ana = verify_second_step(portal, &ana, &app).await;
    portal.get("/rest/v1/clients").auth(&ana).send().await.is(200);
    // Removing the factor removes all administrator rights.
    let path = format!("/auth/v1/factors/{}", app.id);
    portal.delete(&path).auth(&ana).send().await.is(200);
    portal.get("/rest/v1/clients").auth(&ana).send().await.refused(403, "insufficient_aal");
    // Clients need no factor, and the service key is exempt.
    portal.get("/rest/v1/documents").auth(&joao).send().await.is(200);
    let minted = json!({"sub": ana.id, "role": "authenticated"});
    let minted = portal.app.keys.sign_token(&minted);
    portal.get("/rest/v1/clients").bearer(&minted).send().await.is(200);
});

portal_test!(recovery_link_does_not_replace_the_second_step, async |portal| {
    let (ana, app) = verified_admin(portal).await;
    portal.post("/auth/v1/recover").json(&json!({"email": ana.email})).send().await.is(200);
    let token = portal.mail("recovery", &ana.email).await.token();
    let body = json!({"token_hash": token, "type": "recovery"});
    let session = portal.post("/auth/v1/verify").json(&body).send().await.is(200).json();
    let opened = TestUser::from_session(&session);
    assert_eq!(claims(&opened.token)["aal"], "aal1");
    let new = json!({"password": "outra-senha"});
    let change =
        async |user: &TestUser| portal.put("/auth/v1/user").auth(user).json(&new).send().await;
    change(&opened).await.refused(403, "insufficient_aal");
    let opened = verify_second_step(portal, &opened, &app).await;
    change(&opened).await.is(200);
    portal.try_sign_in(&ana.email, PASSWORD).await.refused(400, "invalid_credentials");
    assert_eq!(
        claims(
            &TestUser::from_session(&portal.try_sign_in(&ana.email, "outra-senha").await.json())
                .token
        )["aal"],
        "aal1"
    );
});

portal_test!(client_enrolls_a_factor_and_needs_it_from_then_on, async |portal| {
    // The setting concerns administrators alone.
    portal.set("require_second_step", "true");
    let maria = portal.client("maria").await;
    portal.get("/rest/v1/documents").auth(&maria).send().await.is(200);
    let (joao, app) = verified_client(portal, "joao").await;
    assert_eq!(claims(&joao.token)["aal"], "aal2");
    portal.mail("second_step_on", &joao.email).await;
    let line = &lines(portal, "second_step.enrolled").await[0];
    assert_eq!((&line["actor"], &line["actor_name"]), (&json!("client"), &json!("joao")));
    let paper = codes(portal, &joao).await;

    let waiting = portal.sign_in(&joao.email).await;
    assert_eq!(claims(&waiting.token)["aal"], "aal1");
    let ticket = json!({"subject": "Dúvida", "message": "Uma mensagem longa o bastante."});
    let file = object(&format!("public/{}/contratos/novo.pdf", joao.id));
    let requests = [
        portal.get("/rest/v1/documents"),
        portal.get("/rest/v1/folders"),
        portal.get("/rest/v1/sessions"),
        portal.post("/rest/v1/tickets").json(&ticket),
        portal.get("/account/v1/calendar"),
        portal.get("/account/v1/export"),
        portal.get(&file),
        portal.get("/auth/v1/reauthenticate"),
        portal.put("/auth/v1/user").json(&json!({"data": {"full_name": "Outro"}})),
        portal.post("/auth/v1/factors/recovery-codes/regenerate").json(&json!({})),
    ];
    for request in requests {
        let answer = request.auth(&waiting).send().await;
        let body = answer.json();
        let code = body["error_code"].as_str().or_else(|| body["code"].as_str());
        assert_eq!(code, Some("insufficient_aal"), "{answer:?}");
    }
    // The client library reads from the own account that a factor waits.
    let user = portal.get("/auth/v1/user").auth(&waiting).send().await.is(200).json();
    assert_eq!(user["factors"][0]["status"], "verified");
    let second = json!({"factor_type": "totp", "friendly_name": "Ladrão"});
    try_enroll(portal, &waiting, second).await.refused(403, "insufficient_aal");

    let raised = verify_second_step(portal, &waiting, &app).await;
    portal.post("/rest/v1/tickets").auth(&raised).json(&ticket).send().await.is(201);
    let lost = portal.sign_in(&joao.email).await;
    let session = recover(portal, &lost, &paper[0]).await.is(200).json();
    let recovered = TestUser::from_session(&session);
    portal.get("/rest/v1/documents").auth(&recovered).send().await.is(200);

    portal.delete(&format!("/auth/v1/factors/{}", app.id)).auth(&raised).send().await.is(200);
    portal.mail("second_step_off", &joao.email).await;
    let joao = portal.sign_in(&joao.email).await;
    portal.get("/rest/v1/documents").auth(&joao).send().await.is(200);
});

portal_test!(factor_of_another_client_is_not_found, async |portal| {
    let (_, app) = verified_client(portal, "joao").await;
    let (maria, _) = verified_client(portal, "maria").await;
    for (method, path) in [
        ("DELETE", format!("/auth/v1/factors/{}", app.id)),
        ("POST", format!("/auth/v1/factors/{}/challenge", app.id)),
    ] {
        let refused = portal.request(method, &path).auth(&maria).send().await;
        refused.refused(404, "mfa_factor_not_found");
    }
});

portal_test!(former_administrator_keeps_the_factor, async |portal| {
    let ana = portal.admin().await;
    let (bia, app) = verified_client(portal, "bia").await;
    let user = format!("/auth/v1/admin/users/{}", bia.id);
    for roles in [json!(["admin"]), json!([])] {
        let change = json!({"app_metadata": {"roles": roles}});
        portal.put(&user).auth(&ana).json(&change).send().await.is(200);
        let waiting = portal.sign_in(&bia.email).await;
        let read = |user: &TestUser| portal.get("/rest/v1/documents").auth(user);
        read(&waiting).send().await.refused(403, "insufficient_aal");
        let raised = verify_second_step(portal, &waiting, &app).await;
        read(&raised).send().await.is(200);
    }
});

portal_test!(new_password_is_chosen_before_a_factor, async |portal| {
    let email = "joao@padaria.com.br";
    let asked = json!({"email": email, "app_metadata": {"must_change_password": true}});
    portal.create_user(asked).await;
    let joao = portal.sign_in(email).await;
    let refused = try_enroll(portal, &joao, json!({"factor_type": "totp"})).await;
    refused.refused(403, "password_change_required");
});

portal_test!(factor_endpoints_require_a_session, async |portal| {
    let (joao, app) = verified_client(portal, "joao").await;
    let now = portal.now().as_second();
    let sign = |claims: Value| portal.app.keys.sign_token(&claims);
    let minted = sign(json!({"sub": joao.id, "role": "authenticated", "exp": now + 60}));
    let expired = sign(json!({"sub": joao.id, "role": "authenticated", "exp": now - 60}));
    let id = &app.id;
    for (method, path) in [
        ("POST", "/factors".to_owned()),
        ("DELETE", format!("/factors/{id}")),
        ("POST", format!("/factors/{id}/challenge")),
        ("POST", format!("/factors/{id}/verify")),
        ("GET", "/factors/recovery-codes".to_owned()),
        ("POST", "/factors/recovery-codes".to_owned()),
        ("DELETE", "/factors/recovery-codes".to_owned()),
        ("POST", "/factors/recovery-codes/regenerate".to_owned()),
        ("POST", "/factors/recovery-codes/verify".to_owned()),
    ] {
        let path = format!("/auth/v1{path}");
        let ask = || portal.request(method, &path).json(&json!({"factor_type": "totp"}));
        let keys = &portal.app.keys;
        let tokens = ["x", &expired, &keys.anon, &keys.service_role];
        let mut requests = vec![ask(), ask().bytes("application/json", "{")];
        requests.extend(tokens.map(|token| ask().bearer(token)));
        for request in requests {
            request.send().await.refused(401, "no_authorization");
        }
        ask().bearer(&minted).send().await.refused(403, "session_not_found");
        ask().without("apikey").send().await.is(401);
    }
    for (method, path) in [("GET", "/auth/v1/factors"), ("PUT", "/auth/v1/factors/recovery-codes")]
    {
        let refused = portal.request(method, path).auth(&joao).send().await;
        refused.refused(405, "method_not_allowed");
    }
});
