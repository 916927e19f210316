//! Set-up of the first administrator by a one-time link.

use portaria::api::setup;
use serde_json::{Value, json};

use crate::harness::{PASSWORD, TestPortal, portal_test};

fn form(token: &str) -> Value {
    json!({"token": token, "email": "ana@escritorio.com.br", "password": PASSWORD, "full_name": " Ana Prado "})
}

async fn offer(portal: &TestPortal) -> Option<String> {
    setup::issue_setup_token(&portal.app).await.unwrap()
}

portal_test!(setup_link_creates_one_admin_once, async |portal| {
    let token = offer(portal).await.unwrap();
    assert_eq!(portal.post("/setup").json(&form(&token)).send().await.is(200).json(), json!({}));
    let ana = portal.sign_in("ana@escritorio.com.br").await;
    let user = portal.get("/auth/v1/user").auth(&ana).send().await.is(200).json();
    assert_eq!(user["app_metadata"]["roles"], json!(["admin"]));
    assert_eq!(user["user_metadata"], json!({"full_name": "Ana Prado"}));

    let again = portal.post("/setup").json(&form(&token)).send().await;
    again.refused(403, "setup_token_invalid");
    assert_eq!(offer(portal).await, None);
});

portal_test!(concurrent_setup_creates_one_admin, async |portal| {
    let token = offer(portal).await.unwrap();
    let mut second = form(&token);
    second["email"] = "outra@escritorio.com.br".into();
    let (one, other) = tokio::join!(
        portal.post("/setup").json(&form(&token)).send(),
        portal.post("/setup").json(&second).send()
    );
    let mut statuses = [one.status.as_u16(), other.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 403]);
});

portal_test!(invalid_setup_form_does_not_use_the_link, async |portal| {
    let token = offer(portal).await.unwrap();
    for (field, value, code) in
        [("password", "curta", "weak_password"), ("email", "ana@", "validation_failed")]
    {
        let mut form = form(&token);
        form[field] = value.into();
        let refused = portal.post("/setup").json(&form).send().await;
        let status = if field == "password" { 422 } else { 400 };
        refused.refused(status, code);
    }
    for wrong in ["", "x", &token[1..]] {
        let refused = portal.post("/setup").json(&form(wrong)).send().await;
        refused.refused(403, "setup_token_invalid");
    }
    portal.post("/setup").json(&form(&token)).send().await.is(200);
});

// A second node starts while the person has the link of the first one.
portal_test!(another_start_repeats_the_setup_link, async |portal| {
    let (first, second) = (offer(portal).await.unwrap(), offer(portal).await.unwrap());
    assert_eq!(first, second);
    portal.post("/setup").json(&form(&first)).send().await.is(200);
    assert_eq!(offer(portal).await, None);
});

portal_test!(setup_link_is_checked_without_use, async |portal| {
    let token = offer(portal).await.unwrap();
    let check =
        async |token: &str| portal.post("/setup/check").json(&json!({"token": token})).send().await;
    assert_eq!(check(&token).await.is(200).json(), json!({}));
    check("x").await.refused(403, "setup_token_invalid");
    portal.post("/setup").json(&form(&token)).send().await.is(200);
    check(&token).await.refused(403, "setup_token_invalid");
});

portal_test!(guesses_of_the_setup_code_are_limited, async |portal| {
    let token = offer(portal).await.unwrap();
    let ask = async |path: &str, address: &str, token: &str| {
        portal.post(path).from(address).json(&form(token)).send().await
    };
    for number in 0..30 {
        let path = ["/setup", "/setup/check"][number % 2];
        ask(path, "192.0.2.1", "x").await.refused(403, "setup_token_invalid");
    }
    for path in ["/setup", "/setup/check"] {
        let refused = ask(path, "192.0.2.1", &token).await;
        let refused = refused.refused(429, "over_request_rate_limit");
        assert_ne!(refused.header("retry-after"), "");
    }
    ask("/setup", "192.0.2.2", &token).await.is(200);
});
