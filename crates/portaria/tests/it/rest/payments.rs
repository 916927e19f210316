//! The values with which a client pays a document, and payments that clients report.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, portal_test, request::Answer};
use crate::rest::read;

/// The slip of a utility: 143.59 reais.
const LINE: &str = "84670000001-7 43590024020-9 02405000243-5 84221010811-9";
const LINE_DIGITS: &str = "846700000017435900240209024050002435842210108119";
/// A boleto without an amount, which the payer fills in.
const OPEN_LINE: &str = "34191101213456788005871234570001516670000000000";
/// The example of the manual of the central bank, without an amount.
const PIX: &str = "00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D";

/// A Pix code with an amount such as `143.59`.
fn pix(amount: &str) -> String {
    let body = PIX.replacen("5802BR", &format!("54{:02}{amount}5802BR", amount.len()), 1);
    let body = &body[..body.len() - 4];
    format!("{body}{}", portaria_codes::pix::checksum(body))
}

async fn change(portal: &TestPortal, user: &TestUser, id: &str, values: Value) -> Answer {
    let path = format!("/rest/v1/documents?id=eq.{id}");
    portal.patch(&path).auth(user).json(&values).send().await
}

async fn codes(portal: &TestPortal, user: &TestUser, id: &str) -> Value {
    let path = format!("documents?id=eq.{id}&select=amount_cents,payment_line,pix_code");
    read(portal, user, &path).await[0].clone()
}

async fn report(portal: &TestPortal, user: &TestUser, payment: Value) -> Answer {
    portal.post("/rest/v1/document_payments").auth(user).single().json(&payment).send().await
}

portal_test!(codes_are_stored_without_separators_and_give_the_amount, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let fields = json!({
        "payment_line": LINE, "pix_code": format!("{}\n", pix("143.59")),
        "category": "das", "reference_month": "2026-10",
    });
    let document = portal.document_with(&joao, "faturas", "guia.pdf", fields).await;
    let stored = codes(portal, &joao, &document.id).await;
    assert_eq!(
        stored,
        json!({"amount_cents": 14_359, "payment_line": LINE_DIGITS, "pix_code": pix("143.59")})
    );
    // Codes that arrive later give the amount too. One without an amount leaves it open.
    let later = portal.document(&joao, "faturas", "b.pdf").await.id;
    change(portal, &ana, &later, json!({"payment_line": OPEN_LINE})).await.is(204);
    assert_eq!(codes(portal, &joao, &later).await["amount_cents"], json!(null));
    change(portal, &ana, &later, json!({"pix_code": pix("10.5")})).await.is(204);
    assert_eq!(codes(portal, &joao, &later).await["amount_cents"], 1050);
    change(portal, &ana, &later, json!({"pix_code": null, "amount_cents": 700})).await.is(204);
    assert_eq!(codes(portal, &joao, &later).await["amount_cents"], 700);
});

portal_test!(wrong_codes_and_amounts_are_refused_with_their_reason, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let id = portal.document(&joao, "faturas", "guia.pdf").await.id;
    for (values, reason) in [
        (json!({"payment_line": "123"}), "A linha digitável deve ter 47 ou 48 dígitos."),
        (
            json!({"payment_line": LINE.replace("24020-9", "24021-9")}),
            "Um dígito verificador da linha digitável está incorreto. Confira os números.",
        ),
        (
            json!({"pix_code": "https://exemplo.com"}),
            "O código não é um Pix copia e cola, ou está incompleto.",
        ),
        (
            json!({"pix_code": PIX.replace("Fulano", "Gulano")}),
            "O verificador do Pix copia e cola está incorreto. Copie o código de novo.",
        ),
        (
            json!({"payment_line": LINE, "amount_cents": 14_360}),
            "O valor do documento (R$ 143,60) é diferente do valor da linha digitável (R$ 143,59).",
        ),
        (
            json!({"payment_line": LINE, "pix_code": pix("1.00")}),
            "O valor da linha digitável (R$ 143,59) é diferente do valor do Pix (R$ 1,00).",
        ),
        (
            json!({"category": "Guia DAS"}),
            "A categoria tem só letras minúsculas sem acento, números e hífens.",
        ),
        (json!({"reference_month": "10/2026"}), "A competência é um mês, como 2026-10."),
    ] {
        let refused = change(portal, &ana, &id, values.clone()).await.refused(400, "23514");
        assert_eq!(refused.json()["message"], reason, "{values}");
        let mut row = values;
        row["name"] = json!("Outra");
        row["folder_id_supabase"] = json!("faturas");
        let insert = portal.post("/rest/v1/documents").auth(&ana).json(&row).send().await;
        assert_eq!(insert.refused(400, "23514").json()["message"], reason);
    }
    change(portal, &ana, &id, json!({"amount_cents": -1})).await.refused(400, "23514");
    // The amount of a document with a code cannot change alone, and a code cannot change without the amount.
    change(portal, &ana, &id, json!({"payment_line": LINE})).await.is(204);
    change(portal, &ana, &id, json!({"amount_cents": 1})).await.refused(400, "23514");
    change(portal, &ana, &id, json!({"pix_code": pix("1.00")})).await.refused(400, "23514");
    change(portal, &ana, &id, json!({"amount_cents": null})).await.is(204);
    assert_eq!(codes(portal, &joao, &id).await["amount_cents"], 14_359);
});

