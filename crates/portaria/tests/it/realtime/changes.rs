//! The events of changed rows: who receives them, and their content.

use serde_json::{Value, json};

use crate::harness::{PDF, TestPortal, TestUser, portal_test, served::serve};
use crate::realtime::socket::Socket;
use crate::rest::read;

async fn listen(
    portal: &TestPortal,
    address: std::net::SocketAddr,
    user: &TestUser,
    table: &str,
) -> Socket {
    let mut socket = Socket::open(address, &portal.app.keys.anon).await;
    socket.listen("realtime:a", &user.token, table).await;
    socket
}

async fn change_user(portal: &TestPortal, id: &str, change: Value) {
    let request = portal.put(&format!("/auth/v1/admin/users/{id}"));
    request.bearer(&portal.app.keys.service_role).json(&change).send().await.is(200);
}

fn kinds(changes: &[Value]) -> Vec<&str> {
    changes.iter().map(|change| change["type"].as_str().unwrap()).collect()
}

portal_test!(insert_reaches_owner_and_office_with_their_columns, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let served = serve(portal);
    let mut own = listen(portal, served.address, &joao, "tickets").await;
    let mut office = listen(portal, served.address, &ana, "tickets").await;
    let id = portal.ticket(&joao, "Dúvida").await;
    let change = own.change().await;
    let mut record = change["record"].clone();
    assert_eq!(record.as_object_mut().unwrap().remove("id"), Some(json!(id)));
    assert_eq!(
        record,
        json!({
            "created_at": "2026-11-21T15:00:00+00:00", "updated_at": "2026-11-21T15:00:00+00:00", "closed_at": null,
            "status": "open", "subject": "Dúvida", "category": "support", "priority": "normal",
            "message": "Uma mensagem longa o bastante.", "follow_up_of_id": null, "idempotency_key": null,
            "document_id": null, "member_name": null,
        })
    );
    assert_eq!((&change["type"], &change["table"]), (&json!("INSERT"), &json!("tickets")));
    assert_eq!(change["columns"][0], json!({"name": "id", "type": "uuid"}));
    assert_eq!(office.change().await["record"]["user_id"], json!(joao.id));
});

portal_test!(rows_of_others_cause_no_event, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let served = serve(portal);
    let mut own = listen(portal, served.address, &joao, "tickets").await;
    let theirs = portal.ticket(&maria, "Dela").await;
    portal
        .delete(&format!("/rest/v1/tickets?id=eq.{theirs}"))
        .bearer(&portal.app.keys.service_role)
        .send()
        .await
        .is(204);
    let id = portal.ticket(&joao, "Dele").await;
    assert_eq!(own.change().await["record"]["id"], json!(id));
});

portal_test!(assigned_employee_receives_changes_of_assigned_clients, async |portal| {
    portal.admin().await;
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let carla = portal.colleague("carla", "employee", true).await;
    portal.assign(&joao, &carla).await;
    let served = serve(portal);
    let mut socket = listen(portal, served.address, &carla, "tickets").await;
    portal.ticket(&maria, "Dela").await;
    let id = portal.ticket(&joao, "Dele").await;
    let change = socket.change().await;
    assert_eq!(change["record"]["id"], json!(id));
    assert_eq!(change["record"]["user_id"], json!(joao.id));
});

