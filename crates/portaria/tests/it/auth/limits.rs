//! Rate limits of sign-in and mails, which must not lock out the owner of an account.

use futures_util::future::join_all;
use jiff::SignedDuration;
use portaria::http::middleware::timing_pad::TIMING_QUANTUM;
use serde_json::{Value, json};

use crate::harness::{
    PASSWORD, TestPortal, portal_test,
    request::{Answer, Request},
};

fn sign_in(world: &TestPortal, email: &str, password: &str) -> Request {
    world
        .post("/auth/v1/token?grant_type=password")
        .json(&json!({"email": email, "password": password}))
}

#[track_caller]
fn too_often(answer: Answer) -> Answer {
    let answer = answer.refused(429, "over_request_rate_limit");
    assert!(answer.header("retry-after").parse::<u32>().unwrap() > 0);
    answer
}

portal_test!(ten_wrong_passwords_delay_their_sender, async |world| {
    let joao = world.client("joao").await;
    let (thief, owner) = ("203.0.113.7", "198.51.100.1");
    for _ in 0..10 {
        let wrong = sign_in(world, &joao.email, "errada").from(thief).send().await;
        wrong.refused(400, "invalid_credentials");
    }
    let eleventh = too_often(sign_in(world, &joao.email, "errada").from(thief).send().await);
    assert_eq!(eleventh.header("retry-after"), "1");
    // The right password is refused too.
    too_often(sign_in(world, &joao.email, PASSWORD).from(thief).send().await);
    // The owner signs in from another network address without delay.
    sign_in(world, &joao.email, PASSWORD).from(owner).send().await.is(200);

    // Each further wrong password doubles the delay, up to one minute.
    for wait in [1, 2, 4, 8, 16, 32, 60, 60] {
        world.wait(SignedDuration::from_secs(wait));
        let wrong = sign_in(world, &joao.email, "errada").from(thief).send().await;
        wrong.refused(400, "invalid_credentials");
        world.wait(SignedDuration::from_millis(500));
        too_often(sign_in(world, &joao.email, "errada").from(thief).send().await);
    }
    world.wait(SignedDuration::from_mins(10));
    sign_in(world, &joao.email, PASSWORD).from(thief).send().await.is(200);
});

portal_test!(wrong_password_count_survives_a_restart, async |world| {
    let joao = world.client("joao").await;
    for _ in 0..10 {
        sign_in(world, &joao.email, "errada").send().await.refused(400, "invalid_credentials");
    }
    world.restart();
    too_often(sign_in(world, &joao.email, PASSWORD).send().await);
});

portal_test!(unknown_address_is_limited_like_a_known_one, async |world| {
    let joao = world.client("joao").await;
    let mut seen = Vec::new();
    for email in [joao.email.as_str(), "ninguem@cliente.com.br"] {
        let mut answers = Vec::new();
        for _ in 0..12 {
            let request = sign_in(world, email, "errada").from("203.0.113.7");
            answers.push(request.send().await.seen());
        }
        seen.push(answers);
        world.wait(SignedDuration::from_mins(5));
    }
    assert_eq!(seen[0], seen[1]);
});

portal_test!(right_password_resets_the_wrong_password_count, async |world| {
    let joao = world.client("joao").await;
    for _ in 0..3 {
        for _ in 0..7 {
            sign_in(world, &joao.email, "errada").send().await.refused(400, "invalid_credentials");
        }
        sign_in(world, &joao.email, PASSWORD).send().await.is(200);
        world.wait(SignedDuration::from_mins(2));
    }
});

portal_test!(visitor_is_limited_to_thirty_sign_ins_per_five_minutes, async |world| {
    world.set("rate_sign_in", "30/5m");
    let asks = (0..40).map(|number| {
        let email = format!("p{number}@cliente.com.br");
        sign_in(world, &email, "errada").from("2001:db8::1").send()
    });
    let answers = join_all(asks).await;
    let limited = answers.iter().filter(|answer| answer.status == 429).count();
    assert_eq!(limited, 10);
    // A /64 network counts as one visitor.
    too_often(sign_in(world, "x@cliente.com.br", "errada").from("2001:db8::2").send().await);
    let other = sign_in(world, "x@cliente.com.br", "errada").from("2001:db8:0:1::1").send().await;
    other.refused(400, "invalid_credentials");
    world.wait(SignedDuration::from_secs(10));
    let later = sign_in(world, "y@cliente.com.br", "errada").from("2001:db8::1").send().await;
    later.refused(400, "invalid_credentials");
});

portal_test!(forwarded_header_is_trusted_from_trusted_proxies_only, async |world| {
    world.set("rate_sign_in", "2/5m");
    let ask = |peer: &str, forwarded: &str| {
        sign_in(world, "x@cliente.com.br", "errada").from(peer).header("x-forwarded-for", forwarded)
    };
    for number in 0..3 {
        let answer = ask("203.0.113.7", &format!("198.51.100.{number}")).send().await;
        assert_eq!(answer.status == 429, number == 2, "{number}");
    }
    world.set("trusted_proxies", "10.0.0.0/8");
    let ask = |peer: &str, forwarded: &str| {
        sign_in(world, "y@cliente.com.br", "errada").from(peer).header("x-forwarded-for", forwarded)
    };
    for number in 0..3 {
        // Entries to the left of the proxy's own entry can be forged.
        let forwarded = format!("192.0.2.{number}, 198.51.100.1");
        let answer = ask("10.0.0.1", &forwarded).send().await;
        assert_eq!(answer.status == 429, number == 2, "{number}");
    }
    ask("10.0.0.1", "198.51.100.2").send().await.refused(400, "invalid_credentials");
});