portal_test!(publication_time_is_when_the_client_could_first_open_the_document, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let published = async |id: &str| {
        let path = format!("documents?id=eq.{id}&select=published_at");
        read(portal, &joao, &path).await[0]["published_at"].clone()
    };
    let given = json!({"published_at": "2020-01-01T00:00:00Z"});
    let open = portal.document_with(&joao, "faturas", "a.pdf", given.clone()).await.id;
    assert_eq!(published(&open).await, "2026-11-21T15:00:00+00:00");
    let pending = json!({"status": "pending"});
    let waiting = portal.document_with(&joao, "faturas", "b.pdf", pending.clone()).await.id;
    assert_eq!(published(&waiting).await, json!(null));
    portal.advance(SignedDuration::from_mins(20));
    change(portal, &ana, &waiting, json!({"status": "active"})).await.is(204);
    assert_eq!(published(&waiting).await, "2026-11-21T15:20:00+00:00");
    // A second release and a value of the caller change nothing.
    portal.advance(SignedDuration::from_mins(20));
    for change_of in [pending, json!({"status": "active"}), given] {
        change(portal, &ana, &waiting, change_of).await.is(204);
    }
    assert_eq!(published(&waiting).await, "2026-11-21T15:20:00+00:00");
});

portal_test!(responsible_is_a_member_of_staff_and_hidden_from_clients, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let id = portal.document(&joao, "faturas", "a.pdf").await.id;
    change(portal, &ana, &id, json!({"responsible_id": joao.id})).await.refused(409, "23503");
    change(portal, &ana, &id, json!({"responsible_id": ana.id})).await.is(204);
    let path = format!("documents?id=eq.{id}&select=staff(email)");
    assert_eq!(read(portal, &ana, &path).await[0]["staff"]["email"], json!(ana.email));
    portal
        .get("/rest/v1/documents?select=responsible_id")
        .auth(&joao)
        .send()
        .await
        .refused(400, "42703");
});

portal_test!(client_reports_and_withdraws_a_payment, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let id = portal.document(&joao, "faturas", "guia.pdf").await.id;
    let payment = json!({"document_id": id, "paid_on": "2026-11-20", "note": "Pelo banco"});
    let first = report(portal, &joao, payment.clone()).await.is(201).json();
    // A repeated report returns the first one.
    let again = json!({"document_id": id, "paid_on": "2026-11-21"});
    assert_eq!(report(portal, &joao, again).await.is(201).json(), first);
    let embed = "documents?select=name,document_payments(paid_on,note)";
    let expected = json!([{"paid_on": "2026-11-20", "note": "Pelo banco"}]);
    for user in [&ana, &joao] {
        assert_eq!(read(portal, user, embed).await[0]["document_payments"], expected);
    }
    assert_eq!(read(portal, &maria, "document_payments").await, json!([]));
    report(portal, &maria, payment).await.refused(403, "42501");

    let path = format!("/rest/v1/document_payments?document_id=eq.{id}");
    portal.delete(&path).auth(&maria).send().await.is(204);
    assert_eq!(read(portal, &joao, "document_payments").await.as_array().unwrap().len(), 1);
    portal.delete(&path).auth(&joao).send().await.is(204);
    assert_eq!(read(portal, &joao, "document_payments").await, json!([]));
    let events = "activity?event=like.payment.*&select=event,subject,person_name&order=number";
    let events = read(portal, &ana, events).await;
    let names = crate::rest::column(&events, "event");
    assert_eq!(names, ["payment.reported", "payment.withdrawn"]);
    assert_eq!(events[0]["subject"], "guia.pdf");
});

portal_test!(day_of_a_payment_is_today_or_before, async |portal| {
    let joao = portal.client("joao").await;
    let id = portal.document(&joao, "faturas", "guia.pdf").await.id;
    for (day, reason) in [
        ("2026-11-22", "A data do pagamento está no futuro."),
        ("20/11/2026", "A data do pagamento é um dia, como 2026-11-20."),
        ("2026-11-31", "A data do pagamento é um dia, como 2026-11-20."),
        ("", "A data do pagamento é um dia, como 2026-11-20."),
    ] {
        let payment = json!({"document_id": id, "paid_on": day});
        let refused = report(portal, &joao, payment).await.refused(400, "23514");
        assert_eq!(refused.json()["message"], reason, "{day}");
    }
    // At 23:30 in São Paulo the next day has begun in UTC.
    portal.advance(SignedDuration::from_mins(11 * 60 + 30));
    let joao = portal.sign_in(&joao.email).await;
    let payment = json!({"document_id": id, "paid_on": "2026-11-22"});
    report(portal, &joao, payment).await.refused(400, "23514");
    let payment = json!({"document_id": id, "paid_on": "2026-11-21"});
    report(portal, &joao, payment).await.is(201);
});

