//! Enforcement of MFA: administrators without it may do nothing, and other users have no such endpoints.

use serde_json::json;

use crate::auth::mfa::{
    Authenticator, claims, enroll, from_base32, methods, step, stepped, try_enroll,
};
use crate::harness::{PASSWORD, TestPortal, TestUser, object, portal_test, request::Answer};

/// Requests that only administrators may send.
async fn rights(world: &TestPortal, ana: &TestUser, client: &TestUser) -> Vec<Answer> {
    let path = format!("public/{}/contratos/novo.pdf", client.id);
    let list = json!({"prefix": "", "limit": 1});
    let link = json!({"type": "recovery", "email": client.email});
    let requests = [
        world.get("/rest/v1/clients"),
        world.get("/rest/v1/documents"),
        world.get("/rest/v1/"),
        world.post("/rest/v1/rpc/order_folders").json(&json!({"folders": []})),
        world.post("/rest/v1/folders").json(&json!({"id_supabase": "x", "name": "X"})),
        world.patch("/rest/v1/folders?id_supabase=eq.x").json(&json!({"name": "Y"})),
        world.delete("/rest/v1/folders?id_supabase=eq.x"),
        world.get("/auth/v1/admin/users"),
        world.post("/auth/v1/admin/generate_link").json(&link),
        world.get(&format!("/auth/v1/admin/users/{}/factors", ana.id)),
        world.post(&format!("/auth/v1/admin/users/{}/view", client.id)),
        world.get("/auth/v1/reauthenticate"),
        world.put("/auth/v1/user").json(&json!({"data": {"full_name": "Outra"}})),
        world.get("/account/v1/calendar"),
        world.get("/storage/v1/bucket"),
        world.post("/storage/v1/object/list/client-documents").json(&list),
        world.post(&object(&path)).bytes("application/pdf", crate::harness::PDF),
        world.delete(&object(&path)),
    ];
    let mut answers = Vec::new();
    for request in requests {
        answers.push(request.as_(ana).send().await);
    }
    answers
}

portal_test!(admin_rights_require_the_second_step, async |world| {
    let (_, app) = stepped(world).await;
    let joao = world.client("joao").await;
    let ana = world.sign_in("ana@escritorio.com.br").await;
    assert_eq!(claims(&ana.token)["aal"], "aal1");
    for answer in rights(world, &ana, &joao).await {
        let status = answer.status.as_u16();
        assert!(status == 403 || status == 400, "{answer:?}");
        let body = answer.json();
        let code = body["error_code"].as_str().or_else(|| body["code"].as_str());
        assert_eq!(code, Some("insufficient_aal"), "{answer:?}");
        // The storage API puts the real status into the body.
        assert!(status == 403 || body["statusCode"] == "403", "{answer:?}");
    }
    // The own account, the verification and the sign-out remain available.
    let user = world.get("/auth/v1/user").as_(&ana).send().await.is(200).json();
    assert_eq!(user["factors"][0]["status"], "verified");
    let raised = step(world, &ana, &app).await;
    for answer in rights(world, &raised, &joao).await {
        assert!(answer.status.is_success(), "{answer:?}");
    }
    // The token from before the verification belongs to the same session.
    world.get("/rest/v1/clients").as_(&ana).send().await.is(200);
    let again = world.sign_in(&ana.email).await;
    world.post("/auth/v1/logout?scope=local").as_(&again).send().await.is(204);
    world.get("/rest/v1/clients").as_(&raised).send().await.is(200);
    // Clients cannot see that a factor exists.
    world.get("/rest/v1/documents").as_(&joao).send().await.is(200);
});

portal_test!(impersonation_requires_the_second_step, async |world| {
    let (ana, app) = stepped(world).await;
    let joao = world.client("joao").await;
    let path = format!("/auth/v1/admin/users/{}/view", joao.id);
    let view = world.post(&path).as_(&ana).send().await.is(200).json();
    let token = view["access_token"].as_str().unwrap();
    let read = || world.get("/rest/v1/documents").bearer(token);
    read().send().await.is(200);
    // Another factor remains, but this session was verified with the removed one.
    let second = json!({"factor_type": "totp", "friendly_name": "Outro"});
    let second = try_enroll(world, &ana, second).await.is(200).json();
    let second = Authenticator {
        id: second["id"].as_str().unwrap().to_owned(),
        secret: from_base32(second["totp"]["secret"].as_str().unwrap()),
    };
    let ana = step(world, &ana, &second).await;
    world.delete(&format!("/auth/v1/factors/{}", second.id)).as_(&ana).send().await.is(200);
    read().send().await.refused(403, "insufficient_aal");
    let (level, ways) = methods(world, &ana.refresh_token).await;
    assert_eq!((level.as_str(), ways), ("aal1", vec!["password".to_owned()]));
    step(world, &ana, &app).await;
    read().send().await.is(200);
});

