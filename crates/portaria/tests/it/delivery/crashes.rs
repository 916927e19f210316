//! Whoever sends a mail may die at any moment, and others may want to send it too: nothing is lost, and nothing comes
//! twice but what the server took without our learning of it, under the same Message-ID.

use std::sync::Arc;

use jiff::SignedDuration;
use portaria::{app::App, clock::Clock, jobs::deliver_mail::Delivery};

use crate::delivery::{
    fake_smtp::{Act, At},
    send, send_apart, served, stranger,
};
use crate::harness::{TestPortal, portal_test};

/// Another process, or the same one after a restart, finds what is left, once leases are over.
async fn go_on(world: &mut TestPortal, id: &str) {
    world.restart();
    world.deliver().await;
    assert_eq!(world.mail_row(id).await.state, "sending", "its lease holds");
    world.wait(SignedDuration::from_mins(2));
    world.deliver().await;
    assert_eq!(world.mail_row(id).await.state, "sent");
    // And that is that.
    world.wait(SignedDuration::from_hours(50));
    world.deliver().await;
}

portal_test!(who_dies_before_the_message_is_sent_leaves_one, async |world| {
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

portal_test!(who_dies_before_the_answer_may_send_the_same_mail_twice, async |world| {
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

portal_test!(who_dies_after_the_answer_sends_the_same_mail_twice, async |world| {
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

portal_test!(a_line_that_breaks_before_the_answer_may_send_the_same_mail_twice, async |world| {
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

portal_test!(a_mail_that_ends_whoever_sends_it_is_given_up, async |world| {
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

portal_test!(two_workers_at_once_send_each_mail_once, async |world| {
    world.set("mail_rate", "");
    let server = served(world).await;
    let mut expected = Vec::new();
    for number in 0..40 {
        let address = format!("ana{number}@exemplo.com.br");
        let id = world.queue(&stranger(&address), "Um").await;
        expected.push(format!("{id}@127.0.0.1"));
    }
    // Another node on the same database.
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

portal_test!(a_slow_server_keeps_its_mail, async |world| {
    let server = served(world).await;
    server.will([Act::Hold(At::Dot)]);
    world.queue(&stranger("ana@exemplo.com.br"), "Um").await;
    let slow = send_apart(&Arc::new(world.delivery()));
    server.holds.notified().await;
    // Another node looks in meanwhile.
    world.deliver().await;
    assert_eq!(world.outbox().await[0].attempts, 1);
    server.go.notify_one();
    slow.await.unwrap();
    assert_eq!((world.states().await, server.taken().len()), (vec!["sent".to_owned()], 1));
});

portal_test!(who_finishes_after_their_lease_still_says_so, async |world| {
    let server = served(world).await;
    server.will([Act::Hold(At::Dot), Act::Say(At::Rcpt, "451 later")]);
    let id = world.queue(&stranger("ana@exemplo.com.br"), "Um").await;
    let slow = send_apart(&Arc::new(world.delivery()));
    server.holds.notified().await;
    world.wait(SignedDuration::from_mins(3));
    // Another takes over, and is put off.
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