portal_test!(limited_member_receives_changes_of_documents_in_the_folders, async |portal| {
    let (joao, rh) = (portal.client("joao").await, portal.client("rh").await);
    let membership = portal.limit(&joao, &rh, &["faturas"]).await;
    let served = serve(portal);
    let mut socket = listen(portal, served.address, &rh, "documents").await;
    let other = portal.document(&joao, "contratos", "contrato.pdf").await.id;
    let own = portal.document(&joao, "faturas", "folha.pdf").await.id;
    assert_eq!(socket.change().await["record"]["id"], json!(own));
    // A document that moves into the folder appears, and one that leaves it disappears.
    for (id, folder, kind) in [(&other, "faturas", "INSERT"), (&own, "contratos", "DELETE")] {
        let path = format!("/rest/v1/documents?id=eq.{id}");
        let request = portal.patch(&path).bearer(&portal.app.keys.service_role);
        request.json(&json!({"folder_id_supabase": folder})).send().await.is(204);
        assert_eq!(socket.change().await["type"], kind);
    }
    let mut folders = Socket::open(served.address, &portal.app.keys.anon).await;
    folders.listen("realtime:b", &rh.token, "folders").await;
    let icon = json!({"icon": "star"});
    for folder in ["contratos", "faturas"] {
        let path = format!("/rest/v1/folders?id_supabase=eq.{folder}");
        let request = portal.patch(&path).bearer(&portal.app.keys.service_role);
        request.json(&icon).send().await.is(204);
    }
    assert_eq!(folders.change().await["record"]["id_supabase"], "faturas");
    // The channel begins again with other folders.
    portal.change_folders(&joao, &membership, Some(&["contratos"])).await;
    let restarted = loop {
        let frame = socket.next().await.expect("the channel restarts");
        if frame.event == "phx_error" || frame.event == "phx_close" {
            break frame.event;
        }
    };
    assert_eq!(restarted, "phx_error");
});

portal_test!(limited_member_receives_changes_of_rows_about_these_documents, async |portal| {
    let (joao, rh) = (portal.client("joao").await, portal.client("rh").await);
    portal.limit(&joao, &rh, &["faturas"]).await;
    let asks = json!({"approval_request": "approve", "expires_at": "2026-11-30"});
    let own = portal.document_with(&joao, "faturas", "folha.pdf", asks.clone()).await.id;
    let other = portal.document_with(&joao, "contratos", "contrato.pdf", asks).await.id;
    let served = serve(portal);
    let tables = ["document_receipts", "document_payments", "document_contacts"];
    let mut sockets = Vec::new();
    for table in tables {
        sockets.push(listen(portal, served.address, &rh, table).await);
    }
    let service = &portal.app.keys.service_role;
    for document in [&other, &own] {
        for (table, row) in [
            ("document_receipts", json!({"document_id": document, "action": "opened"})),
            ("document_payments", json!({"document_id": document, "paid_on": "2026-11-20"})),
        ] {
            let request = portal.post(&format!("/rest/v1/{table}")).auth(&joao);
            request.json(&row).send().await.is(201);
        }
        let contact = json!({"document_id": document, "kind": "whatsapp"});
        portal.insert("document_contacts", contact).await;
    }
    for socket in &mut sockets {
        let change = socket.change().await;
        assert_eq!(change["record"]["document_id"], json!(own), "{change}");
    }
    // A row that is deleted by itself, and one about a document that leaves the folder.
    let payments = &mut sockets[1];
    let delete = async |document: &str| {
        let path = format!("/rest/v1/document_payments?document_id=eq.{document}");
        portal.delete(&path).bearer(service).send().await.is(204);
    };
    delete(&other).await;
    delete(&own).await;
    let gone = payments.change().await;
    assert_eq!(gone["type"], "DELETE");
    let path = format!("/rest/v1/documents?id=eq.{other}");
    let change = json!({"folder_id_supabase": "faturas"});
    portal.patch(&path).bearer(service).json(&change).send().await.is(204);
    for document in [&own, &other] {
        let row = json!({"document_id": document, "paid_on": "2026-11-21"});
        portal.post("/rest/v1/document_payments").auth(&joao).json(&row).send().await.is(201);
        let change = payments.change().await;
        assert_eq!(change["record"]["document_id"], json!(document), "{change}");
    }
});

