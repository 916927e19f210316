//! The confirmation of an erasure: the last mail to the person. Its row is deleted after delivery.

use jiff::SignedDuration;
use portaria::jobs::garbage_collect;
use serde_json::json;

use crate::delivery::{
    fake_smtp::{Act, At},
    served,
};
use crate::harness::{TestPortal, TestUser, portal_test};

async fn erase(world: &TestPortal, ana: &TestUser, person: &TestUser) {
    let request = world.post(&format!("/auth/v1/admin/users/{}/erasure", person.id)).as_(ana);
    request.json(&json!({"email": person.email})).send().await.is(200);
}

portal_test!(erasure_mail_is_sent_and_deleted, async |world| {
    let server = served(world).await;
    let ana = world.admin().await;
    let joao = world.client("joao").await;
    erase(world, &ana, &joao).await;
    world.deliver().await;
    let [mail] = &server.taken()[..] else { panic!("{:?}", server.taken()) };
    assert_eq!(
        (mail.to.as_str(), mail.subject().as_str()),
        (joao.email.as_str(), "Seus dados foram apagados")
    );
    assert!(mail.html().contains("Olá, joao."));
    garbage_collect::run(&world.app).await.unwrap();
    assert!(world.outbox().await.is_empty());
});

portal_test!(undeliverable_erasure_mail_is_deleted_after_two_days, async |world| {
    let server = served(world).await;
    let ana = world.admin().await;
    let joao = world.client("joao").await;
    server.will([Act::Say(At::Rcpt, "451 4.7.1 try later")]);
    erase(world, &ana, &joao).await;
    world.deliver().await;
    garbage_collect::run(&world.app).await.unwrap();
    assert_eq!(world.states().await, ["queued"]);
    world.wait(SignedDuration::from_hours(49));
    garbage_collect::run(&world.app).await.unwrap();
    assert!(world.outbox().await.is_empty());
});

portal_test!(erasure_without_a_mail_server_queues_no_mail, async |world| {
    let ana = world.admin().await;
    let joao = world.client("joao").await;
    erase(world, &ana, &joao).await;
    assert!(world.outbox().await.is_empty());
});
