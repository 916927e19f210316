//! Public sign-up, where the office allows it.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::harness::{PASSWORD, TestPortal, TestUser, portal_test, request::Answer};

const EMAIL: &str = "nova@cliente.com.br";

async fn sign_up(portal: &TestPortal, body: Value) -> Answer {
    portal.post("/auth/v1/signup").json(&body).send().await
}

fn sign_up_body() -> Value {
    json!({"email": EMAIL, "password": PASSWORD, "data": {"full_name": "Nova"}})
}

/// Opens the newest sign-up link and returns the session.
async fn confirm(portal: &TestPortal) -> TestUser {
    let token = portal.mail("confirmation", EMAIL).await.token();
    let body = json!({"token_hash": token, "type": "signup"});
    let session = portal.post("/auth/v1/verify").json(&body).send().await.is(200).json();
    TestUser::from_session(&session)
}

portal_test!(sign_up_is_closed_by_default, async |portal| {
    sign_up(portal, sign_up_body()).await.refused(422, "signup_disabled");
    portal.try_sign_in(EMAIL, PASSWORD).await.refused(400, "invalid_credentials");
    assert_eq!(portal.mails().await.len(), 0);
});

portal_test!(sign_up_is_confirmed_by_a_mailed_link, async |portal| {
    portal.set("signup", "true");
    let user = sign_up(portal, sign_up_body()).await.is(200).json();
    assert_eq!(user["email"], EMAIL);
    assert_eq!(user["user_metadata"], json!({"full_name": "Nova"}));
    assert_eq!(user["access_token"], Value::Null);
    assert_eq!(user["email_confirmed_at"], Value::Null);
    portal.try_sign_in(EMAIL, PASSWORD).await.refused(400, "email_not_confirmed");
    portal.try_sign_in(EMAIL, "outra-senha").await.refused(400, "invalid_credentials");

    let client = confirm(portal).await;
    assert_eq!(client.id, user["id"].as_str().unwrap());
    portal.sign_in(EMAIL).await;
    let account = portal.get("/auth/v1/user").auth(&client).send().await.is(200).json();
    assert_eq!(account["email_confirmed_at"], "2026-11-21T15:00:00.000000Z");
    // The new account is an ordinary client without rows.
    let documents = portal.get("/rest/v1/documents").auth(&client).send().await.is(200).json();
    assert_eq!(documents, json!([]));
    portal.get("/auth/v1/admin/users").auth(&client).send().await.refused(403, "not_admin");
});

portal_test!(autoconfirmed_sign_up_signs_in, async |portal| {
    portal.set("signup", "true");
    portal.set("autoconfirm", "true");
    let session = sign_up(portal, sign_up_body()).await.is(200).json();
    let client = TestUser::from_session(&session);
    portal.get("/auth/v1/user").auth(&client).send().await.is(200);
    portal.refresh(&client.refresh_token).await.is(200);
    sign_up(portal, sign_up_body()).await.refused(422, "user_already_exists");
    assert_eq!(portal.mails().await.len(), 0);
    let settings = portal.get("/auth/v1/settings").send().await.is(200).json();
    assert_eq!(settings["mailer_autoconfirm"], true);
    assert_eq!(settings["disable_signup"], false);
});

portal_test!(sign_up_with_an_address_in_use_is_answered_alike, async |portal| {
    portal.set("signup", "true");
    portal.set("admin_email", "chefe@escritorio.com.br");
    let joao = portal.client("joao").await;
    let ask = |email: &str| {
        let body = json!({"email": email, "password": "uma-senha", "data": {"a": 1}});
        sign_up(portal, body)
    };
    let mut answers = Vec::new();
    for email in [joao.email.as_str(), "ninguem@cliente.com.br", "chefe@escritorio.com.br"] {
        let answer = ask(email).await.is(200);
        let mut user = answer.json();
        assert_eq!(user["email"], email);
        for differs in ["id", "email"] {
            user[differs] = Value::Null;
        }
        answers.push((answer.headers.get("content-type").cloned(), user));
    }
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0], answers[2]);
    // The owner is notified, and nothing changes.
    portal.mail("account_exists", &joao.email).await;
    portal.try_sign_in(&joao.email, PASSWORD).await.is(200);
    portal.try_sign_in(&joao.email, "uma-senha").await.refused(400, "invalid_credentials");
    // The reserved address gets neither a mail nor an account.
    assert!(portal.mails().await.iter().all(|mail| mail.to != "chefe@escritorio.com.br"));
    portal
        .try_sign_in("chefe@escritorio.com.br", "uma-senha")
        .await
        .refused(400, "invalid_credentials");
});

