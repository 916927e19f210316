//! Several people per client, and several clients per person.

use jiff::SignedDuration;
use portaria::jobs::notify_expiry;
use serde_json::{Value, json};

use crate::harness::{PDF, TestPortal, TestUser, portal_test, request::Answer};
use crate::rest::read;

const EMAIL: &str = "carla@padaria.example";

async fn add(portal: &TestPortal, who: &TestUser, body: Value) -> Answer {
    portal.post("/account/v1/members").auth(who).json(&body).send().await
}

/// Makes a person a member of a client, as a program of the office. Returns the id of the membership.
async fn join(portal: &TestPortal, client: &TestUser, email: &str, role: &str) -> String {
    let body = json!({"client_id": client.id, "email": email, "name": "Pessoa", "role": role});
    let request = portal.post("/account/v1/members").bearer(&portal.app.keys.service_role);
    request.json(&body).send().await.is(204);
    membership(portal, client, email).await
}

/// The id of the membership of a person, as the client reads it.
async fn membership(portal: &TestPortal, client: &TestUser, email: &str) -> String {
    let rows = read(portal, client, &format!("client_members?email=eq.{email}&select=id")).await;
    rows[0]["id"].as_str().unwrap().to_owned()
}

async fn act_for(portal: &TestPortal, who: &TestUser, client: &str) -> Answer {
    let request = portal.put("/account/v1/clients/active").auth(who);
    request.json(&json!({"client_id": client})).send().await
}

async fn documents(portal: &TestPortal, who: &TestUser) -> Value {
    read(portal, who, "documents?select=name&order=name").await
}

portal_test!(member_acts_for_one_client_at_a_time, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let other = portal.client("pedro").await;
    let guia = portal.document(&joao, "faturas", "guia.pdf").await.id;
    portal.document(&maria, "faturas", "nota.pdf").await;
    join(portal, &joao, &maria.email, "member").await;

    assert_eq!(documents(portal, &maria).await, json!([{"name": "nota.pdf"}]));
    let path = format!("/account/v1/clients?document={guia}");
    let choice = portal.get(&path).auth(&maria).send().await.is(200).json();
    assert_eq!(choice["owner_id"], *joao.id);
    let row = json!({"client_id": joao.id, "name": "Extrato", "month": "2026-11"});
    let request = portal.post("/rest/v1/request_items").bearer(&portal.app.keys.service_role);
    let asked = request.prefer("return=representation").json(&row).send().await.is(201).json();
    let item = asked[0]["id"].as_str().unwrap();
    let path = format!("/account/v1/clients?request={item}");
    let owner = async |who: &TestUser| {
        portal.get(&path).auth(who).send().await.is(200).json()["owner_id"].clone()
    };
    assert_eq!(owner(&maria).await, *joao.id);
    assert_eq!(owner(&other).await, Value::Null);
    let names = |answer: &Value| -> Vec<(String, bool)> {
        let clients = answer["clients"].as_array().unwrap().iter();
        clients
            .map(|client| (client["id"].as_str().unwrap().to_owned(), client["is_active"] == true))
            .collect()
    };
    assert_eq!(names(&choice), [(maria.id.clone(), true), (joao.id.clone(), false)]);

    act_for(portal, &maria, &joao.id).await.is(204);
    assert_eq!(documents(portal, &maria).await, json!([{"name": "guia.pdf"}]));
    let path = format!("/storage/v1/object/client-documents/public/{}/faturas/guia.pdf", joao.id);
    portal.get(&path).auth(&maria).send().await.is(200);
    let own = format!("/storage/v1/object/client-documents/public/{}/faturas/nota.pdf", maria.id);
    portal.get(&own).auth(&maria).send().await.is(400);
    // Another session of the same person is not affected.
    let phone = portal.sign_in(&maria.email).await;
    assert_eq!(documents(portal, &phone).await, json!([{"name": "nota.pdf"}]));

    act_for(portal, &maria, &other.id).await.refused(404, "user_not_found");
    act_for(portal, &joao, &maria.id).await.refused(404, "user_not_found");
    act_for(portal, &maria, &maria.id).await.is(204);
    assert_eq!(documents(portal, &maria).await, json!([{"name": "nota.pdf"}]));
});

