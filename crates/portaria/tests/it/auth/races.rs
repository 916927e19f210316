//! Concurrent changes of one account on PostgreSQL, where transactions run in parallel.

use postgres::{Client, NoTls};
use serde_json::json;
use tokio::{
    join,
    task::{JoinHandle, spawn_blocking},
};

use crate::auth::passkeys::{Device, ORIGIN, options, register, use_domain, verify};
use crate::harness::{PASSWORD, TestPortal, run_blocking, run_on_postgres, wait::until_awaited};

/// Begins a transaction beside the portal with these statements.
fn begin(portal: &TestPortal, statements: &str) -> Client {
    let url = portal.database_url().to_owned();
    run_blocking(|| {
        let mut other = Client::connect(&url, NoTls).unwrap();
        other.batch_execute(&format!("BEGIN; {statements}")).unwrap();
        other
    })
}

/// Commits the transaction as soon as a request waits for it.
fn commit_when_awaited(mut other: Client) -> JoinHandle<()> {
    spawn_blocking(move || {
        until_awaited(&mut other);
        other.batch_execute("COMMIT").unwrap();
    })
}

async fn check_ban_during_sign_in_wins(portal: &mut TestPortal) {
    let joao = portal.client("joao").await;
    let ban = "UPDATE users SET banned_until = '2099-01-01T00:00:00.000000+00:00'";
    let other = begin(portal, &format!("{ban} WHERE email = '{}'", joao.email));
    // The ban is committed after the sign-in verified the password and while it waits for the row lock.
    let settled = commit_when_awaited(other);
    let (signed_in, settled) = join!(portal.try_sign_in(&joao.email, PASSWORD), settled);
    settled.unwrap();
    signed_in.refused(400, "user_banned");
    portal.try_sign_in(&joao.email, PASSWORD).await.refused(400, "user_banned");
    portal.get("/auth/v1/user").auth(&joao).send().await.refused(403, "user_banned");
}

#[test]
fn ban_during_sign_in_wins() {
    run_on_postgres(check_ban_during_sign_in_wins);
}

/// The office sets a password while a registration waits for the account.
async fn check_registration_ends_with_its_session(portal: &mut TestPortal) {
    use_domain(portal);
    let joao = portal.client("joao").await;
    let challenge = options(portal, &joao).await.is(200).json();
    let credential = Device::new(ORIGIN, "telefone").create(&challenge["options"]);
    let other = begin(
        portal,
        &format!(
            "SELECT id FROM users WHERE id = '{0}' FOR NO KEY UPDATE;
            DELETE FROM sessions WHERE user_id = '{0}'; DELETE FROM passkeys WHERE user_id = '{0}'",
            joao.id
        ),
    );
    let settled = commit_when_awaited(other);
    let (registered, settled) = join!(verify(portal, &joao, &challenge, &credential), settled);
    settled.unwrap();
    registered.refused(403, "session_not_found");
    let path = format!("/auth/v1/admin/users/{}/passkeys", joao.id);
    let left = portal.get(&path).bearer(&portal.app.keys.service_role).send().await.is(200).json();
    assert_eq!(left, json!([]));
}

#[test]
fn registration_ends_with_its_session() {
    run_on_postgres(check_registration_ends_with_its_session);
}

/// A person signs in with a passkey while its owner removes it.
async fn check_removal_ends_a_concurrent_sign_in(portal: &mut TestPortal) {
    use_domain(portal);
    let joao = portal.client("joao").await;
    let (_, passkey) = register(portal, &joao, "telefone").await;
    let other = begin(
        portal,
        &format!(
            "SELECT id FROM users WHERE id = '{0}' FOR NO KEY UPDATE;
            INSERT INTO sessions
            (id, user_id, passkey_id, refresh_counter, amr, created_at, refreshed_at)
            SELECT '019b7600-0000-7000-8000-000000000001', user_id, '{passkey}', 0,
            '[{{\"method\":\"passkey\"}}]', created_at, refreshed_at FROM sessions WHERE user_id = '{0}' LIMIT 1",
            joao.id
        ),
    );
    let settled = commit_when_awaited(other);
    let path = format!("/auth/v1/passkeys/{passkey}");
    let (removed, settled) = join!(portal.delete(&path).auth(&joao).send(), settled);
    settled.unwrap();
    removed.is(204);
    let sessions = portal.get("/rest/v1/sessions").auth(&joao).send().await.is(200).json();
    assert_eq!(sessions.as_array().unwrap().len(), 1, "{sessions}");
}

#[test]
fn removal_ends_a_concurrent_sign_in() {
    run_on_postgres(check_removal_ends_a_concurrent_sign_in);
}
