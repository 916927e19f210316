//! The publication of files of the inbox: once, in the name of a member of the staff, and within the quota.

use std::time::Duration;

use jiff::SignedDuration;
use portaria::jobs::{publish_inbox, read_inbox};
use portaria_recognize::child::Limits;
use serde_json::{Value, json};

use crate::harness::portal_test;
use crate::inbox::{
    CNPJ, call, company, das, documents, drop_file, files, pdf, publish_due, read_all, review,
};

portal_test!(refused_publication_returns_to_the_review, async |portal| {
    let (ana, padaria) = (portal.admin().await, company(portal, "padaria", CNPJ).await);
    drop_file(portal, &ana, "guia.pdf", das(CNPJ, "11/2026")).await.is(200);
    read_all(portal).await;
    let file = files(portal, &ana).await.remove(0);
    review(portal, &ana, &file["id"], json!({"folder_id_supabase": "faturas"})).await.is(204);
    call(portal, &ana, "publish_inbox", json!({"files": [file["id"]]})).await.is(200);
    let folder = json!({"folder": "faturas", "target": null});
    call(portal, &ana, "delete_folder", folder).await.is(204);
    publish_due(portal).await;
    assert!(documents(portal, &padaria).await.is_empty());
    let back = files(portal, &ana).await.remove(0);
    assert_eq!(back["review_group"], "problem");
    assert_eq!(back["problem"], "A pasta não existe mais.");
});

portal_test!(files_of_a_former_publisher_return_to_the_review, async |portal| {
    let (ana, padaria) = (portal.admin().await, company(portal, "padaria", CNPJ).await);
    for (name, month) in [("bia", "11/2026"), ("caio", "10/2026")] {
        let staff = portal.colleague(name, "employee", false).await;
        drop_file(portal, &staff, &format!("{name}.pdf"), das(CNPJ, month)).await.is(200);
        read_all(portal).await;
        let path = format!("/rest/v1/inbox_files?name=eq.{name}.pdf");
        let file = portal.get(&path).auth(&staff).send().await.is(200).json()[0].clone();
        let folder = json!({"folder_id_supabase": "faturas"});
        review(portal, &staff, &file["id"], folder).await.is(204);
        call(portal, &staff, "publish_inbox", json!({"files": [file["id"]]})).await.is(200);
        let account = format!("/auth/v1/admin/users/{}", staff.id);
        if name == "bia" {
            portal.delete(&account).auth(&ana).send().await.is(200);
        } else {
            let ban = portal.put(&account).auth(&ana).json(&json!({"ban_duration": "24h"}));
            ban.send().await.is(200);
        }
    }
    publish_due(portal).await;
    assert!(documents(portal, &padaria).await.is_empty());
    for file in files(portal, &ana).await {
        assert_eq!(file["review_group"], "problem", "{file}");
        assert_eq!(file["problem"], "Quem publicou não trabalha mais no escritório.");
    }
});

portal_test!(publication_takes_the_space_of_the_file_once, async |portal| {
    let bytes = das(CNPJ, "11/2026");
    portal.set("quota", &(bytes.len() + 10).to_string());
    let (ana, padaria) = (portal.admin().await, company(portal, "padaria", CNPJ).await);
    drop_file(portal, &ana, "guia.pdf", bytes).await.is(200);
    read_all(portal).await;
    let file = files(portal, &ana).await.remove(0);
    review(portal, &ana, &file["id"], json!({"folder_id_supabase": "faturas"})).await.is(204);
    call(portal, &ana, "publish_inbox", json!({"files": [file["id"]]})).await.is(200);
    publish_due(portal).await;
    assert_eq!(documents(portal, &padaria).await.len(), 1);
});

portal_test!(two_nodes_read_and_publish_each_file_once, async |portal| {
    let (ana, padaria) = (portal.admin().await, company(portal, "padaria", CNPJ).await);
    for month in 1..=6 {
        let name = format!("{month}.pdf");
        drop_file(portal, &ana, &name, das(CNPJ, &format!("0{month}/2026"))).await.is(200);
    }
    let node = portal.another_node();
    let reader = portal.app.reader(Limits::default());
    let (one, two) = tokio::join!(
        read_inbox::read_all(&portal.app, &reader),
        read_inbox::read_all(&node, &reader)
    );
    one.and(two).unwrap();
    let all = files(portal, &ana).await;
    for file in &all {
        review(portal, &ana, &file["id"], json!({"folder_id_supabase": "faturas"})).await.is(204);
    }
    let ids: Vec<&Value> = all.iter().map(|file| &file["id"]).collect();
    call(portal, &ana, "publish_inbox", json!({"files": ids})).await.is(200);
    portal.advance(SignedDuration::from_secs(61));
    let (one, two) =
        tokio::join!(publish_inbox::publish_due(&portal.app), publish_inbox::publish_due(&node));
    assert!(one.and(two).unwrap() > Duration::ZERO);
    publish_inbox::publish_due(&portal.app).await.unwrap();
    assert_eq!(documents(portal, &padaria).await.len(), 6);
});

