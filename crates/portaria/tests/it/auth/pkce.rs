//! PKCE (RFC 7636): a link yields a code, which only the program that started the flow can exchange for a session.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use jiff::SignedDuration;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::harness::{PASSWORD, TestPortal, TestUser, portal_test, request::Answer};

const VERIFIER: &str = "um-segredo-que-so-o-programa-que-pediu-conhece-0123456789";

fn challenged(mut body: Value, method: &str) -> Value {
    let challenge = match method {
        "s256" => BASE64.encode(Sha256::digest(VERIFIER)),
        _ => VERIFIER.to_owned(),
    };
    body["code_challenge"] = challenge.into();
    body["code_challenge_method"] = method.into();
    body
}

/// Opens the link of the newest mail and returns the code.
async fn open_newest_link(portal: &TestPortal, event: &str, to: &str) -> String {
    let path = portal.mail(event, to).await.path();
    assert!(path.contains("token=pkce_"), "{path}");
    let open_newest_link = portal.get(&path).without("apikey").send().await.is(303);
    let location = open_newest_link.header("location");
    let (page, code) = location.split_once("code=").unwrap_or_else(|| panic!("{location}"));
    assert!(!page.contains('#') && !location.contains("access_token"), "{location}");
    code.to_owned()
}

async fn exchange(portal: &TestPortal, code: &str, verifier: &str) -> Answer {
    let body = json!({"auth_code": code, "code_verifier": verifier});
    portal.post("/auth/v1/token?grant_type=pkce").json(&body).send().await
}

/// The authentication methods of a session.
fn method(session: &Value) -> Value {
    let payload = session["access_token"].as_str().unwrap().split('.').nth(1).unwrap();
    let claims: Value = serde_json::from_slice(&BASE64.decode(payload).unwrap()).unwrap();
    claims["amr"][0]["method"].clone()
}

portal_test!(recovery_by_pkce, async |portal| {
    let joao = portal.client("joao").await;
    for method_name in ["s256", "plain"] {
        portal.advance(SignedDuration::from_mins(1));
        let body = challenged(json!({"email": joao.email}), method_name);
        let ask =
            portal.post("/auth/v1/recover").query("redirect_to", "http://127.0.0.1:8080/conta?a=b");
        ask.json(&body).send().await.is(200);
        let code = open_newest_link(portal, "recovery", &joao.email).await;
        exchange(portal, &code, &VERIFIER.replace('0', "1"))
            .await
            .refused(400, "bad_code_verifier");
        exchange(portal, &code, "").await.refused(400, "validation_failed");
        let session = exchange(portal, &code, VERIFIER).await.is(200).json();
        assert_eq!(session["user"]["id"], json!(joao.id));
        assert_eq!(method(&session), "recovery");
        exchange(portal, &code, VERIFIER).await.refused(404, "flow_state_not_found");
    }
});

portal_test!(query_parameters_of_the_redirect_target_are_kept, async |portal| {
    let joao = portal.client("joao").await;
    let ask = portal
        .post("/auth/v1/otp")
        .query("redirect_to", "http://127.0.0.1:8080/conta?code=velho&sb_flow_id=x%20y");
    ask.json(&challenged(json!({"email": joao.email}), "s256")).send().await.is(200);
    let path = portal.mail("magic_link", &joao.email).await.path();
    let location = portal.get(&path).send().await.is(303).header("location").to_owned();
    assert!(location.starts_with("http://127.0.0.1:8080/conta?sb_flow_id=x+y&code="), "{location}");
    // With PKCE, errors are part of the query too.
    let again = portal.get(&path).send().await.is(303);
    let again = again.header("location");
    assert!(again.contains("&error=access_denied&error_code=otp_expired&"), "{again}");
    assert!(again.contains("#error=access_denied&error_code=otp_expired&"), "{again}");
});

