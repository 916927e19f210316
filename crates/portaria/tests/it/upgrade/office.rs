//! An office with rows in every table, and the links and secrets of its users.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::{
    auth::{
        mfa::{challenge, codes, verified_admin},
        passkeys,
        signing_keys::use_new_key,
    },
    harness::{PDF, TestPortal, TestUser, object},
    notifications::push_service::Browser,
    storage::tus::begin,
};

/// An administrator with a second factor.
pub(crate) const ADMIN: &str = "ana@escritorio.com.br";
/// The owner of documents and tickets.
pub(crate) const CLIENT: &str = "joao@cliente.com.br";
/// The subject of the ticket.
pub(crate) const SUBJECT: &str = "Guia do mês 📄";
/// The messages of the client and the office.
pub(crate) const THREAD: [&str; 2] =
    ["Uma mensagem longa o bastante.", "Segue a guia, em anexo. Até já!"];

/// Fills a portal and returns what its users hold: addresses, links and secrets that later versions must honor.
pub(crate) async fn furnish(portal: &TestPortal) -> Value {
    use_new_key(portal).await;
    let (ana, app) = verified_admin(portal).await;
    codes(portal, &ana).await;
    challenge(portal, &ana, &app).await;
    set_up(portal, &ana).await;
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let browser = Browser::new("https://fcm.googleapis.com/fcm/send/joao");
    let device = portal.post("/account/v1/push/devices").auth(&joao);
    device.json(&browser.subscription("Chrome no Android")).send().await.is(204);
    portal.delete("/account/v1/push/topics/tickets").auth(&joao).send().await.is(204);
    let scanner = portal.post("/account/v1/inbox-tokens").auth(&ana);
    let scanner = scanner.json(&json!({"name": "Scanner"})).send().await.is(200).json();
    passkeys::register(portal, &maria, "notebook").await;
    passkeys::options(portal, &maria).await.is(200);

    let document = portal
        .document_with(&joao, "faturas", "guia.pdf", json!({"expires_at": "2026-11-30"}))
        .await;
    let receipt = json!({"document_id": document.id, "action": "opened"});
    portal.post("/rest/v1/document_receipts").auth(&joao).json(&receipt).send().await.is(201);
    let payment = json!({"document_id": document.id, "paid_on": "2026-11-20"});
    portal.post("/rest/v1/document_payments").auth(&joao).json(&payment).send().await.is(201);
    let ask = json!({"approval_request": "approve"});
    let approvable = portal.document_with(&joao, "contratos", "contrato.pdf", ask).await;
    let answer = json!({
        "document_id": approvable.id, "file_url": approvable.path, "outcome": "refused", "reason": "Valor errado",
    });
    portal.post("/rest/v1/document_approvals").auth(&joao).json(&answer).send().await.is(201);
    let contact = json!({"document_id": document.id, "kind": "delivery", "note": "Impresso"});
    portal.insert("document_contacts", contact).await;
    let proof = format!("/account/v1/documents/{}/proof", document.id);
    portal.post(&proof).auth(&ana).send().await.is(200);
    let links = format!("/account/v1/documents/{}/links", document.id);
    portal.post(&links).auth(&ana).send().await.is(200);
    answer_request(portal, &joao).await;
    portal.document_with(&joao, "contratos", "rascunho.pdf", json!({"status": "pending"})).await;
    portal.document(&maria, "contratos", "da-maria.pdf").await;
    let gone = portal.document(&joao, "contratos", "apagado.pdf").await;
    portal.delete(&format!("/rest/v1/documents?id=eq.{}", gone.id)).auth(&ana).send().await.is(204);
    let file = portal.upload(&maria, "contratos", "da-maria-2.pdf").await;
    let replaced = portal.patch("/rest/v1/documents?name=eq.da-maria.pdf").auth(&ana);
    replaced.json(&json!({"file_url": file})).send().await.is(204);
    begin(portal, "client-documents", &format!("public/{}/contratos/meio.pdf", joao.id), 1000)
        .await;

    receive_files(portal, &ana, &joao).await;
    exchange_messages(portal, &ana, &joao).await;
    portal
        .post("/rest/v1/muted_topics")
        .auth(&joao)
        .json(&json!({"topic": "tickets"}))
        .send()
        .await
        .is(201);
    let choice = json!({"topic": "new_tickets", "delivery": "daily"});
    portal.post("/rest/v1/staff_mail_choices").auth(&ana).json(&choice).send().await.is(201);
    let view = json!({"list": "tickets", "name": "Urgentes", "search": "prioridade=urgent"});
    portal.post("/rest/v1/saved_views").auth(&ana).json(&view).send().await.is(201);
    let person = json!({
        "email": "carla@padaria.example", "name": "Carla", "role": "member", "folders": ["faturas"],
    });
    portal.post("/account/v1/members").auth(&joao).json(&person).send().await.is(204);
    let calendar = portal.post("/account/v1/calendar").auth(&joao).send().await.is(200).json();
    let sign =
        portal.post(&object(&document.path).replace("/object/", "/object/sign/")).auth(&joao);
    let signed = sign.json(&json!({"expiresIn": 604_800})).send().await.is(200).json();
    let unsubscribe = portaria::notifications::unsubscribe_token::link(
        &portal.app,
        joao.id.parse().unwrap(),
        "documents",
    );

    ask_for_links(portal, &joao).await;
    erase_a_client(portal, &ana).await;
    json!({
        "anon_key": portal.app.keys.anon,
        "authenticator": {"id": app.id, "secret": app.secret},
        "refresh_token": joao.refresh_token,
        "inbox_token": scanner["token"],
        "document": document.path,
        "signed": format!("/storage/v1{}", signed["signedURL"].as_str().unwrap()),
        "calendar": path(&calendar["url"]),
        "unsubscribe": path(&unsubscribe.into()),
    })
}

