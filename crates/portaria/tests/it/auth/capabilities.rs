//! Supported endpoints, unsupported endpoints, and API keys.

use serde_json::json;

use crate::harness::portal_test;

portal_test!(unsupported_endpoints_are_refused, async |portal| {
    let joao = portal.client("joao").await;
    for (method, path) in [
        ("GET", "/auth/v1/factors"),
        ("POST", "/auth/v1/factors"),
        ("POST", "/auth/v1/factors/x/verify"),
        ("GET", "/auth/v1/authorize?provider=google"),
        ("GET", "/auth/v1/callback"),
        ("POST", "/auth/v1/sso"),
        ("POST", "/auth/v1/passkeys"),
        ("GET", "/auth/v1/user/identities/authorize"),
        ("DELETE", "/auth/v1/user/identities/x"),
        ("GET", "/auth/v1/oauth/clients"),
        ("POST", "/auth/v1/oauth/token"),
        ("GET", "/auth/v1/nonesuch"),
    ] {
        for request in [portal.request(method, path), portal.request(method, path).auth(&joao)] {
            let answer = request.send().await.refused(404, "not_found");
            assert!(answer.header("content-type").starts_with("application/json"), "{path}");
        }
    }
    for (method, path) in [("PUT", "/auth/v1/token"), ("DELETE", "/auth/v1/user")] {
        portal.request(method, path).send().await.refused(405, "method_not_allowed");
    }
});

portal_test!(keyless_endpoints_answer_without_a_key, async |portal| {
    let keys = portal.get("/auth/v1/.well-known/jwks.json").without("apikey").send().await.is(200);
    assert_eq!(keys.json(), json!({"keys": []}));
    assert_eq!(keys.header("cache-control"), "public, max-age=600");
    let health = portal.get("/auth/v1/health").without("apikey").send().await.is(200).json();
    assert_eq!(health["name"], "GoTrue");
    let settings = portal.get("/auth/v1/settings").send().await.is(200).json();
    assert_eq!(settings["external"]["email"], true);
    for name in ["phone", "google", "anonymous_users"] {
        assert_eq!(settings["external"][name], false, "{name}");
    }
});

portal_test!(token_signed_with_the_secret_needs_no_api_key, async |portal| {
    let joao = portal.client("joao").await;
    let now = portal.now().as_second();
    let sign = |claims: serde_json::Value| portal.app.keys.sign_token(&claims);
    for role in ["service_role", "supabase_admin"] {
        // Programs that use the client library sign such tokens.
        let token = sign(json!({"sub": "1234567890", "role": role}));
        let list = || portal.get("/auth/v1/admin/users").bearer(&token);
        list().send().await.is(200);
        list().without("apikey").send().await.is(200);
        list().header("apikey", &token).send().await.is(200);
    }
    let anon = sign(json!({"role": "anon", "exp": now + 60}));
    let body = json!({"email": joao.email, "password": crate::harness::PASSWORD});
    let sign_in = || portal.post("/auth/v1/token?grant_type=password").json(&body);
    sign_in().without("apikey").bearer(&anon).send().await.is(200);
    sign_in().header("apikey", &anon).send().await.is(200);
    sign_in().without("apikey").query("apikey", &anon).send().await.is(200);
    let user = sign(json!({"sub": joao.id, "role": "authenticated", "exp": now + 60}));
    portal.get("/auth/v1/user").without("apikey").bearer(&user).send().await.is(200);
    portal.get("/rest/v1/documents").without("apikey").bearer(&user).send().await.is(200);
});

portal_test!(missing_and_wrong_api_keys_are_refused, async |portal| {
    let ask = || portal.post("/auth/v1/recover").json(&json!({"email": "a@b.com"}));
    assert_eq!(
        ask().without("apikey").send().await.is(401).json()["message"],
        "No API key found in request"
    );
    for wrong in ["x", "a.b.c", ""] {
        let refused = ask().header("apikey", wrong).send().await.is(401);
        assert_eq!(refused.json()["message"], "Invalid API key", "{wrong:?}");
    }
});

portal_test!(access_token_lifetime_is_configurable, async |portal| {
    portal.set("access_token_life", "120");
    let joao = portal.client("joao").await;
    let session = portal.refresh(&joao.refresh_token).await.is(200).json();
    assert_eq!(session["expires_in"], 120);
    assert_eq!(session["expires_at"], portal.now().as_second() + 120);
});

portal_test!(weak_password_from_before_a_stricter_rule_still_signs_in, async |portal| {
    let joao = portal.client("joao").await;
    portal.set("password_min", "20");
    let session = portal.try_sign_in(&joao.email, crate::harness::PASSWORD).await.is(200).json();
    assert_eq!(session["weak_password"]["reasons"], json!(["length"]));
    assert_eq!(session["weak_password"]["message"], "Password should be at least 20 characters.");
});