portal_test!(limited_member_receives_changes_of_own_and_filed_files, async |portal| {
    let (joao, rh) = (portal.client("joao").await, portal.client("rh").await);
    portal.limit(&joao, &rh, &["faturas"]).await;
    let served = serve(portal);
    let mut socket = listen(portal, served.address, &rh, "received_files").await;
    let send = async |who: &TestUser, name: &str| -> String {
        let path = format!("{}/unrequested/{name}", joao.id);
        let place = format!("/storage/v1/object/received-files/{path}");
        portal.post(&place).auth(who).bytes("application/pdf", PDF).send().await.is(200);
        let row = json!({"name": name, "file_url": path});
        let request = portal.post("/rest/v1/received_files?select=id").auth(who);
        let request = request.prefer("return=representation").json(&row);
        request.send().await.is(201).json()[0]["id"].as_str().unwrap().to_owned()
    };
    let [contract, invoice] = [send(&joao, "a.pdf").await, send(&joao, "b.pdf").await];
    let own = send(&rh, "c.pdf").await;
    let change = socket.change().await;
    assert_eq!((&change["type"], &change["record"]["id"]), (&json!("INSERT"), &json!(own)));
    let service = &portal.app.keys.service_role;
    for (file, folder) in [(&contract, "contratos"), (&invoice, "faturas")] {
        let body = json!({"folder": folder, "names": {(file.as_str()): "Arquivado"}});
        let request = portal.post("/rest/v1/rpc/file_received_files").bearer(service);
        request.json(&body).send().await.is(200);
    }
    let change = socket.change().await;
    assert_eq!((&change["type"], &change["record"]["id"]), (&json!("INSERT"), &json!(invoice)));
    for file in [&contract, &invoice] {
        let path = format!("/rest/v1/received_files?id=eq.{file}");
        portal.delete(&path).bearer(service).send().await.is(204);
    }
    let change = socket.change().await;
    assert_eq!(
        (&change["type"], &change["old_record"]),
        (&json!("DELETE"), &json!({"id": invoice}))
    );
});

portal_test!(office_receives_what_the_list_of_clients_shows, async |portal| {
    let ana = portal.admin().await;
    let served = serve(portal);
    let mut office = listen(portal, served.address, &ana, "clients").await;
    let create = async |email: &str| {
        let user = portal.create_user(json!({"email": email})).await;
        user["id"].as_str().unwrap().to_owned()
    };
    let joao = create("joao@cliente.com.br").await;
    let change = office.change().await;
    assert_eq!((&change["type"], &change["table"]), (&json!("INSERT"), &json!("clients")));
    let list = read(portal, &ana, "clients").await;
    assert_eq!(change["record"], list[0]);

    // The list shows neither a suspension nor a colleague.
    change_user(portal, &joao, json!({"ban_duration": "24h"})).await;
    portal.colleague("carla", "employee", false).await;
    change_user(portal, &joao, json!({"user_metadata": {"full_name": "João Lima"}})).await;
    let change = office.change().await;
    assert_eq!((&change["type"], &change["old_record"]), (&json!("UPDATE"), &json!({"id": joao})));
    assert_eq!(change["record"]["user_metadata"]["full_name"], "João Lima");

    // A client who becomes a colleague leaves the list.
    change_user(portal, &joao, json!({"app_metadata": {"roles": ["admin"]}})).await;
    let change = office.change().await;
    assert_eq!((&change["type"], &change["old_record"]), (&json!("DELETE"), &json!({"id": joao})));
    let maria = create("maria@cliente.com.br").await;
    assert_eq!(office.change().await["record"]["id"], json!(maria));
    let path = format!("/auth/v1/admin/users/{maria}");
    portal.delete(&path).bearer(&portal.app.keys.service_role).send().await.is(200);
    let change = office.change().await;
    assert_eq!((&change["type"], &change["old_record"]), (&json!("DELETE"), &json!({"id": maria})));
    assert_eq!(change.get("record"), None);
});

portal_test!(assigned_employee_receives_changes_of_these_clients_only, async |portal| {
    portal.admin().await;
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let carla = portal.colleague("carla", "employee", true).await;
    portal.assign(&joao, &carla).await;
    let served = serve(portal);
    let mut socket = listen(portal, served.address, &carla, "clients").await;
    portal.client("pedro").await;
    for client in [&maria, &joao] {
        change_user(portal, &client.id, json!({"user_metadata": {"full_name": "Lima"}})).await;
    }
    assert_eq!(socket.change().await["record"]["id"], json!(joao.id));
});

