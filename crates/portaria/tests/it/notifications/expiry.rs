//! Notifications about expiring and expired documents: once per due date, even after crashes and restarts.

use futures_util::future::join;
use jiff::{SignedDuration, Timestamp};
use portaria::{db::Tx, jobs::notify_expiry};
use sea_query::{Expr, ExprTrait, Query};
use serde_json::json;

use crate::harness::{TestPortal, TestUser, portal_test};
use crate::notifications::{call, queued_mails, settings};

const ON: [(&str, bool); 4] = [
    ("fatura_expiring_soon", true),
    ("fatura_expired", true),
    ("contrato_expiring_soon", true),
    ("contrato_expired", true),
];

async fn expires(portal: &TestPortal, client: &TestUser, folder: &str, day: &str) -> String {
    let fields = json!({"expires_at": day, "name": format!("{folder} {day}")});
    portal.document_with(client, folder, &format!("{day}.pdf"), fields).await.id
}

/// Sets the clock to a local time in Brasília.
fn wait_until(portal: &TestPortal, moment: &str) {
    let moment: Timestamp = format!("{moment}:00-03:00").parse().unwrap();
    portal.advance(moment.duration_since(portal.now()));
}

async fn run(portal: &TestPortal) {
    notify_expiry::run(&portal.app).await.unwrap();
}

/// The first run only schedules the next one.
async fn begin(portal: &TestPortal) {
    run(portal).await;
    assert_eq!(queued_mails(portal).await, [""; 0]);
}

portal_test!(each_due_date_is_notified_once_per_event_in_twenty_nights, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    settings(portal, &ON).await;
    begin(portal).await;
    for (client, folder, day) in [
        (&joao, "faturas", "2026-11-30"),
        (&joao, "faturas", "2026-12-04"),
        (&joao, "faturas", "2026-12-31"),
        (&maria, "contratos", "2026-11-25"),
        (&maria, "documentos-pessoais", "2026-11-25"),
        (&maria, "faturas", "2026-10-01"),
    ] {
        expires(portal, client, folder, day).await;
    }
    portal.document(&maria, "faturas", "sem-data.pdf").await;
    portal
        .document_with(
            &maria,
            "faturas",
            "retida.pdf",
            json!({"expires_at": "2026-11-30", "status": "pending"}),
        )
        .await;
    let mut nights = Vec::new();
    for night in 0..20_i8 {
        let before = portal.mails().await.len();
        let day = "2026-11-22".parse::<jiff::civil::Date>().unwrap();
        let day = day.checked_add(jiff::Span::new().days(night)).unwrap();
        wait_until(portal, &format!("{day}T07:59"));
        run(portal).await;
        assert_eq!(portal.mails().await.len(), before, "not before eight o'clock on {day}");
        portal.advance(SignedDuration::from_mins(1));
        run(portal).await;
        if night % 3 == 0 {
            portal.restart();
        }
        run(portal).await;
        let mails = portal.mails().await.split_off(before);
        nights.extend(mails.into_iter().map(|mail| format!("{day} {}", mail.subject)));
        portal.advance(SignedDuration::from_hours(5));
        run(portal).await;
    }
    assert_eq!(
        nights,
        [
            "2026-11-22 Contrato prestes a vencer: contratos 2026-11-25",
            "2026-11-23 Fatura prestes a vencer: faturas 2026-11-30",
            "2026-11-26 Contrato vencido: contratos 2026-11-25",
            "2026-11-27 Fatura prestes a vencer: faturas 2026-12-04",
            "2026-12-01 Fatura vencida: faturas 2026-11-30",
            "2026-12-05 Fatura vencida: faturas 2026-12-04",
        ]
    );
    assert_eq!(portal.mails().await.len(), nights.len());
    let mail = portal.mail("fatura_expired", &joao.email).await;
    assert!(mail.html.contains("<strong>04/12/2026</strong>"), "{}", mail.html);
});

