//! Mailed links and codes.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::harness::{PASSWORD, TestPortal, portal_test, request::Answer};

const SITE: &str = "http://127.0.0.1:8080/";

/// Generates the link that the office would mail.
async fn generate_link(portal: &TestPortal, kind: &str, email: &str) -> Value {
    let request = portal.post("/auth/v1/admin/generate_link").bearer(&portal.app.keys.service_role);
    let body = json!({"type": kind, "email": email, "password": PASSWORD});
    request.json(&body).send().await.is(200).json()
}

/// Opens a link as a browser does, without an API key.
async fn open(portal: &TestPortal, link: &str) -> Answer {
    portal.get(&link.replace("http://127.0.0.1:8080", "")).without("apikey").send().await
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap()
}

/// The value of a key in the fragment of a URL.
fn in_fragment(location: &str, name: &str) -> String {
    let fragment = location.split_once('#').unwrap().1;
    let mut pairs = fragment.split('&').map(|pair| pair.split_once('=').unwrap());
    pairs.find(|(key, _)| *key == name).unwrap().1.to_owned()
}

portal_test!(opened_link_passes_a_session_to_the_page, async |portal| {
    let joao = portal.client("joao").await;
    let link = generate_link(portal, "recovery", &joao.email).await;
    let opened = open(portal, text(&link, "action_link")).await.is(303);
    let location = opened.header("location").to_owned();
    let (page, fragment) = location.split_once('#').unwrap();
    assert_eq!(page, SITE);
    let keys: Vec<&str> = fragment.split('&').map(|pair| pair.split('=').next().unwrap()).collect();
    assert_eq!(
        keys,
        ["access_token", "expires_at", "expires_in", "refresh_token", "sb", "token_type", "type"]
    );
    for (name, expected) in
        [("type", "recovery"), ("token_type", "bearer"), ("expires_in", "3600"), ("sb", "")]
    {
        assert_eq!(in_fragment(&location, name), expected);
    }
    assert_eq!(opened.header("cache-control"), "no-store");
    assert_eq!(opened.header("referrer-policy"), "no-referrer");
    let token = in_fragment(&location, "access_token");
    let user = portal.get("/auth/v1/user").bearer(&token).send().await.is(200).json();
    assert_eq!(user["id"], json!(joao.id));
    portal.refresh(&in_fragment(&location, "refresh_token")).await.is(200);
});

portal_test!(link_works_once_and_head_requests_do_not_use_it, async |portal| {
    let joao = portal.client("joao").await;
    let link = generate_link(portal, "magiclink", &joao.email).await;
    let path = text(&link, "action_link").replace("http://127.0.0.1:8080", "");
    for _ in 0..3 {
        portal.head(&path).without("apikey").send().await.is(200);
    }
    open(portal, &path).await.is(303);
    let again = open(portal, &path).await.is(303);
    assert_eq!(
        again.header("location"),
        format!(
            "{SITE}#error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid+or+has+expired&sb="
        )
    );
    let body = json!({"token_hash": link["hashed_token"], "type": "magiclink"});
    portal.post("/auth/v1/verify").json(&body).send().await.refused(403, "otp_expired");
});

portal_test!(get_of_a_mailed_link_does_not_use_it, async |portal| {
    let joao = portal.client("joao").await;
    portal.post("/auth/v1/recover").json(&json!({"email": joao.email})).send().await.is(200);
    let mail = portal.mail("recovery", &joao.email).await;
    portal.head(&mail.path()).without("apikey").send().await.is(200);
    for _ in 0..3 {
        open(portal, &mail.link()).await.is(200);
    }
    let body = json!({"token_hash": mail.token(), "type": "recovery"});
    portal.post("/auth/v1/verify").json(&body).send().await.is(200);
    portal.post("/auth/v1/verify").json(&body).send().await.refused(403, "otp_expired");
});

