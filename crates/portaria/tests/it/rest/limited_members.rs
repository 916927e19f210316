//! Members of a client who are limited to folders.

use serde_json::{Value, json};

use crate::harness::{PDF, TestPortal, TestUser, object, portal_test};
use crate::rest::read;

/// A client with a document in each of two folders, and rows about both. The member reaches the first folder only.
struct Fixture {
    joao: TestUser,
    rh: TestUser,
    membership: String,
    /// The documents, the member's first.
    own: String,
    other: String,
    other_file: String,
}

async fn fill(portal: &TestPortal) -> Fixture {
    let (joao, rh) = (portal.client("joao").await, portal.client("rh").await);
    let membership = portal.limit(&joao, &rh, &["faturas"]).await;
    let asks = json!({"approval_request": "approve", "expires_at": "2026-11-30"});
    let own = portal.document_with(&joao, "faturas", "folha.pdf", asks.clone()).await;
    let other = portal.document_with(&joao, "contratos", "contrato.pdf", asks).await;
    for id in [&own.id, &other.id] {
        for (table, row) in [
            ("document_receipts", json!({"document_id": id, "action": "opened"})),
            ("document_payments", json!({"document_id": id, "paid_on": "2026-11-20"})),
        ] {
            let request = portal.post(&format!("/rest/v1/{table}")).auth(&joao);
            request.json(&row).send().await.is(201);
        }
        portal.insert("document_contacts", json!({"document_id": id, "kind": "whatsapp"})).await;
    }
    let other_file = other.path.clone();
    Fixture { joao, rh, membership, own: own.id, other: other.id, other_file }
}

async fn count(portal: &TestPortal, who: &TestUser, path: &str) -> usize {
    read(portal, who, path).await.as_array().unwrap().len()
}

portal_test!(limited_member_reads_documents_of_the_folders_only, async |portal| {
    let Fixture { joao, rh, membership, own, other, .. } = fill(portal).await;
    for table in [
        "documents",
        "document_receipts",
        "document_payments",
        "document_contacts",
        "notifications?kind=eq.approval_asked",
    ] {
        assert_eq!(count(portal, &rh, table).await, 1, "{table}");
        assert!(!read(portal, &rh, table).await.to_string().contains(&other), "{table}");
    }
    assert_eq!(count(portal, &joao, "documents").await, 2);
    assert_eq!(
        read(portal, &rh, "folders?select=id_supabase").await,
        json!([{"id_supabase": "faturas"}])
    );
    let found = "documents?select=id&name=plfts(portuguese).contrato";
    assert_eq!(read(portal, &rh, found).await, json!([]));
    let counted = portal.get("/rest/v1/documents?select=id").auth(&rh).prefer("count=exact");
    assert_eq!(counted.send().await.header("content-range"), "0-0/1");
    // A ticket belongs to the client as a whole, and names no document that the person does not reach.
    let row = json!({"subject": "Dúvida", "message": "Uma mensagem longa.", "document_id": other});
    portal.post("/rest/v1/tickets").auth(&joao).json(&row).send().await.is(201);
    let tickets = read(portal, &rh, "tickets?select=subject,documents(name)").await;
    assert_eq!(tickets, json!([{"subject": "Dúvida", "documents": null}]));

    // A change counts at once.
    portal.change_folders(&joao, &membership, Some(&["contratos"])).await;
    let ids = read(portal, &rh, "documents?select=id").await;
    assert_eq!(ids, json!([{"id": other}]));
    portal.change_folders(&joao, &membership, None).await;
    assert_eq!(count(portal, &rh, "documents").await, 2);
    let path = format!("client_members?select=folders&id=eq.{membership}");
    assert_eq!(read(portal, &joao, &path).await, json!([{"folders": null}]));
    portal.change_folders(&joao, &membership, Some(&["faturas", "contratos"])).await;
    let folders = json!([{"folders": ["contratos", "faturas"]}]);
    assert_eq!(read(portal, &joao, &path).await, folders);
    assert_eq!(count(portal, &rh, &format!("documents?id=eq.{own}")).await, 1);
});