portal_test!(events_of_a_row_keep_their_order, async |portal| {
    let joao = portal.client("joao").await;
    let served = serve(portal);
    let mut own = listen(portal, served.address, &joao, "tickets").await;
    let id = portal.ticket(&joao, "Dúvida").await;
    let service = &portal.app.keys.service_role;
    let path = format!("/rest/v1/tickets?id=eq.{id}");
    let change = json!({"status": "in-progress"});
    portal.patch(&path).bearer(service).json(&change).send().await.is(204);
    portal.delete(&path).bearer(service).send().await.is(204);
    let mut changes = Vec::new();
    while changes.last().is_none_or(|change: &Value| change["type"] != "DELETE") {
        changes.push(own.change().await);
    }
    let last = changes.last().unwrap();
    assert_eq!(last["old_record"], json!({"id": id}));
    assert_eq!(last.get("record"), None);
    // A row that is deleted before it is read has no event but the last.
    let mut order = kinds(&changes);
    order.dedup();
    let mut all = ["INSERT", "UPDATE", "DELETE"].into_iter();
    assert!(order.iter().all(|kind| all.any(|next| next == *kind)), "{order:?}");
});

// A row that another owner receives disappears for the first, and appears for the second.
portal_test!(new_owner_sees_an_insert_and_the_old_owner_a_delete, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let id = portal.ticket(&joao, "Dúvida").await;
    let served = serve(portal);
    let mut old = listen(portal, served.address, &joao, "tickets").await;
    let mut new = listen(portal, served.address, &maria, "tickets").await;
    let path = format!("/rest/v1/tickets?id=eq.{id}");
    let change = json!({"user_id": maria.id});
    portal.patch(&path).bearer(&portal.app.keys.service_role).json(&change).send().await.is(204);
    let (gone, come) = (old.change().await, new.change().await);
    assert_eq!((&gone["type"], &gone["old_record"]), (&json!("DELETE"), &json!({"id": id})));
    assert_eq!((&come["type"], &come["record"]["id"]), (&json!("INSERT"), &json!(id)));
    assert_eq!(come.get("old_record"), None);
});

// The time of a change of what a client does not see would reveal it.
portal_test!(change_of_staff_columns_reaches_the_office_only, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let ticket = portal.ticket(&joao, "Dúvida").await;
    let served = serve(portal);
    let mut own = listen(portal, served.address, &joao, "tickets").await;
    let mut office = listen(portal, served.address, &ana, "tickets").await;
    let path = format!("/rest/v1/tickets?id=eq.{ticket}");
    let change = json!({"assignee_id": ana.id});
    portal.patch(&path).auth(&ana).json(&change).send().await.is(204);
    let seen = office.change().await;
    assert_eq!((&seen["type"], &seen["record"]["id"]), (&json!("UPDATE"), &json!(ticket)));
    let other = portal.ticket(&joao, "Outra").await;
    assert_eq!(own.change().await["record"]["id"], json!(other));
});

portal_test!(cascades_and_unreadable_notes_follow_the_policy, async |portal| {
    let (_ana, joao) = (portal.admin().await, portal.client("joao").await);
    let ticket = portal.ticket(&joao, "Dúvida").await;
    let served = serve(portal);
    let mut own = listen(portal, served.address, &joao, "ticket_messages").await;
    let note = json!({"ticket_id": ticket, "body": "Nota interna da equipe.", "internal": true});
    portal.insert("ticket_messages", note).await;
    let reply = json!({"ticket_id": ticket, "body": "Resposta ao cliente."});
    let reply = portal.insert("ticket_messages", reply).await;
    assert_eq!(own.change().await["record"]["id"], json!(reply));
    let path = format!("/rest/v1/tickets?id=eq.{ticket}");
    portal.delete(&path).bearer(&portal.app.keys.service_role).send().await.is(204);
    let gone = own.change().await;
    assert_eq!((&gone["type"], &gone["old_record"]["id"]), (&json!("DELETE"), &json!(reply)));
});

portal_test!(refused_write_causes_no_event, async |portal| {
    let joao = portal.client("joao").await;
    let served = serve(portal);
    let mut own = listen(portal, served.address, &joao, "tickets").await;
    // The second row is refused, which undoes the first.
    let rows = json!([
        {"subject": "Primeiro", "message": "Uma mensagem longa o bastante."},
        {"subject": "Segundo", "message": "curta"},
    ]);
    portal.post("/rest/v1/tickets").auth(&joao).json(&rows).send().await.refused(400, "23514");
    let id = portal.ticket(&joao, "Terceiro").await;
    assert_eq!(own.change().await["record"]["id"], json!(id));
});

