//! The command `portaria admin add` on an existing account.

use std::process::Command;

use serde_json::json;

use crate::harness::{TestPortal, TestUser, portal_test, run_blocking};

/// Runs `portaria admin add` for an account, and returns what it prints.
fn add_admin(portal: &TestPortal, user: &TestUser) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_portaria"));
    command.args(["admin", "add", "--email", &user.email, "--config", "/dev/null"]).env_clear();
    command.env("PORTARIA_DATA_DIR", portal.folder("."));
    for (name, value) in portal.settings() {
        command.env(format!("PORTARIA_{}", name.to_uppercase()), value);
    }
    let output = run_blocking(|| command.output()).unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

portal_test!(admin_add_lifts_a_ban_and_says_so, async |portal| {
    let beto = portal.client("beto").await;
    let service = &portal.app.keys.service_role;
    let ban = portal.put(&format!("/auth/v1/admin/users/{}", beto.id)).bearer(service);
    ban.json(&json!({"ban_duration": "1000h"})).send().await.is(200);
    portal.get("/auth/v1/user").auth(&beto).send().await.refused(403, "user_banned");

    let printed = add_admin(portal, &beto);
    let role = "beto@cliente.com.br is an administrator.\n";
    assert_eq!(printed, format!("{role}The ban of this account was lifted.\n"));
    portal.get("/auth/v1/admin/users").auth(&beto).send().await.is(200);
    assert_eq!(add_admin(portal, &beto), role);
});
