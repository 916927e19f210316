//! The audit log: recorded events, access, tamper evidence, and cost.

use futures_util::future::join_all;
use jiff::SignedDuration;
use portaria::{
    audit::{self, ChainBreak, ChainReport, ChainVerifier},
    db::{Error, Tx},
};
use sea_query::{Expr, ExprTrait, Query};
use serde_json::{Value, json};

use crate::harness::{
    PASSWORD, PDF, TestPortal, TestUser, object, portal_test, request::Request, run_on_sqlite,
};

/// The log as staff read it, oldest first.
pub(crate) async fn log(portal: &TestPortal, ana: &TestUser) -> Vec<Value> {
    let request = portal.get("/rest/v1/activity?order=number").auth(ana);
    let rows = request.send().await.is(200).json();
    rows.as_array().unwrap().clone()
}

/// The events as text: actor, event, subject, target.
fn describe(lines: &[Value]) -> Vec<String> {
    let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let line = |line: &Value| {
        let actor = if line["actor_name"].is_null() { &line["actor"] } else { &line["actor_name"] };
        let parts = [actor, &line["event"], &line["person_name"], &line["subject"]];
        parts.map(word).join(" ")
    };
    lines.iter().map(line).collect()
}

pub(crate) async fn verify(portal: &TestPortal) -> ChainReport {
    ChainVerifier::run(&portal.app).await.unwrap()
}

