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

fn upload(portal: &TestPortal, client: &TestUser, name: &str) -> Request {
    let path = object(&format!("public/{}/contratos/{name}", client.id));
    portal.post(&path).bearer(&portal.app.keys.service_role).bytes("application/pdf", PDF)
}

fn quota_error(answer: Answer) -> String {
    let refusal = answer.refused(400, "QuotaExceeded").json();
    assert_eq!(refusal["statusCode"], "507");
    refusal["message"].as_str().unwrap().to_owned()
}

async fn transfer(portal: &TestPortal, verb: &str, from: &str, to: &str) -> Answer {
    let body = json!({"bucketId": "client-documents", "sourceKey": from, "destinationKey": to});
    office(portal, "POST", &format!("object/{verb}")).json(&body).send().await
}

portal_test!(client_quota_is_enforced_independently, async |portal| {
    portal.set("quota_per_client", &(2 * PDF.len() + 10).to_string());
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    let first = portal.document(&joao, "contratos", "a.pdf").await;
    let ticket = portal.ticket(&joao, "Dúvida").await;
    // Files that the client uploads count too.
    let attach = |name: &str| {
        let path = format!("/storage/v1/object/ticket-attachments/{}/{ticket}/{name}", joao.id);
        portal.post(&path).auth(&joao).bytes("application/pdf", PDF).send()
    };
    attach("guia.pdf").await.is(200);
    let message = quota_error(upload(portal, &joao, "b.pdf").send().await);
    assert_eq!(message, "O espaço para os arquivos deste cliente acabou.");
    quota_error(attach("outra.pdf").await);
    assert_eq!(on_disk(portal), (2, 0));
    upload(portal, &maria, "a.pdf").send().await.is(200);
    // Neither another name nor the file of another client circumvents the quota.
    let of = |user: &TestUser, name: &str| format!("public/{}/contratos/{name}", user.id);
    quota_error(transfer(portal, "copy", &of(&maria, "a.pdf"), &of(&joao, "c.pdf")).await);
    quota_error(transfer(portal, "move", &of(&maria, "a.pdf"), &of(&joao, "c.pdf")).await);
    // A replacement may use the space of the replaced file, and no more.
    upload(portal, &joao, "a.pdf").header("x-upsert", "true").send().await.is(200);
    let longer = [PDF, &[b' '; 11]].concat();
    let longer = upload(portal, &joao, "a.pdf").bytes("application/pdf", longer);
    quota_error(longer.header("x-upsert", "true").send().await);
    // Everything else works, and deletions free space.
    assert_eq!(portal.get(&object(&first.path)).auth(&joao).send().await.is(200).body, PDF);
    let document = portal.delete(&format!("/rest/v1/documents?id=eq.{}", first.id));
    document.bearer(&portal.app.keys.service_role).send().await.is(204);
    upload(portal, &joao, "b.pdf").send().await.is(200);
    quota_error(upload(portal, &joao, "c.pdf").send().await);
    transfer(portal, "move", &of(&joao, "b.pdf"), &of(&joao, "d.pdf")).await.is(200);
    portal
        .delete(&object(&of(&joao, "d.pdf")))
        .bearer(&portal.app.keys.service_role)
        .send()
        .await
        .is(200);
    upload(portal, &joao, "c.pdf").send().await.is(200);
});

portal_test!(parallel_uploads_stop_at_the_total_quota, async |portal| {
    portal.set("quota", &(3 * PDF.len()).to_string());
    let joao = portal.client("joao").await;
    let names: Vec<String> = (0..10).map(|number| format!("{number}.pdf")).collect();
    let answers = join_all(names.iter().map(|name| upload(portal, &joao, name).send())).await;
    let (kept, refused): (Vec<_>, Vec<_>) =
        answers.into_iter().partition(|answer| answer.status == 200);
    assert_eq!(kept.len(), 3);
    for answer in refused {
        assert_eq!(quota_error(answer), "O espaço para arquivos do portal acabou.");
    }
    assert_eq!(on_disk(portal), (3, 0));
});

portal_test!(resumable_upload_is_refused_before_its_first_byte, async |portal| {
    portal.set("quota", "1000");
    bucket(portal, "files", json!({})).await;
    let refused = create(portal, "files", "a", 1001).send().await;
    refused.refused(507, "QuotaExceeded");
    assert_eq!(on_disk(portal), (0, 0));
    // An upload that began within the quota is refused when the space is used up, and can be retried.
    let way = begin(portal, "files", "a", 600).await;
    put(portal, "files/b", &"x".repeat(500)).await.is(200);
    let piece = |way: &str| {
        crate::storage::tus::tus(portal, "PATCH", way)
            .header("upload-offset", "0")
            .bytes("application/offset+octet-stream", vec![b'x'; 600])
    };
    piece(&way).send().await.refused(507, "QuotaExceeded");
    office(portal, "DELETE", "object/files/b").send().await.is(200);
    piece(&way).send().await.is(204);
});

portal_test!(parallel_uploads_are_limited_and_retryable, async |portal| {
    portal.set("uploads_at_once", "1");
    bucket(portal, "files", json!({})).await;
    let (go, gone) = oneshot::channel::<()>();
    let (begun, has_begun) = oneshot::channel::<()>();
    let slow = stream::once(async move {
        begun.send(()).unwrap();
        gone.await.unwrap();
        Ok::<_, std::io::Error>(Bytes::from_static(b"x"))
    });
    let slow = office(portal, "POST", "object/files/a").body("text/plain", Body::from_stream(slow));
    let slow = tokio::spawn(slow.send());
    has_begun.await.unwrap();
    let sent_away = put(portal, "files/b", "x").await.refused(503, "ServerBusy");
    assert_eq!(sent_away.header("retry-after"), "1");
    let way = begin(portal, "files", "c", 1).await;
    let piece = crate::storage::tus::tus(portal, "PATCH", &way).header("upload-offset", "0");
    piece.bytes("application/offset+octet-stream", "x").send().await.refused(503, "ServerBusy");
    office(portal, "GET", "object/info/files/a").send().await.refused(400, "NoSuchKey");
    go.send(()).unwrap();
    slow.await.unwrap().is(200);
    put(portal, "files/b", "x").await.is(200);
});
