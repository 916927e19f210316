//! Quotas: total size, size per client, and parallel uploads.

use axum::body::{Body, Bytes};
use futures_util::{future::join_all, stream};
use serde_json::json;
use tokio::sync::oneshot;

use crate::harness::{
    PDF, TestPortal, TestUser, object, portal_test,
    request::{Answer, Request},
};
use crate::storage::{
    bucket, office, on_disk, put,
    tus::{begin, create},
};

fn upload(world: &TestPortal, client: &TestUser, name: &str) -> Request {
    let path = object(&format!("public/{}/contratos/{name}", client.id));
    world.post(&path).bearer(&world.app.keys.service_role).bytes("application/pdf", PDF)
}

fn refuses(answer: Answer) -> String {
    let refusal = answer.refused(400, "QuotaExceeded").json();
    assert_eq!(refusal["statusCode"], "507");
    refusal["message"].as_str().unwrap().to_owned()
}

async fn transfer(world: &TestPortal, verb: &str, from: &str, to: &str) -> Answer {
    let body = json!({"bucketId": "client-documents", "sourceKey": from, "destinationKey": to});
    office(world, "POST", &format!("object/{verb}")).json(&body).send().await
}

portal_test!(client_quota_is_enforced_independently, async |world| {
    world.set("quota_per_client", &(2 * PDF.len() + 10).to_string());
    let (joao, maria) = (world.client("joao").await, world.client("maria").await);
    let first = world.document(&joao, "contratos", "a.pdf").await;
    let ticket = world.ticket(&joao, "Dúvida").await;
    // Files that the client uploads count too.
    let attach = |name: &str| {
        let path = format!("/storage/v1/object/ticket-attachments/{}/{ticket}/{name}", joao.id);
        world.post(&path).as_(&joao).bytes("application/pdf", PDF).send()
    };
    attach("guia.pdf").await.is(200);
    let said = refuses(upload(world, &joao, "b.pdf").send().await);
    assert_eq!(said, "O espaço para os arquivos deste cliente acabou.");
    refuses(attach("outra.pdf").await);
    assert_eq!(on_disk(world), (2, 0));
    upload(world, &maria, "a.pdf").send().await.is(200);
    // Neither another name nor the file of another client circumvents the quota.
    let of = |person: &TestUser, name: &str| format!("public/{}/contratos/{name}", person.id);
    refuses(transfer(world, "copy", &of(&maria, "a.pdf"), &of(&joao, "c.pdf")).await);
    refuses(transfer(world, "move", &of(&maria, "a.pdf"), &of(&joao, "c.pdf")).await);
    // A replacement may use the space of the replaced file, and no more.
    upload(world, &joao, "a.pdf").header("x-upsert", "true").send().await.is(200);
    let longer = [PDF, &[b' '; 11]].concat();
    let longer = upload(world, &joao, "a.pdf").bytes("application/pdf", longer);
    refuses(longer.header("x-upsert", "true").send().await);
    // Everything else works, and deletions free space.
    assert_eq!(world.get(&object(&first.path)).as_(&joao).send().await.is(200).body, PDF);
    transfer(world, "move", &of(&joao, "a.pdf"), &of(&joao, "d.pdf")).await.is(200);
    world
        .delete(&object(&of(&joao, "d.pdf")))
        .bearer(&world.app.keys.service_role)
        .send()
        .await
        .is(200);
    upload(world, &joao, "b.pdf").send().await.is(200);
});

portal_test!(parallel_uploads_stop_at_the_total_quota, async |world| {
    world.set("quota", &(3 * PDF.len()).to_string());
    let joao = world.client("joao").await;
    let names: Vec<String> = (0..10).map(|number| format!("{number}.pdf")).collect();
    let answers = join_all(names.iter().map(|name| upload(world, &joao, name).send())).await;
    let (kept, refused): (Vec<_>, Vec<_>) =
        answers.into_iter().partition(|answer| answer.status == 200);
    assert_eq!(kept.len(), 3);
    for answer in refused {
        assert_eq!(refuses(answer), "O espaço para arquivos do portal acabou.");
    }
    assert_eq!(on_disk(world), (3, 0));
});

portal_test!(resumable_upload_is_refused_before_its_first_byte, async |world| {
    world.set("quota", "1000");
    bucket(world, "files", json!({})).await;
    let refused = create(world, "files", "a", 1001).send().await;
    refused.refused(507, "QuotaExceeded");
    assert_eq!(on_disk(world), (0, 0));
    // An upload that began within the quota is refused when the space is used up, and can be retried.
    let way = begin(world, "files", "a", 600).await;
    put(world, "files/b", &"x".repeat(500)).await.is(200);
    let piece = |way: &str| {
        crate::storage::tus::tus(world, "PATCH", way)
            .header("upload-offset", "0")
            .bytes("application/offset+octet-stream", vec![b'x'; 600])
    };
    piece(&way).send().await.refused(507, "QuotaExceeded");
    office(world, "DELETE", "object/files/b").send().await.is(200);
    piece(&way).send().await.is(204);
});

portal_test!(parallel_uploads_are_limited_and_retryable, async |world| {
    world.set("uploads_at_once", "1");
    bucket(world, "files", json!({})).await;
    let (go, gone) = oneshot::channel::<()>();
    let (begun, has_begun) = oneshot::channel::<()>();
    let slow = stream::once(async move {
        begun.send(()).unwrap();
        gone.await.unwrap();
        Ok::<_, std::io::Error>(Bytes::from_static(b"x"))
    });
    let slow = office(world, "POST", "object/files/a").body("text/plain", Body::from_stream(slow));
    let slow = tokio::spawn(slow.send());
    has_begun.await.unwrap();
    let sent_away = put(world, "files/b", "x").await.refused(503, "ServerBusy");
    assert_eq!(sent_away.header("retry-after"), "1");
    let way = begin(world, "files", "c", 1).await;
    let piece = crate::storage::tus::tus(world, "PATCH", &way).header("upload-offset", "0");
    piece.bytes("application/offset+octet-stream", "x").send().await.refused(503, "ServerBusy");
    office(world, "GET", "object/info/files/a").send().await.refused(400, "NoSuchKey");
    go.send(()).unwrap();
    slow.await.unwrap().is(200);
    put(world, "files/b", "x").await.is(200);
});