portal_test!(refresh_beyond_the_limit_keeps_its_session, async |world| {
    world.set("rate_refresh", "3/5m");
    let joao = world.client("joao").await;
    let mut live = joao.refresh_token.clone();
    for _ in 0..3 {
        let session = world.refresh(&live).await.is(200).json();
        session["refresh_token"].as_str().unwrap().clone_into(&mut live);
    }
    // The status is never 429, because the client library would drop the session.
    let refused = world.refresh(&live).await.refused(503, "over_request_rate_limit");
    assert_eq!(refused.header("retry-after"), "100");
    let maria = world.client("maria").await;
    world.refresh(&maria.refresh_token).await.is(200);
    world.wait(SignedDuration::from_secs(100));
    world.refresh(&live).await.is(200);
});

portal_test!(limits_per_account_are_independent, async |world| {
    world.set("rate_account", "2/5m");
    world.set("rate_verify", "2/5m");
    world.set("signup", "true");
    let joao = world.client("joao").await;
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
        let ask = || world.request(method, path).as_(&joao).json(&body).send();
        for _ in 0..2 {
            assert_ne!(ask().await.status, 429, "{path}");
        }
        too_often(ask().await);
    }
    // Links and codes share one quota.
    too_often(world.get("/auth/v1/verify?token=x&type=signup").send().await);
    let pkce = json!({"auth_code": "x", "code_verifier": "y"});
    too_often(world.post("/auth/v1/token?grant_type=pkce").json(&pkce).send().await);
    world.wait(SignedDuration::from_mins(5));
    world.get("/auth/v1/verify?token=x&type=signup").send().await.is(303);
});

portal_test!(five_mails_per_hour_and_address_without_a_visible_difference, async |world| {
    let joao = world.client("joao").await;
    let mut seen = Vec::new();
    for number in 0..8 {
        world.wait(SignedDuration::from_mins(2));
        let from = format!("203.0.113.{number}");
        for (path, body) in [
            ("/auth/v1/recover", json!({"email": joao.email})),
            ("/auth/v1/otp", json!({"email": joao.email})),
            ("/auth/v1/resend", json!({"email": joao.email, "type": "signup"})),
        ] {
            seen.push(world.post(path).from(&from).json(&body).send().await.is(200).seen());
        }
    }
    seen.dedup();
    assert_eq!(seen.len(), 1);
    assert_eq!(world.mails().await.len(), 5);
    world.wait(SignedDuration::from_hours(1));
    world.post("/auth/v1/recover").json(&json!({"email": joao.email})).send().await.is(200);
    assert_eq!(world.mails().await.len(), 6);
});

portal_test!(response_time_does_not_depend_on_the_account, async |world| {
    world.set("signup", "true");
    let joao = world.client("joao").await;
    for email in [joao.email.as_str(), "ninguem@cliente.com.br"] {
        for (path, body) in [
            ("/auth/v1/recover", json!({"email": email})),
            ("/auth/v1/otp", json!({"email": email})),
            ("/auth/v1/resend", json!({"email": email, "type": "signup"})),
            ("/auth/v1/signup", json!({"email": email, "password": PASSWORD})),
        ] {
            let begin = std::time::Instant::now();
            world.post(path).json(&body).send().await.is(200);
            assert!(begin.elapsed() >= TIMING_QUANTUM, "{path} of {email}");
        }
    }
});

portal_test!(total_of_account_mails_can_be_limited, async |world| {
    world.set("rate_all_mail", "2/1h");
    let (joao, maria, ana) =
        (world.client("joao").await, world.client("maria").await, world.client("ana").await);
    let recover = |email: &str| world.post("/auth/v1/recover").json(&json!({"email": email}));
    recover(&joao.email).send().await.is(200);
    // Requests for unknown addresses send no mail and do not count.
    recover("ninguem@cliente.com.br").send().await.is(200);
    recover(&maria.email).send().await.is(200);
    let known = recover(&ana.email).send().await.refused(429, "over_email_send_rate_limit");
    assert_eq!(known.json()["msg"], "email rate limit exceeded");
    let unknown = recover("outro@cliente.com.br").send().await;
    assert_eq!(known.seen(), unknown.seen());
    world.wait(SignedDuration::from_hours(1));
    recover(&ana.email).send().await.is(200);
});

portal_test!(empty_settings_disable_the_limits, async |world| {
    for name in ["rate_sign_in", "rate_wrong_password", "rate_account", "rate_mail"] {
        world.set(name, "");
    }
    world.set("mail_interval", "0");
    let joao = world.client("joao").await;
    for _ in 0..35 {
        sign_in(world, &joao.email, "errada").send().await.refused(400, "invalid_credentials");
    }
    sign_in(world, &joao.email, PASSWORD).send().await.is(200);
    let body: Value = json!({"email": joao.email});
    for _ in 0..35 {
        world.post("/auth/v1/recover").json(&body).send().await.is(200);
    }
    assert_eq!(world.mails().await.len(), 35);
});

portal_test!(stolen_refresh_token_is_reported_to_its_owner, async |world| {
    let joao = world.client("joao").await;
    let second = world.refresh(&joao.refresh_token).await.is(200).json();
    world.refresh(second["refresh_token"].as_str().unwrap()).await.is(200);
    assert_eq!(world.mails().await.len(), 0);
    world.wait(SignedDuration::from_secs(11));
    let stolen = world.refresh(&joao.refresh_token).await;
    stolen.refused(400, "refresh_token_already_used");
    world.refresh(&joao.refresh_token).await.refused(400, "refresh_token_not_found");
    assert_eq!(world.mails_about("suspicious_access").await, 1);
    world.mail("suspicious_access", &joao.email).await;
});