portal_test!(idempotency_key_of_a_person_counts_per_client, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    join(portal, &joao, &maria.email, "member").await;
    let ticket = json!({"subject": "Dúvida", "message": "Uma mensagem longa o bastante."});
    for client in [&maria, &joao, &maria] {
        act_for(portal, &maria, &client.id).await.is(204);
        let request = portal.post("/rest/v1/tickets").auth(&maria).json(&ticket);
        let request = request.header("idempotency-key", "a").single();
        request.send().await.is(201);
        portal.advance(SignedDuration::from_mins(1));
    }
    for client in [&joao, &maria] {
        let tickets = read(portal, client, "tickets?select=subject").await;
        assert_eq!(tickets, json!([{"subject": "Dúvida"}]), "{}", client.email);
    }
});

portal_test!(members_of_a_client_share_the_limit_of_waiting_files, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    join(portal, &joao, &maria.email, "member").await;
    act_for(portal, &maria, &joao.id).await.is(204);
    let ticket = portal.ticket(&joao, "Dúvida").await;
    for place in [
        format!("received-files/{}/unrequested", joao.id),
        format!("ticket-attachments/{}/{ticket}", joao.id),
    ] {
        let send = async |who: &TestUser, number: usize| {
            let request = portal.post(&format!("/storage/v1/object/{place}/{number}.pdf"));
            request.auth(who).bytes("application/pdf", PDF).send().await
        };
        for number in 0..60 {
            send([&joao, &maria][number % 2], number).await.is(200);
        }
        for who in [&joao, &maria] {
            send(who, 60).await.refused(400, "SlowDown");
        }
    }
});

portal_test!(writes_of_a_member_belong_to_the_client_and_name_the_person, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let ana = portal.admin().await;
    let guia = portal.document(&joao, "faturas", "guia.pdf").await.id;
    join(portal, &joao, &maria.email, "member").await;
    act_for(portal, &maria, &joao.id).await.is(204);

    let receipt = json!({"document_id": guia, "action": "opened"});
    let request = portal.post("/rest/v1/document_receipts").auth(&maria);
    request.json(&receipt).send().await.is(201);
    let seen = read(portal, &ana, "document_receipts?select=client_id,author_id").await;
    assert_eq!(seen, json!([{"client_id": joao.id, "author_id": maria.id}]));

    let ticket = portal.ticket(&maria, "Dúvida da Maria").await;
    let path = format!("tickets?id=eq.{ticket}&select=user_id,author_id");
    let seen = read(portal, &ana, &path).await;
    assert_eq!(seen, json!([{"user_id": joao.id, "author_id": maria.id}]));
    let seen = read(portal, &joao, "tickets?select=subject,member_name").await;
    assert_eq!(seen, json!([{"subject": "Dúvida da Maria", "member_name": "Pessoa"}]));
    for (who, body) in [(&maria, "Sou a Maria"), (&joao, "Sou o dono")] {
        let reply = json!({"ticket_id": ticket, "body": body, "member_name": "Outra"});
        portal.post("/rest/v1/ticket_messages").auth(who).json(&reply).send().await.is(201);
    }
    let seen = read(portal, &joao, "ticket_messages?select=member_name&order=created_at").await;
    assert_eq!(seen, json!([{"member_name": "Pessoa"}, {"member_name": null}]));
    let seen = read(portal, &joao, "ticket_history?select=status,member_name").await;
    assert_eq!(seen, json!([{"status": "open", "member_name": "Pessoa"}]));

    let path = format!("{}/unrequested/extrato.pdf", joao.id);
    let place = format!("/storage/v1/object/received-files/{path}");
    portal.post(&place).auth(&maria).bytes("application/pdf", PDF).send().await.is(200);
    let row = json!({"name": "extrato.pdf", "file_url": path});
    portal.post("/rest/v1/received_files").auth(&maria).json(&row).send().await.is(201);
    let seen = read(portal, &joao, "received_files?select=name").await;
    assert_eq!(seen, json!([{"name": "extrato.pdf"}]));
    // Not into the folder of the person's own account.
    let place = format!("/storage/v1/object/received-files/{}/unrequested/a.pdf", maria.id);
    portal
        .post(&place)
        .auth(&maria)
        .bytes("application/pdf", PDF)
        .send()
        .await
        .refused(400, "AccessDenied");

    // Topics and sessions are the person's.
    let topic = json!({"topic": "documents"});
    portal.post("/rest/v1/muted_topics").auth(&maria).json(&topic).send().await.is(201);
    assert_eq!(read(portal, &joao, "muted_topics").await, json!([]));
    assert_eq!(read(portal, &maria, "muted_topics?select=topic").await, json!([topic]));
    assert_eq!(read(portal, &maria, "sessions?select=id").await.as_array().unwrap().len(), 1);
});

