//! Lists that are read from a streaming replica: they contain every confirmed write, and survive the loss of the
//! replica.

use std::time::Duration;

use serde_json::json;

use crate::harness::{
    TestPortal, TestUser,
    replication::{ReplicatedServer, run_with_replica},
    run_on_postgres,
    wait::wait_until,
};

const LIMIT: Duration = Duration::from_secs(20);

/// Whether lists use the replica, and the number of those that did.
fn usage(portal: &TestPortal) -> (bool, u64) {
    let replica = portal.app.db.load().replica.expect("the portal has a replica");
    (replica.is_current, replica.reads)
}

async fn until_used(portal: &TestPortal) {
    wait_until(LIMIT, "the replica is used", async || usage(portal).0).await;
}

/// Writes a ticket, and asserts that the next list contains it.
async fn write_and_list(portal: &TestPortal, joao: &TestUser, subject: &str) {
    let ticket = json!({"subject": subject, "message": "Uma mensagem longa o bastante."});
    portal.post("/rest/v1/tickets").auth(joao).json(&ticket).send().await.is(201);
    let list = portal.get("/rest/v1/tickets?select=subject&order=created_at.desc").auth(joao);
    let rows = list.send().await.is(200).json();
    assert!(
        rows.as_array().unwrap().iter().any(|row| row["subject"] == subject),
        "{subject}: {rows:?}"
    );
}

async fn check_confirmed_writes_are_seen(portal: &mut TestPortal, server: &ReplicatedServer) {
    let joao = portal.client("joao").await;
    until_used(portal).await;
    for number in 0..6 {
        write_and_list(portal, &joao, &format!("Assunto {number}")).await;
    }
    // A busy machine may delay the replica for longer than a list waits.
    let (_, reads) = usage(portal);
    assert!(reads > 0, "no list was read from the replica");

    server.execute_on_replica("SELECT pg_wal_replay_pause()");
    write_and_list(portal, &joao, "Réplica parada").await;
    assert!(!usage(portal).0, "the replica has not caught up");
    server.execute_on_replica("SELECT pg_wal_replay_resume()");
    until_used(portal).await;
    write_and_list(portal, &joao, "Réplica em dia").await;
    assert!(usage(portal).1 >= reads);
}

async fn check_ended_session_is_refused(portal: &mut TestPortal, server: &ReplicatedServer) {
    let joao = portal.client("joao").await;
    until_used(portal).await;
    portal.get("/rest/v1/tickets").auth(&joao).send().await.is(200);
    // The session still exists on the replica.
    server.execute_on_replica("SELECT pg_wal_replay_pause()");
    portal.post("/auth/v1/logout").auth(&joao).send().await.is(204);
    portal.get("/rest/v1/tickets").auth(&joao).send().await.is(401);
}

async fn check_lost_replica_is_replaced(portal: &mut TestPortal, server: &ReplicatedServer) {
    let joao = portal.client("joao").await;
    until_used(portal).await;
    server.kill_replica();
    for number in 0..3 {
        write_and_list(portal, &joao, &format!("Sem réplica {number}")).await;
    }
    assert!(!usage(portal).0);
    server.start_replica();
    until_used(portal).await;
    write_and_list(portal, &joao, "Com réplica").await;

    // A replica that became a primary has a history of its own.
    server.execute_on_replica("SELECT pg_promote()");
    write_and_list(portal, &joao, "Réplica promovida").await;
    assert!(!usage(portal).0);
}

async fn check_another_server_is_not_used(portal: &mut TestPortal) {
    let joao = portal.client("joao").await;
    let url = portal.database_url().to_owned();
    // The primary itself is no replica.
    portal.set("database_replica_url", &url);
    write_and_list(portal, &joao, "Sem réplica").await;
    assert_eq!(usage(portal), (false, 0));
}

#[test]
fn confirmed_writes_are_seen() {
    run_with_replica(check_confirmed_writes_are_seen);
}

#[test]
fn ended_session_is_refused() {
    run_with_replica(check_ended_session_is_refused);
}

#[test]
fn lost_replica_is_replaced() {
    run_with_replica(check_lost_replica_is_replaced);
}

#[test]
fn another_server_is_not_used() {
    run_on_postgres(check_another_server_is_not_used);
}
