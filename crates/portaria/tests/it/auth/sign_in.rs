//! Sign-in with a password, and the two error formats.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::harness::{PASSWORD, portal_test};

portal_test!(sign_in_returns_a_session, async |portal| {
    portal.client("joao").await;
    let session = portal.try_sign_in(" JOAO@cliente.com.br ", PASSWORD).await.is(200).json();
    assert_eq!(session["token_type"], "bearer");
    assert_eq!(session["expires_in"], 3600);
    assert_eq!(session["expires_at"], portal.now().as_second() + 3600);
    assert_eq!(session["user"]["email"], "joao@cliente.com.br");
    assert_eq!(session["user"]["last_sign_in_at"], "2026-11-21T15:00:00.000000Z");
    assert!(!session.to_string().contains("argon2"), "{session}");

    let token = session["access_token"].as_str().unwrap();
    let user = portal.get("/auth/v1/user").bearer(token).send().await.is(200).json();
    assert_eq!(user, session["user"]);
});

portal_test!(previous_visit_is_remembered, async |portal| {
    portal.client("joao").await;
    let mut seen = Vec::new();
    // The first sign-in after the creation is a visit. A second within the hour belongs to the same visit, and the next
    // day begins another.
    for hours in [0, 24, 48] {
        portal.advance(SignedDuration::from_hours(hours));
        let joao = portal.sign_in("joao@cliente.com.br").await;
        let rows = portal.get("/rest/v1/clients?select=last_visit_at").auth(&joao).send().await;
        seen.push(rows.is(200).json()[0]["last_visit_at"].clone());
    }
    let visits =
        [json!(null), json!("2026-11-21T15:00:00+00:00"), json!("2026-11-22T15:00:00+00:00")];
    assert_eq!(seen, visits);
});

portal_test!(unknown_address_and_wrong_password_are_answered_alike, async |portal| {
    portal.client("joao").await;
    let wrong = portal.try_sign_in("joao@cliente.com.br", "outra-senha").await;
    let unknown = portal.try_sign_in("ninguem@cliente.com.br", "outra-senha").await;
    assert_eq!(wrong.seen(), unknown.seen());
});

portal_test!(error_format_follows_the_api_version_of_the_caller, async |portal| {
    let attempt = || {
        let body = json!({"email": "ninguem@cliente.com.br", "password": "x"});
        portal.post("/auth/v1/token?grant_type=password").json(&body)
    };
    let versioned = attempt().header("x-supabase-api-version", "2024-01-01").send().await;
    let versioned = versioned.refused(400, "invalid_credentials");
    assert_eq!(
        versioned.json(),
        json!({"code": "invalid_credentials", "message": "Invalid login credentials"})
    );
    assert_eq!(versioned.header("x-supabase-api-version"), "2024-01-01");
    assert_eq!(versioned.header("x-sb-error-code"), "invalid_credentials");

    let legacy = attempt().send().await.refused(400, "invalid_credentials");
    assert_eq!(
        legacy.json(),
        json!({"code": 400, "error_code": "invalid_credentials", "msg": "Invalid login credentials"})
    );
    assert_eq!(legacy.header("x-supabase-api-version"), "");
});

portal_test!(malformed_sign_in_is_rejected_without_a_fault, async |portal| {
    portal.client("joao").await;
    let password = "/auth/v1/token?grant_type=password";
    let joao = json!({"email": "joao@cliente.com.br", "password": PASSWORD});
    for (path, body, code) in [
        (password, json!({}), "validation_failed"),
        (password, json!({"email": null, "password": null}), "validation_failed"),
        (password, json!({"email": "", "password": PASSWORD}), "validation_failed"),
        (password, json!({"email": "joao@cliente.com.br"}), "invalid_credentials"),
        (
            password,
            json!({"email": "joao@cliente.com.br", "password": null}),
            "invalid_credentials",
        ),
        (
            password,
            json!({"email": "joao@cliente.com.br", "password": "a".repeat(1025)}),
            "invalid_credentials",
        ),
        (
            password,
            json!({"email": "joao@cliente.com.br", "password": "a\0b"}),
            "validation_failed",
        ),
        (password, json!({"email": 7}), "bad_json"),
        ("/auth/v1/token", joao.clone(), "invalid_credentials"),
        ("/auth/v1/token?grant_type=", joao.clone(), "invalid_credentials"),
        ("/auth/v1/token?grant_type=foo", joao.clone(), "invalid_credentials"),
        ("/auth/v1/token?grant_type=foo&grant_type=password", joao.clone(), "invalid_credentials"),
        ("/auth/v1/token?grant_type=password&grant_type=foo", joao.clone(), "invalid_credentials"),
        ("/auth/v1/token?grant_type=password&grant_type=", joao.clone(), "invalid_credentials"),
    ] {
        portal.post(path).json(&body).send().await.refused(400, code);
    }
    portal.post(password).bytes("application/json", "{").send().await.refused(400, "bad_json");
    let text = portal.post(password).bytes("text/plain", joao.to_string()).send().await;
    text.refused(400, "validation_failed");
    let huge = json!({"email": "a".repeat(1 << 20)});
    portal.post(password).json(&huge).send().await.refused(413, "request_entity_too_large");
});

portal_test!(unconfirmed_account_is_revealed_with_its_password_only, async |portal| {
    let body = json!({"email": "nova@cliente.com.br", "password": PASSWORD});
    let create = portal.post("/auth/v1/admin/users").bearer(&portal.app.keys.service_role);
    create.json(&body).send().await.is(200);
    let wrong = portal.try_sign_in("nova@cliente.com.br", "outra-senha").await;
    wrong.refused(400, "invalid_credentials");
    let right = portal.try_sign_in("nova@cliente.com.br", PASSWORD).await;
    right.refused(400, "email_not_confirmed");
});

portal_test!(password_is_compared_byte_for_byte, async |portal| {
    let composed = "a\u{e7}\u{e3}o-123";
    let decomposed = "ac\u{327}a\u{303}o-123";
    let user = portal.create_user(json!({"email": "acao@cliente.com.br"})).await;
    let path = format!("/auth/v1/admin/users/{}", user["id"].as_str().unwrap());
    let service = &portal.app.keys.service_role;
    portal.put(&path).bearer(service).json(&json!({"password": composed})).send().await.is(200);
    portal.try_sign_in("acao@cliente.com.br", composed).await.is(200);
    let other = portal.try_sign_in("acao@cliente.com.br", decomposed).await;
    other.refused(400, "invalid_credentials");
});

portal_test!(settings_describe_the_sign_in_page, async |portal| {
    let settings = portal.get("/auth/v1/settings").send().await.is(200).json();
    assert_eq!(settings["disable_signup"], Value::Bool(true));
    assert_eq!(settings["external"]["email"], Value::Bool(true));
});
