//! Mails about the items of requests.

use jiff::{SignedDuration, Timestamp};
use portaria::jobs::send_reminders;
use serde_json::{Value, json};

use crate::delivery::{fake_smtp::AcceptedMail, send, start_with_smtp_server};
use crate::harness::{TestPortal, TestUser, portal_test, request::Answer};

/// Asks a client for items with a due date, and returns their ids.
async fn ask(portal: &TestPortal, client: &TestUser, names: &[&str], due_on: &str) -> Vec<String> {
    let row = |name: &&str| {
        json!({"client_id": client.id, "name": name, "hint": "Em PDF", "month": "2026-11",
            "due_on": due_on})
    };
    let rows: Vec<Value> = names.iter().map(row).collect();
    let request = portal.post("/rest/v1/request_items").bearer(&portal.app.keys.service_role);
    let answer = request.prefer("return=representation").json(&json!(rows)).send().await.is(201);
    let id = |row: &Value| row["id"].as_str().unwrap().to_owned();
    answer.json().as_array().unwrap().iter().map(id).collect()
}

async fn change(portal: &TestPortal, who: &TestUser, item: &str, changes: Value) {
    let request = portal.patch(&format!("/rest/v1/request_items?id=eq.{item}"));
    request.auth(who).json(&changes).send().await.is(204);
}

portal_test!(items_asked_for_at_once_are_one_mail, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let joao = portal.client("joao").await;
    let delivery = portal.delivery();
    ask(portal, &joao, &["Extrato <b>", "Notas fiscais"], "2026-12-05").await;
    send(&delivery).await;
    let taken = server.accepted();
    assert_eq!(taken.len(), 1);
    assert_eq!(taken[0].subject(), "O escritório precisa de 2 documentos");
    let html = taken[0].html();
    assert!(html.contains("Extrato &lt;b&gt;</a>: até 05/12/2026"), "{html}");
    assert_eq!(html.matches("http://127.0.0.1:8080/solicitacoes?pedido=").count(), 2, "{html}");
    assert!(html.contains("Não quero mais avisos sobre solicitações"), "{html}");
});

portal_test!(refusal_is_mailed_with_its_reason, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let delivery = portal.delivery();
    let items = ask(portal, &joao, &["Extrato"], "2026-12-05").await;
    send(&delivery).await;
    assert_eq!(server.accepted()[0].subject(), "O escritório pede: Extrato");
    assert!(server.accepted()[0].html().contains("Em PDF"));
    portal.advance(SignedDuration::from_mins(11));
    for reason in ["Falta a segunda página", "Ainda falta"] {
        change(portal, &joao, &items[0], json!({"status": "nothing"})).await;
        let refusal = json!({"status": "refused", "refusal_reason": reason});
        change(portal, &ana, &items[0], refusal).await;
        send(&delivery).await;
        let taken = server.accepted();
        let mail = taken.last().unwrap();
        assert_eq!(mail.subject(), "Envie de novo: Extrato");
        assert!(mail.html().contains(reason), "{}", mail.html());
        portal.advance(SignedDuration::from_mins(11));
    }
    assert_eq!(server.accepted().len(), 3);
});

portal_test!(digest_of_refusals_contains_their_reasons, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let items = ask(portal, &joao, &["Extrato", "Notas"], "2026-12-05").await;
    send(&portal.delivery()).await;
    for (item, reason) in items.iter().zip(["ilegível", "faltam páginas"]) {
        change(portal, &joao, item, json!({"status": "nothing"})).await;
        let refusal = json!({"status": "refused", "refusal_reason": reason});
        change(portal, &ana, item, refusal).await;
    }
    portal.advance(SignedDuration::from_mins(11));
    send(&portal.delivery()).await;
    let html = server.accepted().last().unwrap().html();
    assert!(
        html.contains("recusado, ilegível") && html.contains("recusado, faltam páginas"),
        "{html}"
    );
});

portal_test!(mail_about_a_request_does_not_reach_a_former_member, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let (joao, rh) = (portal.client("joao").await, portal.client("rh").await);
    let membership = portal.add_member(&joao, &rh).await;
    ask(portal, &joao, &["Extrato"], "2026-12-05").await;
    let path = format!("/account/v1/members/{membership}");
    portal.delete(&path).bearer(&portal.app.keys.service_role).send().await.is(204);
    send(&portal.delivery()).await;
    let to: Vec<String> = server
        .accepted()
        .iter()
        .filter(|mail| mail.subject().contains("Extrato"))
        .map(|mail| mail.to.clone())
        .collect();
    assert_eq!(to, [joao.email]);
});

portal_test!(mail_about_an_answered_or_deleted_item_does_not_leave, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let items = ask(portal, &joao, &["Extrato", "Notas", "RG"], "2026-12-05").await;
    change(portal, &joao, &items[0], json!({"status": "nothing"})).await;
    let path = format!("/rest/v1/request_items?id=eq.{}", items[1]);
    portal.delete(&path).auth(&ana).send().await.is(204);
    send(&portal.delivery()).await;
    let subjects: Vec<String> = server.accepted().iter().map(AcceptedMail::subject).collect();
    assert_eq!(subjects, ["O escritório pede: RG"]);
    let reasons = "/rest/v1/outbox?select=last_error&state=eq.cancelled&order=last_error";
    let reasons = portal.get(reasons).auth(&ana).send().await.is(200).json();
    let expected = ["A solicitação foi excluída.", "A solicitação já foi respondida."];
    assert_eq!(reasons, json!(expected.map(|reason| json!({"last_error": reason}))));
});