portal_test!(link_redirects_to_allowed_urls_only, async |portal| {
    portal.set("redirect_urls", "https://app.example.com/welcome, myapp://callback");
    let joao = portal.client("joao").await;
    for (asked, expected) in [
        ("https://app.example.com/welcome?x=1#old", "https://app.example.com/welcome?x=1#"),
        ("myapp://callback", "myapp://callback#"),
        ("http://127.0.0.1:5173/conta", "http://127.0.0.1:5173/conta#"),
        ("http://127.0.0.1:8080/documents?a=b", "http://127.0.0.1:8080/documents?a=b#"),
        ("https://app.example.com/welcome/x", "http://127.0.0.1:8080/#"),
        ("https://app.example.com.evil.example/welcome", "http://127.0.0.1:8080/#"),
        ("https://evil.example", "http://127.0.0.1:8080/#"),
        ("//evil.example", "http://127.0.0.1:8080/#"),
        ("https:evil.example", "http://127.0.0.1:8080/#"),
        ("http://127.0.0.1:8080@evil.example/", "http://127.0.0.1:8080/#"),
        ("javascript:alert(1)", "http://127.0.0.1:8080/#"),
        ("", "http://127.0.0.1:8080/#"),
    ] {
        let link = generate_link(portal, "magiclink", &joao.email).await;
        let request = portal.get("/auth/v1/verify").query("token", text(&link, "hashed_token"));
        let request = request.query("type", "magiclink").query("redirect_to", asked);
        let request =
            request.header("host", "evil.example").header("x-forwarded-host", "evil.example");
        let opened = request.send().await.is(303);
        let location = opened.header("location");
        assert!(location.starts_with(expected), "{asked}: {location}");
    }
    // The target may also come from a header, and defaults to the referring page.
    for (name, value, expected) in [
        ("redirect_to", "https://app.example.com/welcome", "https://app.example.com/welcome#"),
        ("redirect_to", "https://evil.example/", "http://127.0.0.1:8080/#"),
        ("referer", "http://127.0.0.1:8080/login", "http://127.0.0.1:8080/login#"),
        ("referer", "https://evil.example/", "http://127.0.0.1:8080/#"),
    ] {
        let request = portal.get("/auth/v1/verify?token=x&type=signup").header(name, value);
        let opened = request.send().await.is(303);
        assert!(opened.header("location").starts_with(expected), "{name} {value}");
    }
});

portal_test!(mailed_links_begin_with_the_site_url, async |portal| {
    let joao = portal.client("joao").await;
    let request = portal.post("/auth/v1/recover?redirect_to=https://evil.example");
    let request = request.header("host", "evil.example").header("x-forwarded-host", "evil.example");
    let request =
        request.header("x-forwarded-proto", "gopher").header("referer", "https://evil.example");
    request.json(&json!({"email": joao.email})).send().await.is(200);
    let mail = portal.mail("recovery", &joao.email).await;
    assert!(
        mail.link().starts_with("http://127.0.0.1:8080/atualizar-senha#token_hash="),
        "{}",
        mail.link()
    );
    assert!(!mail.html.contains("evil"));
});

portal_test!(recovery_mail_leads_to_the_requested_page, async |portal| {
    let joao = portal.client("joao").await;
    for (asked, expected) in [
        ("http://127.0.0.1:8080/atualizar-senha", "/atualizar-senha#token_hash="),
        ("http://127.0.0.1:8080/outra", "/auth/v1/verify?token="),
    ] {
        portal.advance(SignedDuration::from_mins(1));
        let request = portal.post("/auth/v1/recover").query("redirect_to", asked);
        request.json(&json!({"email": joao.email})).send().await.is(200);
        let mail = portal.mail("recovery", &joao.email).await;
        assert!(mail.path().starts_with(expected), "{}", mail.link());
    }
    let opened = open(portal, &portal.mail("recovery", &joao.email).await.path()).await.is(303);
    let location = opened.header("location");
    assert!(location.starts_with("http://127.0.0.1:8080/outra#access_token="), "{location}");
    assert_eq!(in_fragment(location, "type"), "recovery");
});

portal_test!(link_token_is_bound_to_its_purpose, async |portal| {
    let joao = portal.client("joao").await;
    for kind in ["recovery", "magiclink"] {
        let link = generate_link(portal, kind, &joao.email).await;
        for other in ["recovery", "magiclink", "signup", "invite", "email_change"] {
            if other != kind {
                let body = json!({"token_hash": link["hashed_token"], "type": other});
                portal.post("/auth/v1/verify").json(&body).send().await.refused(403, "otp_expired");
            }
        }
        let body = json!({"token_hash": link["hashed_token"], "type": kind});
        portal.post("/auth/v1/verify").json(&body).send().await.is(200);
    }
    let signup = generate_link(portal, "signup", "nova@cliente.com.br").await;
    let body = json!({"token_hash": signup["hashed_token"], "type": "recovery"});
    portal.post("/auth/v1/verify").json(&body).send().await.refused(403, "otp_expired");
    let body = json!({"token_hash": signup["hashed_token"], "type": "email"});
    portal.post("/auth/v1/verify").json(&body).send().await.is(200);
});

portal_test!(code_is_bound_to_its_address, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let link = generate_link(portal, "recovery", &joao.email).await;
    let verify = |email: &str, kind: &str| {
        let body = json!({"email": email, "token": link["email_otp"], "type": kind});
        portal.post("/auth/v1/verify").json(&body)
    };
    assert_eq!(text(&link, "email_otp").len(), 6);
    verify(&maria.email, "recovery").send().await.refused(403, "otp_expired");
    verify("ninguem@cliente.com.br", "recovery").send().await.refused(403, "otp_expired");
    verify(&joao.email, "magiclink").send().await.refused(403, "otp_expired");
    let session = verify(" JOAO@cliente.com.br", "recovery").send().await.is(200).json();
    assert_eq!(session["user"]["id"], json!(joao.id));
    // Using the code also invalidates the link of the mail.
    verify(&joao.email, "recovery").send().await.refused(403, "otp_expired");
    let body = json!({"token_hash": link["hashed_token"], "type": "recovery"});
    portal.post("/auth/v1/verify").json(&body).send().await.refused(403, "otp_expired");
});