portal_test!(person_without_account_is_invited_and_leaves_no_account, async |portal| {
    let joao = portal.client("joao").await;
    let ana = portal.admin().await;
    portal.document(&joao, "faturas", "guia.pdf").await;
    let member = join(portal, &joao, EMAIL, "member").await;
    let mail = portal.mail("invite", EMAIL).await;
    let body = json!({"token_hash": mail.token(), "type": "invite"});
    let session = portal.post("/auth/v1/verify").json(&body).send().await.is(200).json();
    let carla = TestUser::from_session(&session);
    assert_eq!(documents(portal, &carla).await, json!([{"name": "guia.pdf"}]));
    // The person is no client of the office.
    let clients = read(portal, &ana, "clients?select=id").await;
    assert_eq!(clients, json!([{"id": joao.id}]));
    let people = "client_members?select=user_id,role,name,email&order=role";
    let expected = json!([
        {"user_id": carla.id, "role": "member", "name": "Pessoa", "email": EMAIL},
        {"user_id": joao.id, "role": "owner", "name": "joao", "email": joao.email},
    ]);
    assert_eq!(read(portal, &ana, people).await, expected);
    assert_eq!(read(portal, &carla, people).await, expected);

    // A member neither invites nor removes.
    let other = json!({"email": "x@padaria.example", "name": "X", "role": "member"});
    add(portal, &carla, other.clone()).await.refused(403, "not_owner");
    let path = format!("/account/v1/members/{member}");
    portal.delete(&path).auth(&carla).send().await.is(204);
    let request = portal.get("/rest/v1/documents").auth(&carla);
    request.send().await.is(401);
    assert!(
        read(portal, &ana, "client_members?role=eq.member").await.as_array().unwrap().is_empty()
    );
    let log = read(portal, &ana, "activity?select=event,person_name&event=eq.member.removed").await;
    assert_eq!(log, json!([{"event": "member.removed", "person_name": "Pessoa"}]));
});

