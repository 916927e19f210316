//! Rate limits of sign-in and mails, which must not lock out the owner of an account.

use futures_util::future::join_all;
use jiff::SignedDuration;
use portaria::http::middleware::timing_pad::TIMING_QUANTUM;
use serde_json::{Value, json};

use crate::harness::{
    PASSWORD, TestPortal, portal_test,
    request::{Answer, Request},
};

fn sign_in(portal: &TestPortal, email: &str, password: &str) -> Request {
    portal
        .post("/auth/v1/token?grant_type=password")
        .json(&json!({"email": email, "password": password}))
}

#[track_caller]
fn assert_rate_limited(answer: Answer) -> Answer {
    let answer = answer.refused(429, "over_request_rate_limit");
    assert!(answer.header("retry-after").parse::<u32>().unwrap() > 0);
    answer
}

portal_test!(ten_wrong_passwords_delay_their_sender, async |portal| {
    let joao = portal.client("joao").await;
    let (thief, owner) = ("203.0.113.7", "198.51.100.1");
    for _ in 0..10 {
        let wrong = sign_in(portal, &joao.email, "errada").from(thief).send().await;
        wrong.refused(400, "invalid_credentials");
    }
    let eleventh =
        assert_rate_limited(sign_in(portal, &joao.email, "errada").from(thief).send().await);
    assert_eq!(eleventh.header("retry-after"), "1");
    // The right password is refused too.
    assert_rate_limited(sign_in(portal, &joao.email, PASSWORD).from(thief).send().await);
    // The owner signs in from another network address without delay.
    sign_in(portal, &joao.email, PASSWORD).from(owner).send().await.is(200);

    // Each further wrong password doubles the delay, up to one minute.
    for wait in [1, 2, 4, 8, 16, 32, 60, 60] {
        portal.advance(SignedDuration::from_secs(wait));
        let wrong = sign_in(portal, &joao.email, "errada").from(thief).send().await;
        wrong.refused(400, "invalid_credentials");
        portal.advance(SignedDuration::from_millis(500));
        assert_rate_limited(sign_in(portal, &joao.email, "errada").from(thief).send().await);
    }
    portal.advance(SignedDuration::from_mins(10));
    sign_in(portal, &joao.email, PASSWORD).from(thief).send().await.is(200);
});

portal_test!(wrong_password_count_survives_a_restart, async |portal| {
    let joao = portal.client("joao").await;
    for _ in 0..10 {
        sign_in(portal, &joao.email, "errada").send().await.refused(400, "invalid_credentials");
    }
    portal.restart();
    assert_rate_limited(sign_in(portal, &joao.email, PASSWORD).send().await);
});

portal_test!(unknown_address_is_limited_like_a_known_one, async |portal| {
    let joao = portal.client("joao").await;
    let mut seen = Vec::new();
    for email in [joao.email.as_str(), "ninguem@cliente.com.br"] {
        let mut answers = Vec::new();
        for _ in 0..12 {
            let request = sign_in(portal, email, "errada").from("203.0.113.7");
            answers.push(request.send().await.seen());
        }
        seen.push(answers);
        portal.advance(SignedDuration::from_mins(5));
    }
    assert_eq!(seen[0], seen[1]);
});

portal_test!(right_password_resets_the_wrong_password_count, async |portal| {
    let joao = portal.client("joao").await;
    for _ in 0..3 {
        for _ in 0..7 {
            sign_in(portal, &joao.email, "errada").send().await.refused(400, "invalid_credentials");
        }
        sign_in(portal, &joao.email, PASSWORD).send().await.is(200);
        portal.advance(SignedDuration::from_mins(2));
    }
});

portal_test!(visitor_is_limited_to_thirty_sign_ins_per_five_minutes, async |portal| {
    portal.set("rate_sign_in", "30/5m");
    let asks = (0..40).map(|number| {
        let email = format!("p{number}@cliente.com.br");
        sign_in(portal, &email, "errada").from("2001:db8::1").send()
    });
    let answers = join_all(asks).await;
    let limited = answers.iter().filter(|answer| answer.status == 429).count();
    assert_eq!(limited, 10);
    // A /64 network counts as one visitor.
    assert_rate_limited(
        sign_in(portal, "x@cliente.com.br", "errada").from("2001:db8::2").send().await,
    );
    let other = sign_in(portal, "x@cliente.com.br", "errada").from("2001:db8:0:1::1").send().await;
    other.refused(400, "invalid_credentials");
    portal.advance(SignedDuration::from_secs(10));
    let later = sign_in(portal, "y@cliente.com.br", "errada").from("2001:db8::1").send().await;
    later.refused(400, "invalid_credentials");
});

