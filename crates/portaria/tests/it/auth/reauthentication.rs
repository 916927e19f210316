//! Reauthentication before a password change: a mailed code or the current password.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::harness::{PASSWORD, TestPortal, TestUser, portal_test, request::Answer};

async fn change(world: &TestPortal, person: &TestUser, body: Value) -> Answer {
    world.put("/auth/v1/user").as_(person).json(&body).send().await
}

async fn ask(world: &TestPortal, person: &TestUser) -> Answer {
    world.get("/auth/v1/reauthenticate").as_(person).send().await
}

/// The same session with a refreshed access token.
async fn renewed(world: &TestPortal, person: &TestUser) -> TestUser {
    TestUser::from_session(&world.refresh(&person.refresh_token).await.is(200).json())
}

portal_test!(password_change_in_an_old_session_requires_a_mailed_code, async |world| {
    world.set("require_reauthentication", "true");
    let joao = world.client("joao").await;
    change(world, &joao, json!({"password": "senha-nova"})).await.is(200);
    world.wait(SignedDuration::from_hours(24));
    let joao = renewed(world, &joao).await;
    change(world, &joao, json!({"password": "senha-boa"})).await.is(200);
    world.wait(SignedDuration::from_secs(1));

    let body = json!({"password": "senha-melhor"});
    change(world, &joao, body.clone()).await.refused(400, "reauthentication_needed");
    assert_eq!(ask(world, &joao).await.is(200).json(), json!({}));
    let code = world.mail("reauthentication", &joao.email).await.code();
    let wrong = if code == "000000" { "111111" } else { "000000" };
    let with = |nonce: &str| json!({"password": "senha-melhor", "nonce": nonce});
    change(world, &joao, with(wrong)).await.refused(422, "reauthentication_not_valid");
    change(world, &joao, with(&code)).await.is(200);
    world.try_sign_in(&joao.email, "senha-melhor").await.is(200);
    // The code works once.
    let again = json!({"password": "senha-outra", "nonce": code});
    change(world, &joao, again).await.refused(422, "reauthentication_not_valid");
    // Other changes require no code.
    change(world, &joao, json!({"data": {"a": 1}})).await.is(200);
});

portal_test!(reauthentication_code_cannot_be_guessed, async |world| {
    world.set("require_reauthentication", "true");
    let joao = world.client("joao").await;
    world.wait(SignedDuration::from_hours(25));
    let joao = renewed(world, &joao).await;
    ask(world, &joao).await.is(200);
    let code = world.mail("reauthentication", &joao.email).await.code();
    world.wait(SignedDuration::from_secs(1));
    let with = |nonce: &str| json!({"password": "senha-nova", "nonce": nonce});
    let wrong = if code == "000000" { "111111" } else { "000000" };
    for _ in 0..10 {
        change(world, &joao, with(wrong)).await.refused(422, "reauthentication_not_valid");
    }
    change(world, &joao, with(&code)).await.refused(422, "reauthentication_not_valid");
});

portal_test!(reauthentication_code_of_another_user_is_rejected, async |world| {
    world.set("require_reauthentication", "true");
    let (joao, maria) = (world.client("joao").await, world.client("maria").await);
    world.wait(SignedDuration::from_hours(25));
    let (joao, maria) = (renewed(world, &joao).await, renewed(world, &maria).await);
    ask(world, &maria).await.is(200);
    let code = world.mail("reauthentication", &maria.email).await.code();
    let body = json!({"password": "senha-nova", "nonce": code});
    change(world, &joao, body).await.refused(422, "reauthentication_not_valid");
    // The code does not sign in either.
    for kind in ["email", "magiclink", "recovery"] {
        let body = json!({"email": maria.email, "token": code, "type": kind});
        world.post("/auth/v1/verify").json(&body).send().await.refused(403, "otp_expired");
    }
});

portal_test!(reauthentication_mails_have_a_minimum_interval, async |world| {
    let joao = world.client("joao").await;
    world.get("/auth/v1/reauthenticate").send().await.refused(401, "no_authorization");
    ask(world, &joao).await.is(200);
    world.wait(SignedDuration::from_secs(18));
    let soon = ask(world, &joao).await.refused(429, "over_email_send_rate_limit");
    assert_eq!(
        soon.json()["msg"],
        "For security purposes, you can only request this after 42 seconds."
    );
    assert_eq!(soon.header("retry-after"), "42");
    world.wait(SignedDuration::from_secs(42));
    ask(world, &joao).await.is(200);
    assert_eq!(world.mails_about("reauthentication").await, 2);
});

portal_test!(password_change_can_require_the_current_password, async |world| {
    world.set("require_current_password", "true");
    let joao = world.client("joao").await;
    let body = |current: Value| json!({"password": "senha-nova", "current_password": current});
    for missing in [Value::Null, "".into()] {
        change(world, &joao, body(missing)).await.refused(400, "current_password_required");
    }
    change(world, &joao, body("outra".into())).await.refused(400, "current_password_invalid");
    change(world, &joao, body(PASSWORD.into())).await.is(200);

    // After a recovery link the current password is not required.
    world.post("/auth/v1/recover").json(&json!({"email": joao.email})).send().await.is(200);
    let token = world.mail("recovery", &joao.email).await.token();
    let verify = json!({"token_hash": token, "type": "recovery"});
    let session = world.post("/auth/v1/verify").json(&verify).send().await.is(200).json();
    let recovered = TestUser::from_session(&session);
    change(world, &recovered, json!({"password": "senha-lembrada"})).await.is(200);
});
