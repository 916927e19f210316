//! Sign-in by a mailed link or code.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::harness::{PASSWORD, TestPortal, TestUser, portal_test, request::Answer};

async fn ask(portal: &TestPortal, body: Value) -> Answer {
    portal.post("/auth/v1/otp").json(&body).send().await
}

portal_test!(mailed_code_signs_in, async |portal| {
    let joao = portal.client("joao").await;
    assert_eq!(
        ask(portal, json!({"email": " JOAO@cliente.com.br"})).await.is(200).json(),
        json!({})
    );
    let code = portal.mail("magic_link", &joao.email).await.code();
    let body = json!({"email": joao.email, "token": code, "type": "email"});
    let session = portal.post("/auth/v1/verify").json(&body).send().await.is(200).json();
    let user = TestUser::from_session(&session);
    assert_eq!(user.id, joao.id);
    portal.refresh(&user.refresh_token).await.is(200);
    portal.post("/auth/v1/verify").json(&body).send().await.refused(403, "otp_expired");
    // Sessions on other devices remain.
    portal.get("/auth/v1/user").auth(&joao).send().await.is(200);
});

portal_test!(mailed_link_signs_in, async |portal| {
    let joao = portal.client("joao").await;
    let body =
        json!({"email": joao.email, "create_user": false, "data": {}, "code_challenge": null});
    ask(portal, body).await.is(200);
    let path = portal.mail("magic_link", &joao.email).await.path();
    let opened = portal.get(&path).without("apikey").send().await.is(303);
    let location = opened.header("location");
    assert!(
        location.contains("#access_token=") && location.ends_with("&type=magiclink"),
        "{location}"
    );
});

portal_test!(link_to_the_portals_page_leaves_the_code_of_its_mail_valid, async |portal| {
    let joao = portal.client("joao").await;
    let page = format!("{}/entrar-com-codigo", portal.app.config.site_url);
    let body = json!({"email": joao.email, "create_user": false});
    let request = portal.post("/auth/v1/otp").query("redirect_to", &page).json(&body);
    request.send().await.is(200);
    let mail = portal.mail("magic_link", &joao.email).await;
    assert_eq!(mail.link(), format!("{page}#token_hash={}&type=magiclink", mail.token()));
    portal.get("/entrar-com-codigo").without("apikey").send().await.is(200);
    let body = json!({"email": joao.email, "token": mail.code(), "type": "email"});
    portal.post("/auth/v1/verify").json(&body).send().await.is(200);
});

portal_test!(magic_link_does_not_reveal_accounts, async |portal| {
    let joao = portal.client("joao").await;
    for body in [json!({}), json!({"create_user": false})] {
        portal.advance(SignedDuration::from_mins(1));
        let of = |email: &str| {
            let mut body = body.clone();
            body["email"] = email.into();
            ask(portal, body)
        };
        let known = of(&joao.email).await.is(200).seen();
        assert_eq!(known, of("ninguem@cliente.com.br").await.seen());
        // A repeated request does not reveal the account either.
        assert_eq!(known, of(&joao.email).await.seen());
    }
    assert_eq!(portal.mails().await.len(), 2);
    portal
        .try_sign_in("ninguem@cliente.com.br", PASSWORD)
        .await
        .refused(400, "invalid_credentials");
});

portal_test!(magic_link_creates_an_account_with_open_sign_up, async |portal| {
    portal.set("signup", "true");
    let email = "nova@cliente.com.br";
    let unwanted = ask(portal, json!({"email": email, "create_user": false})).await;
    unwanted.refused(422, "otp_disabled");
    assert_eq!(portal.mails().await.len(), 0);

    ask(portal, json!({"email": email, "data": {"full_name": "Nova"}})).await.is(200);
    let code = portal.mail("magic_link", email).await.code();
    let body = json!({"email": email, "token": code, "type": "email"});
    let session = portal.post("/auth/v1/verify").json(&body).send().await.is(200).json();
    assert_eq!(session["user"]["user_metadata"], json!({"full_name": "Nova"}));
    assert_eq!(session["user"]["email_confirmed_at"], "2026-11-21T15:00:00.000000Z");
});

portal_test!(magic_link_creates_no_account_for_the_reserved_address, async |portal| {
    portal.set("signup", "true");
    portal.set("admin_email", "chefe@escritorio.com.br");
    ask(portal, json!({"email": "chefe@escritorio.com.br"})).await.is(200);
    assert_eq!(portal.mails().await.len(), 0);
});

portal_test!(invalid_magic_link_request_is_rejected, async |portal| {
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
        ask(portal, body).await.refused(400, code);
    }
});

portal_test!(malformed_request_is_refused_as_in_the_original, async |portal| {
    let joao = portal.client("joao").await;
    let key = portal.app.keys.service_role.clone();
    let link = json!({"type": "recovery"});
    let code = json!({"email": "x", "token": "123456", "type": "email"});
    let kind = json!({"email": joao.email, "token": "123456", "type": "x"});
    for (request, status, message) in [
        (
            portal.post("/auth/v1/otp").json(&json!({"email": joao.email, "channel": "sms"})),
            400,
            "Channel should only be specified with Phone OTP",
        ),
        (portal.post("/auth/v1/verify").json(&code), 422, "Invalid email format"),
        (portal.post("/auth/v1/verify").json(&kind), 400, "Unsupported verification type"),
        (
            portal.post("/auth/v1/token?grant_type=refresh_token").json(&json!({})),
            400,
            "refresh_token required",
        ),
        (portal.post("/auth/v1/logout?scope=x").auth(&joao), 400, "Unsupported logout scope \"x\""),
        (
            portal.get("/auth/v1/admin/users?page=x").bearer(&key),
            400,
            "Bad Pagination Parameters: page",
        ),
        (
            portal
                .put(&format!("/auth/v1/admin/users/{}", joao.id))
                .bearer(&key)
                .json(&json!({"ban_duration": "x"})),
            400,
            "invalid format for ban duration",
        ),
        (
            portal.post("/auth/v1/admin/generate_link").bearer(&key).json(&link),
            400,
            "An email address is required",
        ),
    ] {
        let refused = request.header("x-supabase-api-version", "2024-01-01").send().await;
        let refused = refused.refused(status, "validation_failed").json();
        assert_eq!(refused["message"], message);
    }
    assert!(portal.mails().await.is_empty());
});