portal_test!(second_step_can_be_required_by_a_setting, async |world| {
    let (ana, joao) = (world.admin().await, world.client("joao").await);
    assert_eq!(world.get("/config.json").send().await.json()["require_second_step"], false);
    world.set("require_second_step", "true");
    assert_eq!(world.get("/config.json").send().await.json()["require_second_step"], true);
    world.get("/rest/v1/clients").as_(&ana).send().await.refused(403, "insufficient_aal");
    world.get("/auth/v1/admin/users").as_(&ana).send().await.refused(403, "insufficient_aal");
    // The own account remains available, because an invited administrator must choose a password.
    let name = json!({"data": {"full_name": "Ana P."}});
    world.put("/auth/v1/user").as_(&ana).json(&name).send().await.is(200);
    let app = enroll(world, &ana).await;
    world.get("/rest/v1/clients").as_(&ana).send().await.refused(403, "insufficient_aal");
    let ana = step(world, &ana, &app).await;
    world.get("/rest/v1/clients").as_(&ana).send().await.is(200);
    // Removing the factor removes all administrator rights.
    let path = format!("/auth/v1/factors/{}", app.id);
    world.delete(&path).as_(&ana).send().await.is(200);
    world.get("/rest/v1/clients").as_(&ana).send().await.refused(403, "insufficient_aal");
    // Clients need no factor, and the service key is exempt.
    world.get("/rest/v1/documents").as_(&joao).send().await.is(200);
    let minted = json!({"sub": ana.id, "role": "authenticated"});
    let minted = world.app.keys.sign_token(&minted);
    world.get("/rest/v1/clients").bearer(&minted).send().await.is(200);
});

portal_test!(recovery_link_does_not_replace_the_second_step, async |world| {
    let (ana, app) = stepped(world).await;
    world.post("/auth/v1/recover").json(&json!({"email": ana.email})).send().await.is(200);
    let token = world.mail("recovery", &ana.email).await.token();
    let body = json!({"token_hash": token, "type": "recovery"});
    let session = world.post("/auth/v1/verify").json(&body).send().await.is(200).json();
    let opened = TestUser::from_session(&session);
    assert_eq!(claims(&opened.token)["aal"], "aal1");
    let new = json!({"password": "outra-senha"});
    let change = async |who: &TestUser| world.put("/auth/v1/user").as_(who).json(&new).send().await;
    change(&opened).await.refused(403, "insufficient_aal");
    let opened = step(world, &opened, &app).await;
    change(&opened).await.is(200);
    world.try_sign_in(&ana.email, PASSWORD).await.refused(400, "invalid_credentials");
    assert_eq!(
        claims(
            &TestUser::from_session(&world.try_sign_in(&ana.email, "outra-senha").await.json())
                .token
        )["aal"],
        "aal1"
    );
});

portal_test!(mfa_endpoints_do_not_exist_for_other_users, async |world| {
    let (ana, app) = stepped(world).await;
    let joao = world.client("joao").await;
    let demoted = world.client("bia").await;
    let nothing = world.get("/auth/v1/nonesuch").send().await.refused(404, "not_found").text();
    let now = world.now().as_second();
    let minted = json!({"sub": ana.id, "role": "authenticated", "exp": now + 60});
    let minted = world.app.keys.sign_token(&minted);
    let expired = json!({"sub": ana.id, "role": "authenticated", "exp": now - 60});
    let expired = world.app.keys.sign_token(&expired);
    let tokens = [&joao.token, &demoted.token, &world.app.keys.service_role, &minted, &expired];
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
        let ask = || world.request(method, &path);
        let mut requests = vec![
            ask(),
            ask().without("apikey"),
            ask().header("apikey", "x"),
            ask().bearer("x"),
            ask().bytes("text/plain", "x").as_(&joao),
            ask().bytes("application/json", "{").as_(&joao),
        ];
        requests.extend(tokens.map(|token| ask().bearer(token)));
        for request in requests {
            let answer = request.send().await.refused(404, "not_found");
            assert_eq!(answer.text(), nothing, "{method} {path}");
        }
    }
    // A former administrator has no factor any more.
    let user = world.get("/auth/v1/user").as_(&joao).send().await.is(200).json();
    assert!(user.get("factors").is_none());
});
