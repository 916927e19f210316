//! Change of the e-mail address by the user.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::harness::{PASSWORD, TestPortal, TestUser, portal_test, request::Answer};

const NEW: &str = "novo@cliente.com.br";

async fn change(world: &TestPortal, person: &TestUser, email: &str) -> Answer {
    world.put("/auth/v1/user").as_(person).json(&json!({"email": email})).send().await
}

async fn account(world: &TestPortal, person: &TestUser) -> Value {
    world.get("/auth/v1/user").as_(person).send().await.is(200).json()
}

/// Opens the link that was mailed to an address, and returns the redirect target.
async fn open(world: &TestPortal, to: &str) -> String {
    let path = world.mail("email_change", to).await.path();
    let opened = world.get(&path).without("apikey").send().await.is(303);
    opened.header("location").to_owned()
}

portal_test!(address_change_requires_both_confirmations, async |world| {
    for (number, first_is_new) in [true, false].into_iter().enumerate() {
        let person = world.client(&format!("joao{number}")).await;
        let new = format!("novo{number}@cliente.com.br");
        let asked = change(world, &person, &new.to_uppercase()).await.is(200).json();
        assert_eq!(asked["email"], json!(person.email));
        assert_eq!(asked["new_email"], json!(new));
        assert_eq!(asked["email_change_sent_at"], "2026-11-21T15:00:00.000000Z");

        let (first, second) =
            if first_is_new { (&new, &person.email) } else { (&person.email, &new) };
        let half = open(world, first).await;
        assert_eq!(
            half,
            "http://127.0.0.1:8080/#message=Confirmation+link+accepted.+Please+proceed+to+confirm+link+sent+to+the+other+email&sb="
        );
        // The same link twice does not count as both confirmations.
        assert!(open(world, first).await.contains("error_code=otp_expired"));
        assert_eq!(account(world, &person).await["email"], json!(person.email));

        let whole = open(world, second).await;
        assert!(
            whole.contains("#access_token=") && whole.ends_with("&type=email_change"),
            "{whole}"
        );
        let after = account(world, &person).await;
        assert_eq!(after["email"], json!(new));
        assert_eq!(after["new_email"], Value::Null);
        world.try_sign_in(&new, PASSWORD).await.is(200);
        world.try_sign_in(&person.email, PASSWORD).await.refused(400, "invalid_credentials");
        // The old address is notified.
        world.mail("email_changed", &person.email).await;
    }
});

portal_test!(address_change_is_confirmed_by_codes, async |world| {
    let joao = world.client("joao").await;
    change(world, &joao, NEW).await.is(200);
    let verify = |email: String, code: String| {
        let body = json!({"email": email, "token": code, "type": "email_change"});
        world.post("/auth/v1/verify").json(&body)
    };
    let code = world.mail("email_change", NEW).await.code();
    let half = verify(NEW.into(), code).send().await.is(200).json();
    assert_eq!(
        half,
        json!({"msg": "Confirmation link accepted. Please proceed to confirm link sent to the other email", "code": "200"})
    );
    let code = world.mail("email_change", &joao.email).await.code();
    let session = verify(joao.email.clone(), code).send().await.is(200).json();
    assert_eq!(session["user"]["email"], NEW);
});

portal_test!(confirmation_by_the_new_address_suffices_without_secure_change, async |world| {
    world.set("secure_email_change", "false");
    let joao = world.client("joao").await;
    change(world, &joao, NEW).await.is(200);
    assert_eq!(world.mails_about("email_change").await, 1);
    assert!(open(world, NEW).await.contains("#access_token="));
    assert_eq!(account(world, &joao).await["email"], NEW);
    world.mail("email_changed", &joao.email).await;
});