pub(crate) async fn tamper(
    portal: &TestPortal,
    statement: impl FnOnce(&mut Tx<'_>) -> Result<u64, Error> + Send + 'static,
) {
    assert!(portal.app.db.write(statement).await.unwrap() > 0);
}

portal_test!(audit_log_records_actions_with_names, async |portal| {
    let ana = portal.admin().await;
    let account = json!({
        "email": "joao@cliente.com.br", "password": PASSWORD, "email_confirm": true, "user_metadata": {"full_name": "João"},
    });
    let created = portal.post("/auth/v1/admin/users").auth(&ana).json(&account).send().await;
    let id = created.is(200).json()["id"].as_str().unwrap().to_owned();
    let joao = portal.sign_in("joao@cliente.com.br").await;
    let path = format!("public/{id}/contratos/1-a.pdf");
    let upload = portal.post(&object(&path)).auth(&ana).bytes("application/pdf", PDF);
    upload.send().await.is(200);
    let row = json!({"name": "Contrato", "folder_id_supabase": "contratos", "file_url": path});
    let insert = portal.post("/rest/v1/documents").auth(&ana).single().json(&row);
    let document = insert.send().await.is(201).json()["id"].as_str().unwrap().to_owned();
    for action in ["opened", "downloaded"] {
        let receipt = json!({"document_id": document, "action": action});
        let request = portal.post("/rest/v1/document_receipts").auth(&joao);
        request.json(&receipt).send().await.is(201);
    }
    let ticket = portal.ticket(&joao, "Dúvida").await;
    let replies =
        [json!({"body": "Pois não?"}), json!({"body": "É cliente novo", "internal": true})];
    for mut reply in replies {
        reply["ticket_id"] = ticket.as_str().into();
        portal.post("/rest/v1/ticket_messages").auth(&ana).json(&reply).send().await.is(201);
    }
    let close = portal.patch(&format!("/rest/v1/tickets?id=eq.{ticket}")).auth(&joao);
    close.json(&json!({"status": "closed"})).send().await.is(204);
    let folder = json!({"id_supabase": "guias", "name": "Guias"});
    portal.post("/rest/v1/folders").auth(&ana).json(&folder).send().await.is(201);
    let guias = "/rest/v1/folders?id_supabase=eq.guias";
    portal.patch(guias).auth(&ana).json(&json!({"name": "Guias 2026"})).send().await.is(204);
    portal.delete(guias).auth(&ana).send().await.is(204);
    let documents = format!("/rest/v1/documents?id=eq.{document}");
    portal.delete(&documents).auth(&ana).send().await.is(204);
    let user = format!("/auth/v1/admin/users/{id}");
    for roles in [json!(["admin"]), json!([])] {
        let change = json!({"app_metadata": {"roles": roles}});
        portal.put(&user).auth(&ana).json(&change).send().await.is(200);
    }
    portal.delete(&user).auth(&ana).send().await.is(200);

    let lines = log(portal, &ana).await;
    assert_eq!(
        describe(&lines),
        [
            "program role.granted Ana Prado ana@escritorio.com.br",
            "Ana Prado session.began Ana Prado ana@escritorio.com.br",
            "Ana Prado account.created João joao@cliente.com.br",
            "João session.began João joao@cliente.com.br",
            "Ana Prado document.created João Contrato",
            "João document.opened João Contrato",
            "João document.downloaded João Contrato",
            "João ticket.created João Dúvida",
            "Ana Prado ticket.answered João Dúvida",
            "Ana Prado ticket.noted João Dúvida",
            "João ticket.changed João Dúvida",
            "Ana Prado folder.created - Guias",
            "Ana Prado folder.changed - Guias 2026",
            "Ana Prado folder.deleted - Guias 2026",
            "Ana Prado document.deleted João Contrato",
            "Ana Prado role.granted João joao@cliente.com.br",
            "Ana Prado role.removed João joao@cliente.com.br",
            "Ana Prado account.deleted João joao@cliente.com.br",
        ]
    );
    assert_eq!(lines[10]["detail"], json!({"columns": ["status"], "status": "closed"}));
    assert_eq!(lines[12]["detail"], json!({"columns": ["name"]}));
    assert_eq!(lines[17]["detail"], json!({"documents": 1, "tickets": 1}));
    assert_eq!(lines[17]["actor"], "staff");
    assert_eq!((&lines[17]["actor_id"], &lines[17]["person_id"]), (&json!(ana.id), &json!(id)));
    assert_eq!(lines[17]["created_at"], "2026-11-21T15:00:00+00:00");
    let names: Vec<&String> = lines[0].as_object().unwrap().keys().collect();
    assert!(!names.iter().any(|name| ["hash", "salt", "names_hash"].contains(&name.as_str())));
    for secret in ["hash", "salt", "names_hash"] {
        let asked = portal.get(&format!("/rest/v1/activity?select={secret}")).auth(&ana);
        asked.send().await.refused(400, "42703");
    }
    let found = verify(portal).await;
    assert_eq!((found.events, found.erased, found.breaks), (18, 0, vec![]));
});

portal_test!(audit_log_records_replaced_moved_and_deleted_files, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let path = portal.upload(&joao, "contratos", "a.pdf").await;
    let before = log(portal, &ana).await.len();
    let put = portal.put(&object(&path)).auth(&ana).bytes("application/pdf", PDF);
    put.header("x-upsert", "true").send().await.is(200);
    let moved = format!("public/{}/contratos/b.pdf", joao.id);
    let way = json!({"bucketId": "client-documents", "sourceKey": path, "destinationKey": moved});
    portal.post("/storage/v1/object/move").auth(&ana).json(&way).send().await.is(200);
    portal.delete(&object(&moved)).auth(&ana).send().await.is(200);
    let lines = log(portal, &ana).await.split_off(before);
    assert_eq!(
        describe(&lines),
        [
            "Ana Prado file.replaced joao a.pdf",
            "Ana Prado file.moved joao a.pdf",
            "Ana Prado file.deleted joao b.pdf",
        ]
    );
});

/// The events that a request for a file's bytes records.
async fn read(portal: &TestPortal, ana: &TestUser, requests: Vec<Request>) -> Vec<String> {
    let before = log(portal, ana).await.len();
    for request in requests {
        let answer = request.send().await;
        assert!(answer.status.is_success() || answer.status == 304, "{answer:?}");
    }
    describe(&log(portal, ana).await.split_off(before))
}