portal_test!(limited_member_writes_nothing_about_other_documents, async |portal| {
    let Fixture { rh, own, other, other_file, .. } = fill(portal).await;
    let ticket = json!({"subject": "Dúvida", "message": "Uma mensagem longa."});
    for (table, row) in [
        ("document_receipts", json!({"action": "opened"})),
        ("document_payments", json!({"paid_on": "2026-11-20"})),
        ("document_approvals", json!({"outcome": "approved", "file_url": other_file})),
        ("tickets", ticket),
    ] {
        let about = |id: &str| {
            let mut row = row.clone();
            row["document_id"] = json!(id);
            row
        };
        let refused = portal.post(&format!("/rest/v1/{table}")).auth(&rh).json(&about(&other));
        let refused = refused.send().await.refused(403, "42501").text();
        // Like a document that does not exist.
        let unknown = about("00000000-0000-0000-0000-000000000000");
        let unknown = portal.post(&format!("/rest/v1/{table}")).auth(&rh).json(&unknown);
        assert_eq!(unknown.send().await.refused(403, "42501").text(), refused, "{table}");
        if table != "document_approvals" {
            let request = portal.post(&format!("/rest/v1/{table}")).auth(&rh).json(&about(&own));
            assert!(request.send().await.status.is_success(), "{table}");
        }
    }
    let path = format!("/rest/v1/document_payments?document_id=eq.{other}");
    let deleted = portal.delete(&path).auth(&rh).prefer("return=representation").send().await;
    assert_eq!(deleted.is(200).json(), json!([]));
});

portal_test!(limited_member_reaches_no_file_of_other_folders, async |portal| {
    let Fixture { joao, rh, membership, other_file, .. } = fill(portal).await;
    let own = format!("public/{}/faturas/folha.pdf", joao.id);
    portal.get(&object(&own)).auth(&rh).send().await.is(200);
    portal.get(&object(&other_file)).auth(&rh).send().await.refused(400, "NoSuchKey");
    let sign = |path: &str| format!("/storage/v1/object/sign/client-documents/{path}");
    let hour = json!({"expiresIn": 3600});
    portal.post(&sign(&other_file)).auth(&rh).json(&hour).send().await.refused(400, "NoSuchKey");
    let signed = portal.post(&sign(&own)).auth(&rh).json(&hour).send().await.is(200).json();
    let url = format!("/storage/v1{}", signed["signedURL"].as_str().unwrap());
    portal.get(&url).send().await.is(200);
    let list = async |folder: &str| -> Value {
        let body = json!({"prefix": format!("public/{}/{folder}", joao.id)});
        let request = portal.post("/storage/v1/object/list/client-documents").auth(&rh);
        request.json(&body).send().await.is(200).json()
    };
    assert_eq!(list("faturas").await.as_array().unwrap().len(), 1);
    assert_eq!(list("contratos").await, json!([]));
    // A signed URL ends with the right of the person who signed it.
    portal.change_folders(&joao, &membership, Some(&["contratos"])).await;
    assert!(!portal.get(&url).send().await.status.is_success());
});

portal_test!(limited_member_sees_own_sent_files_and_those_filed_in_the_folders, async |portal| {
    let Fixture { joao, rh, .. } = fill(portal).await;
    let send = async |who: &TestUser, name: &str| -> String {
        let path = format!("{}/unrequested/{name}", joao.id);
        let place = format!("/storage/v1/object/received-files/{path}");
        portal.post(&place).auth(who).bytes("application/pdf", PDF).send().await.is(200);
        let row = json!({"name": name, "file_url": path});
        let request = portal.post("/rest/v1/received_files?select=id").auth(who);
        let request = request.prefer("return=representation").json(&row);
        request.send().await.is(201).json()[0]["id"].as_str().unwrap().to_owned()
    };
    let (of_joao, of_rh) = (send(&joao, "socio.pdf").await, send(&rh, "folha-envio.pdf").await);
    let names = "received_files?select=name&order=name";
    assert_eq!(read(portal, &rh, names).await, json!([{"name": "folha-envio.pdf"}]));
    assert_eq!(count(portal, &joao, "received_files").await, 2);
    let file =
        |name: &str| format!("/storage/v1/object/received-files/{}/unrequested/{name}", joao.id);
    portal.get(&file("socio.pdf")).auth(&rh).send().await.refused(400, "NoSuchKey");
    portal.get(&file("folha-envio.pdf")).auth(&rh).send().await.is(200);
    let path = format!("/rest/v1/received_files?id=eq.{of_joao}");
    let deleted = portal.delete(&path).auth(&rh).prefer("return=representation").send().await;
    assert_eq!(deleted.is(200).json(), json!([]));

    for (id, folder) in [(&of_joao, "faturas"), (&of_rh, "contratos")] {
        let body = json!({"folder": folder, "names": {id.as_str(): "Arquivado"}});
        let request = portal.post("/rest/v1/rpc/file_received_files");
        request.bearer(&portal.app.keys.service_role).json(&body).send().await.is(200);
    }
    assert_eq!(read(portal, &rh, names).await, json!([{"name": "socio.pdf"}]));
});

