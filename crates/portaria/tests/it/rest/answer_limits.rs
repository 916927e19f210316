//! Limits of answers: rows of a page, rows of an embed, repeated columns, bytes of one answer and of all answers.

use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use axum::{body::Body, http::header};
use http_body_util::BodyExt;
use portaria::{db::Tx, security::ids::UserId};
use sea_query::{Expr, Query};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpSocket,
    time::interval,
};
use tower::ServiceExt;

use crate::harness::{PDF, TestPortal, TestUser, object, portal_test, served::serve};
use crate::rest::{read, rows};

/// Inserts rows beside the API, whose rate limits, files and mails take longer.
async fn add(
    portal: &TestPortal,
    table: &'static str,
    rows: usize,
    fields: &[(&'static str, &str)],
) {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let now = portal.now().to_string();
    let fields = [&[("created_at", now.as_str())], fields].concat();
    let columns = ["id"].into_iter().chain(fields.iter().map(|(column, _)| *column));
    let mut insert = Query::insert().into_table(table).columns(columns).take();
    for _ in 0..rows {
        let id = format!("{:08}-0000-4000-8000-000000000000", NEXT.fetch_add(1, Ordering::Relaxed));
        let values = fields.iter().map(|(_, value)| Expr::from(*value));
        insert.values_panic([Expr::from(id)].into_iter().chain(values));
    }
    portal.app.db.write(move |tx: &mut Tx<'_>| tx.execute(&insert)).await.unwrap();
}

async fn add_tickets(portal: &TestPortal, client: &TestUser, count: usize, message: &str) {
    let now = portal.now().to_string();
    let fields = [
        ("user_id", client.id.as_str()),
        ("subject", "Dúvida"),
        ("message", message),
        ("updated_at", &now),
    ];
    for _ in 0..count.div_ceil(1_000) {
        add(portal, "tickets", count.min(1_000), &fields).await;
    }
}

/// Inserts messages of a client into one new ticket.
async fn add_messages(portal: &TestPortal, client: &TestUser, count: usize, body: &str) {
    let ticket = portal.ticket(client, "Dúvida").await;
    let author = client.id.as_str();
    let fields = [
        ("ticket_id", ticket.as_str()),
        ("client_id", author),
        ("author_id", author),
        ("body", body),
    ];
    add(portal, "ticket_messages", count, &fields).await;
}

async fn add_documents(portal: &TestPortal, client: &TestUser, count: usize) {
    let now = portal.now().to_string();
    let name = "Contrato de prestação de serviços contábeis.pdf";
    let fields = [
        ("client_id", client.id.as_str()),
        ("folder_id_supabase", "contratos"),
        ("name", name),
        ("search_name", name),
        ("type", "pdf"),
        ("uploaded_at", &now),
        ("updated_at", &now),
    ];
    add(portal, "documents", count, &fields).await;
}

fn count(rows: &Value) -> usize {
    rows.as_array().unwrap().len()
}

portal_test!(page_has_at_most_a_thousand_rows, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    add_tickets(portal, &joao, 1_000, "Uma mensagem longa.").await;
    add_tickets(portal, &joao, 3, "Uma mensagem longa.").await;
    for user in [&ana, &joao] {
        for (query, range, expected, first) in [
            ("", "", "0-999/1003", 1_000),
            ("&limit=5000", "", "0-999/1003", 1_000),
            ("&limit=5000&offset=2", "", "2-1001/1003", 1_000),
            ("&offset=1000", "", "1000-1002/1003", 3),
            ("&limit=2", "", "0-1/1003", 2),
            ("", "0-1002", "0-999/1003", 1_000),
            ("", "1001-5000", "1001-1002/1003", 2),
        ] {
            let path = format!("tickets?select=id{query}");
            let request = rows(portal, user, &path).prefer("count=exact").header("range", range);
            let answer = request.send().await.is(206);
            assert_eq!(answer.header("content-range"), expected, "{query} {range}");
            assert_eq!(count(&answer.json()), first, "{query} {range}");
        }
    }
    let service = portal.get("/rest/v1/tickets?select=id").bearer(&portal.app.keys.service_role);
    assert_eq!(count(&service.send().await.is(200).json()), 1_003);
});

portal_test!(embed_has_at_most_a_thousand_rows_per_parent, async |portal| {
    let joao = portal.client("joao").await;
    add_tickets(portal, &joao, 1_000, "Uma mensagem longa.").await;
    add_tickets(portal, &joao, 3, "Uma mensagem longa.").await;
    for query in ["", "&tickets.limit=5000", "&tickets.offset=2"] {
        let path = format!("clients?select=tickets(id),count:tickets(count){query}");
        let found = read(portal, &joao, &path).await;
        assert_eq!(count(&found[0]["tickets"]), 1_000, "{query}");
        assert_eq!(found[0]["count"][0]["count"], 1_003);
    }
    add_tickets(portal, &joao, 4_000, "Uma mensagem longa.").await;
    let path = "clients?select=tickets(id)";
    rows(portal, &joao, path).send().await.refused(400, "answer_too_large");
    let limited = read(portal, &joao, &format!("{path}&tickets.limit=10")).await;
    assert_eq!(count(&limited[0]["tickets"]), 10);
});

portal_test!(repeated_columns_and_embeds_are_refused, async |portal| {
    let joao = portal.client("joao").await;
    add_messages(portal, &joao, 2, "Oi").await;
    let aliases = |count: usize| (0..count).map(|n| format!("c{n}:body")).collect::<Vec<_>>();
    let answer =
        read(portal, &joao, &format!("ticket_messages?select={}", aliases(10).join(","))).await;
    assert_eq!(answer[0]["c9"], json!("Oi"));
    for select in [
        aliases(11).join(","),
        format!("tickets(ticket_messages({}))", aliases(250).join(",")),
        ["*"; 11].join(","),
        "a:tickets(id),b:tickets(id),c:tickets(id),d:tickets(id)".to_owned(),
    ] {
        let answer = rows(portal, &joao, &format!("ticket_messages?select={select}")).send().await;
        answer.refused(400, "PGRST127");
    }
});

portal_test!(answer_above_the_byte_budget_is_refused, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let body = "á".repeat(10_000);
    add_messages(portal, &joao, 60, &body).await;
    add_documents(portal, &joao, 300).await;
    let service = TestUser { token: portal.app.keys.service_role.clone(), ..ana.clone() };
    for user in [&ana, &joao] {
        for path in [
            // 10 x 60 x 20 kB.
            "ticket_messages?select=body,a:body,b:body,c:body,d:body,e:body,f:body,g:body,h:body,i:body",
            // 60 x 60 x 20 kB.
            "ticket_messages?select=tickets(ticket_messages(body))",
            // 300 x 300 x 300 bytes.
            "documents?select=*,folders(*,documents(*))",
        ] {
            rows(portal, user, path).send().await.refused(400, "answer_too_large");
            let csv = rows(portal, &ana, path).header("accept", "text/csv");
            csv.send().await.refused(400, "answer_too_large");
        }
        // A part of it can be read.
        let path = "ticket_messages?select=tickets(ticket_messages(body))&limit=2";
        assert_eq!(count(&read(portal, user, path).await), 2);
    }
    let path = "ticket_messages?select=tickets(ticket_messages(body))";
    rows(portal, &service, path).send().await.refused(400, "answer_too_large");
    // A count has no such limit, because its answer has no rows.
    let path = "/rest/v1/documents?select=*,folders(*,documents(*))";
    let head = portal.head(path).auth(&joao).prefer("count=exact").send().await.is(200);
    assert_eq!(head.header("content-range"), "0-299/300");
});

portal_test!(write_whose_representation_is_too_large_changes_nothing, async |portal| {
    let ana = portal.admin().await;
    let joao = portal.client("joao").await;
    add_tickets(portal, &joao, 50, &"á".repeat(10_000)).await;
    let aliases = (0..9).map(|n| format!("c{n}:message")).collect::<Vec<_>>().join(",");
    let path = format!("/rest/v1/tickets?subject=eq.D%C3%BAvida&select={aliases}");
    let change = portal.patch(&path).auth(&ana).prefer("return=representation");
    change.json(&json!({"subject": "Outra"})).send().await.refused(400, "answer_too_large");
    let found = read(portal, &ana, "tickets?select=id&subject=eq.Outra").await;
    assert_eq!(found, json!([]));
});

portal_test!(answers_in_flight_share_a_budget, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    for client in [&joao, &maria] {
        add_messages(portal, client, 50, &"á".repeat(10_000)).await;
    }
    portal.set("max_answer", "1100 KiB");
    let ask = async |client: &TestUser| {
        let request = axum::http::Request::get("/rest/v1/ticket_messages?select=body")
            .header("host", "portal.test")
            .header("apikey", &portal.app.keys.anon)
            .header(header::AUTHORIZATION, format!("Bearer {}", client.token));
        portal.router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap()
    };
    // A share of three times 1,100 KiB. A reader who does not read holds 1 MB.
    let mut unread = Vec::new();
    let refused = loop {
        let response = ask(&joao).await;
        if response.status() != 200 {
            break response;
        }
        unread.push(response);
        assert!(unread.len() < 5, "the answers of one person have no limit");
    };
    assert!(unread.len() >= 2, "{} answers in flight", unread.len());
    let retry_after = refused.headers()["retry-after"].to_str().unwrap();
    assert_eq!((refused.status().as_u16(), retry_after), (503, "1"));
    // A small answer needs no part of it.
    assert_eq!(count(&read(portal, &joao, "ticket_messages?select=id").await), 50);
    // Another person has a share.
    assert_eq!(ask(&maria).await.status(), 200);
    // An answer that is being read gives its part back.
    for response in unread {
        let whole = response.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(count(&serde_json::from_slice(&whole).unwrap()), 50);
    }
    assert_eq!(ask(&joao).await.status(), 200);
});

