//! Enforcement of MFA: administrators without it may do nothing, and other users have no such endpoints.

use serde_json::json;

use crate::auth::mfa::{
    Authenticator, claims, enroll, from_base32, methods, try_enroll, verified_admin,
    verify_second_step,
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
    // Clients cannot see that a factor exists.
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

portal_test!(mfa_endpoints_do_not_exist_for_other_users, async |portal| {
    let (ana, app) = verified_admin(portal).await;
    let joao = portal.client("joao").await;
    let demoted = portal.client("bia").await;
    let nothing = portal.get("/auth/v1/nonesuch").send().await.refused(404, "not_found").text();
    let now = portal.now().as_second();
    let minted = json!({"sub": ana.id, "role": "authenticated", "exp": now + 60});
    let minted = portal.app.keys.sign_token(&minted);
    let expired = json!({"sub": ana.id, "role": "authenticated", "exp": now - 60});
    let expired = portal.app.keys.sign_token(&expired);
    let tokens = [&joao.token, &demoted.token, &portal.app.keys.service_role, &minted, &expired];
    let id = &app.id;
    for (method, path) in [
        ("GET", "/factors".to_owned()),
        ("POST", "/factors".to_owned()),
        ("DELETE", format!("/factors/{id}")),
        ("PUT", format!("/factors/{id}")),
        ("DELETE", "/factors/x".to_owned()),
        ("POST", format!("/factors/{id}/challenge")),
        ("POST", format!("/factors/{id}/verify")),
        ("GET", format!("/factors/{id}/verify")),
        ("GET", "/factors/recovery-codes".to_owned()),
        ("POST", "/factors/recovery-codes".to_owned()),
        ("DELETE", "/factors/recovery-codes".to_owned()),
        ("PATCH", "/factors/recovery-codes".to_owned()),
        ("POST", "/factors/recovery-codes/regenerate".to_owned()),
        ("POST", "/factors/recovery-codes/verify".to_owned()),
        ("POST", "/factors/x/y/z".to_owned()),
    ] {
        let path = format!("/auth/v1{path}");
        let ask = || portal.request(method, &path);
        let mut requests = vec![
            ask(),
            ask().without("apikey"),
            ask().header("apikey", "x"),
            ask().bearer("x"),
            ask().bytes("text/plain", "x").auth(&joao),
            ask().bytes("application/json", "{").auth(&joao),
        ];
        requests.extend(tokens.map(|token| ask().bearer(token)));
        for request in requests {
            let answer = request.send().await.refused(404, "not_found");
            assert_eq!(answer.text(), nothing, "{method} {path}");
        }
    }
    // A former administrator has no factor any more.
    let user = portal.get("/auth/v1/user").auth(&joao).send().await.is(200).json();
    assert!(user.get("factors").is_none());
});