portal_test!(owner_manages_people_of_own_client_only, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let foreign = join(portal, &maria, "alguem@example.com", "member").await;
    let body = json!({"email": EMAIL, "name": "Carla", "role": "member"});
    add(portal, &joao, body.clone()).await.is(204);
    let carla = membership(portal, &joao, EMAIL).await;
    add(portal, &joao, body.clone()).await.refused(409, "member_exists");
    // The client in the body of a client's invitation is ignored.
    let body =
        json!({"client_id": maria.id, "email": "b@example.com", "name": "B", "role": "member"});
    add(portal, &joao, body).await.is(204);
    assert_eq!(read(portal, &maria, "client_members").await.as_array().unwrap().len(), 2);
    for (body, code) in [
        (json!({"email": "x", "name": "X", "role": "member"}), "validation_failed"),
        (json!({"email": "x@y.example", "name": " ", "role": "member"}), "validation_failed"),
        (json!({"email": "x@y.example", "name": "X", "role": "boss"}), "validation_failed"),
        (json!({"email": "x@y.example"}), "validation_failed"),
    ] {
        add(portal, &joao, body).await.refused(400, code);
    }
    let ana = portal.admin().await;
    let body = json!({"email": ana.email, "name": "Ana", "role": "member"});
    add(portal, &joao, body).await.refused(422, "member_not_possible");

    let path = |id: &str| format!("/account/v1/members/{id}");
    let role = json!({"role": "owner"});
    portal.patch(&path(&foreign)).auth(&joao).json(&role).send().await.refused(404, "not_found");
    portal.delete(&path(&foreign)).auth(&joao).send().await.refused(404, "not_found");
    portal.patch(&path(&carla)).auth(&joao).json(&role).send().await.is(204);
    portal.delete(&path(&carla)).auth(&joao).send().await.is(204);
    portal.delete(&path(&carla)).auth(&joao).send().await.refused(404, "not_found");
    let body = json!({"email": "x@y.example", "name": "X", "role": "member"});
    portal.post("/account/v1/members").json(&body).send().await.refused(401, "no_authorization");
});

portal_test!(mails_go_to_all_people_of_a_client_with_their_own_topics, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let pedro = portal.client("pedro").await;
    let ana = portal.admin().await;
    // The first run only schedules the next one.
    notify_expiry::run(&portal.app).await.unwrap();
    let on = |event: &str| json!({"document_type_event": event, "enabled": true});
    let settings = json!([on("fatura_new"), on("fatura_expiring_soon")]);
    let request = portal.post("/rest/v1/email_notification_settings").auth(&ana);
    request.json(&settings).send().await.is(201);
    let member = join(portal, &joao, &maria.email, "member").await;
    join(portal, &joao, &pedro.email, "member").await;
    let mute = json!({"topic": "documents"});
    portal.post("/rest/v1/muted_topics").auth(&pedro).json(&mute).send().await.is(201);
    let fields = json!({"name": "Guia", "expires_at": "2026-11-23"});
    portal.document_with(&joao, "faturas", "guia.pdf", fields).await;
    let queued = |user: &TestUser| json!({"user_id": user.id, "state": "queued"});
    let mails = async |ana: &TestUser, event: &str| {
        let path = format!("outbox?event=eq.{event}&select=user_id,state&order=recipient");
        read(portal, ana, &path).await
    };
    assert_eq!(mails(&ana, "fatura_new").await, json!([queued(&joao), queued(&maria)]));

    portal.advance(SignedDuration::from_hours(20));
    notify_expiry::run(&portal.app).await.unwrap();
    let ana = portal.sign_in(&ana.email).await;
    let all = json!([queued(&joao), queued(&maria), queued(&pedro)]);
    assert_eq!(mails(&ana, "fatura_expiring_soon").await, all);

    // Mails about the client that have not left do not reach a person who was removed.
    portal.delete(&format!("/account/v1/members/{member}")).auth(&ana).send().await.is(204);
    let mut cancelled = queued(&maria);
    cancelled["state"] = json!("cancelled");
    assert_eq!(mails(&ana, "fatura_new").await, json!([queued(&joao), cancelled]));
});

portal_test!(invitations_of_a_client_are_limited_and_carry_no_name, async |portal| {
    let joao = portal.client("joao").await;
    let body = |n: usize| json!({"email": format!("p{n}@example.com"), "name": "Ganhe já em x.example", "role": "member"});
    for number in 0..20 {
        add(portal, &joao, body(number)).await.is(204);
        // Removing somebody does not make room for another mail.
        let member = membership(portal, &joao, &format!("p{number}@example.com")).await;
        portal.delete(&format!("/account/v1/members/{member}")).auth(&joao).send().await.is(204);
    }
    let refused = add(portal, &joao, body(20)).await;
    assert_eq!(refused.header("retry-after"), "86400");
    refused.refused(429, "over_request_rate_limit");
    portal.advance(SignedDuration::from_hours(24));
    let joao = portal.sign_in(&joao.email).await;
    add(portal, &joao, body(20)).await.is(204);
    let mail = portal.mail("invite", "p20@example.com").await;
    assert!(!mail.html.contains("Ganhe"), "{}", mail.html);
});