portal_test!(muted_and_turned_off_requests_are_not_mailed, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let mute = portal.post("/rest/v1/muted_topics").auth(&joao);
    mute.json(&json!({"topic": "requests"})).send().await.is(201);
    ask(portal, &joao, &["Extrato"], "2026-12-05").await;
    assert!(portal.mails().await.is_empty());
    let maria = portal.client("maria").await;
    let off = json!({"document_type_event": "request_new", "enabled": false});
    portal.post("/rest/v1/email_notification_settings").auth(&ana).json(&off).send().await.is(201);
    ask(portal, &maria, &["Extrato"], "2026-12-05").await;
    assert!(portal.mails().await.is_empty());
});

portal_test!(rules_remind_of_items_that_wait, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    send_reminders::run(&portal.app).await.unwrap();
    for rule in [json!({"days": 2}), json!({"days": 0, "category": "request"})] {
        portal.post("/rest/v1/reminder_rules").auth(&ana).json(&rule).send().await.is(201);
    }
    // A rule of another category is not for items.
    let das = json!({"days": 1, "category": "das"});
    portal.post("/rest/v1/reminder_rules").auth(&ana).json(&das).send().await.is(201);
    ask(portal, &joao, &["Extrato"], "2026-12-24").await;
    let answered = ask(portal, &maria, &["Extrato"], "2026-12-24").await;
    change(portal, &maria, &answered[0], json!({"status": "nothing"})).await;
    for day in ["2026-12-22", "2026-12-23", "2026-12-24", "2026-12-25", "2026-12-28"] {
        let moment: Timestamp = format!("{day}T08:00:00-03:00").parse().unwrap();
        portal.advance(moment.duration_since(portal.now()));
        send_reminders::run(&portal.app).await.unwrap();
        // A second node on the same morning.
        send_reminders::run(&portal.another_node()).await.unwrap();
    }
    let mails = portal.mails().await;
    let reminders: Vec<_> = mails.iter().filter(|mail| mail.event == "request_reminder").collect();
    assert_eq!(reminders.len(), 2);
    assert!(reminders.iter().all(|mail| mail.to == joao.email));
    assert!(reminders[0].html.contains("Prazo: 24/12/2026."), "{}", reminders[0].html);
});

portal_test!(more_items_than_a_page_are_reminded_of_in_one_mail, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    send_reminders::run(&portal.app).await.unwrap();
    portal
        .post("/rest/v1/reminder_rules")
        .auth(&ana)
        .json(&json!({"days": 2}))
        .send()
        .await
        .is(201);
    let names: Vec<String> = (0..205).map(|number| format!("Item {number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    ask(portal, &joao, &names, "2026-12-24").await;
    send(&portal.delivery()).await;
    let before = server.accepted().len();
    let moment: Timestamp = "2026-12-22T08:00:00-03:00".parse().unwrap();
    portal.advance(moment.duration_since(portal.now()));
    send_reminders::run(&portal.app).await.unwrap();
    // The mails of the first page wait for those of the others.
    send(&portal.delivery()).await;
    assert_eq!(server.accepted().len(), before);
    portal.advance(SignedDuration::from_mins(2));
    send(&portal.delivery()).await;
    let subjects: Vec<String> =
        server.accepted()[before..].iter().map(AcceptedMail::subject).collect();
    assert_eq!(subjects, ["O escritório precisa de 205 documentos"]);
    let mails = portal.mails().await;
    assert_eq!(mails.iter().filter(|mail| mail.event == "request_reminder").count(), 205);
});

async fn remind(portal: &TestPortal, who: &TestUser, items: Value) -> Answer {
    let request = portal.post("/rest/v1/rpc/remind_request_items").auth(who);
    request.json(&json!({"items": items})).send().await
}

portal_test!(staff_remind_clients_of_items_once_a_day, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let items = ask(portal, &joao, &["Extrato", "Notas"], "2026-12-05").await;
    change(portal, &joao, &items[1], json!({"status": "nothing"})).await;
    let delivery = portal.delivery();
    send(&delivery).await;
    let before = server.accepted().len();
    portal.advance(SignedDuration::from_mins(11));
    let done = remind(portal, &ana, json!(items)).await.is(200).json();
    let expected = json!({"reminded": 1, "repeated": 0, "unreachable": 0, "settled": 1});
    assert_eq!(done, expected);
    let again = remind(portal, &ana, json!([items[0]])).await.is(200).json();
    assert_eq!(again, json!({"reminded": 0, "repeated": 1, "unreachable": 0, "settled": 0}));
    send(&delivery).await;
    let subjects: Vec<String> =
        server.accepted()[before..].iter().map(AcceptedMail::subject).collect();
    assert_eq!(subjects, ["Ainda falta enviar: Extrato"]);
    let events = "/rest/v1/activity?event=eq.request.reminded&select=subject,person_id,actor_id";
    let events = portal.get(events).auth(&ana).send().await.is(200).json();
    assert_eq!(events, json!([{"subject": "Extrato", "person_id": joao.id, "actor_id": ana.id}]));

    let mute = portal.post("/rest/v1/muted_topics").auth(&joao);
    mute.json(&json!({"topic": "requests"})).send().await.is(201);
    portal.advance(SignedDuration::from_hours(24));
    let ana = portal.sign_in(&ana.email).await;
    let muted = remind(portal, &ana, json!([items[0]])).await.is(200).json();
    assert_eq!(muted["unreachable"], 1, "{muted}");
    remind(portal, &ana, json!([])).await.refused(400, "22023");
    let off = json!({"document_type_event": "request_reminder", "enabled": false});
    let settings = portal.post("/rest/v1/email_notification_settings").auth(&ana);
    settings.json(&off).send().await.is(201);
    remind(portal, &ana, json!([items[0]])).await.refused(409, "reminders_off");
});