portal_test!(slow_reader_of_a_large_answer_returns_its_memory, async |portal| {
    // A large answer must be read at 16 times this rate, after the first window: one MiB per second.
    portal.set("min_transfer_rate", "64 KiB");
    portal.set("transfer_window", "1s");
    let joao = portal.client("joao").await;
    add_messages(portal, &joao, 200, &"á".repeat(10_000)).await;
    let free = portal.app.answer_memory.available();
    let served = serve(portal);
    let ask = async || {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4_096).unwrap();
        let mut socket = socket.connect(served.address).await.unwrap();
        let head = format!(
            "GET /rest/v1/ticket_messages?select=body HTTP/1.1\r\nhost: x\r\nconnection: close\r\napikey: {}\r\n\
             authorization: Bearer {}\r\n\r\n",
            portal.app.keys.anon, joao.token
        );
        socket.write_all(head.as_bytes()).await.unwrap();
        socket
    };
    // 200 kB per second.
    let mut slow = ask().await;
    let (mut received, mut bytes) = (0, [0; 10_000]);
    let mut pauses = interval(Duration::from_millis(50));
    while let Ok(read @ 1..) = slow.read(&mut bytes).await {
        received += read;
        pauses.tick().await;
    }
    assert!(received < 4_000_000, "{received} bytes");
    assert_eq!(portal.app.answer_memory.available(), free);
    let mut all = Vec::new();
    ask().await.read_to_end(&mut all).await.unwrap();
    assert!(all.len() > 4_000_000, "{} bytes", all.len());
});

