//! Scheduled backups: creation, retries, alerts, retention, restore rehearsals.

use std::{fs, sync::Arc};

use jiff::SignedDuration;
use portaria::jobs::{garbage_collect, scheduled_backup as nightly};
use serde_json::{Value, json};

use crate::backup::{files, office, rehearse, snapshots, target};
use crate::harness::{TestPortal, portal_test};

/// The backup status for the dashboard.
async fn status(portal: &TestPortal) -> Value {
    let request = portal.post("/rest/v1/rpc/backup_status").bearer(&portal.app.keys.service_role);
    request.json(&json!({})).send().await.is(200).json()
}

/// Advances the clock and runs due jobs every half hour.
async fn advance(portal: &TestPortal, hours: i64) {
    for _ in 0..2 * hours {
        portal.advance(SignedDuration::from_mins(30));
        nightly::run(&portal.app).await.unwrap();
    }
}

portal_test!(backup_runs_each_night_at_three, async |portal| {
    office(portal).await;
    let to = target();
    portal.set("backup_to", to.path().to_str().unwrap());
    nightly::run(&portal.app).await.unwrap();
    assert_eq!(files(to.path()).len(), 0);
    assert_eq!(status(portal).await["made"], Value::Null);
    // The clock shows noon in Brasília.
    advance(portal, 14).await;
    assert_eq!(files(to.path()).len(), 0);
    advance(portal, 1).await;
    assert_eq!(snapshots(to.path()), ["2026-11-22T060000Z"]);
    let made = status(portal).await;
    assert_eq!(made["made"]["at"], "2026-11-22T06:00:00.000000+00:00");
    assert_eq!((&made["made"]["files"], &made["made"]["broken"]), (&json!(3), &json!(0)));
    assert_eq!(
        (&made["scheduled"], &made["overdue"], &made["failed"], &made["at"]),
        (&json!(true), &json!(false), &Value::Null, &json!("03:00"))
    );
    advance(portal, 24).await;
    assert_eq!(snapshots(to.path()), ["2026-11-22T060000Z", "2026-11-23T060000Z"]);
});

portal_test!(short_interval_makes_a_backup_every_few_minutes, async |portal| {
    office(portal).await;
    let to = target();
    portal.set("backup_to", to.path().to_str().unwrap());
    nightly::run(&portal.app).await.unwrap();
    portal.set("backup_every", "3m");
    // The shorter interval takes effect immediately, not after the next night.
    nightly::run(&portal.app).await.unwrap();
    for _ in 0..9 {
        portal.advance(SignedDuration::from_mins(1));
        nightly::run(&portal.app).await.unwrap();
    }
    assert_eq!(
        snapshots(to.path()),
        ["2026-11-21T150300Z", "2026-11-21T150600Z", "2026-11-21T150900Z"]
    );
    let stored = files(&to.path().join("rows")).len();
    // The rows fit into about one chunk, which changes each time because the backup itself is recorded. The list of
    // files is the same in all three.
    assert!((4..=5).contains(&stored), "{stored}");
    assert_eq!(
        (&status(portal).await["every"], &status(portal).await["overdue"]),
        (&json!(3), &json!(false))
    );
    portal.advance(SignedDuration::from_mins(64));
    assert_eq!(status(portal).await["overdue"], true);
    // The nightly run thins snapshots out to one per hour, and removes the chunks that only the others used.
    portal.set("backup_keep", "2h 7d");
    portal.advance(SignedDuration::from_mins(13 * 60 + 47));
    nightly::run(&portal.app).await.unwrap();
    let night = snapshots(to.path());
    assert_eq!(night, ["2026-11-21T150900Z", "2026-11-22T060000Z"]);
    assert_eq!(files(&to.path().join("rows")).len(), stored - 1);
    assert_eq!(status(portal).await["overdue"], false);
    rehearse(portal, to.path()).await.unwrap();
});