portal_test!(document_view_is_recorded_once_per_opening, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    let path = object(&document.path);
    let authenticated = path.replace("/object/", "/object/authenticated/");
    let opened = "Ana Prado file.opened joao a.pdf";
    let downloaded = "Ana Prado file.downloaded joao a.pdf";
    let get = |path: &str| portal.get(path).auth(&ana);
    // A PDF viewer requests ranges, and the beginning more than once.
    let pieces = vec![
        get(&path),
        get(&path).header("range", "bytes=0-9"),
        get(&path).header("range", "bytes=10-19"),
        get(&path).header("range", "bytes=-5"),
        get(&authenticated),
    ];
    assert_eq!(read(portal, &ana, pieces).await, [opened]);
    portal.advance(SignedDuration::from_mins(1));
    let nothing = vec![portal.head(&path).auth(&ana), get(&path).header("range", "bytes=10-19")];
    assert_eq!(read(portal, &ana, nothing).await, Vec::<String>::new());
    // A conditional request for a cached file is an opening too.
    let tag = portal.head(&path).auth(&ana).send().await.header("etag").to_owned();
    let kept = vec![get(&path).header("if-none-match", &tag)];
    assert_eq!(read(portal, &ana, kept).await, [opened]);
    let saved = vec![get(&format!("{path}?download=contrato.pdf"))];
    assert_eq!(read(portal, &ana, saved).await, [downloaded]);

    // An opening through a link is recorded for the creator of the link.
    portal.advance(SignedDuration::from_mins(1));
    let sign = format!("/storage/v1/object/sign/client-documents/{}", document.path);
    let link = portal.post(&sign).auth(&ana).json(&json!({"expiresIn": 600})).send().await;
    let link = format!("/storage/v1{}", link.is(200).json()["signedURL"].as_str().unwrap());
    let followed = vec![
        portal.get(&link).without("apikey"),
        portal.get(&format!("{link}&download=")).without("apikey"),
    ];
    assert_eq!(read(portal, &ana, followed).await, [opened, downloaded]);
    portal.advance(SignedDuration::from_mins(1));
    let view = format!("/auth/v1/admin/users/{}/view", joao.id);
    let view = portal.post(&view).auth(&ana).send().await.is(200).json();
    let viewer = view["access_token"].as_str().unwrap();
    assert_eq!(read(portal, &ana, vec![portal.get(&path).bearer(viewer)]).await, [opened]);

    // Clients record receipts themselves, and the service key acts as the office. Neither is recorded.
    let theirs = portal.post(&sign).auth(&joao).json(&json!({"expiresIn": 600})).send().await;
    let theirs = format!("/storage/v1{}", theirs.is(200).json()["signedURL"].as_str().unwrap());
    let others = vec![
        portal.get(&path).auth(&joao),
        portal.get(&theirs).without("apikey"),
        portal.get(&path).bearer(&portal.app.keys.service_role),
    ];
    assert_eq!(read(portal, &ana, others).await, Vec::<String>::new());
    assert_eq!(verify(portal).await.breaks, []);
});

portal_test!(parallel_range_requests_record_one_view, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    let before = log(portal, &ana).await.len();
    let path = object(&document.path);
    join_all((0..20).map(async |_| portal.get(&path).auth(&ana).send().await.is(200))).await;
    assert_eq!(log(portal, &ana).await.len(), before + 1);
});

portal_test!(audit_log_records_buckets_and_service_key_file_operations, async |portal| {
    let ana = portal.admin().await;
    let service = portal.app.keys.service_role.clone();
    let before = log(portal, &ana).await.len();
    let create = json!({"id": "modelos", "name": "modelos"});
    portal.post("/storage/v1/bucket").auth(&ana).json(&create).send().await.is(200);
    portal.post("/storage/v1/bucket").auth(&ana).json(&create).send().await.is(400);
    let change = json!({"public": true, "file_size_limit": "1mb"});
    portal.put("/storage/v1/bucket/modelos").bearer(&service).json(&change).send().await.is(200);
    for (name, token) in [("a.pdf", &service), ("b.pdf", &ana.token)] {
        let path = format!("/storage/v1/object/modelos/{name}");
        portal.post(&path).bearer(token).bytes("application/pdf", PDF).send().await.is(200);
    }
    let put = portal.put("/storage/v1/object/modelos/a.pdf").bearer(&service);
    put.bytes("application/pdf", PDF).send().await.is(200);
    let way = json!({"bucketId": "modelos", "sourceKey": "a.pdf", "destinationKey": "c.pdf"});
    portal.post("/storage/v1/object/copy").bearer(&service).json(&way).send().await.is(200);
    let way = json!({"bucketId": "modelos", "sourceKey": "c.pdf", "destinationKey": "d.pdf"});
    portal.post("/storage/v1/object/move").bearer(&service).json(&way).send().await.is(200);
    let names = json!({"prefixes": ["d.pdf"]});
    portal.delete("/storage/v1/object/modelos").bearer(&service).json(&names).send().await.is(200);
    let empty = "/storage/v1/bucket/modelos/empty";
    portal.post(empty).bearer(&service).json(&json!({})).send().await.is(200);
    portal.delete("/storage/v1/bucket/modelos").auth(&ana).json(&json!({})).send().await.is(200);
    let lines = log(portal, &ana).await.split_off(before);
    assert_eq!(
        describe(&lines),
        [
            "Ana Prado bucket.created - modelos",
            "program bucket.changed - modelos",
            "program file.created - a.pdf",
            "Ana Prado file.created - b.pdf",
            "program file.replaced - a.pdf",
            "program file.created - c.pdf",
            "program file.moved - c.pdf",
            "program file.deleted - d.pdf",
            "program bucket.emptied - modelos",
            "Ana Prado bucket.deleted - modelos",
        ]
    );
    let changed = json!({"columns": ["file_size_limit", "public"], "public": true});
    assert_eq!(lines[1]["detail"], changed);
    assert_eq!(lines[8]["detail"], json!({"files": 2}));
    assert_eq!(lines[2]["detail"], json!({"bucket": "modelos"}));
});

