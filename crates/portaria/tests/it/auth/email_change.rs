//! Change of the e-mail address by the user.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::harness::{PASSWORD, TestPortal, TestUser, portal_test, request::Answer};

const NEW: &str = "novo@cliente.com.br";

async fn change(portal: &TestPortal, user: &TestUser, email: &str) -> Answer {
    portal.put("/auth/v1/user").auth(user).json(&json!({"email": email})).send().await
}

async fn account(portal: &TestPortal, user: &TestUser) -> Value {
    portal.get("/auth/v1/user").auth(user).send().await.is(200).json()
}

/// Opens the link that was mailed to an address, and returns the redirect target.
async fn open(portal: &TestPortal, to: &str) -> String {
    let path = portal.mail("email_change", to).await.path();
    let opened = portal.get(&path).without("apikey").send().await.is(303);
    opened.header("location").to_owned()
}

portal_test!(address_change_requires_both_confirmations, async |portal| {
    for (number, first_is_new) in [true, false].into_iter().enumerate() {
        let user = portal.client(&format!("joao{number}")).await;
        let new = format!("novo{number}@cliente.com.br");
        let asked = change(portal, &user, &new.to_uppercase()).await.is(200).json();
        assert_eq!(asked["email"], json!(user.email));
        assert_eq!(asked["new_email"], json!(new));
        assert_eq!(asked["email_change_sent_at"], "2026-11-21T15:00:00.000000Z");

        let (first, second) = if first_is_new { (&new, &user.email) } else { (&user.email, &new) };
        let half = open(portal, first).await;
        assert_eq!(
            half,
            "http://127.0.0.1:8080/#message=Confirmation+link+accepted.+Please+proceed+to+confirm+link+sent+to+the+other+email&sb="
        );
        // The same link twice does not count as both confirmations.
        assert!(open(portal, first).await.contains("error_code=otp_expired"));
        assert_eq!(account(portal, &user).await["email"], json!(user.email));

        let whole = open(portal, second).await;
        assert!(
            whole.contains("#access_token=") && whole.ends_with("&type=email_change"),
            "{whole}"
        );
        let after = account(portal, &user).await;
        assert_eq!(after["email"], json!(new));
        assert_eq!(after["new_email"], Value::Null);
        portal.try_sign_in(&new, PASSWORD).await.is(200);
        portal.try_sign_in(&user.email, PASSWORD).await.refused(400, "invalid_credentials");
        // The old address is notified.
        portal.mail("email_changed", &user.email).await;
    }
});

portal_test!(address_change_is_confirmed_by_codes, async |portal| {
    let joao = portal.client("joao").await;
    change(portal, &joao, NEW).await.is(200);
    let verify = |email: String, code: String| {
        let body = json!({"email": email, "token": code, "type": "email_change"});
        portal.post("/auth/v1/verify").json(&body)
    };
    let code = portal.mail("email_change", NEW).await.code();
    let half = verify(NEW.into(), code).send().await.is(200).json();
    assert_eq!(
        half,
        json!({"msg": "Confirmation link accepted. Please proceed to confirm link sent to the other email", "code": "200"})
    );
    let code = portal.mail("email_change", &joao.email).await.code();
    let session = verify(joao.email.clone(), code).send().await.is(200).json();
    assert_eq!(session["user"]["email"], NEW);
});

portal_test!(links_to_the_portals_page_confirm_nothing_when_they_are_opened, async |portal| {
    portal.set("secure_email_change", "false");
    let joao = portal.client("joao").await;
    let page = format!("{}/confirmar-email", portal.app.config.site_url);
    let asked = portal.put("/auth/v1/user").auth(&joao).query("redirect_to", &page);
    asked.json(&json!({"email": NEW})).send().await.is(200);
    let mail = portal.mail("email_change", NEW).await;
    assert_eq!(mail.link(), format!("{page}#token_hash={}&type=email_change", mail.token()));
    portal.get("/confirmar-email").without("apikey").send().await.is(200);
    assert_eq!(account(portal, &joao).await["email"], json!(joao.email));
    let body = json!({"token_hash": mail.token(), "type": "email_change"});
    portal.post("/auth/v1/verify").json(&body).send().await.is(200);
    assert_eq!(account(portal, &joao).await["email"], NEW);
});