portal_test!(changed_hour_of_the_backup_counts_at_once, async |portal| {
    office(portal).await;
    let to = target();
    portal.set("backup_to", to.path().to_str().unwrap());
    nightly::run(&portal.app).await.unwrap();
    // The clock shows noon in Brasília; the next backup was due at three in the morning.
    portal.set("backup_at", "18:30");
    nightly::run(&portal.app).await.unwrap();
    advance(portal, 6).await;
    assert_eq!(files(to.path()).len(), 0);
    advance(portal, 1).await;
    assert_eq!(snapshots(to.path()), ["2026-11-21T213000Z"]);
    // A later hour counts as well, and so does another time zone.
    portal.set("backup_at", "22:00");
    nightly::run(&portal.app).await.unwrap();
    portal.set("time_zone", "America/Manaus");
    nightly::run(&portal.app).await.unwrap();
    let last = || snapshots(to.path()).pop().unwrap();
    advance(portal, 3).await;
    assert_eq!(last(), "2026-11-21T213000Z");
    advance(portal, 20).await;
    assert_eq!(last(), "2026-11-22T020000Z");
    // A backup that is overdue under the old hour is made at the start.
    portal.advance(SignedDuration::from_hours(12));
    portal.set("backup_at", "21:00");
    nightly::run(&portal.app).await.unwrap();
    assert_eq!(last(), "2026-11-23T090000Z");
});

portal_test!(one_node_of_several_makes_the_backup, async |portal| {
    office(portal).await;
    let to = target();
    portal.set("backup_to", to.path().to_str().unwrap());
    nightly::run(&portal.app).await.unwrap();
    let nodes = [Arc::clone(&portal.app), portal.another_node(), portal.another_node()];
    for _ in 0..2 {
        portal.advance(SignedDuration::from_hours(24));
        let all = nodes.iter().map(nightly::run);
        futures_util::future::join_all(all).await.into_iter().for_each(|run| run.unwrap());
    }
    assert_eq!(snapshots(to.path()).len(), 2);
    assert_eq!(status(portal).await["failed"], Value::Null);
});

portal_test!(nodes_with_different_intervals_make_backups, async |portal| {
    office(portal).await;
    let to = target();
    portal.set("backup_to", to.path().to_str().unwrap());
    portal.set("backup_every", "15m");
    nightly::run(&portal.app).await.unwrap();
    // A rolling restart: one node has the old interval, and the other the new one.
    let old = portal.another_node();
    portal.set("backup_every", "30m");
    for _ in 0..100 {
        for node in [&portal.app, &old] {
            nightly::run(node).await.unwrap();
        }
        portal.advance(SignedDuration::from_mins(1));
    }
    assert!((3..=6).contains(&snapshots(to.path()).len()), "{:?}", snapshots(to.path()));
});

portal_test!(lease_of_a_dead_node_passes_to_another, async |portal| {
    office(portal).await;
    let to = target();
    portal.set("backup_to", to.path().to_str().unwrap());
    nightly::run(&portal.app).await.unwrap();
    portal.advance(SignedDuration::from_hours(15));
    // The node acquired the lease and died.
    let now = portal.now();
    let died = portaria::lease::Lease::acquire_if_due(&portal.app, "backup due", now)
        .await
        .unwrap()
        .unwrap();
    nightly::run(&portal.app).await.unwrap();
    assert_eq!(files(to.path()).len(), 0);
    portal.advance(SignedDuration::from_mins(10));
    nightly::run(&portal.app).await.unwrap();
    assert_eq!(snapshots(to.path()).len(), 1);
    drop(died);
});

portal_test!(failed_backup_raises_an_alert_and_is_retried, async |portal| {
    office(portal).await;
    let to = target();
    portal.set("backup_to", to.path().to_str().unwrap());
    nightly::run(&portal.app).await.unwrap();
    advance(portal, 15).await;
    assert_eq!(snapshots(to.path()).len(), 1);
    // The backup disk is not mounted: its mount point is another folder.
    let away = target();
    let aside = away.path().join("aside");
    fs::rename(to.path(), &aside).unwrap();
    fs::write(to.path(), "nothing").unwrap();
    advance(portal, 24).await;
    let reported = status(portal).await;
    assert_eq!(reported["failed"]["code"], "unreachable");
    assert_eq!(reported["failed"]["at"], "2026-11-23T06:00:00.000000+00:00");
    assert_eq!((&reported["overdue"], &reported["made"]["files"]), (&json!(false), &json!(3)));
    advance(portal, 3).await;
    let reported = status(portal).await;
    assert_eq!(reported["failed"]["at"], "2026-11-23T09:00:00.000000+00:00");
    assert_eq!(reported["overdue"], true);
    fs::remove_file(to.path()).unwrap();
    fs::rename(&aside, to.path()).unwrap();
    advance(portal, 1).await;
    let reported = status(portal).await;
    assert_eq!((&reported["failed"], &reported["overdue"]), (&Value::Null, &json!(false)));
    assert_eq!(snapshots(to.path()), ["2026-11-22T060000Z", "2026-11-23T100000Z"]);
});

