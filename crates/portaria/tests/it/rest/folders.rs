//! Folders: immutable keys, deletion with a target for the documents, order.

use serde_json::{Value, json};

use crate::harness::{TestPortal, TestUser, object, portal_test, request::Answer};
use crate::rest::{column, read};

async fn call(portal: &TestPortal, user: &TestUser, name: &str, arguments: Value) -> Answer {
    portal.post(&format!("/rest/v1/rpc/{name}")).auth(user).json(&arguments).send().await
}

async fn names(portal: &TestPortal, user: &TestUser) -> Vec<Value> {
    column(&read(portal, user, "folders?order=position,name").await, "id_supabase")
}

portal_test!(empty_folder_is_deleted_and_a_full_one_refused, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    portal.document(&joao, "contratos", "a.pdf").await;
    call(portal, &ana, "delete_folder", json!({"folder": "faturas"})).await.is(204);
    assert_eq!(names(portal, &ana).await, ["contratos", "documentos-pessoais"]);
    for arguments in
        [json!({"folder": "contratos"}), json!({"folder": "contratos", "target": null})]
    {
        let full = call(portal, &ana, "delete_folder", arguments).await.refused(409, "23503");
        assert!(full.text().contains("documents_folder_id_supabase_fkey"), "{}", full.text());
    }
    let gone = call(portal, &ana, "delete_folder", json!({"folder": "faturas"})).await;
    gone.refused(404, "PT404");
    assert_eq!(names(portal, &ana).await, ["contratos", "documentos-pessoais"]);
});

portal_test!(full_folder_is_deleted_when_its_documents_move, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let mut documents = Vec::new();
    for name in ["a.pdf", "b.pdf"] {
        documents.push(portal.document(&joao, "contratos", name).await);
    }
    let other = portal.document(&joao, "documentos-pessoais", "c.pdf").await;
    let archive = portal.patch("/rest/v1/folders?id_supabase=eq.documentos-pessoais").auth(&ana);
    archive.json(&json!({"archived_at": "2026-11-21T15:00:00Z"})).send().await.is(204);
    // Invalid targets: an unknown folder, the folder itself, an archived folder.
    for target in ["nenhuma", "contratos", "documentos-pessoais"] {
        let arguments = json!({"folder": "contratos", "target": target});
        call(portal, &ana, "delete_folder", arguments).await.refused(409, "23503");
    }
    let moved = read(portal, &joao, "documents?folder_id_supabase=eq.contratos").await;
    assert_eq!(moved.as_array().unwrap().len(), 2, "a document moved");
    let arguments = json!({"folder": "contratos", "target": "faturas"});
    call(portal, &ana, "delete_folder", arguments).await.is(204);
    assert_eq!(names(portal, &ana).await, ["faturas", "documentos-pessoais"]);
    let moved = read(portal, &joao, "documents?select=id&folder_id_supabase=eq.faturas&order=name");
    assert_eq!(column(&moved.await, "id"), [json!(documents[0].id), json!(documents[1].id)]);
    // Moved documents keep their id and file.
    for document in documents.iter().chain([&other]) {
        portal.get(&object(&document.path)).auth(&joao).send().await.is(200);
    }
});

portal_test!(documents_keep_the_hold_of_their_folder, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let carla = portal.colleague("carla", "employee", false).await;
    let document = portal.document(&joao, "faturas", "nota.pdf").await;
    let folder = async |id: &str, change: Value| {
        let request = portal.patch(&format!("/rest/v1/folders?id_supabase=eq.{id}")).auth(&ana);
        request.json(&change).send().await.is(204);
    };
    folder("faturas", json!({"legal_hold_reason": "CTN, art. 173"})).await;
    let this = format!("/rest/v1/documents?id=eq.{}", document.id);
    let to = |folder: &str| json!({"folder_id_supabase": folder});
    for user in [&ana, &carla] {
        let request = portal.patch(&this).auth(user).json(&to("contratos"));
        request.send().await.refused(409, "folder_held");
    }
    portal.patch(&this).auth(&carla).json(&to("faturas")).send().await.is(204);
    let arguments = json!({"folder": "faturas", "target": "contratos"});
    call(portal, &ana, "delete_folder", arguments.clone()).await.refused(409, "folder_held");
    folder("contratos", json!({"legal_hold_reason": "CLT"})).await;
    call(portal, &ana, "delete_folder", arguments).await.is(204);
    portal.delete(&this).auth(&ana).send().await.refused(409, "document_held");
});

portal_test!(archived_folder_accepts_no_document, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let own = portal.document(&joao, "contratos", "antes.pdf").await;
    let other = portal.document(&joao, "faturas", "nota.pdf").await;
    let archive = portal.patch("/rest/v1/folders?id_supabase=eq.contratos").auth(&ana);
    archive.json(&json!({"archived_at": "2026-11-21T15:00:00Z"})).send().await.is(204);
    let file = portal.upload(&joao, "contratos", "depois.pdf").await;
    let row = json!({"name": "x", "folder_id_supabase": "contratos", "file_url": file});
    let new = portal.post("/rest/v1/documents").auth(&ana).json(&row);
    new.send().await.refused(409, "23503");
    let change = json!({"folder_id_supabase": "contratos", "name": "outro"});
    for (id, status) in [(&own.id, 204), (&other.id, 409)] {
        let path = format!("/rest/v1/documents?id=eq.{id}");
        portal.patch(&path).auth(&ana).json(&change).send().await.is(status);
    }
});

portal_test!(folders_follow_the_order_set_by_the_office, async |portal| {
    let ana = portal.admin().await;
    let order = json!({"folders": ["documentos-pessoais", "nenhuma", "contratos", "faturas"]});
    call(portal, &ana, "order_folders", order).await.is(204);
    assert_eq!(names(portal, &ana).await, ["documentos-pessoais", "contratos", "faturas"]);
});

portal_test!(folder_is_renamed_and_keeps_its_key, async |portal| {
    let ana = portal.admin().await;
    let folder = "/rest/v1/folders?id_supabase=eq.contratos";
    let change = json!({"name": "Contratos e aditivos", "icon": "briefcase", "kind": null});
    portal.patch(folder).auth(&ana).json(&change).send().await.is(204);
    let address = json!({"id_supabase": "aditivos"});
    portal.patch(folder).auth(&ana).json(&address).send().await.refused(403, "42501");
    let wrong = json!({"kind": "boleto"});
    portal.patch(folder).auth(&ana).json(&wrong).send().await.refused(400, "23514");
    let row = read(portal, &ana, "folders?id_supabase=eq.contratos&select=name,icon,kind").await;
    assert_eq!(row, json!([change]));
});

portal_test!(folder_functions_require_the_office, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    for (name, arguments) in [
        ("delete_folder", json!({"folder": "faturas"})),
        ("delete_folder", json!({"folder": "nenhuma"})),
        ("order_folders", json!({"folders": []})),
    ] {
        call(portal, &joao, name, arguments.clone()).await.refused(403, "42501");
        let path = format!("/rest/v1/rpc/{name}");
        portal.post(&path).json(&arguments).send().await.refused(401, "42501");
        portal.get(&path).auth(&ana).send().await.refused(404, "PGRST202");
        let odd = json!({"pasta": "faturas"});
        call(portal, &ana, name, odd).await.refused(404, "PGRST202");
    }
    let many: Vec<String> = (0..501).map(|number| number.to_string()).collect();
    call(portal, &ana, "order_folders", json!({"folders": many})).await.refused(400, "PGRST102");
    assert_eq!(names(portal, &ana).await.len(), 3);
});