portal_test!(one_file_replaces_a_document_and_notifies_its_client, async |portal| {
    let (ana, padaria) = (portal.admin().await, company(portal, "padaria", CNPJ).await);
    let find = async |name: &str| {
        let all = files(portal, &ana).await;
        all.into_iter().find(|file| file["name"] == name).unwrap()
    };
    let publish = async |names: &[&str]| {
        let mut ids = Vec::new();
        for name in names {
            ids.push(find(name).await["id"].clone());
        }
        call(portal, &ana, "publish_inbox", json!({"files": ids})).await.is(200);
        publish_due(portal).await;
    };
    let unread = "/rest/v1/notifications?kind=eq.document_new&read_at=is.null";
    for name in ["1.pdf", "2.pdf", "3.pdf"] {
        let bytes = [das(CNPJ, "11/2026"), format!("\n% {name}").into_bytes()].concat();
        drop_file(portal, &ana, name, bytes).await.is(200);
        read_all(portal).await;
        let folder = json!({"folder_id_supabase": "faturas"});
        review(portal, &ana, &find(name).await["id"], folder).await.is(204);
    }
    publish(&["1.pdf"]).await;
    assert_eq!(documents(portal, &padaria).await.len(), 1);
    let change = portal.patch(unread).auth(&padaria).json(&json!({"read_at": portal.now()}));
    change.send().await.is(204);

    // The others were read before, and need a decision now.
    for name in ["2.pdf", "3.pdf"] {
        let file = find(name).await;
        assert_eq!(file["review_group"], "doubtful", "{file}");
        let replace = json!({"duplicate_choice": "replace"});
        review(portal, &ana, &file["id"], replace).await.is(204);
    }
    publish(&["2.pdf", "3.pdf"]).await;
    assert_eq!(documents(portal, &padaria).await.len(), 1);
    let (second, third) = (find("2.pdf").await, find("3.pdf").await);
    let returned = if second["state"] == "ready" { second } else { third };
    assert_eq!(returned["duplicate_choice"], json!(null));
    let problem = "Outro arquivo já substituiu este documento. Confira qual vale.";
    assert_eq!(returned["problem"], problem);
    let news = portal.get(unread).auth(&padaria).send().await.is(200).json();
    assert_eq!(news.as_array().unwrap().len(), 1, "{news}");
});

portal_test!(payslips_of_a_month_repeat_nothing_and_ask_for_no_payment, async |portal| {
    let (ana, padaria) = (portal.admin().await, company(portal, "padaria", CNPJ).await);
    for employee in ["Maria", "Pedro"] {
        let payslip = pdf(&[
            "Recibo de Pagamento de Salario - Holerite",
            &format!("Empregador CNPJ {CNPJ}"),
            &format!("Empregado {employee} da Silva"),
            "Competencia: 11/2026",
            "Vencimentos  Descontos  Base de Calculo do FGTS",
            "Valor Liquido: 2.500,00",
        ]);
        drop_file(portal, &ana, &format!("{employee}.pdf"), payslip).await.is(200);
        read_all(portal).await;
        let path = format!("/rest/v1/inbox_files?name=eq.{employee}.pdf");
        let file = portal.get(&path).auth(&ana).send().await.is(200).json()[0].clone();
        assert_eq!(
            (&file["category"], &file["reference_month"]),
            (&json!("payslip"), &json!("2026-11"))
        );
        assert_eq!((&file["duplicate_of_id"], &file["amount_cents"]), (&json!(null), &json!(null)));
        let folder = json!({"folder_id_supabase": "faturas"});
        review(portal, &ana, &file["id"], folder).await.is(204);
        call(portal, &ana, "publish_inbox", json!({"files": [file["id"]]})).await.is(200);
        publish_due(portal).await;
    }
    assert_eq!(documents(portal, &padaria).await.len(), 2);
});
