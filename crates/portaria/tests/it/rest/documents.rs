//! Documents and folders: ownership and references.

use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, object, portal_test, request::Answer};
use crate::rest::read;

async fn insert(world: &TestPortal, ana: &TestUser, row: Value) -> Answer {
    world.post("/rest/v1/documents").as_(ana).single().json(&row).send().await
}

fn row(path: &str, folder: &str) -> Value {
    json!({"name": "Contrato", "type": "pdf", "folder_id_supabase": folder, "file_url": path})
}

portal_test!(document_belongs_to_the_client_in_its_file_path, async |world| {
    let (ana, joao, maria) =
        (world.admin().await, world.client("joao").await, world.client("maria").await);
    let path = world.upload(&joao, "contratos", "1-a.pdf").await;
    let document = insert(world, &ana, row(&path, "contratos")).await.is(201).json();
    assert_eq!(document["client_id"], json!(joao.id));
    assert_eq!(document["size"], crate::harness::PDF.len());
    assert_eq!(document["status"], "active");
    assert_eq!(read(world, &joao, "documents?select=name").await, json!([{"name": "Contrato"}]));
    assert_eq!(read(world, &maria, "documents?select=name").await, json!([]));
    // The size comes from the file and the owner from the path, whatever the payload contains.
    let mut named = row(&path, "contratos");
    named["client_id"] = json!(joao.id);
    named["size"] = json!(7);
    let named = insert(world, &ana, named).await.is(201).json();
    assert_eq!(named["size"], crate::harness::PDF.len());
});

portal_test!(document_requires_an_existing_file_and_client, async |world| {
    let (ana, joao, maria) =
        (world.admin().await, world.client("joao").await, world.client("maria").await);
    let path = world.upload(&joao, "contratos", "a.pdf").await;
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
        insert(world, &ana, row(&path, folder)).await.refused(409, "23503");
    }
    let mut other = row(&path, "contratos");
    other["client_id"] = json!(maria.id);
    insert(world, &ana, other).await.refused(409, "23503");
    insert(world, &ana, json!({"name": "x", "folder_id_supabase": "nada"}))
        .await
        .refused(409, "23503");
    insert(world, &ana, json!({"name": "", "folder_id_supabase": "contratos"}))
        .await
        .refused(400, "23514");
    assert_eq!(read(world, &ana, "documents").await, json!([]));
});

portal_test!(staff_cannot_own_documents, async |world| {
    let ana = world.admin().await;
    let path = world.upload(&ana, "contratos", "a.pdf").await;
    insert(world, &ana, row(&path, "contratos")).await.refused(409, "23503");
});

portal_test!(file_of_a_document_cannot_move_to_another_client, async |world| {
    let (ana, joao, maria) =
        (world.admin().await, world.client("joao").await, world.client("maria").await);
    let document = world.document(&joao, "contratos", "a.pdf").await;
    let change = |change: Value| {
        world
            .patch(&format!("/rest/v1/documents?id=eq.{}", document.id))
            .as_(&ana)
            .json(&change)
            .send()
    };
    change(json!({"client_id": maria.id})).await.refused(409, "23503");
    world.get(&object(&document.path)).as_(&maria).send().await.refused(400, "NoSuchKey");
    world.get(&object(&document.path)).as_(&joao).send().await.is(200);
    // The office may change all other columns.
    change(json!({"name": "Novo nome", "folder_id_supabase": "faturas", "expires_at": null}))
        .await
        .is(204);
    let seen = read(world, &joao, "documents?select=name,folder_id_supabase").await;
    assert_eq!(seen, json!([{"name": "Novo nome", "folder_id_supabase": "faturas"}]));
});

portal_test!(folder_with_documents_cannot_be_deleted, async |world| {
    let (ana, joao) = (world.admin().await, world.client("joao").await);
    let document = world.document(&joao, "contratos", "a.pdf").await;
    let delete = |path: String| world.delete(&format!("/rest/v1/{path}")).as_(&ana).send();
    delete("folders?id_supabase=eq.contratos".into()).await.refused(409, "23503");
    delete(format!("documents?id=eq.{}", document.id)).await.is(204);
    delete("folders?id_supabase=eq.contratos".into()).await.is(204);
    delete("folders?id_supabase=eq.contratos".into()).await.is(204);
});

portal_test!(folder_key_is_unique, async |world| {
    let ana = world.admin().await;
    let again = json!([{"id_supabase": "contratos", "name": "Outros contratos"}]);
    let answer = world.post("/rest/v1/folders").as_(&ana).json(&again).send().await;
    assert_eq!(
        answer.refused(409, "23505").json()["message"],
        "duplicate key value violates unique constraint \"folders_id_supabase_key\""
    );
    let kind = json!({"id_supabase": "x", "name": "X", "kind": "segredo"});
    world.post("/rest/v1/folders").as_(&ana).json(&kind).send().await.refused(400, "23514");
});