portal_test!(limit_names_folders_of_the_office_and_never_limits_an_owner, async |portal| {
    let Fixture { joao, rh, membership, .. } = fill(portal).await;
    let path = format!("/account/v1/members/{membership}");
    let change = async |who: &TestUser, change: Value| {
        portal.patch(&path).auth(who).json(&change).send().await
    };
    for refused in [
        json!({"folders": []}),
        json!({"folders": ["nada"]}),
        json!({"folders": ["faturas", "nada"]}),
        json!({"folders": "faturas"}),
        json!({"role": "owner", "folders": ["faturas"]}),
    ] {
        change(&joao, refused).await.refused(400, "validation_failed");
    }
    // Not by the person, and not by a member.
    change(&rh, json!({"folders": null})).await.refused(403, "not_owner");
    let owner = json!({
        "email": "x@y.example", "name": "X", "role": "owner", "folders": ["faturas"],
    });
    let request = portal.post("/account/v1/members").auth(&joao).json(&owner);
    request.send().await.refused(400, "validation_failed");

    change(&joao, json!({"role": "owner"})).await.is(204);
    assert_eq!(count(portal, &rh, "documents").await, 2);
    change(&joao, json!({"folders": ["faturas"]})).await.refused(400, "validation_failed");
    change(&joao, json!({"role": "member", "folders": ["faturas"]})).await.is(204);
    assert_eq!(count(portal, &rh, "documents").await, 1);
    let ana = portal.admin().await;
    let events = "activity?select=event,detail&event=like.member.*&order=number";
    let member = |event: &str, detail: Value| json!({"event": event, "detail": detail});
    let expected = json!([
        member("member.added", json!({"role": "member", "folders": ["faturas"]})),
        member("member.role_changed", json!({"role": "owner"})),
        member("member.folders_changed", json!({"folders": null})),
        member("member.role_changed", json!({"role": "member"})),
        member("member.folders_changed", json!({"folders": ["faturas"]})),
    ]);
    assert_eq!(read(portal, &ana, events).await, expected);
});

portal_test!(limit_stays_when_its_folders_are_deleted, async |portal| {
    let Fixture { joao, rh, membership, .. } = fill(portal).await;
    portal.change_folders(&joao, &membership, Some(&["faturas", "documentos-pessoais"])).await;
    let delete = async |folder: &str| {
        let body = json!({"folder": folder, "target": "contratos"});
        let request = portal.post("/rest/v1/rpc/delete_folder");
        request.bearer(&portal.app.keys.service_role).json(&body).send().await.is(204);
    };
    delete("documentos-pessoais").await;
    assert_eq!(count(portal, &rh, "documents").await, 1);
    delete("faturas").await;
    assert_eq!(count(portal, &rh, "documents").await, 0);
    let path = format!("client_members?select=folders&id=eq.{membership}");
    assert_eq!(read(portal, &joao, &path).await, json!([{"folders": []}]));
    assert_eq!(count(portal, &joao, "documents").await, 2);
});

portal_test!(limited_member_learns_no_owner_of_other_documents, async |portal| {
    let Fixture { joao, rh, own, other, .. } = fill(portal).await;
    for (id, owner) in [(own, json!(joao.id)), (other, Value::Null)] {
        let path = format!("/account/v1/clients?document={id}");
        let choice = portal.get(&path).auth(&rh).send().await.is(200).json();
        assert_eq!(choice["owner_id"], owner);
    }
});