portal_test!(document_that_may_be_paid_later_expires_after_that_day, async |portal| {
    let joao = portal.client("joao").await;
    settings(portal, &ON).await;
    begin(portal).await;
    // A DAS of a Sunday is paid on the Monday after it.
    let fields = json!({"expires_at": "2026-11-22", "name": "das", "category": "das"});
    portal.document_with(&joao, "faturas", "das.pdf", fields).await;
    for moment in ["2026-11-22T08:00", "2026-11-23T08:00"] {
        wait_until(portal, moment);
        run(portal).await;
        assert_eq!(queued_mails(portal).await, ["fatura_expiring_soon joao"], "{moment}");
    }
    wait_until(portal, "2026-11-24T08:00");
    run(portal).await;
    assert_eq!(queued_mails(portal).await, ["fatura_expired joao", "fatura_expiring_soon joao"]);
});

portal_test!(two_nodes_notify_once, async |portal| {
    let joao = portal.client("joao").await;
    settings(portal, &ON).await;
    begin(portal).await;
    for number in 0..40 {
        let fields = json!({"expires_at": "2026-11-25"});
        portal.document_with(&joao, "faturas", &format!("{number}.pdf"), fields).await;
    }
    wait_until(portal, "2026-11-22T08:00");
    let other = portal.another_node();
    let (one, two) = join(notify_expiry::run(&portal.app), notify_expiry::run(&other)).await;
    one.unwrap();
    two.unwrap();
    assert_eq!(queued_mails(portal).await, ["fatura_expiring_soon joao"; 40]);
});

portal_test!(run_of_a_dead_node_is_completed_by_another, async |portal| {
    let joao = portal.client("joao").await;
    settings(portal, &ON).await;
    begin(portal).await;
    expires(portal, &joao, "faturas", "2026-11-25").await;
    wait_until(portal, "2026-11-22T08:00");
    // A node that acquired the run and died.
    let until =
        (portal.now() + SignedDuration::from_mins(10)).strftime("%Y-%m-%dT%H:%M:%S.%6f+00:00");
    let until = until.to_string();
    let take = move |tx: &mut Tx<'_>| {
        let mut statement = Query::update();
        statement.table("system_state").value("value", until);
        tx.execute(statement.and_where(Expr::col("name").eq("expiry notices")))
    };
    assert_eq!(portal.app.db.write::<_, portaria::db::Error, _>(take).await.unwrap(), 1);
    portal.advance(SignedDuration::from_mins(9));
    run(portal).await;
    assert_eq!(queued_mails(portal).await, [""; 0]);
    portal.advance(SignedDuration::from_mins(1));
    portal.restart();
    run(portal).await;
    assert_eq!(queued_mails(portal).await, ["fatura_expiring_soon joao"]);
});

portal_test!(expiry_days_follow_the_time_zone_of_the_portal, async |portal| {
    let joao = portal.client("joao").await;
    settings(portal, &ON).await;
    begin(portal).await;
    for moment in [
        // The last moment of the seventh day, and the first of the eighth.
        "2026-11-29",
        "2026-11-30T00:00:00-03:00",
        // The first moment of today, and one that passed a second ago.
        "2026-11-22T08:00:01-03:00",
        "2026-11-22T08:00:00-03:00",
    ] {
        expires(portal, &joao, "faturas", moment).await;
    }
    // Neither midnight in UTC nor midnight in São Paulo: it is too early.
    for moment in ["2026-11-21T21:00", "2026-11-22T00:00"] {
        wait_until(portal, moment);
        run(portal).await;
        assert_eq!(queued_mails(portal).await, [""; 0]);
    }
    wait_until(portal, "2026-11-22T08:00");
    run(portal).await;
    let mails = portal.mails().await;
    let mut subjects: Vec<&str> = mails.iter().map(|mail| mail.subject.as_str()).collect();
    subjects.sort_unstable();
    assert_eq!(
        subjects,
        [
            "Fatura prestes a vencer: faturas 2026-11-22T08:00:01-03:00",
            "Fatura prestes a vencer: faturas 2026-11-29",
            "Fatura vencida: faturas 2026-11-22T08:00:00-03:00",
        ]
    );
});

