//! Documents and folders: ownership and references.

use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, object, portal_test, request::Answer};
use crate::rest::read;

async fn insert(portal: &TestPortal, ana: &TestUser, row: Value) -> Answer {
    portal.post("/rest/v1/documents").auth(ana).single().json(&row).send().await
}

fn row(path: &str, folder: &str) -> Value {
    json!({"name": "Contrato", "type": "pdf", "folder_id_supabase": folder, "file_url": path})
}

portal_test!(document_belongs_to_the_client_in_its_file_path, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let path = portal.upload(&joao, "contratos", "1-a.pdf").await;
    let document = insert(portal, &ana, row(&path, "contratos")).await.is(201).json();
    assert_eq!(document["client_id"], json!(joao.id));
    assert_eq!(document["size"], crate::harness::PDF.len());
    assert_eq!(document["status"], "active");
    assert_eq!(read(portal, &joao, "documents?select=name").await, json!([{"name": "Contrato"}]));
    assert_eq!(read(portal, &maria, "documents?select=name").await, json!([]));
    // The size comes from the file and the owner from the path, whatever the payload contains.
    let mut named = row(&path, "contratos");
    named["client_id"] = json!(joao.id);
    named["size"] = json!(7);
    let named = insert(portal, &ana, named).await.is(201).json();
    assert_eq!(named["size"], crate::harness::PDF.len());
});

portal_test!(document_requires_an_existing_file_and_client, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let path = portal.upload(&joao, "contratos", "a.pdf").await;
    let ghost = uuid::Uuid::nil();
    for (path, folder) in [
        (format!("public/{}/contratos/nada.pdf", joao.id), "contratos"),
        (format!("public/{}/contratos/a.pdf", maria.id), "contratos"),
        (format!("public/{ghost}/contratos/a.pdf"), "contratos"),
        (format!("private/{}/contratos/a.pdf", joao.id), "contratos"),
        (format!("public/{}/contratos/../contratos/a.pdf", joao.id), "contratos"),
        (format!("/{path}"), "contratos"),
        (format!("{path}/"), "contratos"),
        (format!("client-documents/{path}"), "contratos"),
        (path.clone(), "faturas"),
        ("a.pdf".into(), "contratos"),
        (String::new(), "contratos"),
    ] {
        insert(portal, &ana, row(&path, folder)).await.refused(409, "23503");
    }
    let mut other = row(&path, "contratos");
    other["client_id"] = json!(maria.id);
    insert(portal, &ana, other).await.refused(409, "23503");
    insert(portal, &ana, json!({"name": "x", "folder_id_supabase": "nada"}))
        .await
        .refused(409, "23503");
    insert(portal, &ana, json!({"name": "", "folder_id_supabase": "contratos"}))
        .await
        .refused(400, "23514");
    assert_eq!(read(portal, &ana, "documents").await, json!([]));
});

portal_test!(staff_cannot_own_documents, async |portal| {
    let ana = portal.admin().await;
    let path = portal.upload(&ana, "contratos", "a.pdf").await;
    insert(portal, &ana, row(&path, "contratos")).await.refused(409, "23503");
});

portal_test!(file_of_a_document_cannot_move_to_another_client, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    let change = |change: Value| {
        portal
            .patch(&format!("/rest/v1/documents?id=eq.{}", document.id))
            .auth(&ana)
            .json(&change)
            .send()
    };
    change(json!({"client_id": maria.id})).await.refused(409, "23503");
    portal.get(&object(&document.path)).auth(&maria).send().await.refused(400, "NoSuchKey");
    portal.get(&object(&document.path)).auth(&joao).send().await.is(200);
    // The office may change all other columns.
    change(json!({"name": "Novo nome", "folder_id_supabase": "faturas", "expires_at": null}))
        .await
        .is(204);
    let seen = read(portal, &joao, "documents?select=name,folder_id_supabase").await;
    assert_eq!(seen, json!([{"name": "Novo nome", "folder_id_supabase": "faturas"}]));
});

portal_test!(folder_with_documents_cannot_be_deleted, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    let delete = |path: String| portal.delete(&format!("/rest/v1/{path}")).auth(&ana).send();
    delete("folders?id_supabase=eq.contratos".into()).await.refused(409, "23503");
    delete(format!("documents?id=eq.{}", document.id)).await.is(204);
    delete("folders?id_supabase=eq.contratos".into()).await.is(204);
    delete("folders?id_supabase=eq.contratos".into()).await.is(204);
});

portal_test!(folder_key_is_unique, async |portal| {
    let ana = portal.admin().await;
    let again = json!([{"id_supabase": "contratos", "name": "Outros contratos"}]);
    let answer = portal.post("/rest/v1/folders").auth(&ana).json(&again).send().await;
    assert_eq!(
        answer.refused(409, "23505").json()["message"],
        "duplicate key value violates unique constraint \"folders_id_supabase_key\""
    );
    let kind = json!({"id_supabase": "x", "name": "X", "kind": "segredo"});
    portal.post("/rest/v1/folders").auth(&ana).json(&kind).send().await.refused(400, "23514");
});

