//! Own sessions and muted topics, which users can list and end.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::harness::{PASSWORD, TestPortal, TestUser, portal_test};
use crate::rest::{column, read};

async fn sign_in_with(world: &TestPortal, email: &str, agent: &str) -> TestUser {
    let request = world.post("/auth/v1/token?grant_type=password").header("user-agent", agent);
    let answer = request.json(&json!({"email": email, "password": PASSWORD})).send().await;
    TestUser::from_session(&answer.is(200).json())
}

portal_test!(user_lists_and_ends_own_sessions, async |world| {
    let (joao, maria) = (world.client("joao").await, world.client("maria").await);
    world.wait(SignedDuration::from_mins(5));
    let phone = sign_in_with(world, &joao.email, "Telefone").await;
    let seen = read(world, &joao, "sessions?order=created_at.desc").await;
    assert_eq!(column(&seen, "user_agent"), [json!("Telefone"), Value::Null]);
    assert_eq!(seen[0]["created_at"], "2026-11-21T15:05:00+00:00");
    let names: Vec<&String> = seen[0].as_object().unwrap().keys().collect();
    assert_eq!(names, ["id", "user_agent", "created_at", "refreshed_at"]);
    for secret in ["refresh_counter", "amr", "user_id"] {
        let asked = world.get(&format!("/rest/v1/sessions?select={secret}")).as_(&joao);
        asked.send().await.refused(400, "42703");
    }

    let path = format!("/rest/v1/sessions?id=eq.{}", seen[0]["id"].as_str().unwrap());
    world.delete(&path).as_(&maria).send().await.is(204);
    world.get("/rest/v1/tickets").as_(&phone).send().await.is(200);
    world.delete(&path).as_(&joao).send().await.is(204);
    world.get("/rest/v1/tickets").as_(&phone).send().await.refused(401, "PGRST301");
    world.refresh(&phone.refresh_token).await.refused(400, "refresh_token_not_found");
    world.get("/rest/v1/tickets").as_(&joao).send().await.is(200);
});

portal_test!(sessions_are_read_only, async |world| {
    let (ana, joao) = (world.admin().await, world.client("joao").await);
    let service = world.app.keys.service_role.clone();
    let row = json!({"id": uuid::Uuid::nil(), "user_id": ana.id, "user_agent": "x"});
    for token in [&joao.token, &ana.token, &service] {
        let insert = world.post("/rest/v1/sessions").bearer(token).json(&row);
        insert.send().await.refused(403, "42501");
        let merge = world.post("/rest/v1/sessions").bearer(token).json(&row);
        merge.prefer("resolution=merge-duplicates").send().await.refused(403, "42501");
        let change = world.patch("/rest/v1/sessions?user_agent=is.null").bearer(token);
        change.json(&json!({"user_id": ana.id})).send().await.refused(403, "42501");
    }
});

portal_test!(expired_sessions_are_deleted, async |world| {
    let joao = world.client("joao").await;
    for _ in 0..2 {
        world.wait(SignedDuration::from_hours(4 * 24));
        portaria::jobs::garbage_collect::run(&world.app).await.unwrap();
        world.sign_in(&joao.email).await;
    }
    let joao = world.sign_in(&joao.email).await;
    // The first session was not refreshed for eight days.
    assert_eq!(read(world, &joao, "sessions").await.as_array().unwrap().len(), 3);
});

portal_test!(topic_is_muted_once_and_unmuted, async |world| {
    let (joao, maria) = (world.client("joao").await, world.client("maria").await);
    let mute = |topic: &str| {
        world.post("/rest/v1/muted_topics").as_(&joao).json(&json!({"topic": topic})).send()
    };
    mute("documents").await.is(201);
    mute("documents").await.refused(409, "23505");
    mute("security").await.refused(400, "23514");
    assert_eq!(read(world, &maria, "muted_topics").await, json!([]));
    let seen = read(world, &joao, "muted_topics").await;
    assert_eq!(column(&seen, "topic"), ["documents"]);
    let wanted = "/rest/v1/muted_topics?topic=eq.documents";
    world.delete(wanted).as_(&maria).send().await.is(204);
    assert_eq!(read(world, &joao, "muted_topics").await.as_array().unwrap().len(), 1);
    world.delete(wanted).as_(&joao).send().await.is(204);
    assert_eq!(read(world, &joao, "muted_topics").await, json!([]));
});
