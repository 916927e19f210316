//! The notification center: who is notified of what, and who reads which notification.

use jiff::SignedDuration;
use portaria::jobs::nightly;
use serde_json::{Value, json};

use crate::harness::{PDF, TestPortal, TestUser, portal_test};
use crate::rest::{column, read, rows};

/// The kinds of a user's unread notifications, oldest first.
async fn unread(portal: &TestPortal, user: &TestUser) -> Vec<Value> {
    let path = "notifications?select=kind&read_at=is.null&order=created_at,id";
    column(&read(portal, user, path).await, "kind")
}

async fn mark_all_read(portal: &TestPortal, user: &TestUser) {
    let change = portal.patch("/rest/v1/notifications?read_at=is.null").auth(user);
    change.json(&json!({"read_at": "2020-01-01T00:00:00Z"})).send().await.is(204);
}

async fn second_admin(portal: &TestPortal) -> TestUser {
    let email = "bia@escritorio.com.br";
    portal.create_user(json!({"email": email, "app_metadata": {"roles": ["admin"]}})).await;
    portal.sign_in(email).await
}

async fn write_message(portal: &TestPortal, user: &TestUser, ticket: &str, internal: bool) {
    let mut row = json!({"ticket_id": ticket, "body": "Segue a resposta."});
    if internal {
        row["internal"] = json!(true);
    }
    portal.post("/rest/v1/ticket_messages").auth(user).json(&row).send().await.is(201);
}

/// Makes a person a member of a client and lets the person's session act for it.
async fn act_as_member(portal: &TestPortal, client: &TestUser, person: &TestUser) {
    let body =
        json!({"client_id": client.id, "email": person.email, "name": "Pessoa", "role": "member"});
    let request = portal.post("/account/v1/members").bearer(&portal.app.keys.service_role);
    request.json(&body).send().await.is(204);
    act_for(portal, person, client).await;
}

async fn act_for(portal: &TestPortal, person: &TestUser, client: &TestUser) {
    let request = portal.put("/account/v1/clients/active").auth(person);
    request.json(&json!({"client_id": client.id})).send().await.is(204);
}

portal_test!(client_is_notified_of_what_the_office_does, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let document = portal.document(&joao, "contratos", "guia.pdf").await;
    let draft = json!({"status": "pending"});
    let draft = portal.document_with(&joao, "contratos", "rascunho.pdf", draft).await;
    let ask = json!({"approval_request": "approve"});
    portal.document_with(&joao, "contratos", "contrato.pdf", ask).await;
    let ticket = portal.ticket(&joao, "Dúvida").await;
    write_message(portal, &ana, &ticket, false).await;
    write_message(portal, &ana, &ticket, true).await;
    let item = json!({"client_id": joao.id, "name": "Extrato", "month": "2026-11"});
    portal.insert("request_items", item).await;
    let expected = ["document_new", "approval_asked", "ticket_reply", "request_new"];
    assert_eq!(unread(portal, &joao).await, expected);
    assert_eq!(unread(portal, &maria).await, [""; 0]);
    let names = "notifications?select=documents(name),tickets(subject),request_items(name)&order=created_at,id";
    let none = Value::Null;
    assert_eq!(
        read(portal, &joao, names).await,
        json!([
            {"documents": {"name": "guia.pdf"}, "tickets": none, "request_items": none},
            {"documents": {"name": "contrato.pdf"}, "tickets": none, "request_items": none},
            {"documents": none, "tickets": {"subject": "Dúvida"}, "request_items": none},
            {"documents": none, "tickets": none, "request_items": {"name": "Extrato"}},
        ])
    );

    mark_all_read(portal, &joao).await;
    let path = |id: &str| format!("/rest/v1/documents?id=eq.{id}");
    let publish = portal.patch(&path(&draft.id)).auth(&ana).json(&json!({"status": "active"}));
    publish.send().await.is(204);
    let asks = json!({"approval_request": "acknowledge"});
    portal.patch(&path(&document.id)).auth(&ana).json(&asks).send().await.is(204);
    portal
        .patch(&path(&document.id))
        .auth(&ana)
        .json(&json!({"name": "b.pdf"}))
        .send()
        .await
        .is(204);
    assert_eq!(unread(portal, &joao).await, ["document_new", "approval_asked"]);
});