portal_test!(refused_sign_in_is_recorded_without_the_typed_password, async |portal| {
    let ana = portal.admin().await;
    let joao = portal.client("joao").await;
    let before = log(portal, &ana).await.len();
    portal.try_sign_in(&joao.email, "errada").await.is(400);
    portal.try_sign_in("minha-senha@cliente.com.br", "errada").await.is(400);
    let ban = json!({"ban_duration": "1h"});
    let user = format!("/auth/v1/admin/users/{}", joao.id);
    portal.put(&user).auth(&ana).json(&ban).send().await.is(200);
    portal.try_sign_in(&joao.email, PASSWORD).await.refused(400, "user_banned");
    let lines = log(portal, &ana).await.split_off(before);
    assert_eq!(
        describe(&lines),
        [
            "nobody session.refused joao joao@cliente.com.br",
            "nobody session.refused - -",
            "Ana Prado account.changed joao joao@cliente.com.br",
            "nobody session.refused joao joao@cliente.com.br",
        ]
    );
    assert_eq!(lines[3]["detail"], json!({"reason": "user_banned"}));
});

portal_test!(audit_log_ignores_failed_and_repeated_actions, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    portal.ticket(&joao, "Dúvida").await;
    let before = log(portal, &ana).await.len();
    // The repetition within the deduplication window is the same ticket.
    portal.ticket(&joao, "Dúvida").await;
    let bad = json!({"subject": "x", "message": "y"});
    let bad = portal.post("/rest/v1/tickets").auth(&joao).json(&bad);
    bad.send().await.refused(400, "23514");
    let row = json!({"id_supabase": "guias", "name": "Guias"});
    let rehearsal = portal.post("/rest/v1/folders").auth(&ana).json(&row).prefer("tx=rollback");
    rehearsal.send().await.is(201);
    let folder = "/rest/v1/folders?name=eq.Nenhuma";
    portal.patch(folder).auth(&ana).json(&json!({"name": "x"})).send().await.is(204);
    portal.delete(folder).auth(&ana).send().await.is(204);
    assert_eq!(log(portal, &ana).await.len(), before);
});

portal_test!(tampering_with_the_audit_log_is_detected, async |portal| {
    let ana = portal.admin().await;
    for number in 0..20 {
        portal.ticket(&ana, &format!("Dúvida {number}")).await;
    }
    assert_eq!(verify(portal).await.breaks, []);
    let line = |number: i64| Expr::col("number").eq(number);
    let set = move |number, column: &'static str, value: &'static str| {
        let mut statement = Query::update();
        statement.table("activity").value(column, value).and_where(line(number));
        move |tx: &mut Tx<'_>| tx.execute(&statement)
    };
    tamper(portal, set(5, "event", "ticket.deleted")).await;
    tamper(portal, set(7, "subject", "Outra dúvida")).await;
    tamper(portal, set(9, "hash", "00")).await;
    let gone = Query::delete().from_table("activity").and_where(line(12)).take();
    tamper(portal, move |tx| tx.execute(&gone)).await;
    let found = verify(portal).await;
    let changed = [5, 7, 9, 10].map(ChainBreak::Tampered);
    let expected: Vec<ChainBreak> = changed.into_iter().chain([ChainBreak::Gap(12, 12)]).collect();
    assert_eq!(found.breaks, expected);

    let last = i64::try_from(found.events).unwrap() + 1;
    let gone = Query::delete().from_table("activity").and_where(line(last)).take();
    tamper(portal, move |tx| tx.execute(&gone)).await;
    assert_eq!(verify(portal).await.breaks.last(), Some(&ChainBreak::Gap(last, last)));
});