portal_test!(bindings_of_one_channel_receive_one_frame, async |portal| {
    let joao = portal.client("joao").await;
    let served = serve(portal);
    let mut socket = Socket::open(served.address, &portal.app.keys.anon).await;
    let changes = json!([
        {"event": "INSERT", "schema": "public", "table": "tickets"},
        {"event": "DELETE", "schema": "public", "table": "tickets"},
        {"event": "*", "schema": "public", "table": "tickets", "filter": "subject=ilike.g_ia%"},
        {"event": "*", "schema": "public", "table": "tickets", "filter": "subject=like.Out%"},
        {"event": "*", "schema": "public", "table": "tickets", "select": ["id"]},
    ]);
    let reply = socket.join("realtime:a", &joao.token, changes).await;
    let listed = reply["response"]["postgres_changes"].as_array().unwrap();
    assert_eq!(
        listed[2],
        json!({"id": 3, "event": "*", "schema": "public", "table": "tickets", "filter": "subject=ilike.g_ia%"})
    );
    let id = portal.ticket(&joao, "Guia").await;
    let mut ids = Vec::new();
    while ids.len() < 2 {
        let frame = socket.next().await.unwrap();
        if frame.event == "postgres_changes" {
            ids.push(frame.payload["ids"].clone());
            assert_eq!(frame.payload["data"]["record"]["id"], json!(id));
        }
    }
    assert_eq!(ids, [json!([1, 3]), json!([5])]);
});

portal_test!(join_is_refused_with_a_reason, async |portal| {
    let joao = portal.client("joao").await;
    let served = serve(portal);
    let mut socket = Socket::open(served.address, &portal.app.keys.anon).await;
    for (changes, reason) in [
        (json!([{"event": "*"}]), "an entry of postgres_changes names a table"),
        (
            json!([{"event": "*", "table": "nonesuch"}]),
            "no changes of the table nonesuch can be read",
        ),
        (
            json!([{"event": "*", "table": "saved_replies"}]),
            "no changes of the table saved_replies can be read",
        ),
        (
            json!([{"event": "*", "table": "clients"}]),
            "no changes of the table clients can be read",
        ),
        (json!([{"event": "TRUNCATE", "table": "tickets"}]), "unknown event: TRUNCATE"),
        (json!([{"event": "*", "schema": "auth", "table": "tickets"}]), "the schema is public"),
        (
            json!([{"event": "*", "table": "tickets", "filter": "user_id=eq.1"}]),
            "column user_id does not exist",
        ),
        (
            json!([{"event": "*", "table": "tickets", "select": ["user_id"]}]),
            "column user_id does not exist",
        ),
        (
            json!([{"event": "*", "table": "tickets", "filter": format!("message=like.%{}b", "a".repeat(64))}]),
            "a pattern has at most 64 characters between two %",
        ),
        (
            json!([{"event": "*", "table": "tickets", "filter": (["message=ilike.%a%"; 5].join(","))}]),
            "a channel has at most 4 patterns",
        ),
        (
            json!([{"event": "*", "table": "tickets", "select": ["id", "message", "message"]}]),
            "a column is selected twice",
        ),
        (
            ["id", "status", "subject", "category", "message"]
                .map(|name| json!({"event": "*", "table": "tickets", "select": [name]}))
                .into_iter()
                .collect(),
            "a channel has at most 4 selections of one table",
        ),
        (
            json!([{"event": "*", "table": "tickets", "filter": "subject"}]),
            "invalid filter: subject",
        ),
    ] {
        let reply = socket.join("realtime:a", &joao.token, changes).await;
        assert_eq!(reply, json!({"status": "error", "response": {"reason": reason}}));
    }
    let everything = json!([{"event": "*", "table": "tickets"}]);
    let reply = socket.join("realtime:a", &portal.app.keys.anon, everything).await;
    assert_eq!(reply["response"]["reason"], "no changes of the table tickets can be read");
});
