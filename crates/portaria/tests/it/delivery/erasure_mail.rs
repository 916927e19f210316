//! The confirmation of an erasure: the last mail to the person. Its row is deleted after delivery.

use jiff::SignedDuration;
use portaria::jobs::garbage_collect;
use serde_json::json;

use crate::delivery::{
    Recipient,
    fake_smtp::{Act, At},
    recipient_of, start_with_smtp_server,
};
use crate::harness::{TestPortal, TestUser, portal_test};

async fn erase(portal: &TestPortal, ana: &TestUser, user: &TestUser) {
    let request = portal.post(&format!("/auth/v1/admin/users/{}/erasure", user.id)).auth(ana);
    request.json(&json!({"email": user.email})).send().await.is(200);
}

portal_test!(erasure_mail_is_sent_and_deleted, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let ana = portal.admin().await;
    let joao = portal.client("joao").await;
    erase(portal, &ana, &joao).await;
    portal.deliver().await;
    let [mail] = &server.accepted()[..] else { panic!("{:?}", server.accepted()) };
    assert_eq!(
        (mail.to.as_str(), mail.subject().as_str()),
        (joao.email.as_str(), "Seus dados foram apagados")
    );
    assert!(mail.html().contains("Olá, joao."));
    garbage_collect::run(&portal.app).await.unwrap();
    assert!(portal.outbox().await.is_empty());
});

portal_test!(digest_to_another_person_loses_the_erased_names, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let ana = portal.admin().await;
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    portal.add_member(&joao, &maria).await;
    portal.deliver().await;
    for name in ["um.pdf", "dois.pdf", "três.pdf", "quatro.pdf"] {
        let document = portal.document(&joao, "faturas", name).await.id;
        let to = Recipient { document: Some(&document), ..recipient_of(&maria, "documents") };
        portal.queue(&to, name).await;
        portal.deliver().await;
        let minutes = if name == "três.pdf" { 10 } else { 1 };
        portal.advance(SignedDuration::from_mins(minutes));
        portal.deliver().await;
    }
    let text = portal.outbox().await.iter().map(|row| row.html.clone()).collect::<String>();
    assert!(text.contains("dois.pdf") && text.contains("três.pdf"), "{text}");
    let sent = server.accepted().len();
    let ana = portal.sign_in(&ana.email).await;
    erase(portal, &ana, &joao).await;
    let text = portal.outbox().await.iter().map(|row| row.html.clone()).collect::<String>();
    assert!(!text.contains(".pdf"), "{text}");
    portal.advance(SignedDuration::from_mins(11));
    portal.deliver().await;
    assert_eq!(server.accepted().len(), sent + 1, "only the confirmation leaves");
});

portal_test!(undeliverable_erasure_mail_is_deleted_after_two_days, async |portal| {
    let server = start_with_smtp_server(portal).await;
    let ana = portal.admin().await;
    let joao = portal.client("joao").await;
    server.script([Act::Say(At::Rcpt, "451 4.7.1 try later")]);
    erase(portal, &ana, &joao).await;
    portal.deliver().await;
    garbage_collect::run(&portal.app).await.unwrap();
    assert_eq!(portal.states().await, ["queued"]);
    portal.advance(SignedDuration::from_hours(49));
    garbage_collect::run(&portal.app).await.unwrap();
    assert!(portal.outbox().await.is_empty());
});

portal_test!(erasure_without_a_mail_server_queues_no_mail, async |portal| {
    let ana = portal.admin().await;
    let joao = portal.client("joao").await;
    erase(portal, &ana, &joao).await;
    assert!(portal.outbox().await.is_empty());
});