portal_test!(reserved_address_is_refused_with_autoconfirm, async |portal| {
    portal.set("signup", "true");
    portal.set("autoconfirm", "true");
    portal.set("admin_email", "Chefe@Escritorio.com.br");
    let wide = "chefe@\u{ff45}\u{ff33}critorio.com.br";
    for email in ["chefe@escritorio.com.br", " CHEFE@escritorio.com.br", wide] {
        let body = json!({"email": email, "password": PASSWORD});
        sign_up(portal, body).await.refused(422, "user_already_exists");
    }
    // Look-alike spellings of the part before the @ are no addresses.
    for email in ["chef\u{435}@escritorio.com.br", "\u{ff43}hefe@escritorio.com.br"] {
        let body = json!({"email": email, "password": PASSWORD});
        sign_up(portal, body).await.refused(400, "email_address_not_ascii");
    }
});

portal_test!(sign_up_cannot_set_a_role, async |portal| {
    portal.set("signup", "true");
    portal.set("autoconfirm", "true");
    let body = json!({
        "email": EMAIL, "password": PASSWORD, "role": "service_role", "email_confirm": true, "is_admin": true,
        "app_metadata": {"roles": ["admin"]}, "data": {"roles": ["admin"]}, "id": uuid::Uuid::nil(),
    });
    let session = sign_up(portal, body).await.is(200).json();
    let user = &session["user"];
    assert_eq!(user["app_metadata"], json!({"provider": "email", "providers": ["email"]}));
    assert_eq!(user["role"], "authenticated");
    assert_ne!(user["id"], json!(uuid::Uuid::nil()));
    let client = TestUser::from_session(&session);
    portal.get("/auth/v1/admin/users").auth(&client).send().await.refused(403, "not_admin");
    portal.get("/rest/v1/email_templates").auth(&client).send().await.refused(403, "42501");
});

portal_test!(invalid_sign_up_is_rejected, async |portal| {
    portal.set("signup", "true");
    for (body, status, code) in [
        (json!({"email": EMAIL, "password": "curta"}), 422, "weak_password"),
        (json!({"email": EMAIL}), 400, "validation_failed"),
        (json!({"email": EMAIL, "password": null}), 400, "validation_failed"),
        (json!({"email": EMAIL, "password": "a".repeat(1025)}), 400, "validation_failed"),
        (json!({"email": EMAIL, "password": "abc\0def"}), 400, "validation_failed"),
        (json!({"email": "a@b", "password": PASSWORD}), 400, "validation_failed"),
        (json!({"email": "a", "password": "curta"}), 400, "validation_failed"),
        (json!({"email": "\"a\r\nBcc:x\"@b.c", "password": PASSWORD}), 400, "validation_failed"),
        (json!({"phone": "5511999990000", "password": PASSWORD}), 400, "phone_provider_disabled"),
        (json!({"data": {}, "gotrue_meta_security": {}}), 422, "anonymous_provider_disabled"),
        (json!({"email": EMAIL, "password": PASSWORD, "data": 7}), 400, "bad_json"),
        (
            json!({"email": EMAIL, "password": PASSWORD, "data": {"x": "a".repeat(9000)}}),
            400,
            "validation_failed",
        ),
        (
            json!({"email": EMAIL, "password": PASSWORD, "code_challenge": "x"}),
            400,
            "validation_failed",
        ),
    ] {
        sign_up(portal, body).await.refused(status, code);
    }
    // Eight spaces are a valid password, and so is an emoji with bidirectional marks.
    for (number, password) in ["        ", "😀😀\u{202e}abc\u{202c}"].into_iter().enumerate() {
        let email = format!("n{number}@cliente.com.br");
        sign_up(portal, json!({"email": email, "password": password})).await.is(200);
        portal.try_sign_in(&email, password).await.refused(400, "email_not_confirmed");
    }
});