/// Asks a client for an item, which the client answers with a file.
async fn answer_request(portal: &TestPortal, joao: &TestUser) {
    let item = json!({"client_id": joao.id, "name": "Extrato", "month": "2026-11"});
    let item = portal.insert("request_items", item).await;
    let path = format!("{}/{item}/extrato.pdf", joao.id);
    let upload = portal.post(&format!("/storage/v1/object/received-files/{path}")).auth(joao);
    upload.bytes("application/pdf", crate::harness::PDF).send().await.is(200);
    let sent = json!({"item_id": item, "name": "extrato.pdf", "file_url": path});
    portal.post("/rest/v1/received_files").auth(joao).json(&sent).send().await.is(201);
    let items = json!([{"name": "Extrato", "hint": null, "repeats_monthly": true}]);
    portal.insert("request_templates", json!({"name": "Mensal", "items": items})).await;
    let office =
        json!({"name": "Prado Contábil", "holidays": [{"on": "2026-12-24", "name": "Recesso"}]});
    let service = &portal.app.keys.service_role;
    portal
        .patch("/rest/v1/office_settings?id=eq.office")
        .bearer(service)
        .json(&office)
        .send()
        .await
        .is(204);
}

fn path(url: &Value) -> String {
    url.as_str().unwrap().replace(passkeys::ORIGIN, "")
}

/// Settings that an administrator makes once.
async fn set_up(portal: &TestPortal, ana: &TestUser) {
    let rows = [
        (
            "email_notification_settings",
            json!({"document_type_event": "fatura_new", "enabled": true}),
        ),
        (
            "email_notification_settings",
            json!({"document_type_event": "ticket_updated_user", "enabled": true}),
        ),
        (
            "email_templates",
            json!({"name": "Fatura", "subject": "Fatura de {{client.name}}", "html_content": "<p>{{document.name}}</p>", "event_trigger": "fatura_new"}),
        ),
        ("saved_replies", json!({"title": "Segunda via", "body": "Segue a segunda via."})),
    ];
    for (table, row) in rows {
        portal.post(&format!("/rest/v1/{table}")).auth(ana).json(&row).send().await.is(201);
    }
    let keep = json!({"retention_months": 60, "legal_hold_reason": "Código Tributário Nacional, art. 173"});
    portal
        .patch("/rest/v1/folders?id_supabase=eq.documentos-pessoais")
        .auth(ana)
        .json(&keep)
        .send()
        .await
        .is(204);
    let bucket = json!({"id": "site", "name": "site", "public": true});
    portal.post("/storage/v1/bucket").auth(ana).json(&bucket).send().await.is(200);
    portal
        .post("/storage/v1/object/site/logo.pdf")
        .auth(ana)
        .bytes("application/pdf", PDF)
        .send()
        .await
        .is(200);
}

