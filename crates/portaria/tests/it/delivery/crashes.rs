//! Crashes during delivery, and concurrent workers: no mail is lost, and a mail is duplicated only if the server
//! accepted it without a known result, under the same Message-ID.

use std::sync::Arc;

use jiff::SignedDuration;
use portaria::{app::App, clock::Clock, jobs::deliver_mail::Delivery};

use crate::delivery::{
    fake_smtp::{Act, At},
    send, send_apart, served, stranger,
};
use crate::harness::{TestPortal, portal_test};

/// Another process, or the same after a restart, sends the remaining mails once the leases have expired.
async fn go_on(world: &mut TestPortal, id: &str) {
    world.restart();
    world.deliver().await;
    assert_eq!(world.mail_row(id).await.state, "sending", "the lease has not expired");
    world.wait(SignedDuration::from_mins(2));
    world.deliver().await;
    assert_eq!(world.mail_row(id).await.state, "sent");
    // No further mail is sent.
    world.wait(SignedDuration::from_hours(50));
    world.deliver().await;
}

portal_test!(crash_before_the_message_sends_one_mail, async |world| {
    for at in [At::Banner, At::Mail, At::Rcpt, At::Data] {
        let server = served(world).await;
        server.will([Act::Hold(at)]);
        let id = world.queue(&stranger("ana@exemplo.com.br"), "Um").await;
        let task = send_apart(&Arc::new(world.delivery()));
        server.holds.notified().await;
        task.abort();
        assert!(task.await.unwrap_err().is_cancelled());
        server.go.notify_one();
        go_on(world, &id).await;
        assert_eq!(server.ids(), [format!("{id}@127.0.0.1")], "{at:?}");
    }
});

portal_test!(crash_before_the_reply_may_duplicate_the_mail, async |world| {
    let server = served(world).await;
    server.will([Act::Hold(At::Dot)]);
    let id = world.queue(&stranger("ana@exemplo.com.br"), "Um").await;
    let task = send_apart(&Arc::new(world.delivery()));
    server.holds.notified().await;
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    server.go.notify_one();
    go_on(world, &id).await;
    let id = format!("{id}@127.0.0.1");
    assert_eq!(server.ids(), [id.clone(), id]);
});

portal_test!(crash_after_the_reply_duplicates_the_mail, async |world| {
    let server = served(world).await;
    server.will([Act::Kill]);
    let id = world.queue(&stranger("ana@exemplo.com.br"), "Um").await;
    let task = send_apart(&Arc::new(world.delivery()));
    server.aim(task.abort_handle());
    assert!(task.await.unwrap_err().is_cancelled());
    go_on(world, &id).await;
    let id = format!("{id}@127.0.0.1");
    assert_eq!(server.ids(), [id.clone(), id]);
});

portal_test!(connection_lost_before_the_reply_may_duplicate_the_mail, async |world| {
    let server = served(world).await;
    server.will([Act::HangUp(At::Dot)]);
    let id = world.queue(&stranger("ana@exemplo.com.br"), "Um").await;
    world.deliver().await;
    let row = world.mail_row(&id).await;
    let words = "A conexão caiu antes de o servidor confirmar que recebeu a mensagem.";
    assert_eq!((row.state.as_str(), row.last_error.as_deref()), ("queued", Some(words)));
    world.wait(SignedDuration::from_mins(1));
    world.deliver().await;
    let id = format!("{id}@127.0.0.1");
    assert_eq!(server.ids(), [id.clone(), id]);
});

portal_test!(mail_that_crashes_its_sender_is_given_up, async |world| {
    let server = served(world).await;
    server.will([Act::Kill; 20]);
    let id = world.queue(&stranger("ana@exemplo.com.br"), "Um").await;
    for _ in 0..20 {
        let task = send_apart(&Arc::new(world.delivery()));
        server.aim(task.abort_handle());
        drop(task.await);
        world.wait(SignedDuration::from_mins(3));
    }
    let row = world.mail_row(&id).await;
    assert_eq!((row.state.as_str(), row.attempts), ("failed", 12));
    let words = "O envio foi interrompido 12 vezes antes de terminar.";
    assert_eq!(row.last_error.as_deref(), Some(words));
});

portal_test!(concurrent_workers_send_each_mail_once, async |world| {
    world.set("mail_rate", "");
    let server = served(world).await;
    let mut expected = Vec::new();
    for number in 0..40 {
        let address = format!("ana{number}@exemplo.com.br");
        let id = world.queue(&stranger(&address), "Um").await;
        expected.push(format!("{id}@127.0.0.1"));
    }
    // A second node on the same database.
    let other = App::open(world.app.config.clone(), Clock::fixed(world.now())).unwrap();
    let one = send_apart(&Arc::new(world.delivery()));
    let two = send_apart(&Arc::new(Delivery::open(&other).unwrap().unwrap()));
    let (one, two) = tokio::join!(one, two);
    one.unwrap();
    two.unwrap();
    let mut found = server.ids();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
    assert!(world.outbox().await.iter().all(|row| row.state == "sent" && row.attempts == 1));
});

portal_test!(slow_delivery_keeps_its_lease, async |world| {
    let server = served(world).await;
    server.will([Act::Hold(At::Dot)]);
    world.queue(&stranger("ana@exemplo.com.br"), "Um").await;
    let slow = send_apart(&Arc::new(world.delivery()));
    server.holds.notified().await;
    // Another node looks for due mails meanwhile.
    world.deliver().await;
    assert_eq!(world.outbox().await[0].attempts, 1);
    server.go.notify_one();
    slow.await.unwrap();
    assert_eq!((world.states().await, server.taken().len()), (vec!["sent".to_owned()], 1));
});

portal_test!(delivery_after_an_expired_lease_is_recorded, async |world| {
    let server = served(world).await;
    server.will([Act::Hold(At::Dot), Act::Say(At::Rcpt, "451 later")]);
    let id = world.queue(&stranger("ana@exemplo.com.br"), "Um").await;
    let slow = send_apart(&Arc::new(world.delivery()));
    server.holds.notified().await;
    world.wait(SignedDuration::from_mins(3));
    // Another worker acquires the expired lease, and is refused temporarily.
    let other = world.delivery();
    send(&other).await;
    assert_eq!(world.mail_row(&id).await.attempts, 2);
    server.go.notify_one();
    slow.await.unwrap();
    assert_eq!(world.mail_row(&id).await.state, "sent");
    world.wait(SignedDuration::from_hours(1));
    send(&other).await;
    assert_eq!(server.taken().len(), 1);
});