portal_test!(deleted_document_deletes_its_file_unless_shared, async |world| {
    let (ana, joao) = (world.admin().await, world.client("joao").await);
    let first = world.document(&joao, "contratos", "a.pdf").await;
    let second = insert(world, &ana, row(&first.path, "contratos")).await.is(201).json();
    let delete = |id: &str| world.delete(&format!("/rest/v1/documents?id=eq.{id}")).as_(&ana);
    let deleted = delete(&first.id).single().send().await.is(200).json();
    assert_eq!(deleted["name"], "a.pdf");
    world.get(&object(&first.path)).as_(&joao).send().await.is(200);
    delete(second["id"].as_str().unwrap()).send().await.is(204);
    world.get(&object(&first.path)).as_(&ana).send().await.refused(400, "NoSuchKey");
});

portal_test!(replaced_file_is_deleted_and_receipts_remain, async |world| {
    let (ana, joao, maria) =
        (world.admin().await, world.client("joao").await, world.client("maria").await);
    let document = world.document(&joao, "contratos", "1-a.pdf").await;
    let opened = json!({"document_id": document.id, "action": "opened"});
    world.post("/rest/v1/document_receipts").as_(&joao).json(&opened).send().await.is(201);
    let replace = |path: &str| {
        world
            .patch(&format!("/rest/v1/documents?id=eq.{}", document.id))
            .as_(&ana)
            .json(&json!({"file_url": path}))
            .send()
    };
    // A file of another client or a missing file: nothing changes.
    let foreign = world.upload(&maria, "contratos", "1-b.pdf").await;
    replace(&foreign).await.refused(409, "23503");
    replace(&format!("public/{}/contratos/nada.pdf", joao.id)).await.refused(409, "23503");
    world.get(&object(&document.path)).as_(&joao).send().await.is(200);

    let new = world.upload(&joao, "contratos", "2-a.pdf").await;
    replace(&new).await.is(204);
    world.get(&object(&new)).as_(&joao).send().await.is(200);
    world.get(&object(&document.path)).as_(&ana).send().await.refused(400, "NoSuchKey");
    let receipts = read(world, &ana, "document_receipts?select=action").await;
    assert_eq!(receipts, json!([{"action": "opened"}]));
    // The same file again is not deleted.
    replace(&new).await.is(204);
    world.get(&object(&new)).as_(&joao).send().await.is(200);

    // A file that another document uses remains.
    insert(world, &ana, row(&new, "contratos")).await.is(201);
    let third = world.upload(&joao, "contratos", "3-a.pdf").await;
    replace(&third).await.is(204);
    world.get(&object(&new)).as_(&joao).send().await.is(200);
});

portal_test!(document_upsert_follows_the_rules_of_updates, async |world| {
    let (ana, joao, maria) =
        (world.admin().await, world.client("joao").await, world.client("maria").await);
    let document = world.document(&joao, "contratos", "1-a.pdf").await;
    let merge = |change: Value| {
        let mut row =
            json!({"id": document.id, "name": "Contrato", "folder_id_supabase": "contratos"});
        row.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let merge = world.post("/rest/v1/documents").as_(&ana).json(&row);
        merge.header("prefer", "resolution=merge-duplicates").send()
    };
    // Otherwise the client could read a file of another client.
    let foreign = world.upload(&maria, "contratos", "1-b.pdf").await;
    merge(json!({"file_url": foreign})).await.refused(409, "23503");
    world.get(&object(&foreign)).as_(&joao).send().await.refused(400, "NoSuchKey");
    // Columns that the portal maintains stay unchanged.
    merge(json!({"retention_expired_at": "2020-01-01", "was_opened": true})).await.is(200);
    let path =
        format!("documents?select=name,retention_expired_at,was_opened&id=eq.{}", document.id);
    let there = json!([{"name": "Contrato", "retention_expired_at": null, "was_opened": false}]);
    assert_eq!(read(world, &ana, &path).await, there);
    assert_eq!(
        read(world, &ana, "documents?select=id&search_name=eq.contrato").await,
        json!([{"id": document.id}])
    );
    // The old file is deleted with the change, unless it is on legal hold.
    let new = world.upload(&joao, "contratos", "2-a.pdf").await;
    merge(json!({"file_url": new})).await.is(200);
    world.get(&object(&document.path)).as_(&ana).send().await.refused(400, "NoSuchKey");
    merge(json!({"legal_hold_reason": "Processo 123"})).await.is(200);
    let third = world.upload(&joao, "contratos", "3-a.pdf").await;
    merge(json!({"file_url": third})).await.refused(409, "document_held");
    world.get(&object(&new)).as_(&joao).send().await.is(200);
});

portal_test!(folder_upsert_cannot_change_the_key, async |world| {
    let ana = world.admin().await;
    let folders = read(world, &ana, "folders?select=id,id_supabase,name&order=position").await;
    let merge = |row: &Value| {
        let merge = world.post("/rest/v1/folders").as_(&ana).json(row);
        merge.header("prefer", "resolution=merge-duplicates").send()
    };
    let mut row = folders[0].clone();
    row["name"] = json!("Outro nome");
    merge(&row).await.is(200);
    row["id_supabase"] = json!("outro-endereco");
    merge(&row).await.refused(403, "42501");
});
