//! Concurrent changes of one account on PostgreSQL, where transactions run in parallel.

use std::{thread, time::Duration};

use postgres::{Client, NoTls};
use tokio::{join, task::spawn_blocking};

use crate::harness::{PASSWORD, TestPortal, run_blocking, run_on_postgres};

async fn check_ban_during_sign_in_wins(portal: &mut TestPortal) {
    let joao = portal.client("joao").await;
    let url = portal.database_url().to_owned();
    let mut other = run_blocking(|| {
        let mut other = Client::connect(&url, NoTls).unwrap();
        let ban = "UPDATE users SET banned_until = '2099-01-01T00:00:00.000000+00:00'";
        other.batch_execute(&format!("BEGIN; {ban} WHERE email = '{}'", joao.email)).unwrap();
        other
    });
    // The ban is committed after the sign-in verified the password and while it waits for the row lock.
    let settled = spawn_blocking(move || {
        let waits = "SELECT 1 FROM pg_locks WHERE NOT granted AND pid IN
            (SELECT pid FROM pg_stat_activity WHERE datname = current_database())";
        while other.query(waits, &[]).unwrap().is_empty() {
            thread::sleep(Duration::from_millis(10));
        }
        other.batch_execute("COMMIT").unwrap();
    });
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