portal_test!(confirmation_by_the_new_address_suffices_without_secure_change, async |portal| {
    portal.set("secure_email_change", "false");
    let joao = portal.client("joao").await;
    change(portal, &joao, NEW).await.is(200);
    assert_eq!(portal.mails_about("email_change").await, 1);
    assert!(open(portal, NEW).await.contains("#access_token="));
    assert_eq!(account(portal, &joao).await["email"], NEW);
    portal.mail("email_changed", &joao.email).await;
});

portal_test!(change_to_an_address_in_use_is_answered_alike, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let taken = change(portal, &joao, &maria.email).await.is(200).json();
    assert_eq!(taken["new_email"], json!(maria.email));
    // The owner of the address gets a notice without a link. A confirmation by the old address alone changes nothing.
    portal.mail("account_exists", &maria.email).await;
    assert!(
        portal
            .mails()
            .await
            .iter()
            .all(|mail| mail.event != "email_change" || mail.to == joao.email)
    );
    assert!(open(portal, &joao.email).await.contains("#message="));
    assert_eq!(account(portal, &joao).await["email"], json!(joao.email));
    assert_eq!(account(portal, &maria).await["email"], json!(maria.email));
});

portal_test!(change_to_an_address_in_use_is_refused_with_autoconfirm, async |portal| {
    portal.set("autoconfirm", "true");
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    change(portal, &joao, &maria.email).await.refused(422, "email_exists");
    change(portal, &joao, NEW).await.is(200);
    assert!(open(portal, NEW).await.contains("#access_token="));
});

portal_test!(address_taken_before_the_confirmation_is_refused, async |portal| {
    let joao = portal.client("joao").await;
    change(portal, &joao, NEW).await.is(200);
    assert!(open(portal, &joao.email).await.contains("#message="));
    portal.create_user(json!({"email": NEW})).await;
    let refused = open(portal, NEW).await;
    assert!(refused.contains("error_code=email_exists"), "{refused}");
    assert_eq!(account(portal, &joao).await["email"], json!(joao.email));
});

portal_test!(pending_address_change_ends_with_a_new_password, async |portal| {
    let joao = portal.client("joao").await;
    change(portal, &joao, NEW).await.is(200);
    let password = portal.put("/auth/v1/user").auth(&joao).json(&json!({"password": "senha-nova"}));
    let after = password.send().await.is(200).json();
    assert_eq!(after["new_email"], Value::Null);
    for to in [NEW, &joao.email] {
        assert!(open(portal, to).await.contains("error_code=otp_expired"));
    }
});

portal_test!(newer_address_change_replaces_the_older, async |portal| {
    let joao = portal.client("joao").await;
    change(portal, &joao, NEW).await.is(200);
    assert!(open(portal, &joao.email).await.contains("#message="));
    portal.advance(SignedDuration::from_mins(1));
    change(portal, &joao, "outro@cliente.com.br").await.is(200);
    // The first confirmation of the older change does not count for the newer one.
    assert!(open(portal, NEW).await.contains("error_code=otp_expired"));
    assert!(open(portal, "outro@cliente.com.br").await.contains("#message="));
    assert!(open(portal, &joao.email).await.contains("#access_token="));
    assert_eq!(account(portal, &joao).await["email"], "outro@cliente.com.br");
});

portal_test!(address_change_mails_can_be_resent, async |portal| {
    let joao = portal.client("joao").await;
    change(portal, &joao, NEW).await.is(200);
    let soon = change(portal, &joao, "outro@cliente.com.br").await;
    let soon = soon.refused(429, "over_email_send_rate_limit");
    assert_eq!(
        soon.json()["msg"],
        "For security purposes, you can only request this after 60 seconds."
    );
    portal.advance(SignedDuration::from_mins(1));
    let resend = portal.post("/auth/v1/resend");
    resend.json(&json!({"email": joao.email, "type": "email_change"})).send().await.is(200);
    assert_eq!(portal.mails_about("email_change").await, 4);
    assert!(open(portal, NEW).await.contains("#message="));
    assert!(open(portal, &joao.email).await.contains("#access_token="));
});

portal_test!(invalid_new_address_changes_nothing, async |portal| {
    let joao = portal.client("joao").await;
    for same in [joao.email.clone(), " JOAO@cliente.com.br ".to_owned(), String::new()] {
        let user = change(portal, &joao, &same).await.is(200).json();
        assert_eq!(user["new_email"], Value::Null);
    }
    for bad in ["a@b", "a@@b.c", "a b@c.d", "\"a\r\nBcc:x\"@b.c", "a@b.c\0"] {
        change(portal, &joao, bad).await.refused(400, "validation_failed");
    }
    assert_eq!(portal.mails().await.len(), 0);
});
