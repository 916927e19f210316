//! The queue of push messages: claims, leases and retries with backoff, as in the outbox of mails.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD as BASE64};
use jiff::{SignedDuration, Timestamp};
use sea_query::{Condition, Expr, ExprTrait, Order, Query, UpdateStatement};
use url::Url;

use crate::{
    app::App,
    clock::format_timestamp,
    db::{Error, Tx},
    notifications::{
        Recipient,
        push::{
            content::{PushContent, Subject},
            endpoint,
        },
    },
    security::{
        ids::{PushMessageId, PushSubscriptionId, UserId},
        keys,
        push_encryption::encrypt,
    },
};

/// Time after which a claim expires. An attempt takes at most `TIMEOUT` of `jobs/deliver_push.rs`.
const LEASE: SignedDuration = SignedDuration::from_mins(2);
/// Minutes to wait after each failed attempt. The final attempt is 14 hours after the first: later the message is old.
const BACKOFF_MINUTES: [i64; 7] = [1, 5, 15, 60, 120, 240, 420];
/// Age after which a message is deleted: that of its notification.
const RETENTION: SignedDuration = SignedDuration::from_hours(90 * 24);
/// Maximum number of old messages that one transaction deletes.
const BATCH: u64 = 2_000;

/// A message that this worker has claimed.
#[derive(Debug)]
pub struct ClaimedMessage {
    /// The id.
    pub id: PushMessageId,
    claim: String,
    subscription: PushSubscriptionId,
    attempts: i64,
    /// The endpoint of the device.
    pub endpoint: Url,
    /// The encrypted content.
    pub body: Vec<u8>,
}

/// Result of an attempt to claim a message.
#[derive(Debug)]
pub enum ClaimResult {
    /// A message to send.
    Message(Box<ClaimedMessage>),
    /// A message whose reason is gone. Others may be due.
    Canceled,
    /// Nothing is due before this time.
    Nothing(Option<Timestamp>),
}

/// Claims the next message.
///
/// # Errors
/// Database errors.
pub fn claim(tx: &mut Tx<'_>, app: &App, now: Timestamp) -> Result<ClaimResult, Error> {
    let mut query = Query::select();
    query.columns(["id", "due_at", "attempts"]).from("push_messages");
    query.and_where(Expr::col("due_at").is_not_null());
    query.order_by("due_at", Order::Asc).limit(1);
    let rows = tx.rows(&query)?;
    let Some(row) = rows.first() else { return Ok(ClaimResult::Nothing(None)) };
    let (id, due, attempts) = (row.parse::<PushMessageId>(0)?, row.text(1)?, row.int(2)?);
    if due > format_timestamp(now).as_str() {
        return Ok(ClaimResult::Nothing(due.parse().ok()));
    }
    let claim = keys::new_id(now).to_string();
    let mut update = Query::update();
    update.table("push_messages").value("claimed_by", claim.as_str());
    update.value("attempts", attempts + 1).value("due_at", format_timestamp(now + LEASE));
    update.and_where(Expr::col("id").eq(id)).and_where(Expr::col("due_at").eq(due));
    if tx.execute(&update)? == 0 {
        return Ok(ClaimResult::Canceled);
    }
    let retries = i64::try_from(BACKOFF_MINUTES.len()).unwrap_or(i64::MAX);
    // Only a process that ends during an attempt leaves more attempts behind.
    let message = if attempts > retries { None } else { compose(tx, app, id, now)? };
    let Some((subscription, endpoint, body)) = message else {
        end(tx, &Condition::all().add(Expr::col("id").eq(id)), "canceled")?;
        return Ok(ClaimResult::Canceled);
    };
    let attempts = attempts + 1;
    let message = ClaimedMessage { id, claim, subscription, attempts, endpoint, body };
    Ok(ClaimResult::Message(Box::new(message)))
}

