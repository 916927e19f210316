//! Abuse cases of accounts and sessions.

use futures_util::future::{join, join_all};
use serde_json::json;

use crate::harness::{PASSWORD, TestUser, portal_test};

portal_test!(exclusive a05_excess_of_two_hundred_parallel_sign_ins_is_refused, async |portal| {
    // The queue fills up only if each hash takes time.
    portal.use_production_passwords();
    portal.set("rate_sign_in", "");
    portal.set("rate_wrong_password", "");
    let joao = portal.client("joao").await;
    let attempts = join_all((0..200).map(|_| portal.try_sign_in(&joao.email, "errada")));
    let (answers, health) = join(attempts, portal.get("/health").send()).await;
    health.is(200);
    let (served, refused): (Vec<_>, Vec<_>) =
        answers.into_iter().partition(|answer| answer.status == 400);
    assert!(served.len() >= 64 && !refused.is_empty(), "{} of 200", served.len());
    for answer in refused {
        let answer = answer.refused(503, "unavailable");
        assert_eq!(answer.header("retry-after"), "1");
    }
    portal.try_sign_in(&joao.email, PASSWORD).await.is(200);
});

portal_test!(a09_look_alike_of_admin_email_gets_no_privileges, async |portal| {
    portal.set("admin_email", "ana@escritorio.com.br");
    portal.set("signup", "true");
    portal.set("autoconfirm", "true");
    let ana = portal.admin().await;
    // A Cyrillic letter is refused.
    let cyrillic = json!({"email": "\u{430}na@escritorio.com.br", "password": PASSWORD});
    let cyrillic = portal.post("/auth/v1/signup").json(&cyrillic).send().await;
    cyrillic.refused(400, "email_address_not_ascii");
    // Another domain suffix, a tag, a domain with an accent: each is a distinct address.
    for email in
        ["ana@escritorio.com.br.br", "ana+x@escritorio.com.br", "ana@escrit\u{f3}rio.com.br"]
    {
        let sign_up = portal.post("/auth/v1/signup");
        let sign_up = sign_up.json(&json!({"email": email, "password": PASSWORD})).send().await;
        let user = TestUser::from_session(&sign_up.is(200).json());
        assert_ne!(user.id, ana.id);
        portal.get("/auth/v1/admin/users").auth(&user).send().await.refused(403, "not_admin");
        portal.get("/rest/v1/email_templates").auth(&user).send().await.refused(403, "42501");
    }
});

portal_test!(a41_expired_admin_token_manages_no_accounts, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    portal.advance(jiff::SignedDuration::from_secs(3600 + 31));
    let joao = format!("/auth/v1/admin/users/{}", joao.id);
    let body = json!({"email": "x@y.com", "password": PASSWORD});
    for (method, path) in [
        ("GET", "/auth/v1/admin/users"),
        ("POST", "/auth/v1/admin/users"),
        ("PUT", &joao),
        ("DELETE", &joao),
    ] {
        let request = portal.request(method, path).auth(&ana).json(&body);
        request.send().await.refused(403, "bad_jwt");
    }
});