portal_test!(portal_down_in_the_morning_notifies_after_its_start, async |portal| {
    let joao = portal.client("joao").await;
    settings(portal, &ON).await;
    begin(portal).await;
    expires(portal, &joao, "faturas", "2026-11-24").await;
    expires(portal, &joao, "contratos", "2026-12-02").await;
    wait_until(portal, "2026-11-26T21:40");
    portal.restart();
    run(portal).await;
    assert_eq!(queued_mails(portal).await, ["contrato_expiring_soon joao", "fatura_expired joao"]);
    wait_until(portal, "2026-11-27T08:00");
    run(portal).await;
    assert_eq!(portal.mails().await.len(), 2);
});

portal_test!(changed_due_date_is_notified_again_and_an_equal_one_is_not, async |portal| {
    let joao = portal.client("joao").await;
    settings(portal, &ON).await;
    begin(portal).await;
    let id = expires(portal, &joao, "faturas", "2026-11-25").await;
    let row = format!("/rest/v1/documents?id=eq.{id}");
    let service = portal.app.keys.service_role.clone();
    let mut counts = Vec::new();
    for (night, day) in [
        ("2026-11-22", None),
        ("2026-11-23", Some("2026-11-27")),
        ("2026-11-24", Some("2026-11-25")),
        ("2026-11-25", Some("2026-12-30")),
        ("2026-11-28", Some("2026-11-27")),
        ("2026-11-29", None),
    ] {
        if let Some(day) = day {
            let change = portal.patch(&row).bearer(&service).json(&json!({"expires_at": day}));
            change.send().await.is(204);
        }
        wait_until(portal, &format!("{night}T08:00"));
        run(portal).await;
        counts.push(portal.mails().await.len());
    }
    assert_eq!(counts, [1, 2, 2, 2, 3, 3]);
    let change = portal.patch(&row).bearer(&service).json(&json!({"expires_at": null}));
    change.send().await.is(204);
    wait_until(portal, "2026-11-30T08:00");
    run(portal).await;
    assert_eq!(portal.mails().await.len(), 3);
});

portal_test!(old_expirations_are_not_notified_when_the_event_is_enabled, async |portal| {
    let joao = portal.client("joao").await;
    begin(portal).await;
    for day in ["2026-11-01", "2026-11-14", "2026-11-16", "2026-11-20"] {
        expires(portal, &joao, "faturas", day).await;
    }
    wait_until(portal, "2026-11-22T08:00");
    run(portal).await;
    assert_eq!(queued_mails(portal).await, [""; 0]);
    // The office sees the recipients before it enables the event, and exactly those get mails.
    let question = json!({"settings": {"fatura_expired": true, "contrato_expired": true}});
    let service = portal.app.keys.service_role.clone();
    let audience = call(portal, &service, "mail_audience", &question).await.is(200).json();
    assert_eq!(audience, json!([{"setting": "fatura_expired", "count": 1, "names": ["joao"]}]));
    settings(portal, &[("fatura_expired", true)]).await;
    wait_until(portal, "2026-11-23T08:00");
    run(portal).await;
    let mut subjects: Vec<String> =
        portal.mails().await.into_iter().map(|mail| mail.subject).collect();
    subjects.sort_unstable();
    assert_eq!(
        subjects,
        ["Fatura vencida: faturas 2026-11-16", "Fatura vencida: faturas 2026-11-20"]
    );
});