portal_test!(deleted_document_deletes_its_file_unless_shared, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let first = portal.document(&joao, "contratos", "a.pdf").await;
    let second = insert(portal, &ana, row(&first.path, "contratos")).await.is(201).json();
    let delete = |id: &str| portal.delete(&format!("/rest/v1/documents?id=eq.{id}")).auth(&ana);
    let deleted = delete(&first.id).single().send().await.is(200).json();
    assert_eq!(deleted["name"], "a.pdf");
    portal.get(&object(&first.path)).auth(&joao).send().await.is(200);
    delete(second["id"].as_str().unwrap()).send().await.is(204);
    portal.get(&object(&first.path)).auth(&ana).send().await.refused(400, "NoSuchKey");
});

portal_test!(replaced_file_is_deleted_and_receipts_remain, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let document = portal.document(&joao, "contratos", "1-a.pdf").await;
    let opened = json!({"document_id": document.id, "action": "opened"});
    portal.post("/rest/v1/document_receipts").auth(&joao).json(&opened).send().await.is(201);
    let replace = |path: &str| {
        portal
            .patch(&format!("/rest/v1/documents?id=eq.{}", document.id))
            .auth(&ana)
            .json(&json!({"file_url": path}))
            .send()
    };
    // A file of another client or a missing file: nothing changes.
    let foreign = portal.upload(&maria, "contratos", "1-b.pdf").await;
    replace(&foreign).await.refused(409, "23503");
    replace(&format!("public/{}/contratos/nada.pdf", joao.id)).await.refused(409, "23503");
    portal.get(&object(&document.path)).auth(&joao).send().await.is(200);

    let new = portal.upload(&joao, "contratos", "2-a.pdf").await;
    replace(&new).await.is(204);
    portal.get(&object(&new)).auth(&joao).send().await.is(200);
    portal.get(&object(&document.path)).auth(&ana).send().await.refused(400, "NoSuchKey");
    let receipts = read(portal, &ana, "document_receipts?select=action").await;
    assert_eq!(receipts, json!([{"action": "opened"}]));
    // The same file again is not deleted.
    replace(&new).await.is(204);
    portal.get(&object(&new)).auth(&joao).send().await.is(200);

    // A file that another document uses remains.
    insert(portal, &ana, row(&new, "contratos")).await.is(201);
    let third = portal.upload(&joao, "contratos", "3-a.pdf").await;
    replace(&third).await.is(204);
    portal.get(&object(&new)).auth(&joao).send().await.is(200);
});

portal_test!(document_upsert_follows_the_rules_of_updates, async |portal| {
    let (ana, joao, maria) =
        (portal.admin().await, portal.client("joao").await, portal.client("maria").await);
    let document = portal.document(&joao, "contratos", "1-a.pdf").await;
    let merge = |change: Value| {
        let mut row =
            json!({"id": document.id, "name": "Contrato", "folder_id_supabase": "contratos"});
        row.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let merge = portal.post("/rest/v1/documents").auth(&ana).json(&row);
        merge.header("prefer", "resolution=merge-duplicates").send()
    };
    // Otherwise the client could read a file of another client.
    let foreign = portal.upload(&maria, "contratos", "1-b.pdf").await;
    merge(json!({"file_url": foreign})).await.refused(409, "23503");
    portal.get(&object(&foreign)).auth(&joao).send().await.refused(400, "NoSuchKey");
    // Columns that the portal maintains stay unchanged.
    merge(json!({"retention_expired_at": "2020-01-01", "was_opened": true})).await.is(200);
    let path =
        format!("documents?select=name,retention_expired_at,was_opened&id=eq.{}", document.id);
    let there = json!([{"name": "Contrato", "retention_expired_at": null, "was_opened": false}]);
    assert_eq!(read(portal, &ana, &path).await, there);
    assert_eq!(
        read(portal, &ana, "documents?select=id&search_name=eq.contrato").await,
        json!([{"id": document.id}])
    );
    // The old file is deleted with the change, unless it is on legal hold.
    let new = portal.upload(&joao, "contratos", "2-a.pdf").await;
    merge(json!({"file_url": new})).await.is(200);
    portal.get(&object(&document.path)).auth(&ana).send().await.refused(400, "NoSuchKey");
    merge(json!({"legal_hold_reason": "Processo 123"})).await.is(200);
    let third = portal.upload(&joao, "contratos", "3-a.pdf").await;
    merge(json!({"file_url": third})).await.refused(409, "document_held");
    portal.get(&object(&new)).auth(&joao).send().await.is(200);
});

portal_test!(folder_upsert_cannot_change_the_key, async |portal| {
    let ana = portal.admin().await;
    let folders = read(portal, &ana, "folders?select=id,id_supabase,name&order=position").await;
    let merge = |row: &Value| {
        let merge = portal.post("/rest/v1/folders").auth(&ana).json(row);
        merge.header("prefer", "resolution=merge-duplicates").send()
    };
    let mut row = folders[0].clone();
    row["name"] = json!("Outro nome");
    merge(&row).await.is(200);
    row["id_supabase"] = json!("outro-endereco");
    merge(&row).await.refused(403, "42501");
});
