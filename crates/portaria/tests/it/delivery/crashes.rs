//! Crashes during delivery, and concurrent workers: no mail is lost, and a mail is duplicated only if the server
//! accepted it without a known result, under the same Message-ID.

use std::sync::Arc;

use jiff::SignedDuration;
use portaria::{app::App, clock::Clock, jobs::deliver_mail::Delivery};

use crate::delivery::{
    fake_smtp::{Act, At},
    send, spawn_send, start_with_smtp_server, stranger,
};
use crate::harness::{TestPortal, portal_test};

/// Another process, or the same after a restart, sends the remaining mails once the leases have expired.
async fn go_on(portal: &mut TestPortal, id: &str) {
    portal.restart();
    portal.deliver().await;
    assert_eq!(portal.mail_row(id).await.state, "sending", "the lease has not expired");
    portal.advance(SignedDuration::from_mins(2));
    portal.deliver().await;
    assert_eq!(portal.mail_row(id).await.state, "sent");
    // No further mail is sent.
    portal.advance(SignedDuration::from_hours(50));
    portal.deliver().await;
}

portal_test!(crash_before_the_message_sends_one_mail, async |portal| {
    for at in [At::Banner, At::Mail, At::Rcpt, At::Data] {
        let server = start_with_smtp_server(portal).await;
        server.script([Act::Hold(at)]);
        let id = portal.queue(&stranger("ana@exemplo.com.br"), "Um").await;
        let task = spawn_send(&Arc::new(portal.delivery()));
        server.holds.notified().await;
        task.abort();
        assert!(task.await.unwrap_err().is_cancelled());
        server.go.notify_one();
        go_on(portal, &id).await;
        assert_eq!(server.ids(), [format!("{id}@127.0.0.1")], "{at:?}");
    }
});

portal_test!(crash_before_the_reply_may_duplicate_the_mail, async |portal| {
    let server = start_with_smtp_server(portal).await;
    server.script([Act::Hold(At::Dot)]);
    let id = portal.queue(&stranger("ana@exemplo.com.br"), "Um").await;
    let task = spawn_send(&Arc::new(portal.delivery()));
    server.holds.notified().await;
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    server.go.notify_one();
    go_on(portal, &id).await;
    let id = format!("{id}@127.0.0.1");
    assert_eq!(server.ids(), [id.clone(), id]);
});

portal_test!(crash_after_the_reply_duplicates_the_mail, async |portal| {
    let server = start_with_smtp_server(portal).await;
    server.script([Act::Kill]);
    let id = portal.queue(&stranger("ana@exemplo.com.br"), "Um").await;
    let task = spawn_send(&Arc::new(portal.delivery()));
    server.set_victim(task.abort_handle());
    assert!(task.await.unwrap_err().is_cancelled());
    go_on(portal, &id).await;
    let id = format!("{id}@127.0.0.1");
    assert_eq!(server.ids(), [id.clone(), id]);
});

portal_test!(connection_lost_before_the_reply_may_duplicate_the_mail, async |portal| {
    let server = start_with_smtp_server(portal).await;
    server.script([Act::HangUp(At::Dot)]);
    let id = portal.queue(&stranger("ana@exemplo.com.br"), "Um").await;
    portal.deliver().await;
    let row = portal.mail_row(&id).await;
    let words = "A conexão caiu antes de o servidor confirmar que recebeu a mensagem.";
    assert_eq!((row.state.as_str(), row.last_error.as_deref()), ("queued", Some(words)));
    portal.advance(SignedDuration::from_mins(1));
    portal.deliver().await;
    let id = format!("{id}@127.0.0.1");
    assert_eq!(server.ids(), [id.clone(), id]);
});

portal_test!(mail_that_crashes_its_sender_is_given_up, async |portal| {
    let server = start_with_smtp_server(portal).await;
    server.script([Act::Kill; 20]);
    let id = portal.queue(&stranger("ana@exemplo.com.br"), "Um").await;
    for _ in 0..20 {
        let task = spawn_send(&Arc::new(portal.delivery()));
        server.set_victim(task.abort_handle());
        drop(task.await);
        portal.advance(SignedDuration::from_mins(3));
    }
    let row = portal.mail_row(&id).await;
    assert_eq!((row.state.as_str(), row.attempts), ("failed", 12));
    let words = "O envio foi interrompido 12 vezes antes de terminar.";
    assert_eq!(row.last_error.as_deref(), Some(words));
});

portal_test!(concurrent_workers_send_each_mail_once, async |portal| {
    portal.set("mail_rate", "");
    let server = start_with_smtp_server(portal).await;
    let mut expected = Vec::new();
    for number in 0..40 {
        let address = format!("ana{number}@exemplo.com.br");
        let id = portal.queue(&stranger(&address), "Um").await;
        expected.push(format!("{id}@127.0.0.1"));
    }
    // A second node on the same database.
    let other = App::open(portal.app.config.clone(), Clock::fixed(portal.now())).unwrap();
    let one = spawn_send(&Arc::new(portal.delivery()));
    let two = spawn_send(&Arc::new(Delivery::open(&other).unwrap().unwrap()));
    let (one, two) = tokio::join!(one, two);
    one.unwrap();
    two.unwrap();
    let mut found = server.ids();
    found.sort();
    expected.sort();
    assert_eq!(found, expected);
    assert!(portal.outbox().await.iter().all(|row| row.state == "sent" && row.attempts == 1));
});

portal_test!(slow_delivery_keeps_its_lease, async |portal| {
    let server = start_with_smtp_server(portal).await;
    server.script([Act::Hold(At::Dot)]);
    portal.queue(&stranger("ana@exemplo.com.br"), "Um").await;
    let slow = spawn_send(&Arc::new(portal.delivery()));
    server.holds.notified().await;
    // Another node looks for due mails meanwhile.
    portal.deliver().await;
    assert_eq!(portal.outbox().await[0].attempts, 1);
    server.go.notify_one();
    slow.await.unwrap();
    assert_eq!((portal.states().await, server.accepted().len()), (vec!["sent".to_owned()], 1));
});

portal_test!(delivery_after_an_expired_lease_is_recorded, async |portal| {
    let server = start_with_smtp_server(portal).await;
    server.script([Act::Hold(At::Dot), Act::Say(At::Rcpt, "451 later")]);
    let id = portal.queue(&stranger("ana@exemplo.com.br"), "Um").await;
    let slow = spawn_send(&Arc::new(portal.delivery()));
    server.holds.notified().await;
    portal.advance(SignedDuration::from_mins(3));
    // Another worker acquires the expired lease, and is refused temporarily.
    let other = portal.delivery();
    send(&other).await;
    assert_eq!(portal.mail_row(&id).await.attempts, 2);
    server.go.notify_one();
    slow.await.unwrap();
    assert_eq!(portal.mail_row(&id).await.state, "sent");
    portal.advance(SignedDuration::from_hours(1));
    send(&other).await;
    assert_eq!(server.accepted().len(), 1);
});
