//! Reauthentication before a password change: a mailed code or the current password.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::harness::{PASSWORD, TestPortal, TestUser, portal_test, request::Answer};

async fn change(portal: &TestPortal, user: &TestUser, body: Value) -> Answer {
    portal.put("/auth/v1/user").auth(user).json(&body).send().await
}

async fn ask(portal: &TestPortal, user: &TestUser) -> Answer {
    portal.get("/auth/v1/reauthenticate").auth(user).send().await
}

/// The same session with a refreshed access token.
async fn refreshed(portal: &TestPortal, user: &TestUser) -> TestUser {
    TestUser::from_session(&portal.refresh(&user.refresh_token).await.is(200).json())
}

portal_test!(password_change_in_an_old_session_requires_a_mailed_code, async |portal| {
    portal.set("require_reauthentication", "true");
    let joao = portal.client("joao").await;
    change(portal, &joao, json!({"password": "senha-nova"})).await.is(200);
    portal.advance(SignedDuration::from_hours(24));
    let joao = refreshed(portal, &joao).await;
    change(portal, &joao, json!({"password": "senha-boa"})).await.is(200);
    portal.advance(SignedDuration::from_secs(1));

    let body = json!({"password": "senha-melhor"});
    change(portal, &joao, body.clone()).await.refused(400, "reauthentication_needed");
    assert_eq!(ask(portal, &joao).await.is(200).json(), json!({}));
    let code = portal.mail("reauthentication", &joao.email).await.code();
    let wrong = if code == "000000" { "111111" } else { "000000" };
    let with = |nonce: &str| json!({"password": "senha-melhor", "nonce": nonce});
    change(portal, &joao, with(wrong)).await.refused(422, "reauthentication_not_valid");
    change(portal, &joao, with(&code)).await.is(200);
    portal.try_sign_in(&joao.email, "senha-melhor").await.is(200);
    // The code works once.
    let again = json!({"password": "senha-outra", "nonce": code});
    change(portal, &joao, again).await.refused(422, "reauthentication_not_valid");
    // Other changes require no code.
    change(portal, &joao, json!({"data": {"a": 1}})).await.is(200);
});

portal_test!(reauthentication_code_cannot_be_guessed, async |portal| {
    portal.set("require_reauthentication", "true");
    let joao = portal.client("joao").await;
    portal.advance(SignedDuration::from_hours(25));
    let joao = refreshed(portal, &joao).await;
    ask(portal, &joao).await.is(200);
    let code = portal.mail("reauthentication", &joao.email).await.code();
    portal.advance(SignedDuration::from_secs(1));
    let with = |nonce: &str| json!({"password": "senha-nova", "nonce": nonce});
    let wrong = if code == "000000" { "111111" } else { "000000" };
    for _ in 0..10 {
        change(portal, &joao, with(wrong)).await.refused(422, "reauthentication_not_valid");
    }
    change(portal, &joao, with(&code)).await.refused(422, "reauthentication_not_valid");
});

portal_test!(reauthentication_code_of_another_user_is_rejected, async |portal| {
    portal.set("require_reauthentication", "true");
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    portal.advance(SignedDuration::from_hours(25));
    let (joao, maria) = (refreshed(portal, &joao).await, refreshed(portal, &maria).await);
    ask(portal, &maria).await.is(200);
    let code = portal.mail("reauthentication", &maria.email).await.code();
    let body = json!({"password": "senha-nova", "nonce": code});
    change(portal, &joao, body).await.refused(422, "reauthentication_not_valid");
    // The code does not sign in either.
    for kind in ["email", "magiclink", "recovery"] {
        let body = json!({"email": maria.email, "token": code, "type": kind});
        portal.post("/auth/v1/verify").json(&body).send().await.refused(403, "otp_expired");
    }
});

portal_test!(reauthentication_mails_have_a_minimum_interval, async |portal| {
    let joao = portal.client("joao").await;
    portal.get("/auth/v1/reauthenticate").send().await.refused(401, "no_authorization");
    ask(portal, &joao).await.is(200);
    portal.advance(SignedDuration::from_secs(18));
    let soon = ask(portal, &joao).await.refused(429, "over_email_send_rate_limit");
    assert_eq!(
        soon.json()["msg"],
        "For security purposes, you can only request this after 42 seconds."
    );
    assert_eq!(soon.header("retry-after"), "42");
    portal.advance(SignedDuration::from_secs(42));
    ask(portal, &joao).await.is(200);
    assert_eq!(portal.mails_about("reauthentication").await, 2);
});

portal_test!(password_change_can_require_the_current_password, async |portal| {
    portal.set("require_current_password", "true");
    let joao = portal.client("joao").await;
    let body = |current: Value| json!({"password": "senha-nova", "current_password": current});
    for missing in [Value::Null, "".into()] {
        change(portal, &joao, body(missing)).await.refused(400, "current_password_required");
    }
    change(portal, &joao, body("outra".into())).await.refused(400, "current_password_invalid");
    change(portal, &joao, body(PASSWORD.into())).await.is(200);

    // After a recovery link the current password is not required.
    portal.post("/auth/v1/recover").json(&json!({"email": joao.email})).send().await.is(200);
    let token = portal.mail("recovery", &joao.email).await.token();
    let verify = json!({"token_hash": token, "type": "recovery"});
    let session = portal.post("/auth/v1/verify").json(&verify).send().await.is(200).json();
    let recovered = TestUser::from_session(&session);
    change(portal, &recovered, json!({"password": "senha-lembrada"})).await.is(200);
});