/// A ticket with a reply, an attachment and a status change, and one with a typing indicator.
async fn exchange_messages(portal: &TestPortal, ana: &TestUser, joao: &TestUser) {
    let ticket = portal.ticket(joao, SUBJECT).await;
    let answer = json!({"ticket_id": ticket, "body": THREAD[1]});
    let message = portal.post("/rest/v1/ticket_messages").auth(ana).single().json(&answer);
    let message = message.send().await.is(201).json();
    let path = format!("office/{ticket}/guia.pdf");
    let place = format!("/storage/v1/object/ticket-attachments/{path}");
    portal.post(&place).auth(ana).bytes("application/pdf", PDF).send().await.is(200);
    let row = json!({"message_id": message["id"], "name": "guia.pdf", "file_url": path});
    portal.post("/rest/v1/ticket_attachments").auth(ana).json(&row).send().await.is(201);
    let close = portal.patch(&format!("/rest/v1/tickets?id=eq.{ticket}")).auth(joao);
    close.json(&json!({"status": "closed"})).send().await.is(204);
    let row = json!({"subject": "Outra", "message": THREAD[0]});
    let second = portal.post("/rest/v1/tickets").auth(joao).header("idempotency-key", "a").single();
    let second = second.json(&row).send().await.is(201).json();
    let writing = json!({"ticket_id": second["id"]});
    portal.post("/rest/v1/ticket_presence").auth(ana).json(&writing).send().await.is(201);
}

/// Pending links, and a wrong password.
async fn ask_for_links(portal: &TestPortal, joao: &TestUser) {
    let challenge = "um-segredo-que-so-o-programa-que-pediu-conhece-0123456789";
    let ask =
        json!({"email": joao.email, "code_challenge": challenge, "code_challenge_method": "plain"});
    portal.post("/auth/v1/recover").json(&ask).send().await.is(200);
    let link = portal.mail("recovery", &joao.email).await.path();
    portal.get(&link).without("apikey").send().await.is(303);
    portal.advance(SignedDuration::from_mins(1));
    let change = json!({"email": "joao-novo@cliente.com.br"});
    portal.put("/auth/v1/user").auth(joao).json(&change).send().await.is(200);
    portal.try_sign_in(&joao.email, "não é esta").await.is(400);
}

async fn erase_a_client(portal: &TestPortal, ana: &TestUser) {
    let zuleica = portal.client("zuleica").await;
    let place = format!("/auth/v1/admin/users/{}/erasure", zuleica.id);
    portal.post(&place).auth(ana).json(&json!({"email": zuleica.email})).send().await.is(200);
}

/// A file in the inbox, and a rule for later ones.
async fn receive_files(portal: &TestPortal, ana: &TestUser, joao: &TestUser) {
    let request = portal.post("/storage/v1/object/inbox/guia.pdf").auth(ana);
    request.bytes("application/pdf", PDF).send().await.is(200);
    let rule = json!({"kind": "alias", "pattern": "mercearia", "client_id": joao.id});
    portal.insert("inbox_rules", rule).await;
    portal.insert("client_assignments", json!({"client_id": joao.id, "staff_id": ana.id})).await;
    portal.insert("reminder_rules", json!({"days": 2, "category": "das"})).await;
    let kind = json!({"name": "Condomínio", "phrases": ["taxa de condomínio"]});
    portal.insert("recognition_rules", kind).await;
}