portal_test!(change_to_an_address_in_use_is_answered_alike, async |world| {
    let (joao, maria) = (world.client("joao").await, world.client("maria").await);
    let taken = change(world, &joao, &maria.email).await.is(200).json();
    assert_eq!(taken["new_email"], json!(maria.email));
    // The owner of the address gets a notice without a link. A confirmation by the old address alone changes nothing.
    world.mail("account_exists", &maria.email).await;
    assert!(
        world
            .mails()
            .await
            .iter()
            .all(|mail| mail.event != "email_change" || mail.to == joao.email)
    );
    assert!(open(world, &joao.email).await.contains("#message="));
    assert_eq!(account(world, &joao).await["email"], json!(joao.email));
    assert_eq!(account(world, &maria).await["email"], json!(maria.email));
});

portal_test!(change_to_an_address_in_use_is_refused_with_autoconfirm, async |world| {
    world.set("autoconfirm", "true");
    let (joao, maria) = (world.client("joao").await, world.client("maria").await);
    change(world, &joao, &maria.email).await.refused(422, "email_exists");
    change(world, &joao, NEW).await.is(200);
    assert!(open(world, NEW).await.contains("#access_token="));
});

portal_test!(address_taken_before_the_confirmation_is_refused, async |world| {
    let joao = world.client("joao").await;
    change(world, &joao, NEW).await.is(200);
    assert!(open(world, &joao.email).await.contains("#message="));
    world.create_user(json!({"email": NEW})).await;
    let refused = open(world, NEW).await;
    assert!(refused.contains("error_code=email_exists"), "{refused}");
    assert_eq!(account(world, &joao).await["email"], json!(joao.email));
});

portal_test!(pending_address_change_ends_with_a_new_password, async |world| {
    let joao = world.client("joao").await;
    change(world, &joao, NEW).await.is(200);
    let password = world.put("/auth/v1/user").as_(&joao).json(&json!({"password": "senha-nova"}));
    let after = password.send().await.is(200).json();
    assert_eq!(after["new_email"], Value::Null);
    for to in [NEW, &joao.email] {
        assert!(open(world, to).await.contains("error_code=otp_expired"));
    }
});

portal_test!(newer_address_change_replaces_the_older, async |world| {
    let joao = world.client("joao").await;
    change(world, &joao, NEW).await.is(200);
    assert!(open(world, &joao.email).await.contains("#message="));
    world.wait(SignedDuration::from_mins(1));
    change(world, &joao, "outro@cliente.com.br").await.is(200);
    // The first confirmation of the older change does not count for the newer one.
    assert!(open(world, NEW).await.contains("error_code=otp_expired"));
    assert!(open(world, "outro@cliente.com.br").await.contains("#message="));
    assert!(open(world, &joao.email).await.contains("#access_token="));
    assert_eq!(account(world, &joao).await["email"], "outro@cliente.com.br");
});

portal_test!(address_change_mails_can_be_resent, async |world| {
    let joao = world.client("joao").await;
    change(world, &joao, NEW).await.is(200);
    let soon = change(world, &joao, "outro@cliente.com.br").await;
    let soon = soon.refused(429, "over_email_send_rate_limit");
    assert_eq!(
        soon.json()["msg"],
        "For security purposes, you can only request this after 60 seconds."
    );
    world.wait(SignedDuration::from_mins(1));
    let resend = world.post("/auth/v1/resend");
    resend.json(&json!({"email": joao.email, "type": "email_change"})).send().await.is(200);
    assert_eq!(world.mails_about("email_change").await, 4);
    assert!(open(world, NEW).await.contains("#message="));
    assert!(open(world, &joao.email).await.contains("#access_token="));
});

portal_test!(invalid_new_address_changes_nothing, async |world| {
    let joao = world.client("joao").await;
    for same in [joao.email.clone(), " JOAO@cliente.com.br ".to_owned(), String::new()] {
        let user = change(world, &joao, &same).await.is(200).json();
        assert_eq!(user["new_email"], Value::Null);
    }
    for bad in ["a@b", "a@@b.c", "a b@c.d", "\"a\r\nBcc:x\"@b.c", "a@b.c\0"] {
        change(world, &joao, bad).await.refused(400, "validation_failed");
    }
    assert_eq!(world.mails().await.len(), 0);
});
