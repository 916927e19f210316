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
async fn opened(world: &TestPortal, event: &str, to: &str) -> String {
    let path = world.mail(event, to).await.path();
    assert!(path.contains("token=pkce_"), "{path}");
    let opened = world.get(&path).without("apikey").send().await.is(303);
    let location = opened.header("location");
    let (page, code) = location.split_once("code=").unwrap_or_else(|| panic!("{location}"));
    assert!(!page.contains('#') && !location.contains("access_token"), "{location}");
    code.to_owned()
}

async fn exchange(world: &TestPortal, code: &str, verifier: &str) -> Answer {
    let body = json!({"auth_code": code, "code_verifier": verifier});
    world.post("/auth/v1/token?grant_type=pkce").json(&body).send().await
}

/// The authentication methods of a session.
fn method(session: &Value) -> Value {
    let payload = session["access_token"].as_str().unwrap().split('.').nth(1).unwrap();
    let claims: Value = serde_json::from_slice(&BASE64.decode(payload).unwrap()).unwrap();
    claims["amr"][0]["method"].clone()
}

portal_test!(recovery_by_pkce, async |world| {
    let joao = world.client("joao").await;
    for method_name in ["s256", "plain"] {
        world.wait(SignedDuration::from_mins(1));
        let body = challenged(json!({"email": joao.email}), method_name);
        let ask =
            world.post("/auth/v1/recover").query("redirect_to", "http://127.0.0.1:8080/conta?a=b");
        ask.json(&body).send().await.is(200);
        let code = opened(world, "recovery", &joao.email).await;
        exchange(world, &code, &VERIFIER.replace('0', "1")).await.refused(400, "bad_code_verifier");
        exchange(world, &code, "").await.refused(400, "validation_failed");
        let session = exchange(world, &code, VERIFIER).await.is(200).json();
        assert_eq!(session["user"]["id"], json!(joao.id));
        assert_eq!(method(&session), "recovery");
        exchange(world, &code, VERIFIER).await.refused(404, "flow_state_not_found");
    }
});

portal_test!(query_parameters_of_the_redirect_target_are_kept, async |world| {
    let joao = world.client("joao").await;
    let ask = world
        .post("/auth/v1/otp")
        .query("redirect_to", "http://127.0.0.1:8080/conta?code=velho&sb_flow_id=x%20y");
    ask.json(&challenged(json!({"email": joao.email}), "s256")).send().await.is(200);
    let path = world.mail("magic_link", &joao.email).await.path();
    let location = world.get(&path).send().await.is(303).header("location").to_owned();
    assert!(location.starts_with("http://127.0.0.1:8080/conta?sb_flow_id=x+y&code="), "{location}");
    // With PKCE, errors are part of the query too.
    let again = world.get(&path).send().await.is(303);
    let again = again.header("location");
    assert!(again.contains("&error=access_denied&error_code=otp_expired&"), "{again}");
    assert!(again.contains("#error=access_denied&error_code=otp_expired&"), "{again}");
});

portal_test!(sign_up_magic_link_and_email_change_by_pkce, async |world| {
    world.set("signup", "true");
    let email = "nova@cliente.com.br";
    let body = challenged(json!({"email": email, "password": PASSWORD}), "s256");
    world.post("/auth/v1/signup").json(&body).send().await.is(200);
    let code = opened(world, "confirmation", email).await;
    let session = exchange(world, &code, VERIFIER).await.is(200).json();
    assert_eq!(method(&session), "email/signup");
    let nova = TestUser::from_session(&session);

    world.wait(SignedDuration::from_mins(1));
    let body = challenged(json!({"email": email}), "s256");
    world.post("/auth/v1/otp").json(&body).send().await.is(200);
    let code = opened(world, "magic_link", email).await;
    let session = exchange(world, &code, VERIFIER).await.is(200).json();
    assert_eq!(method(&session), "magiclink");

    world.wait(SignedDuration::from_mins(1));
    let new = "outra@cliente.com.br";
    let body = challenged(json!({"email": new}), "s256");
    world.put("/auth/v1/user").as_(&nova).json(&body).send().await.is(200);
    let half = world.mail("email_change", email).await.path();
    let half = world.get(&half).send().await.is(303);
    assert!(half.header("location").contains("?message=Confirmation+link+accepted."));
    let code = opened(world, "email_change", new).await;
    let session = exchange(world, &code, VERIFIER).await.is(200).json();
    assert_eq!(session["user"]["email"], new);
});

portal_test!(pkce_code_is_valid_for_five_minutes, async |world| {
    let joao = world.client("joao").await;
    for (wait, refused) in [(299, false), (300, true)] {
        world.wait(SignedDuration::from_mins(1));
        let body = challenged(json!({"email": joao.email}), "s256");
        world.post("/auth/v1/recover").json(&body).send().await.is(200);
        let code = opened(world, "recovery", &joao.email).await;
        world.wait(SignedDuration::from_secs(wait));
        let answer = exchange(world, &code, VERIFIER).await;
        if refused {
            answer.refused(422, "flow_state_expired")
        } else {
            answer.is(200)
        };
    }
});

portal_test!(pkce_code_of_a_banned_or_changed_account_is_rejected, async |world| {
    let joao = world.client("joao").await;
    let body = challenged(json!({"email": joao.email}), "s256");
    world.post("/auth/v1/recover").json(&body).send().await.is(200);
    let code = opened(world, "recovery", &joao.email).await;
    let ban = |duration: &str| {
        let request = world.put(&format!("/auth/v1/admin/users/{}", joao.id));
        request.bearer(&world.app.keys.service_role).json(&json!({"ban_duration": duration}))
    };
    ban("24h").send().await.is(200);
    exchange(world, &code, VERIFIER).await.refused(400, "user_banned");
    ban("none").send().await.is(200);
    let change = world.put("/auth/v1/user").as_(&joao).json(&json!({"password": "senha-nova"}));
    change.send().await.is(200);
    exchange(world, &code, VERIFIER).await.refused(404, "flow_state_not_found");
});

portal_test!(invalid_code_or_challenge_is_rejected, async |world| {
    let joao = world.client("joao").await;
    exchange(world, "x", VERIFIER).await.refused(404, "flow_state_not_found");
    exchange(world, "", VERIFIER).await.refused(400, "validation_failed");
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
            let answer = world.post(&format!("/auth/v1/{path}")).json(&body).send().await;
            answer.refused(400, "validation_failed");
        }
    }
    let unused =
        json!({"email": joao.email, "code_challenge": null, "code_challenge_method": null});
    world.post("/auth/v1/recover").json(&unused).send().await.is(200);
});