portal_test!(staff_are_notified_of_what_clients_do, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let bia = second_admin(portal).await;
    let ask = json!({"approval_request": "acknowledge"});
    let document = portal.document_with(&joao, "contratos", "aviso.pdf", ask).await;
    let ticket = portal.ticket(&joao, "Dúvida").await;
    write_message(portal, &joao, &ticket, false).await;
    let answer = json!({
        "document_id": document.id, "file_url": document.path, "outcome": "acknowledged",
    });
    portal.post("/rest/v1/document_approvals").auth(&joao).json(&answer).send().await.is(201);
    let payment = json!({"document_id": document.id, "paid_on": "2026-11-20"});
    portal.post("/rest/v1/document_payments").auth(&joao).json(&payment).send().await.is(201);
    for (item, name) in [("unrequested", "a.pdf"), ("unrequested", "b.pdf")] {
        let path = format!("{}/{item}/{name}", joao.id);
        let upload = portal.post(&format!("/storage/v1/object/received-files/{path}")).auth(&joao);
        upload.bytes("application/pdf", PDF).send().await.is(200);
        let row = json!({"name": name, "file_url": path});
        portal.post("/rest/v1/received_files").auth(&joao).json(&row).send().await.is(201);
    }
    let item = json!({"client_id": joao.id, "name": "Extrato", "month": "2026-11"});
    let item = portal.insert("request_items", item).await;
    let nothing = portal.patch(&format!("/rest/v1/request_items?id=eq.{item}")).auth(&joao);
    nothing.json(&json!({"status": "nothing"})).send().await.is(204);
    let expected = [
        "ticket_new",
        "ticket_reply",
        "approval_answered",
        "payment_reported",
        // Both files are one notification.
        "files_received",
        "request_answered",
    ];
    for user in [&ana, &bia] {
        assert_eq!(unread(portal, user).await, expected);
    }
    let names = read(portal, &bia, "notifications?select=clients(email)").await;
    assert_eq!(names[0]["clients"]["email"], *joao.email);
    // The office hears nothing of its own actions, and a reply to an assigned ticket is for one person.
    let path = format!("/rest/v1/tickets?id=eq.{ticket}");
    portal.patch(&path).auth(&ana).json(&json!({"assignee_id": bia.id})).send().await.is(204);
    write_message(portal, &ana, &ticket, false).await;
    mark_all_read(portal, &ana).await;
    mark_all_read(portal, &bia).await;
    write_message(portal, &joao, &ticket, false).await;
    assert_eq!(unread(portal, &ana).await, [""; 0]);
    assert_eq!(unread(portal, &bia).await, ["ticket_reply"]);
});

portal_test!(newer_notification_replaces_the_unread_one, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let ticket = portal.ticket(&joao, "Dúvida").await;
    for _ in 0..3 {
        write_message(portal, &ana, &ticket, false).await;
    }
    assert_eq!(unread(portal, &joao).await, ["ticket_reply"]);
    mark_all_read(portal, &joao).await;
    write_message(portal, &ana, &ticket, false).await;
    assert_eq!(unread(portal, &joao).await, ["ticket_reply"]);
    let all = rows(portal, &joao, "notifications").prefer("count=exact").send().await;
    assert_eq!(all.header("content-range"), "0-1/2");
});

