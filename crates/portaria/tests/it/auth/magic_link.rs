//! Sign-in by a mailed link or code.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::harness::{PASSWORD, TestPortal, TestUser, portal_test, request::Answer};

async fn ask(world: &TestPortal, body: Value) -> Answer {
    world.post("/auth/v1/otp").json(&body).send().await
}

portal_test!(mailed_code_signs_in, async |world| {
    let joao = world.client("joao").await;
    assert_eq!(
        ask(world, json!({"email": " JOAO@cliente.com.br"})).await.is(200).json(),
        json!({})
    );
    let code = world.mail("magic_link", &joao.email).await.code();
    let body = json!({"email": joao.email, "token": code, "type": "email"});
    let session = world.post("/auth/v1/verify").json(&body).send().await.is(200).json();
    let person = TestUser::from_session(&session);
    assert_eq!(person.id, joao.id);
    world.refresh(&person.refresh_token).await.is(200);
    world.post("/auth/v1/verify").json(&body).send().await.refused(403, "otp_expired");
    // Sessions on other devices remain.
    world.get("/auth/v1/user").as_(&joao).send().await.is(200);
});

portal_test!(mailed_link_signs_in, async |world| {
    let joao = world.client("joao").await;
    let body =
        json!({"email": joao.email, "create_user": false, "data": {}, "code_challenge": null});
    ask(world, body).await.is(200);
    let path = world.mail("magic_link", &joao.email).await.path();
    let opened = world.get(&path).without("apikey").send().await.is(303);
    let location = opened.header("location");
    assert!(
        location.contains("#access_token=") && location.ends_with("&type=magiclink"),
        "{location}"
    );
});

portal_test!(magic_link_does_not_reveal_accounts, async |world| {
    let joao = world.client("joao").await;
    for body in [json!({}), json!({"create_user": false})] {
        world.wait(SignedDuration::from_mins(1));
        let of = |email: &str| {
            let mut body = body.clone();
            body["email"] = email.into();
            ask(world, body)
        };
        let known = of(&joao.email).await.is(200).seen();
        assert_eq!(known, of("ninguem@cliente.com.br").await.seen());
        // A repeated request does not reveal the account either.
        assert_eq!(known, of(&joao.email).await.seen());
    }
    assert_eq!(world.mails().await.len(), 2);
    world.try_sign_in("ninguem@cliente.com.br", PASSWORD).await.refused(400, "invalid_credentials");
});

portal_test!(magic_link_creates_an_account_with_open_sign_up, async |world| {
    world.set("signup", "true");
    let email = "nova@cliente.com.br";
    let unwanted = ask(world, json!({"email": email, "create_user": false})).await;
    unwanted.refused(422, "otp_disabled");
    assert_eq!(world.mails().await.len(), 0);

    ask(world, json!({"email": email, "data": {"full_name": "Nova"}})).await.is(200);
    let code = world.mail("magic_link", email).await.code();
    let body = json!({"email": email, "token": code, "type": "email"});
    let session = world.post("/auth/v1/verify").json(&body).send().await.is(200).json();
    assert_eq!(session["user"]["user_metadata"], json!({"full_name": "Nova"}));
    assert_eq!(session["user"]["email_confirmed_at"], "2026-11-21T15:00:00.000000Z");
});

portal_test!(magic_link_creates_no_account_for_the_reserved_address, async |world| {
    world.set("signup", "true");
    world.set("admin_email", "chefe@escritorio.com.br");
    ask(world, json!({"email": "chefe@escritorio.com.br"})).await.is(200);
    assert_eq!(world.mails().await.len(), 0);
});

portal_test!(invalid_magic_link_request_is_rejected, async |world| {
    for (body, code) in [
        (json!({}), "validation_failed"),
        (json!({"email": "a@b"}), "validation_failed"),
        (json!({"email": "a@b.c\r\nBcc: x@y.z"}), "validation_failed"),
        (json!({"email": "a@b.com", "phone": "5511999990000"}), "validation_failed"),
        (json!({"phone": "5511999990000"}), "phone_provider_disabled"),
        (
            json!({"email": "a@b.com", "code_challenge": "curto", "code_challenge_method": "s256"}),
            "validation_failed",
        ),
        (json!({"email": "a@b.com", "create_user": "x"}), "bad_json"),
    ] {
        ask(world, body).await.refused(400, code);
    }
});
