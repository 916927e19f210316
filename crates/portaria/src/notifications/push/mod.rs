//! Push messages: each notification of the notification center goes once to each subscribed device of its person
//! (docs/decisions/0134-web-push.md).
//!
//! A message is a row of `push_messages`, written in the transaction of its notification. Only `jobs/deliver_push.rs`
//! sends messages.

pub(crate) mod content;
pub mod endpoint;
pub mod outbox;
pub mod subscriptions;
pub(crate) mod topics;

use jiff::Timestamp;
use sea_query::{Condition, Expr, ExprTrait, OnConflict, Query};

use crate::{
    app::App,
    clock::format_timestamp,
    db::{Error, Tx},
    notifications::center::CenterEvent,
    security::ids::{PushMessageId, UserId},
};

/// Maximum number of people in one statement.
const MAX_PEOPLE: usize = 500;
/// Maximum number of rows in one statement. SQLite allows 32,766 parameters, and a row has seven.
const MAX_ROWS: usize = 2_000;

/// Queues messages about notifications, each with its person, for the devices of those who did not mute the topic. A
/// notification that was sent to a device before is not sent again.
pub(crate) fn enqueue(
    tx: &mut Tx<'_>,
    app: &App,
    event: CenterEvent,
    notifications: &[(UserId, String)],
) -> Result<(), Error> {
    let mut is_queued = false;
    let now = app.clock.now();
    for notifications in notifications.chunks(MAX_PEOPLE) {
        let devices = devices_of(tx, event, notifications)?;
        let of_person = |person: UserId| {
            devices.iter().filter(move |(owner, _)| *owner == person).map(|(_, device)| device)
        };
        let messages: Vec<(&str, &str)> = notifications
            .iter()
            .flat_map(|(person, id)| {
                of_person(*person).map(|device| (id.as_str(), device.as_str()))
            })
            .collect();
        for messages in messages.chunks(MAX_ROWS) {
            insert(tx, messages, now)?;
            is_queued = true;
        }
    }
    if is_queued {
        let notify = std::sync::Arc::clone(&app.push_notify);
        tx.after_commit(move || notify.notify_one());
    }
    Ok(())
}

/// Inserts messages, each the ids of its notification and its subscription.
fn insert(tx: &mut Tx<'_>, messages: &[(&str, &str)], now: Timestamp) -> Result<(), Error> {
    let mut insert = Query::insert();
    insert.into_table("push_messages").columns([
        "id",
        "notification_id",
        "subscription_id",
        "state",
        "attempts",
        "due_at",
        "created_at",
    ]);
    for (notification, device) in messages {
        insert.values_panic([
            PushMessageId::new(now).into(),
            (*notification).into(),
            (*device).into(),
            "queued".into(),
            0_i64.into(),
            format_timestamp(now).into(),
            format_timestamp(now).into(),
        ]);
    }
    let unique =
        OnConflict::columns(["notification_id", "subscription_id"]).do_nothing().to_owned();
    tx.execute(insert.on_conflict(unique)).map(drop)
}

/// Returns the people with the ids of their subscriptions, without those who muted the topic of the event.
fn devices_of(
    tx: &mut Tx<'_>,
    event: CenterEvent,
    notifications: &[(UserId, String)],
) -> Result<Vec<(UserId, String)>, Error> {
    let person = ("push_subscriptions", "person_id");
    let mut muted = Query::select();
    muted.expr(Expr::cust("1")).from("push_muted_topics").cond_where(
        Condition::all()
            .add(Expr::col(("push_muted_topics", "person_id")).equals(person))
            .add(Expr::col(("push_muted_topics", "topic")).eq(topics::of_event(event))),
    );
    let mut query = Query::select();
    query.columns([person, ("push_subscriptions", "id")]).from("push_subscriptions");
    query.and_where(Expr::col(person).is_in(notifications.iter().map(|(person, _)| *person)));
    query.and_where(Expr::exists(muted).not());
    tx.rows(&query)?.iter().map(|row| Ok((row.parse(0)?, row.text(1)?.to_owned()))).collect()
}