portal_test!(notification_is_read_by_its_person_at_the_time_of_the_server, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let bia = second_admin(portal).await;
    portal.ticket(&joao, "Dúvida").await;
    for user in [&joao, &maria, &ana] {
        mark_all_read(portal, user).await;
    }
    assert_eq!(unread(portal, &ana).await, [""; 0]);
    assert_eq!(unread(portal, &bia).await, ["ticket_new"]);
    let read_at = read(portal, &ana, "notifications?select=read_at").await;
    assert_eq!(read_at, json!([{"read_at": "2026-11-21T15:00:00+00:00"}]));
    let own = read(portal, &bia, "notifications?select=id").await;
    let path = format!("/rest/v1/notifications?id=eq.{}", own[0]["id"].as_str().unwrap());
    let moved = portal.patch(&path).auth(&bia).json(&json!({"person_id": ana.id})).send().await;
    moved.refused(403, "42501");
    // The row of a colleague does not exist.
    let change = portal.patch(&path).auth(&ana).prefer("return=representation");
    let change = change.json(&json!({"read_at": "2026-11-21T15:00:00Z"})).send().await;
    assert_eq!(change.is(200).json(), json!([]));
});

portal_test!(member_reads_notifications_of_the_client_on_the_screen, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    act_as_member(portal, &joao, &maria).await;
    portal.document(&joao, "contratos", "do-joao.pdf").await;
    portal.document(&maria, "contratos", "da-maria.pdf").await;
    let name = "notifications?select=documents(name)";
    let of = |name: &str| json!([{"documents": {"name": name}}]);
    assert_eq!(read(portal, &maria, name).await, of("do-joao.pdf"));
    // Colleagues read for themselves.
    mark_all_read(portal, &maria).await;
    assert_eq!(unread(portal, &joao).await, ["document_new"]);
    act_for(portal, &maria, &maria).await;
    assert_eq!(read(portal, &maria, name).await, of("da-maria.pdf"));
    assert_eq!(unread(portal, &maria).await, ["document_new"]);

    act_for(portal, &maria, &joao).await;
    let people =
        format!("client_members?user_id=eq.{}&client_id=eq.{}&select=id", maria.id, joao.id);
    let id = read(portal, &ana, &people).await[0]["id"].as_str().unwrap().to_owned();
    portal.delete(&format!("/account/v1/members/{id}")).auth(&joao).send().await.is(204);
    assert_eq!(read(portal, &maria, name).await, of("da-maria.pdf"));
    // A person who comes back begins anew.
    act_as_member(portal, &joao, &maria).await;
    assert_eq!(read(portal, &maria, name).await, json!([]));
});

portal_test!(withdrawn_document_leaves_no_name, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let document = portal.document(&joao, "contratos", "de-outro.pdf").await;
    let payment = json!({"document_id": document.id, "paid_on": "2026-11-20"});
    portal.post("/rest/v1/document_payments").auth(&joao).json(&payment).send().await.is(201);
    let body = json!({"documents": [document.id]});
    portal.post("/rest/v1/rpc/withdraw_documents").auth(&ana).json(&body).send().await.is(204);
    let seen = read(portal, &joao, "notifications?select=kind,document_id,documents(name)").await;
    let expected = json!([{"kind": "document_withdrawn", "document_id": null, "documents": null}]);
    assert_eq!(seen, expected);
    assert_eq!(unread(portal, &ana).await, ["payment_reported"]);
    portal.post("/rest/v1/rpc/republish_documents").auth(&ana).json(&body).send().await.is(204);
    assert_eq!(unread(portal, &joao).await, ["document_withdrawn", "document_new"]);
});

portal_test!(notifications_are_deleted_after_ninety_days, async |portal| {
    let joao = portal.client("joao").await;
    portal.document(&joao, "contratos", "a.pdf").await;
    portal.advance(SignedDuration::from_hours(90 * 24 - 12));
    nightly::run(&portal.app).await.unwrap();
    let user = portal.sign_in(&joao.email).await;
    assert_eq!(unread(portal, &user).await, ["document_new"]);
    portal.advance(SignedDuration::from_hours(36));
    nightly::run(&portal.app).await.unwrap();
    let user = portal.sign_in(&joao.email).await;
    assert_eq!(unread(portal, &user).await, [""; 0]);
});