portal_test!(several_advance_days_notify_several_times, async |portal| {
    portal.set("expiring_soon_days", "7,3,1");
    let joao = portal.client("joao").await;
    settings(portal, &ON).await;
    begin(portal).await;
    expires(portal, &joao, "faturas", "2026-11-30").await;
    // This notification is due when the first of its days is over.
    expires(portal, &joao, "contratos", "2026-11-24").await;
    let mut nights = Vec::new();
    for night in 22..=31 {
        let before = portal.mails().await.len();
        let (month, day) = if night > 30 { (12, night - 30) } else { (11, night) };
        wait_until(portal, &format!("2026-{month:02}-{day:02}T08:00"));
        run(portal).await;
        let mails = portal.mails().await.split_off(before);
        nights.extend(mails.into_iter().map(|mail| format!("{night} {}", mail.event)));
    }
    nights.sort_unstable();
    assert_eq!(
        nights,
        [
            "22 contrato_expiring_soon",
            "23 contrato_expiring_soon",
            "23 fatura_expiring_soon",
            "25 contrato_expired",
            "27 fatura_expiring_soon",
            "29 fatura_expiring_soon",
            "31 fatura_expired",
        ]
    );
    // A longer range of days does not repeat the notification.
    portal.set("expiring_soon_days", "8");
    expires(portal, &joao, "faturas", "2026-12-08").await;
    wait_until(portal, "2026-12-02T08:00");
    run(portal).await;
    portal.set("expiring_soon_days", "20,3");
    wait_until(portal, "2026-12-03T08:00");
    run(portal).await;
    assert_eq!(portal.mails().await.len(), nights.len() + 1);
});

portal_test!(clock_jump_neither_repeats_nor_loses_notifications, async |portal| {
    let joao = portal.client("joao").await;
    settings(portal, &ON).await;
    begin(portal).await;
    expires(portal, &joao, "faturas", "2026-11-25").await;
    wait_until(portal, "2026-11-22T08:00");
    run(portal).await;
    assert_eq!(portal.mails().await.len(), 1);
    for moment in ["2026-11-21T08:30", "2026-11-22T09:00", "2026-11-22T07:00", "2026-11-22T08:00"] {
        wait_until(portal, moment);
        run(portal).await;
        assert_eq!(portal.mails().await.len(), 1, "{moment}");
    }
    // The clock is far ahead for a moment: the document counts as expired and is notified. After the correction the
    // jobs continue.
    wait_until(portal, "2026-11-28T08:00");
    run(portal).await;
    assert_eq!(queued_mails(portal).await, ["fatura_expired joao", "fatura_expiring_soon joao"]);
    wait_until(portal, "2026-11-22T12:00");
    expires(portal, &joao, "contratos", "2026-11-24").await;
    run(portal).await;
    assert_eq!(portal.mails().await.len(), 3);
    for moment in ["2026-11-23T08:00", "2026-11-26T08:00"] {
        wait_until(portal, moment);
        run(portal).await;
    }
    assert_eq!(
        queued_mails(portal).await,
        [
            "contrato_expired joao",
            "contrato_expiring_soon joao",
            "fatura_expired joao",
            "fatura_expiring_soon joao",
        ]
    );
});

portal_test!(all_pages_are_notified_except_muted_clients, async |portal| {
    let (joao, maria) = (portal.client("joao").await, portal.client("maria").await);
    settings(portal, &ON).await;
    begin(portal).await;
    let request = portal.post("/rest/v1/muted_topics").auth(&maria);
    request.json(&json!({"topic": "expiries"})).send().await.is(201);
    let mut left: usize = 520;
    for client in [&joao, &maria] {
        let path = portal.upload(client, "faturas", "a.pdf").await;
        while left > 0 {
            let count = if left > 400 { 400 } else { left };
            let row = json!({"name": "a", "folder_id_supabase": "faturas", "file_url": path, "expires_at": "2026-11-25"});
            let insert = portal.post("/rest/v1/documents").bearer(&portal.app.keys.service_role);
            insert.json(&json!(vec![row; count])).send().await.is(201);
            left -= count;
        }
        left = 3;
    }
    wait_until(portal, "2026-11-22T08:00");
    run(portal).await;
    assert_eq!(queued_mails(portal).await, vec!["fatura_expiring_soon joao"; 520]);
});