portal_test!(forged_audit_event_breaks_the_chain, async |portal| {
    let ana = portal.admin().await;
    let found = verify(portal).await;
    let number = found.head.0 + 1;
    tamper(portal, move |tx| {
        tx.insert(
            "activity",
            [
                ("number", number.into()),
                ("created_at", "2026-11-21T15:00:00.000000+00:00".into()),
                ("event", "session.began".into()),
                ("actor", "staff".into()),
                ("detail", "{}".into()),
                ("names_hash", "00".into()),
                ("hash", "00".into()),
            ],
        )
        .map(|()| 1)
    })
    .await;
    assert_eq!(log(portal, &ana).await.len(), 3);
    assert_eq!(verify(portal).await.breaks[0], ChainBreak::Tampered(number));
});

portal_test!(erasure_removes_names_and_keeps_the_chain_valid, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    portal.document(&joao, "contratos", "a.pdf").await;
    portal.ticket(&joao, "Dúvida").await;
    let before = log(portal, &ana).await;
    let (app, user) = (std::sync::Arc::clone(&portal.app), joao.id.parse().unwrap());
    let erased = portal.app.db.write(move |tx| audit::redact_person(tx, &app, user)).await;
    assert_eq!(erased.unwrap(), 5);
    let lines = log(portal, &ana).await;
    assert_eq!(lines.len(), before.len() + 1);
    // The event that records the erasure contains no names either.
    assert!(!json!(lines[2..]).to_string().contains("joao"));
    assert_eq!(lines[5]["event"], "document.created");
    assert_eq!(lines[7]["event"], "activity.erased");
    let found = verify(portal).await;
    assert_eq!((found.erased, found.breaks), (6, vec![]));
});

portal_test!(exclusive concurrent_events_form_one_chain, async |portal| {
    let ana = portal.admin().await;
    let users =
        join_all((0..5).map(|number| portal.client(["a", "b", "c", "d", "e"][number]))).await;
    let ticket = portal.ticket(&users[0], "Todos mexem nele").await;
    let change = format!("/rest/v1/tickets?id=eq.{ticket}");
    join_all((0..60).map(async |number: usize| {
        let user = &users[number % 5];
        match number % 4 {
            0 => drop(portal.ticket(user, &format!("Dúvida {number}")).await),
            1 => drop(portal.sign_in(&user.email).await),
            2 => {
                let reply = json!({"ticket_id": ticket, "body": format!("Resposta {number}")});
                let request = portal.post("/rest/v1/ticket_messages").auth(&ana);
                request.json(&reply).send().await.is(201);
            }
            _ => {
                let priority = json!({"priority": "high"});
                portal.patch(&change).auth(&ana).json(&priority).send().await.is(204);
            }
        }
    }))
    .await;
    let found = verify(portal).await;
    // The first administrator's role and sign-in, the clients' accounts and sign-ins, the ticket.
    assert_eq!((found.events, found.breaks), (2 + 10 + 1 + 60, vec![]));
});

portal_test!(impersonation_helper_records_the_viewed_client, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let (app, admin, client) =
        (std::sync::Arc::clone(&portal.app), ana.id.parse().unwrap(), joao.id.parse().unwrap());
    let view = move |tx: &mut Tx<'_>| {
        audit::record_impersonation(
            tx,
            &app,
            portaria::security::caller::Caller::Admin(admin),
            client,
        );
        Ok::<_, Error>(())
    };
    portal.app.db.write(view).await.unwrap();
    portal.advance(SignedDuration::from_mins(1));
    assert_eq!(
        describe(&log(portal, &ana).await).last().unwrap(),
        "Ana Prado client.viewed joao -"
    );
});

/// The query runs before each download, so it must use an index: the log covers years.
#[test]
fn recent_view_is_looked_up_by_index() {
    run_on_sqlite(async |portal| {
        let database = rusqlite::Connection::open(portal.folder("portaria.db")).unwrap();
        let plan: String = database
            .query_row(
                "EXPLAIN QUERY PLAN SELECT number FROM activity \
                 WHERE actor_id = ?1 AND event = ?2 AND subject_id = ?3 AND created_at > ?4 LIMIT 1",
                ["", "", "", ""],
                |row| row.get("detail"),
            )
            .unwrap();
        assert!(plan.ends_with("activity_subject_id (subject_id=? AND created_at>?)"), "{plan}");
    });
}
