//! Own sessions and muted topics, which users can list and end.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::harness::{PASSWORD, TestPortal, TestUser, portal_test};
use crate::rest::{column, read, rows};

async fn sign_in_with(portal: &TestPortal, email: &str, agent: &str) -> TestUser {
    let request = portal.post("/auth/v1/token?grant_type=password").header("user-agent", agent);
    let answer = request.json(&json!({"email": email, "password": PASSWORD})).send().await;
    TestUser::from_session(&answer.is(200).json())
}

portal_test!(user_lists_and_ends_own_sessions, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    portal.advance(SignedDuration::from_mins(5));
    let phone = sign_in_with(portal, &joao.email, "Telefone").await;
    let seen = read(portal, &joao, "sessions?order=created_at.desc").await;
    assert_eq!(column(&seen, "user_agent"), [json!("Telefone"), Value::Null]);
    assert_eq!(seen[0]["created_at"], "2026-11-21T15:05:00+00:00");
    let names: Vec<&String> = seen[0].as_object().unwrap().keys().collect();
    assert_eq!(names, ["id", "user_agent", "created_at", "refreshed_at"]);
    for secret in ["refresh_counter", "amr", "user_id"] {
        let asked = portal.get(&format!("/rest/v1/sessions?select={secret}")).auth(&joao);
        asked.send().await.refused(400, "42703");
    }

    let path = format!("/rest/v1/sessions?id=eq.{}", seen[0]["id"].as_str().unwrap());
    portal.delete(&path).auth(&maria).send().await.is(204);
    portal.get("/rest/v1/tickets").auth(&phone).send().await.is(200);
    portal.delete(&path).auth(&joao).send().await.is(204);
    portal.get("/rest/v1/tickets").auth(&phone).send().await.refused(401, "PGRST301");
    portal.refresh(&phone.refresh_token).await.refused(400, "refresh_token_not_found");
    portal.get("/rest/v1/tickets").auth(&joao).send().await.is(200);
});

portal_test!(sessions_are_read_only, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let service = portal.app.keys.service_role.clone();
    let row = json!({"id": uuid::Uuid::nil(), "user_id": ana.id, "user_agent": "x"});
    for token in [&joao.token, &ana.token, &service] {
        let insert = portal.post("/rest/v1/sessions").bearer(token).json(&row);
        insert.send().await.refused(403, "42501");
        let merge = portal.post("/rest/v1/sessions").bearer(token).json(&row);
        merge.prefer("resolution=merge-duplicates").send().await.refused(403, "42501");
        let change = portal.patch("/rest/v1/sessions?user_agent=is.null").bearer(token);
        change.json(&json!({"user_id": ana.id})).send().await.refused(403, "42501");
    }
});

portal_test!(expired_sessions_are_deleted, async |portal| {
    let joao = portal.client("joao").await;
    for _ in 0..2 {
        portal.advance(SignedDuration::from_hours(4 * 24));
        portaria::jobs::garbage_collect::run(&portal.app).await.unwrap();
        portal.sign_in(&joao.email).await;
    }
    let joao = portal.sign_in(&joao.email).await;
    // The first session was not refreshed for eight days.
    assert_eq!(read(portal, &joao, "sessions").await.as_array().unwrap().len(), 3);
});

portal_test!(topic_is_muted_once_and_unmuted, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let mute = |topic: &str| {
        portal.post("/rest/v1/muted_topics").auth(&joao).json(&json!({"topic": topic})).send()
    };
    mute("documents").await.is(201);
    mute("documents").await.refused(409, "23505");
    mute("security").await.refused(400, "23514");
    assert_eq!(read(portal, &maria, "muted_topics").await, json!([]));
    let seen = read(portal, &joao, "muted_topics").await;
    assert_eq!(column(&seen, "topic"), ["documents"]);
    let wanted = "/rest/v1/muted_topics?topic=eq.documents";
    portal.delete(wanted).auth(&maria).send().await.is(204);
    assert_eq!(read(portal, &joao, "muted_topics").await.as_array().unwrap().len(), 1);
    portal.delete(wanted).auth(&joao).send().await.is(204);
    assert_eq!(read(portal, &joao, "muted_topics").await, json!([]));
});

async fn set_roles(portal: &TestPortal, user: &TestUser, roles: Value) {
    let path = format!("/auth/v1/admin/users/{}", user.id);
    let request = portal.put(&path).bearer(&portal.app.keys.service_role);
    request.json(&json!({"app_metadata": {"roles": roles}})).send().await.is(200);
}

portal_test!(role_in_the_token_does_not_decide_what_is_read, async |portal| {
    let (_ana, beto) = (portal.admin().await, portal.client("beto").await);
    let joao = portal.client("joao").await;
    portal.document(&joao, "contratos", "joao.pdf").await;
    portal.document(&beto, "contratos", "beto.pdf").await;
    let wanted = "documents?select=name&order=name";
    let (own, all) = (["beto.pdf"], ["beto.pdf", "joao.pdf"]);
    assert_eq!(column(&read(portal, &beto, wanted).await, "name"), own);

    // The token still names a client.
    set_roles(portal, &beto, json!(["admin"])).await;
    assert_eq!(column(&read(portal, &beto, wanted).await, "name"), all);
    rows(portal, &beto, "outbox?select=id").send().await.is(200);

    // The new token names an administrator.
    let beto = portal.sign_in(&beto.email).await;
    assert_eq!(column(&read(portal, &beto, wanted).await, "name"), all);
    set_roles(portal, &beto, json!(null)).await;
    assert_eq!(column(&read(portal, &beto, wanted).await, "name"), own);
    assert_eq!(read(portal, &beto, "documents?name=eq.joao.pdf").await, json!([]));
    rows(portal, &beto, "outbox?select=id").send().await.refused(404, "PGRST205");
    // Only staff may read CSV.
    rows(portal, &beto, wanted).header("accept", "text/csv").send().await.refused(406, "PGRST107");
    let beyond = rows(portal, &beto, "documents?offset=1").prefer("count=exact").send().await;
    assert_eq!(beyond.is(206).header("content-range"), "*/1");
});

portal_test!(ended_session_reads_nothing_and_learns_nothing, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    portal.document(&joao, "contratos", "contrato.pdf").await;
    for user in [&ana, &joao] {
        portal.post("/auth/v1/logout").auth(user).send().await.is(204);
        for path in ["documents", "documents?id=eq.x", "documents?select=x", "outbox?state=eq.1"] {
            let answer = rows(portal, user, path).send().await;
            let refused = answer.refused(401, "PGRST301");
            assert!(!refused.text().contains("contrato"));
        }
    }
});