portal_test!(payment_that_staff_record_belongs_to_the_client, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let document = portal.document(&joao, "faturas", "guia.pdf").await;
    let payment = json!({"document_id": document.id, "paid_on": "2026-11-20"});
    let recorded = report(portal, &ana, payment).await.is(201).json();
    assert_eq!(recorded["client_id"], json!(joao.id));
    let delete = format!("/rest/v1/documents?id=eq.{}", document.id);
    portal.delete(&delete).auth(&ana).send().await.is(204);
    assert_eq!(read(portal, &ana, "document_payments").await, json!([]));
    // A document without a client has no payer.
    let row = json!({"name": "Sem arquivo", "folder_id_supabase": "faturas"});
    let orphan = portal.post("/rest/v1/documents").auth(&ana).single().json(&row).send().await;
    let payment = json!({"document_id": orphan.is(201).json()["id"], "paid_on": "2026-11-20"});
    report(portal, &ana, payment).await.refused(409, "23503");
});

portal_test!(ticket_is_about_a_document_of_its_client, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let id = portal.document(&joao, "faturas", "guia.pdf").await.id;
    let ticket =
        json!({"subject": "Guia atualizada", "message": "A guia venceu.", "document_id": id});
    let open = |user: &TestUser, row: Value| {
        portal.post("/rest/v1/tickets").auth(user).single().json(&row).send()
    };
    open(&maria, ticket.clone()).await.refused(403, "42501");
    let mut of_maria = ticket.clone();
    of_maria["user_id"] = json!(maria.id);
    open(&ana, of_maria).await.refused(409, "23503");
    let opened = open(&joao, ticket).await.is(201).json();
    assert_eq!(opened["document_id"], json!(id));
    let path = format!("/rest/v1/tickets?id=eq.{}", opened["id"].as_str().unwrap());
    let change = |values: Value| portal.patch(&path).auth(&ana).json(&values).send();
    change(json!({"document_id": null})).await.refused(403, "42501");
    assert_eq!(
        read(portal, &joao, "tickets?select=documents(name)").await,
        json!([{"documents": {"name": "guia.pdf"}}])
    );
    // The document of one client does not follow a ticket that moves to another.
    change(json!({"user_id": maria.id})).await.is(204);
    assert_eq!(
        read(portal, &maria, "tickets?select=document_id").await,
        json!([{"document_id": null}])
    );
});

portal_test!(ticket_survives_the_deletion_of_its_document, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let id = portal.document(&joao, "faturas", "guia.pdf").await.id;
    let ticket = json!({"subject": "Guia", "message": "A guia venceu.", "document_id": id});
    portal.post("/rest/v1/tickets").auth(&joao).json(&ticket).send().await.is(201);
    portal.delete(&format!("/rest/v1/documents?id=eq.{id}")).auth(&ana).send().await.is(204);
    assert_eq!(
        read(portal, &joao, "tickets?select=document_id").await,
        json!([{"document_id": null}])
    );
});

portal_test!(unpublished_document_is_neither_opened_nor_paid, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let pending = json!({"status": "pending"});
    let draft = portal.document_with(&joao, "faturas", "a.pdf", pending).await.id;
    let withdrawn = portal.document(&joao, "faturas", "b.pdf").await.id;
    let withdraw = portal.post("/rest/v1/rpc/withdraw_documents").auth(&ana);
    withdraw.json(&json!({"documents": [withdrawn]})).send().await.is(204);
    let ghost = uuid::Uuid::nil().to_string();
    for (table, row) in [
        ("document_payments", json!({"paid_on": "2026-11-20"})),
        ("document_receipts", json!({"action": "opened"})),
        ("tickets", json!({"subject": "Dúvida", "message": "Uma mensagem longa."})),
    ] {
        let insert = async |id: &str| {
            let mut row = row.clone();
            row["document_id"] = id.into();
            portal.post(&format!("/rest/v1/{table}")).auth(&joao).json(&row).send().await
        };
        let missing = insert(&ghost).await.refused(403, "42501").seen();
        for id in [&draft, &withdrawn] {
            assert_eq!(insert(id).await.seen(), missing, "{table}");
        }
    }
    change(portal, &ana, &draft, json!({"status": "active"})).await.is(204);
    let payment = json!({"document_id": draft, "paid_on": "2026-11-20"});
    report(portal, &joao, payment).await.is(201);
});