portal_test!(missing_backup_becomes_overdue, async |portal| {
    office(portal).await;
    let to = target();
    portal.set("backup_to", to.path().to_str().unwrap());
    nightly::run(&portal.app).await.unwrap();
    portal.advance(SignedDuration::from_hours(15 + 26));
    assert_eq!(status(portal).await["overdue"], false);
    portal.advance(SignedDuration::from_mins(1));
    assert_eq!(status(portal).await["overdue"], true);
    // Without a destination no backup is due.
    portal.set("backup_to", "");
    assert_eq!(
        status(portal).await,
        json!({
            "scheduled": false, "at": "03:00", "every": null, "encrypted": false, "made": null, "failed": null,
            "rehearsed": null, "overdue": false,
        })
    );
});

portal_test!(deleted_data_expire_from_the_backups, async |portal| {
    let joao = portal.client("joao").await;
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    portal.document(&joao, "contratos", "b.pdf").await;
    let to = target();
    portal.set("backup_to", to.path().to_str().unwrap());
    portal.set("backup_keep", "2d");
    nightly::run(&portal.app).await.unwrap();
    advance(portal, 15).await;
    assert_eq!(files(&to.path().join("blobs")).len(), 2);
    portal.delete_for_good(&document).await;
    for (nights, left) in [(1, 2), (1, 1), (1, 1)] {
        advance(portal, 24 * nights).await;
        garbage_collect::run(&portal.app).await.unwrap();
        assert_eq!(files(&to.path().join("blobs")).len(), left);
    }
    assert_eq!(snapshots(to.path()), ["2026-11-24T060000Z", "2026-11-25T060000Z"]);
});

portal_test!(damaged_snapshot_prevents_the_removal_of_files, async |portal| {
    let joao = portal.client("joao").await;
    let document = portal.document(&joao, "contratos", "a.pdf").await;
    portal.document(&joao, "contratos", "b.pdf").await;
    let to = target();
    portal.set("backup_to", to.path().to_str().unwrap());
    portal.set("backup_keep", "2d");
    nightly::run(&portal.app).await.unwrap();
    advance(portal, 15).await;
    portal.delete_for_good(&document).await;
    advance(portal, 24).await;
    // The files of a damaged snapshot are unknown, but may still be recoverable.
    fs::write(files(&to.path().join("snapshots")).pop().unwrap(), "bent").unwrap();
    advance(portal, 24).await;
    assert_eq!(snapshots(to.path()).len(), 2);
    assert_eq!(files(&to.path().join("blobs")).len(), 2);
});

portal_test!(restore_is_rehearsed_once_a_month, async |portal| {
    office(portal).await;
    let to = target();
    portal.set("backup_to", to.path().to_str().unwrap());
    nightly::run(&portal.app).await.unwrap();
    let at = async |portal: &TestPortal| status(portal).await["rehearsed"]["at"].clone();
    for (nights, expected) in [
        (1, "2026-11-22T06:00:00.000000+00:00"),
        (29, "2026-11-22T06:00:00.000000+00:00"),
        (1, "2026-12-22T06:00:00.000000+00:00"),
    ] {
        for _ in 0..nights {
            // One rehearsal after the backup of the night.
            portal.advance(SignedDuration::from_hours(
                if expected.starts_with("2026-11") && nights == 1 { 15 } else { 24 },
            ));
            nightly::run(&portal.app).await.unwrap();
        }
        assert_eq!(at(portal).await, expected);
        assert_eq!(status(portal).await["rehearsed"]["code"], Value::Null);
    }
    // A failed rehearsal raises an alert.
    for path in files(&to.path().join("blobs")) {
        let mut bytes = fs::read(&path).unwrap();
        bytes[7] ^= 1;
        fs::write(&path, bytes).unwrap();
    }
    for _ in 0..30 {
        portal.advance(SignedDuration::from_hours(24));
        nightly::run(&portal.app).await.unwrap();
    }
    let reported = status(portal).await;
    assert_eq!(reported["rehearsed"]["code"], "damaged");
    assert_eq!(reported["rehearsed"]["at"], "2027-01-21T06:00:00.000000+00:00");
    assert!(!portal.folder("rehearsal").exists());
});

portal_test!(backup_status_is_visible_to_the_office_only, async |portal| {
    let (ana, joao) = (portal.admin().await, portal.client("joao").await);
    let ask =
        |token: &str| portal.post("/rest/v1/rpc/backup_status").bearer(token).json(&json!({}));
    ask(&ana.token).send().await.is(200);
    for token in [&joao.token, &portal.app.keys.anon] {
        ask(token).send().await.refused(404, "PGRST202");
    }
});
