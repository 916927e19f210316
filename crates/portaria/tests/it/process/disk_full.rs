//! A full disk of the PostgreSQL server: each API refuses writes, reading goes on, and the log names the cause. The full
//! disk of SQLite is a subject of `tests/faults/disk_full.rs`.

use serde_json::json;

use crate::harness::{PASSWORD, TestPortal, object, run_blocking, run_on_postgres};
use crate::process::{Start, wait_until};

/// Lets PostgreSQL refuse new rows like a server whose disk is full. `condition` selects the rows.
fn fill_disk(portal: &TestPortal, tables: &[&str], condition: &str) {
    let function = "CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
         RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$;";
    let trigger = |table: &&str| {
        format!(
            "CREATE TRIGGER refuse BEFORE INSERT ON {table} FOR EACH ROW WHEN ({condition}) \
             EXECUTE FUNCTION refuse();"
        )
    };
    let sql = function.to_owned() + &tables.iter().map(trigger).collect::<String>();
    run_blocking(|| {
        let mut client = postgres::Client::connect(portal.database_url(), postgres::NoTls).unwrap();
        client.batch_execute(&sql).unwrap();
    });
}

#[test]
fn full_disk_refuses_writes_of_each_api() {
    run_on_postgres(async |portal| {
        let (ana, joao) = (portal.admin().await, portal.client("joao").await);
        fill_disk(portal, &["folders", "sessions", "objects", "memberships"], "true");
        let folder = json!({"name": "Nova", "id_supabase": "nova"});
        let refused = portal.post("/rest/v1/folders").auth(&ana).json(&folder).send().await;
        assert_eq!(refused.refused(503, "53100").header("retry-after"), "1");

        let sign_in = portal.try_sign_in(&joao.email, PASSWORD).await;
        let sign_in = sign_in.refused(503, "unavailable");
        assert!(sign_in.text().contains("The server's disk is full, request"), "{sign_in:?}");

        let member = json!({"email": "x@y.example", "name": "X", "role": "member"});
        let invited = portal.post("/account/v1/members").auth(&joao).json(&member).send().await;
        let invited = invited.refused(503, "unexpected_failure");
        assert!(invited.text().contains("The server's disk is full, request"), "{invited:?}");

        let path = object(&format!("public/{}/contratos/a.pdf", joao.id));
        let upload = portal.post(&path).auth(&ana).bytes("application/pdf", "%PDF-1.7\n");
        assert_eq!(upload.send().await.refused(400, "QuotaExceeded").json()["statusCode"], "507");
        portal.get("/rest/v1/folders").auth(&ana).send().await.is(200);
    });
}

#[test]
fn full_disk_is_named_in_the_log_of_requests_and_jobs() {
    run_on_postgres(async |portal| {
        fill_disk(portal, &["system_state"], "NEW.name = 'reminders rule'");
        fill_disk(portal, &["folders"], "true");
        let program = Start::over(portal).with("PORTARIA_LOG_FORMAT", "json").serve().await;
        let key = &portal.app.keys.service_role;
        let headers = format!(
            "apikey: {key}\r\nauthorization: Bearer {key}\r\ncontent-type: application/json\r\n"
        );
        let body = json!({"name": "Nova", "id_supabase": "nova"}).to_string();
        let refused = program.ask("POST", "/rest/v1/folders", &headers, body.as_bytes()).await;
        assert_eq!(refused.status, 503, "{refused:?}");
        let lines = |text: &str| {
            let log = program.log();
            let lines = log.lines().filter(|line| line.contains(text));
            lines
                .map(|line| serde_json::from_str(line).unwrap())
                .collect::<Vec<serde_json::Value>>()
        };
        let named = lines("\"disk full\"");
        assert_eq!(named.len(), 1, "{}", program.log());
        assert_eq!(named[0]["level"], "ERROR");
        assert!(named[0]["request"].as_str().is_some_and(|id| !id.is_empty()), "{}", named[0]);
        wait_until("the job fails", async || !lines("reminders failed").is_empty()).await;
        let job = &lines("reminders failed")[0];
        assert!(
            job["error"].as_str().is_some_and(|error| error.starts_with("disk full: ")),
            "{job}"
        );
    });
}