portal_test!(account_pre_hijacking_is_prevented, async |portal| {
    portal.set("signup", "true");
    // An attacker signs up with the owner's address. Later the owner signs up and opens the link.
    let theirs = json!({"email": EMAIL, "password": "do-ladrao"});
    sign_up(portal, theirs).await.is(200);
    portal.advance(SignedDuration::from_mins(1));
    sign_up(portal, sign_up_body()).await.is(200);
    let owner = confirm(portal).await;
    portal.get("/auth/v1/user").auth(&owner).send().await.is(200);
    portal.try_sign_in(EMAIL, "do-ladrao").await.refused(400, "invalid_credentials");
    // The second sign-up counts also within the interval between two mails, and an invitation by the office, too.
    let (third, fourth) = ("tres@cliente.com.br", "quatro@cliente.com.br");
    for email in [third, fourth] {
        sign_up(portal, json!({"email": email, "password": "do-ladrao"})).await.is(200);
    }
    let link = portal.mail("confirmation", fourth).await.token();
    sign_up(portal, json!({"email": third, "password": PASSWORD})).await.is(200);
    let invite = portal.post("/auth/v1/invite").bearer(&portal.app.keys.service_role);
    invite.json(&json!({"email": fourth})).send().await.is(200);
    let verify = |token: &str| {
        let body = json!({"token_hash": token, "type": "signup"});
        portal.post("/auth/v1/verify").json(&body).send()
    };
    verify(&link).await.refused(403, "otp_expired");
    verify(&portal.mail("confirmation", third).await.token()).await.is(200);
    portal.try_sign_in(third, "do-ladrao").await.refused(400, "invalid_credentials");
    // No other proof than the link of the owner's sign-up confirms the attacker's password.
    let other = "outra@cliente.com.br";
    sign_up(portal, json!({"email": other, "password": "do-ladrao"})).await.is(200);
    portal.advance(SignedDuration::from_mins(1));
    portal.post("/auth/v1/otp").json(&json!({"email": other})).send().await.is(200);
    let code = portal.mail("magic_link", other).await.code();
    let verify = json!({"email": other, "token": code, "type": "email"});
    portal.post("/auth/v1/verify").json(&verify).send().await.is(200);
    portal.try_sign_in(other, "do-ladrao").await.refused(400, "invalid_credentials");
});

portal_test!(repeated_sign_up_keeps_its_password, async |portal| {
    portal.set("signup", "true");
    sign_up(portal, sign_up_body()).await.is(200);
    let first = portal.mail("confirmation", EMAIL).await.token();
    // The interval between two mails has not passed.
    sign_up(portal, sign_up_body()).await.is(200);
    assert_eq!(portal.mails_about("confirmation").await, 1);
    portal.advance(SignedDuration::from_mins(1));
    sign_up(portal, sign_up_body()).await.is(200);
    let body = json!({"token_hash": first, "type": "signup"});
    portal.post("/auth/v1/verify").json(&body).send().await.refused(403, "otp_expired");
    confirm(portal).await;
    portal.sign_in(EMAIL).await;
});

portal_test!(sign_up_does_not_confirm_an_account_of_the_office, async |portal| {
    portal.set("signup", "true");
    let body =
        json!({"email": EMAIL, "password": PASSWORD, "user_metadata": {"full_name": "Cliente"}});
    let create = portal.post("/auth/v1/admin/users").bearer(&portal.app.keys.service_role);
    create.json(&body).send().await.is(200);
    let theirs = json!({"email": EMAIL, "password": "do-estranho", "data": {"full_name": "Outro"}});
    sign_up(portal, theirs).await.is(200);
    assert_eq!(portal.mails_about("confirmation").await, 0);
    portal.try_sign_in(EMAIL, "do-estranho").await.refused(400, "invalid_credentials");
    portal.try_sign_in(EMAIL, PASSWORD).await.refused(400, "email_not_confirmed");
});

portal_test!(sign_up_mail_contains_no_name, async |portal| {
    portal.set("signup", "true");
    let body = json!({
        "email": EMAIL, "password": PASSWORD, "data": {"full_name": "Ganhe em https://evil.example"},
    });
    sign_up(portal, body).await.is(200);
    assert!(!portal.mail("confirmation", EMAIL).await.html.contains("evil"));
});

portal_test!(sign_up_mail_can_be_resent, async |portal| {
    portal.set("signup", "true");
    let resend = |email: &str, kind: &str| {
        portal.post("/auth/v1/resend").json(&json!({"email": email, "type": kind}))
    };
    sign_up(portal, sign_up_body()).await.is(200);
    portal.advance(SignedDuration::from_mins(1));
    let known = resend(EMAIL, "signup").send().await.is(200).seen();
    assert_eq!(portal.mails_about("confirmation").await, 2);
    let unknown = resend("ninguem@cliente.com.br", "signup").send().await.is(200).seen();
    assert_eq!(known, unknown);
    confirm(portal).await;
    portal.advance(SignedDuration::from_mins(1));
    resend(EMAIL, "signup").send().await.is(200);
    resend(EMAIL, "email_change").send().await.is(200);
    assert_eq!(portal.mails_about("confirmation").await, 2);
    for (body, code) in [
        (json!({"email": EMAIL}), "validation_failed"),
        (json!({"email": EMAIL, "type": "recovery"}), "validation_failed"),
        (json!({"type": "signup"}), "validation_failed"),
        (json!({"email": "nada", "type": "signup"}), "validation_failed"),
        (json!({"phone": "5511999990000", "type": "sms"}), "phone_provider_disabled"),
    ] {
        portal.post("/auth/v1/resend").json(&body).send().await.refused(400, code);
    }
});