portal_test!(code_cannot_be_guessed, async |portal| {
    let joao = portal.client("joao").await;
    let link = generate_link(portal, "recovery", &joao.email).await;
    let right = text(&link, "email_otp").to_owned();
    let wrong = if right == "000000" { "111111" } else { "000000" };
    let verify = |code: &str| {
        let body = json!({"email": joao.email, "token": code, "type": "recovery"});
        portal.post("/auth/v1/verify").json(&body)
    };
    portal.advance(SignedDuration::from_secs(1));
    for number in 0..10 {
        // The attempts come from distinct network addresses.
        let request = verify(wrong).from(&format!("203.0.113.{number}"));
        request.send().await.refused(403, "otp_expired");
    }
    verify(&right).send().await.refused(403, "otp_expired");
    // The link of the same mail still works.
    let body = json!({"token_hash": link["hashed_token"], "type": "recovery"});
    portal.post("/auth/v1/verify").json(&body).send().await.is(200);
});

portal_test!(link_and_code_lifetime_is_configurable, async |portal| {
    portal.set("mail_link_life", "5m");
    let joao = portal.client("joao").await;
    for after in [299, 300] {
        let link = generate_link(portal, "recovery", &joao.email).await;
        portal.advance(SignedDuration::from_secs(after));
        let body = json!({"email": joao.email, "token": link["email_otp"], "type": "recovery"});
        let by_code = portal.post("/auth/v1/verify").json(&body).send().await;
        if after < 300 {
            by_code.is(200);
        } else {
            by_code.refused(403, "otp_expired");
            let opened = open(portal, text(&link, "action_link")).await.is(303);
            assert!(opened.header("location").contains("error_code=otp_expired"));
        }
    }
    assert!(generate_link(portal, "recovery", &joao.email).await["action_link"].is_string());
    portal.post("/auth/v1/recover").json(&json!({"email": joao.email})).send().await.is(200);
    assert!(portal.mail("recovery", &joao.email).await.html.contains("vale por 5 minutos"));
});

portal_test!(link_to_a_former_address_proves_nothing, async |portal| {
    let joao = portal.client("joao").await;
    let link = generate_link(portal, "recovery", &joao.email).await;
    let rename = portal.put(&format!("/auth/v1/admin/users/{}", joao.id));
    let rename =
        rename.bearer(&portal.app.keys.service_role).json(&json!({"email": "jp@cliente.com.br"}));
    rename.send().await.is(200);
    let body = json!({"token_hash": link["hashed_token"], "type": "recovery"});
    portal.post("/auth/v1/verify").json(&body).send().await.refused(403, "otp_expired");
});

portal_test!(invalid_verification_is_rejected_without_a_fault, async |portal| {
    let joao = portal.client("joao").await;
    for (body, status, code) in [
        (json!({}), 400, "validation_failed"),
        (json!({"type": "signup"}), 400, "validation_failed"),
        (json!({"type": "signup", "token": "123456"}), 400, "validation_failed"),
        (json!({"type": "signup", "token": "123456", "token_hash": "x"}), 400, "validation_failed"),
        (
            json!({"type": "signup", "token_hash": "x", "email": joao.email}),
            400,
            "validation_failed",
        ),
        (
            json!({"type": "nonesuch", "token": "123456", "email": joao.email}),
            400,
            "validation_failed",
        ),
        (json!({"type": "sms", "token": "123456", "phone": "5511999990000"}), 403, "otp_expired"),
        (json!({"type": "sms", "token": "123456", "phone": "abc"}), 400, "validation_failed"),
        (json!({"type": "email", "token": "123456", "email": "nada"}), 422, "validation_failed"),
        (
            json!({"type": "email", "token": "x".repeat(9999), "email": joao.email}),
            403,
            "otp_expired",
        ),
    ] {
        portal.post("/auth/v1/verify").json(&body).send().await.refused(status, code);
    }
    for path in
        ["", "?type=recovery", "?token=x", "?token=&type=recovery", "?token=x&type=nonesuch"]
    {
        let answer = portal.get(&format!("/auth/v1/verify{path}")).send().await;
        answer.refused(400, "validation_failed");
    }
    // A banned user gets the reason in the redirect.
    let link = generate_link(portal, "magiclink", &joao.email).await;
    let ban = portal.put(&format!("/auth/v1/admin/users/{}", joao.id));
    let ban = ban.bearer(&portal.app.keys.service_role).json(&json!({"ban_duration": "24h"}));
    ban.send().await.is(200);
    let opened = open(portal, text(&link, "action_link")).await.is(303);
    let location = opened.header("location").to_owned();
    assert_eq!(in_fragment(&location, "error_code"), "user_banned");
});