portal_test!(lists_of_files_share_the_budget_of_answers, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let name = format!("public/{}/contratos/{}.pdf", joao.id, "a".repeat(200));
    let upload = portal.post(&object(&name)).auth(&ana).bytes("application/pdf", PDF);
    upload.send().await.is(200);
    let sign = |count: usize| {
        let paths = vec![&name; count];
        portal
            .post("/storage/v1/object/sign/client-documents")
            .auth(&joao)
            .json(&json!({"expiresIn": 60, "paths": paths}))
    };
    let list = |version: &str, limit: u64| {
        portal
            .post(&format!("/storage/v1/object/{version}/client-documents"))
            .auth(&joao)
            .json(&json!({"prefix": "", "limit": limit}))
    };
    assert_eq!(count(&sign(900).send().await.is(200).json()), 900);
    let person = Some(UserId(joao.id.parse().unwrap()));
    let share = portal.app.config.answer_memory();
    let held = portal.app.answer_memory.try_acquire(person, share).unwrap();
    for large in [sign(900), list("list", 1_000), list("list-v2", 1_000)] {
        let refused = large.send().await.refused(503, "ServerBusy");
        assert_eq!(refused.header("retry-after"), "1");
    }
    for small in [sign(10), list("list", 10), list("list-v2", 10)] {
        small.send().await.is(200);
    }
    drop(held);
    list("list-v2", 1_000).send().await.is(200);
});

portal_test!(exclusive slow_search_ends_at_its_time_limit, async |portal| {
    let joao = portal.client("joao").await;
    // Each letter may begin a match, and no match ends: the time of an expression is the largest possible.
    let mut random = 1_u32;
    let letters = (0..10_000).map(|_| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if random >> 31 == 0 { 'a' } else { 'x' }
    });
    add_tickets(portal, &joao, 150, &letters.collect::<String>()).await;
    let tests = (61..=80).map(|gap| format!(r#"message.match."a.{{{gap}}}[bc]""#));
    let tests = format!("({})", tests.collect::<Vec<_>>().join(","));
    let started = Instant::now();
    let answer = rows(portal, &joao, "tickets?select=id").query("or", &tests).send().await;
    assert!(started.elapsed() < Duration::from_secs(8), "{:?}", started.elapsed());
    assert!(answer.status == 200 || answer.json()["code"] == "57014", "{}", answer.text());
});