/// Composes a message. `None` if its notification was read or is gone, or the person may not sign in at present.
fn compose(
    tx: &mut Tx<'_>,
    app: &App,
    id: PushMessageId,
    now: Timestamp,
) -> Result<Option<(PushSubscriptionId, Url, Vec<u8>)>, Error> {
    let notification = |column| ("notifications", column);
    let device = |column| ("push_subscriptions", column);
    let mut query = Query::select();
    query.columns(["kind", "document_id", "ticket_id"].map(notification));
    query.columns(["id", "person_id", "endpoint", "p256dh", "auth"].map(device));
    query.column(notification("request_item_id"));
    query.from("push_messages");
    query.inner_join(
        "notifications",
        Expr::col(notification("id")).equals(("push_messages", "notification_id")),
    );
    query.inner_join(
        "push_subscriptions",
        Expr::col(device("id")).equals(("push_messages", "subscription_id")),
    );
    query.and_where(Expr::col(("push_messages", "id")).eq(id));
    query.and_where(Expr::col(notification("person_id")).equals(device("person_id")));
    query.and_where(Expr::col(notification("read_at")).is_null());
    let rows = tx.rows(&query)?;
    let Some(row) = rows.first() else { return Ok(None) };
    let person: UserId = row.parse(4)?;
    let person = Recipient::load(tx, person)?.filter(|person| !person.is_banned(now));
    let (Some(person), Some(endpoint)) = (person, endpoint::parse(row.text(5)?)) else {
        return Ok(None);
    };
    let subject = Subject {
        kind: row.text(0)?,
        document: row.opt_text(1)?,
        ticket: row.opt_text(2)?,
        item: row.opt_text(8)?,
        is_staff: person.is_admin,
    };
    let content = PushContent {
        title: app.office_in(tx)?.name.clone(),
        body: subject.sentence(),
        kind: subject.kind.to_owned(),
        path: subject.path(),
    };
    let content = serde_json::to_vec(&content)
        .map_err(|error| Error::Internal(format!("push content: {error}")))?;
    let decode = |text: &str| BASE64.decode(text).unwrap_or_default();
    let subscription = row.parse(3)?;
    let body = encrypt(&content, &decode(row.text(6)?), &decode(row.text(7)?));
    Ok(body.map(|body| (subscription, endpoint, body)))
}

/// Records that the push service accepted a message, even if another worker has claimed it since.
///
/// # Errors
/// Database errors.
pub fn mark_sent(tx: &mut Tx<'_>, message: &ClaimedMessage, now: Timestamp) -> Result<(), Error> {
    end(tx, &Condition::all().add(Expr::col("id").eq(message.id)), "sent")?;
    let mut used = Query::update();
    used.table("push_subscriptions").value("last_used_at", format_timestamp(now));
    tx.execute(used.and_where(Expr::col("id").eq(message.subscription))).map(drop)
}

/// Schedules the next attempt after a failure. The message fails for good after the last one.
///
/// # Errors
/// Database errors.
pub fn retry_later(tx: &mut Tx<'_>, message: &ClaimedMessage, now: Timestamp) -> Result<(), Error> {
    let failures = usize::try_from(message.attempts).unwrap_or(usize::MAX).saturating_sub(1);
    let Some(minutes) = BACKOFF_MINUTES.get(failures) else {
        return mark_failed(tx, message);
    };
    let due = now + SignedDuration::from_mins(*minutes);
    let mut update = Query::update();
    update.table("push_messages").value("due_at", format_timestamp(due));
    update.value("claimed_by", Option::<String>::None).cond_where(is_claimed(message));
    tx.execute(&update).map(drop)
}

/// Marks a message as failed for good.
///
/// # Errors
/// Database errors.
pub fn mark_failed(tx: &mut Tx<'_>, message: &ClaimedMessage) -> Result<(), Error> {
    end(tx, &is_claimed(message), "failed")
}

/// Removes the subscription of a message, because its push service does not know it any more.
///
/// # Errors
/// Database errors.
pub fn remove_subscription(tx: &mut Tx<'_>, message: &ClaimedMessage) -> Result<(), Error> {
    let mut delete = Query::delete();
    delete.from_table("push_subscriptions").and_where(Expr::col("id").eq(message.subscription));
    tx.execute(&delete).map(drop)
}

/// Deletes a batch of old messages. Returns whether there were any.
///
/// # Errors
/// Database errors.
pub fn delete_expired(tx: &mut Tx<'_>, app: &App) -> Result<bool, Error> {
    let cutoff = format_timestamp(app.clock.now() - RETENTION);
    let mut old = Query::select();
    old.column("id").from("push_messages").and_where(Expr::col("created_at").lt(cutoff));
    old.order_by("created_at", Order::Asc).limit(BATCH);
    let mut delete = Query::delete();
    delete.from_table("push_messages").and_where(Expr::col("id").in_subquery(old));
    Ok(tx.execute(&delete)? > 0)
}

fn is_claimed(message: &ClaimedMessage) -> Condition {
    Condition::all()
        .add(Expr::col("id").eq(message.id))
        .add(Expr::col("claimed_by").eq(message.claim.as_str()))
}

/// Ends the attempts of a message.
fn end(tx: &mut Tx<'_>, which: &Condition, state: &str) -> Result<(), Error> {
    let mut update: UpdateStatement = Query::update();
    update.table("push_messages").value("state", state);
    update.value("due_at", Option::<String>::None).value("claimed_by", Option::<String>::None);
    tx.execute(update.cond_where(which.clone())).map(drop)
}