portal_test!(forwarded_header_is_trusted_from_trusted_proxies_only, async |portal| {
    portal.set("rate_sign_in", "2/5m");
    let ask = |peer: &str, forwarded: &str| {
        sign_in(portal, "x@cliente.com.br", "errada")
            .from(peer)
            .header("x-forwarded-for", forwarded)
    };
    for number in 0..3 {
        let answer = ask("203.0.113.7", &format!("198.51.100.{number}")).send().await;
        assert_eq!(answer.status == 429, number == 2, "{number}");
    }
    portal.set("trusted_proxies", "10.0.0.0/8");
    let ask = |peer: &str, forwarded: &str| {
        sign_in(portal, "y@cliente.com.br", "errada")
            .from(peer)
            .header("x-forwarded-for", forwarded)
    };
    for number in 0..3 {
        // Entries to the left of the proxy's own entry can be forged.
        let forwarded = format!("192.0.2.{number}, 198.51.100.1");
        let answer = ask("10.0.0.1", &forwarded).send().await;
        assert_eq!(answer.status == 429, number == 2, "{number}");
    }
    ask("10.0.0.1", "198.51.100.2").send().await.refused(400, "invalid_credentials");
});

portal_test!(refresh_beyond_the_limit_keeps_its_session, async |portal| {
    portal.set("rate_refresh", "3/5m");
    let joao = portal.client("joao").await;
    let mut live = joao.refresh_token.clone();
    for _ in 0..3 {
        let session = portal.refresh(&live).await.is(200).json();
        session["refresh_token"].as_str().unwrap().clone_into(&mut live);
    }
    // The status is never 429, because the client library would drop the session.
    let refused = portal.refresh(&live).await.refused(503, "over_request_rate_limit");
    assert_eq!(refused.header("retry-after"), "100");
    let maria = portal.client("maria").await;
    portal.refresh(&maria.refresh_token).await.is(200);
    portal.advance(SignedDuration::from_secs(100));
    portal.refresh(&live).await.is(200);
});

portal_test!(limits_per_account_are_independent, async |portal| {
    portal.set("rate_account", "2/5m");
    portal.set("rate_verify", "2/5m");
    portal.set("signup", "true");
    let joao = portal.client("joao").await;
    let email = json!({"email": "ninguem@cliente.com.br"});
    let sign_up = json!({"email": "nova@cliente.com.br", "password": "curta"});
    let resend = json!({"email": "ninguem@cliente.com.br", "type": "signup"});
    let verify = json!({"token_hash": "x", "type": "signup"});
    for (method, path, body) in [
        ("POST", "/auth/v1/recover", email.clone()),
        ("POST", "/auth/v1/otp", email),
        ("POST", "/auth/v1/resend", resend),
        ("POST", "/auth/v1/signup", sign_up),
        ("PUT", "/auth/v1/user", json!({})),
        ("POST", "/auth/v1/verify", verify),
    ] {
        let ask = || portal.request(method, path).auth(&joao).json(&body).send();
        for _ in 0..2 {
            assert_ne!(ask().await.status, 429, "{path}");
        }
        assert_rate_limited(ask().await);
    }
    // Links and codes share one quota.
    assert_rate_limited(portal.get("/auth/v1/verify?token=x&type=signup").send().await);
    let pkce = json!({"auth_code": "x", "code_verifier": "y"});
    assert_rate_limited(portal.post("/auth/v1/token?grant_type=pkce").json(&pkce).send().await);
    portal.advance(SignedDuration::from_mins(5));
    portal.get("/auth/v1/verify?token=x&type=signup").send().await.is(303);
});

