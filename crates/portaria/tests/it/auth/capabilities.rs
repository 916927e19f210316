//! Supported endpoints, unsupported endpoints, and API keys.

use serde_json::json;

use crate::harness::portal_test;

portal_test!(unknown_endpoints_are_refused, async |portal| {
    let joao = portal.client("joao").await;
    for (method, path) in [("GET", "/auth/v1/callback"), ("GET", "/auth/v1/nonesuch")] {
        for request in [portal.request(method, path), portal.request(method, path).auth(&joao)] {
            let answer = request.send().await.refused(404, "not_found");
            assert!(answer.header("content-type").starts_with("application/json"), "{path}");
        }
    }
    for (method, path) in
        [("PUT", "/auth/v1/token"), ("DELETE", "/auth/v1/user"), ("POST", "/auth/v1/passkeys")]
    {
        portal.request(method, path).send().await.refused(405, "method_not_allowed");
    }
});

portal_test!(features_that_are_off_answer_the_official_codes, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    // Everyone receives these, without an API key.
    for (method, path, status, code) in [
        ("GET", "/authorize?provider=google", 400, "validation_failed"),
        ("POST", "/sso", 404, "saml_provider_disabled"),
        ("GET", "/sso/saml/metadata", 404, "saml_provider_disabled"),
        ("POST", "/sso/saml/acs", 404, "saml_provider_disabled"),
        ("POST", "/oauth/token", 404, "feature_disabled"),
        ("POST", "/oauth/clients/register", 404, "feature_disabled"),
        ("GET", "/oauth/authorizations/x", 404, "feature_disabled"),
        ("GET", "/.well-known/oauth-authorization-server", 404, "feature_disabled"),
    ] {
        let path = format!("/auth/v1{path}");
        let ask = || portal.request(method, &path);
        for request in [ask(), ask().without("apikey"), ask().auth(&joao), ask().auth(&ana)] {
            request.send().await.refused(status, code);
        }
    }
    for (method, path, code) in [
        ("GET", "/user/identities/authorize?provider=google", "manual_linking_disabled"),
        ("DELETE", "/user/identities/x", "manual_linking_disabled"),
        ("GET", "/user/oauth/grants", "feature_disabled"),
    ] {
        let path = format!("/auth/v1{path}");
        let ask = || portal.request(method, &path);
        ask().send().await.refused(401, "no_authorization");
        ask().auth(&joao).send().await.refused(404, code);
    }
    for (method, path, code) in [
        ("GET", "/admin/sso/providers", "saml_provider_disabled"),
        ("PUT", "/admin/sso/providers/x", "saml_provider_disabled"),
        ("POST", "/admin/oauth/clients", "feature_disabled"),
        ("POST", "/admin/oauth/clients/x/regenerate_secret", "feature_disabled"),
        ("GET", "/admin/custom-providers", "feature_disabled"),
        ("DELETE", "/admin/custom-providers/custom:x", "feature_disabled"),
    ] {
        let path = format!("/auth/v1{path}");
        let ask = || portal.request(method, &path);
        ask().send().await.refused(401, "no_authorization");
        ask().auth(&joao).send().await.refused(403, "not_admin");
        ask().auth(&ana).send().await.refused(404, code);
    }
    let phone = "+5511999999999";
    for (path, body, status, code) in [
        ("/signup", json!({"data": {}}), 422, "anonymous_provider_disabled"),
        ("/token?grant_type=id_token", json!({"provider": "google"}), 400, "provider_disabled"),
        ("/token?grant_type=web3", json!({"chain": "solana"}), 422, "web3_provider_disabled"),
        (
            "/token?grant_type=password",
            json!({"phone": phone, "password": "x"}),
            422,
            "phone_provider_disabled",
        ),
        ("/otp", json!({"phone": phone}), 400, "phone_provider_disabled"),
        ("/resend", json!({"phone": phone, "type": "sms"}), 400, "phone_provider_disabled"),
        ("/verify", json!({"phone": phone, "token": "1", "type": "sms"}), 403, "otp_expired"),
    ] {
        let request = portal.post(&format!("/auth/v1{path}")).json(&body);
        request.send().await.refused(status, code);
    }
    portal.set("signup", "true");
    let signup = json!({"phone": phone, "password": "uma senha boa"});
    let refused = portal.post("/auth/v1/signup").json(&signup).send().await;
    refused.refused(400, "phone_provider_disabled");
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

portal_test!(access_token_is_no_api_key, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let view = portal.post(&format!("/auth/v1/admin/users/{}/view", joao.id)).auth(&ana);
    let view = view.send().await.is(200).json();
    let view = view["access_token"].as_str().unwrap().to_owned();
    for token in [&joao.token, &ana.token, &view] {
        let ask = || portal.get("/rest/v1/documents");
        ask().bearer(token).send().await.is(200);
        for request in [
            ask().header("apikey", token),
            ask().header("apikey", token).bearer(token),
            ask().without("apikey").query("apikey", token),
        ] {
            let refused = request.send().await.is(401).json();
            assert_eq!(refused["message"], "Invalid API key");
        }
    }
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