portal_test!(removed_member_and_member_of_a_suspended_client_see_nothing, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let ana = portal.admin().await;
    portal.document(&joao, "faturas", "guia.pdf").await;
    let member = join(portal, &joao, &maria.email, "member").await;
    act_for(portal, &maria, &joao.id).await.is(204);
    assert_eq!(documents(portal, &maria).await, json!([{"name": "guia.pdf"}]));

    let path = format!("/auth/v1/admin/users/{}", joao.id);
    let ban = |duration: &str| json!({"ban_duration": duration});
    portal.put(&path).auth(&ana).json(&ban("24h")).send().await.is(200);
    assert_eq!(documents(portal, &maria).await, json!([]));
    portal.put(&path).auth(&ana).json(&ban("none")).send().await.is(200);
    assert_eq!(documents(portal, &maria).await, json!([{"name": "guia.pdf"}]));

    portal.delete(&format!("/account/v1/members/{member}")).auth(&ana).send().await.is(204);
    assert_eq!(documents(portal, &maria).await, json!([]));
    act_for(portal, &maria, &joao.id).await.refused(404, "user_not_found");
});

portal_test!(deleted_client_takes_people_who_act_for_no_other, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let ana = portal.admin().await;
    join(portal, &joao, EMAIL, "member").await;
    join(portal, &joao, "duas@example.com", "member").await;
    join(portal, &maria, "duas@example.com", "member").await;
    // People who work in the office by now keep their accounts: one is removed, the other goes with the client.
    for email in ["bia@example.com", "caio@example.com"] {
        let member = join(portal, &joao, email, "member").await;
        let person = read(portal, &joao, &format!("client_members?id=eq.{member}")).await;
        let path = format!("/auth/v1/admin/users/{}", person[0]["user_id"].as_str().unwrap());
        let rights = json!({"app_metadata": {"roles": ["admin"]}});
        portal.put(&path).auth(&ana).json(&rights).send().await.is(200);
    }
    let removed = membership(portal, &joao, "bia@example.com").await;
    let removal = portal.delete(&format!("/account/v1/members/{removed}")).auth(&joao);
    removal.send().await.is(204);
    let path = format!("/auth/v1/admin/users/{}", joao.id);
    portal.delete(&path).auth(&ana).json(&json!({})).send().await.is(200);
    let users = portal.get("/auth/v1/admin/users").auth(&ana).send().await.is(200).json();
    let users = users["users"].as_array().unwrap();
    let mut emails: Vec<&str> = users.iter().map(|user| user["email"].as_str().unwrap()).collect();
    emails.sort_unstable();
    let expected =
        [&*ana.email, "bia@example.com", "caio@example.com", "duas@example.com", &*maria.email];
    assert_eq!(emails, expected);
});

portal_test!(calendar_of_a_person_contains_all_clients, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let fields = |name: &str| json!({"name": name, "expires_at": "2026-11-30"});
    portal.document_with(&joao, "faturas", "guia.pdf", fields("Guia")).await;
    portal.document_with(&maria, "faturas", "nota.pdf", fields("Nota")).await;
    let member = join(portal, &joao, &maria.email, "member").await;
    let feed = portal.post("/account/v1/calendar").auth(&maria).send().await.is(200).json();
    let path = feed["url"].as_str().unwrap().replace("http://127.0.0.1:8080", "");
    let text = portal.get(&path).without("apikey").send().await.is(200).text();
    assert!(text.contains("SUMMARY:joao: Guia") && text.contains("SUMMARY:Nota"), "{text}");
    let ana = portal.admin().await;
    portal.delete(&format!("/account/v1/members/{member}")).auth(&ana).send().await.is(204);
    let text = portal.get(&path).without("apikey").send().await.is(200).text();
    assert!(!text.contains("Guia") && text.contains("SUMMARY:Nota"), "{text}");
});