portal_test!(five_mails_per_hour_and_address_without_a_visible_difference, async |portal| {
    let joao = portal.client("joao").await;
    let mut seen = Vec::new();
    for number in 0..8 {
        portal.advance(SignedDuration::from_mins(2));
        let from = format!("203.0.113.{number}");
        for (path, body) in [
            ("/auth/v1/recover", json!({"email": joao.email})),
            ("/auth/v1/otp", json!({"email": joao.email})),
            ("/auth/v1/resend", json!({"email": joao.email, "type": "signup"})),
        ] {
            seen.push(portal.post(path).from(&from).json(&body).send().await.is(200).seen());
        }
    }
    seen.dedup();
    assert_eq!(seen.len(), 1);
    assert_eq!(portal.mails().await.len(), 5);
    portal.advance(SignedDuration::from_hours(1));
    portal.post("/auth/v1/recover").json(&json!({"email": joao.email})).send().await.is(200);
    assert_eq!(portal.mails().await.len(), 6);
});

portal_test!(response_time_does_not_depend_on_the_account, async |portal| {
    portal.set("signup", "true");
    let joao = portal.client("joao").await;
    for email in [joao.email.as_str(), "ninguem@cliente.com.br"] {
        for (path, body) in [
            ("/auth/v1/recover", json!({"email": email})),
            ("/auth/v1/otp", json!({"email": email})),
            ("/auth/v1/resend", json!({"email": email, "type": "signup"})),
            ("/auth/v1/signup", json!({"email": email, "password": PASSWORD})),
        ] {
            let begin = std::time::Instant::now();
            portal.post(path).json(&body).send().await.is(200);
            assert!(begin.elapsed() >= TIMING_QUANTUM, "{path} of {email}");
        }
    }
});

portal_test!(total_of_account_mails_can_be_limited, async |portal| {
    portal.set("rate_all_mail", "2/1h");
    let (joao, maria, ana) =
        (portal.client("joao").await, portal.client("maria").await, portal.client("ana").await);
    let recover = |email: &str| portal.post("/auth/v1/recover").json(&json!({"email": email}));
    recover(&joao.email).send().await.is(200);
    // Requests for unknown addresses send no mail and do not count.
    recover("ninguem@cliente.com.br").send().await.is(200);
    recover(&maria.email).send().await.is(200);
    let known = recover(&ana.email).send().await.refused(429, "over_email_send_rate_limit");
    assert_eq!(known.json()["msg"], "email rate limit exceeded");
    assert_eq!(known.header("retry-after"), "3600");
    let unknown = recover("outro@cliente.com.br").send().await;
    assert_eq!(known.seen(), unknown.seen());
    portal.advance(SignedDuration::from_hours(1));
    recover(&ana.email).send().await.is(200);
});

portal_test!(empty_settings_disable_the_limits, async |portal| {
    for name in ["rate_sign_in", "rate_wrong_password", "rate_account", "rate_mail"] {
        portal.set(name, "");
    }
    portal.set("mail_interval", "0");
    let joao = portal.client("joao").await;
    for _ in 0..35 {
        sign_in(portal, &joao.email, "errada").send().await.refused(400, "invalid_credentials");
    }
    sign_in(portal, &joao.email, PASSWORD).send().await.is(200);
    let body: Value = json!({"email": joao.email});
    for _ in 0..35 {
        portal.post("/auth/v1/recover").json(&body).send().await.is(200);
    }
    assert_eq!(portal.mails().await.len(), 35);
});

portal_test!(stolen_refresh_token_is_reported_to_its_owner, async |portal| {
    let joao = portal.client("joao").await;
    let second = portal.refresh(&joao.refresh_token).await.is(200).json();
    portal.refresh(second["refresh_token"].as_str().unwrap()).await.is(200);
    assert_eq!(portal.mails().await.len(), 0);
    portal.advance(SignedDuration::from_secs(11));
    let stolen = portal.refresh(&joao.refresh_token).await;
    stolen.refused(400, "refresh_token_already_used");
    portal.refresh(&joao.refresh_token).await.refused(400, "refresh_token_not_found");
    assert_eq!(portal.mails_about("suspicious_access").await, 1);
    portal.mail("suspicious_access", &joao.email).await;
});