portal_test!(sign_up_magic_link_and_email_change_by_pkce, async |portal| {
    portal.set("signup", "true");
    let email = "nova@cliente.com.br";
    let body = challenged(json!({"email": email, "password": PASSWORD}), "s256");
    portal.post("/auth/v1/signup").json(&body).send().await.is(200);
    let code = open_newest_link(portal, "confirmation", email).await;
    let session = exchange(portal, &code, VERIFIER).await.is(200).json();
    assert_eq!(method(&session), "email/signup");
    let nova = TestUser::from_session(&session);

    portal.advance(SignedDuration::from_mins(1));
    let body = challenged(json!({"email": email}), "s256");
    portal.post("/auth/v1/otp").json(&body).send().await.is(200);
    let code = open_newest_link(portal, "magic_link", email).await;
    let session = exchange(portal, &code, VERIFIER).await.is(200).json();
    assert_eq!(method(&session), "magiclink");

    portal.advance(SignedDuration::from_mins(1));
    let new = "outra@cliente.com.br";
    let body = challenged(json!({"email": new}), "s256");
    portal.put("/auth/v1/user").auth(&nova).json(&body).send().await.is(200);
    let half = portal.mail("email_change", email).await.path();
    let half = portal.get(&half).send().await.is(303);
    assert!(half.header("location").contains("?message=Confirmation+link+accepted."));
    let code = open_newest_link(portal, "email_change", new).await;
    let session = exchange(portal, &code, VERIFIER).await.is(200).json();
    assert_eq!(session["user"]["email"], new);
});

portal_test!(pkce_code_is_valid_for_five_minutes, async |portal| {
    let joao = portal.client("joao").await;
    for (wait, refused) in [(299, false), (300, true)] {
        portal.advance(SignedDuration::from_mins(1));
        let body = challenged(json!({"email": joao.email}), "s256");
        portal.post("/auth/v1/recover").json(&body).send().await.is(200);
        let code = open_newest_link(portal, "recovery", &joao.email).await;
        portal.advance(SignedDuration::from_secs(wait));
        let answer = exchange(portal, &code, VERIFIER).await;
        if refused {
            answer.refused(422, "flow_state_expired")
        } else {
            answer.is(200)
        };
    }
});

portal_test!(pkce_code_of_a_banned_or_changed_account_is_rejected, async |portal| {
    let joao = portal.client("joao").await;
    let body = challenged(json!({"email": joao.email}), "s256");
    portal.post("/auth/v1/recover").json(&body).send().await.is(200);
    let code = open_newest_link(portal, "recovery", &joao.email).await;
    let ban = |duration: &str| {
        let request = portal.put(&format!("/auth/v1/admin/users/{}", joao.id));
        request.bearer(&portal.app.keys.service_role).json(&json!({"ban_duration": duration}))
    };
    ban("24h").send().await.is(200);
    exchange(portal, &code, VERIFIER).await.refused(400, "user_banned");
    ban("none").send().await.is(200);
    let change = portal.put("/auth/v1/user").auth(&joao).json(&json!({"password": "senha-nova"}));
    change.send().await.is(200);
    exchange(portal, &code, VERIFIER).await.refused(404, "flow_state_not_found");
});

portal_test!(invalid_code_or_challenge_is_rejected, async |portal| {
    let joao = portal.client("joao").await;
    exchange(portal, "x", VERIFIER).await.refused(404, "flow_state_not_found");
    exchange(portal, "", VERIFIER).await.refused(400, "validation_failed");
    for (challenge, method) in [
        (json!("a".repeat(42)), json!("s256")),
        (json!("a".repeat(129)), json!("s256")),
        (json!("ã".repeat(43)), json!("s256")),
        (json!("a".repeat(43)), json!("md5")),
        (json!("a".repeat(43)), Value::Null),
        (Value::Null, json!("s256")),
    ] {
        let body = json!({"email": joao.email, "code_challenge": challenge, "code_challenge_method": method});
        for path in ["recover", "otp"] {
            let answer = portal.post(&format!("/auth/v1/{path}")).json(&body).send().await;
            answer.refused(400, "validation_failed");
        }
    }
    let unused =
        json!({"email": joao.email, "code_challenge": null, "code_challenge_method": null});
    portal.post("/auth/v1/recover").json(&unused).send().await.is(200);
});
