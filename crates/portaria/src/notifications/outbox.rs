//! The outbox as a queue: claims, leases and retries with backoff.
//!
//! A worker claims a mail with one conditional `UPDATE` and holds it by a lease, which it renews while it sends. After
//! a crash the lease expires, and another worker claims the mail. Workers that look at notifications of the same person
//! are serialized by a lock on that person's row.

use jiff::{SignedDuration, Timestamp};
use sea_query::{Condition, Expr, ExprTrait, Order, Query, UpdateStatement};

use super::{cancellation, digest, recipient::Recipient, staff_mail};
use crate::db::{Error, Tx};
use crate::{
    app::App,
    clock::format_timestamp,
    security::{
        ids::{MailId, TicketId, UserId},
        keys,
        rate_limit::Rate,
    },
};

/// Time after which a claim without renewal expires.
pub const LEASE: SignedDuration = SignedDuration::from_mins(2);
/// Minutes to wait after each failed attempt. The final attempt is 47 hours after the first.
const BACKOFF_MINUTES: [i64; 11] = [1, 5, 15, 60, 120, 240, 480, 480, 480, 480, 480];
/// Minimum interval between mails of one batched topic to one recipient. Notifications in between become one digest.
const DIGEST_INTERVAL: SignedDuration = SignedDuration::from_mins(10);
/// Topics whose notifications are combined into a digest whenever several wait.
const BATCHED_TOPICS: [&str; 3] = ["documents", "expiries", "requests"];
/// Maximum number of mails that one digest replaces.
const MAX_DIGEST_MAILS: u64 = 5_000;
/// Maximum number of queue heads that one transaction examines.
const MAX_HEADS: usize = 100;
/// Age after which the body of a sent, failed or canceled mail is removed.
const BODY_RETENTION: SignedDuration = SignedDuration::from_hours(30 * 24);

/// A mail that this worker has claimed.
#[derive(Debug)]
#[expect(missing_docs, reason = "the fields are named after the columns")]
pub struct ClaimedMail {
    pub id: MailId,
    pub event: String,
    pub claim: String,
    pub recipient: String,
    pub user_id: Option<UserId>,
    /// The recipient's name, if the address belongs to the account.
    pub name: Option<String>,
    pub topic: Option<String>,
    /// The ticket of a notification or of a mail to staff, if the recipient may answer by mail. A digest has none.
    pub ticket_id: Option<TicketId>,
    pub attempts: i64,
}

/// Subject and text of a mail.
#[derive(Debug)]
#[expect(missing_docs, reason = "the fields are named after the columns")]
pub struct MailText {
    pub subject: String,
    pub html: String,
}

/// Result of an attempt to claim a mail.
#[derive(Debug)]
pub enum ClaimResult {
    /// A mail to send.
    Mail(Box<ClaimedMail>),
    /// The examined mails have to wait and were rescheduled. Others may be due.
    Rescheduled,
    /// Nothing is due.
    Nothing,
}

/// The mail at the head of the queue.
struct QueueHead {
    id: MailId,
    recipient: String,
    user_id: Option<UserId>,
    topic: Option<String>,
    attempts: i64,
    send_now: bool,
}

/// Wakes a delivery worker after this transaction commits.
pub fn notify_worker(tx: &mut Tx<'_>, app: &App) {
    let notify = std::sync::Arc::clone(&app.outbox_notify);
    tx.after_commit(move || notify.notify_one());
}

/// Returns the time at which the next mail is due or the next lease expires.
pub fn next_due_at(tx: &mut Tx<'_>) -> Result<Option<Timestamp>, Error> {
    let mut earliest: Option<Timestamp> = None;
    for (state, column) in [("queued", "next_attempt_at"), ("sending", "lease_until")] {
        let mut query = Query::select();
        query.expr(Expr::col(column).min()).from("outbox").and_where(Expr::col("state").eq(state));
        let rows = tx.rows(&query)?;
        let text = rows.first().map(|row| row.opt_text(0)).transpose()?.flatten();
        let at = text.map(str::parse).transpose();
        let at = at.map_err(|_| Error::Internal(format!("{column} holds no time")))?;
        earliest = [earliest, at].into_iter().flatten().min();
    }
    Ok(earliest)
}

/// Requeues mails whose lease expired. A mail whose attempts are used up fails instead, so that a mail that crashes the
/// process is not sent forever.
pub fn requeue_expired(tx: &mut Tx<'_>, now: Timestamp) -> Result<(), Error> {
    let retries = i64::try_from(BACKOFF_MINUTES.len()).unwrap_or(i64::MAX);
    let expired = |statement: &mut UpdateStatement| {
        statement.and_where(Expr::col("state").eq("sending"));
        statement.and_where(Expr::col("lease_until").lte(format_timestamp(now)));
    };
    let mut given_up = Query::update();
    given_up.table("outbox").value("state", "failed").value(
        "last_error",
        format!("O envio foi interrompido {} vezes antes de terminar.", retries + 1),
    );
    clear_claim(&mut given_up);
    expired(&mut given_up);
    tx.execute(given_up.and_where(Expr::col("attempts").gt(retries)))?;
    let mut again = requeue(now);
    expired(&mut again);
    tx.execute(&again).map(drop)
}

/// Claims the next mail, and reschedules the mails that have to wait.
pub fn claim(tx: &mut Tx<'_>, app: &App, now: Timestamp) -> Result<ClaimResult, Error> {
    for _ in 0..MAX_HEADS {
        let Some(head) = head(tx, now)? else { return Ok(ClaimResult::Nothing) };
        // Lock order: the person before their mails, as in a ban.
        head.user_id.map(|user| Recipient::lock(tx, user)).transpose()?;
        let same_recipient = Expr::col(("outbox", "recipient")).eq(head.recipient.as_str());
        let scope = cancellation::mail_with_parts(head.id).add(same_recipient);
        cancellation::cancel_obsolete(tx, app, &scope, now)?;
        let claimed = match &head.topic {
            // A mail that was attempted may have arrived, so it is never merged into a digest.
            Some(topic) if head.attempts == 0 && !head.send_now => {
                claim_notification(tx, app, &head, topic, now)?
            }
            _ => claim_mail(tx, head.id, now)?,
        };
        if let Some(claimed) = claimed {
            return Ok(ClaimResult::Mail(Box::new(claimed)));
        }
    }
    Ok(ClaimResult::Rescheduled)
}

/// Returns the text of a claimed mail immediately before it is sent, or `None` if it must not be sent: its reason is
/// gone, it was deleted with its account, or another worker has claimed it since.
pub fn text_to_send(
    tx: &mut Tx<'_>,
    app: &App,
    claimed: &ClaimedMail,
    now: Timestamp,
) -> Result<Option<MailText>, Error> {
    cancellation::cancel_obsolete(tx, app, &cancellation::mail_with_parts(claimed.id), now)?;
    if let Some(person) = claimed.user_id.filter(|_| claimed.event == staff_mail::DIGEST_EVENT) {
        staff_mail::rewrite_digest(tx, app, claimed.id, person)?;
    }
    let mut query = Query::select();
    query.columns(["subject", "html"]).from("outbox").cond_where(is_claimed(claimed));
    let rows = tx.rows(&query)?;
    let Some(row) = rows.first() else { return Ok(None) };
    Ok(Some(MailText { subject: row.text(0)?.to_owned(), html: row.text(1)?.to_owned() }))
}

/// Renews the lease of a claim. Does nothing if another worker has claimed the mail since.
pub fn renew(tx: &mut Tx<'_>, claimed: &ClaimedMail, now: Timestamp) -> Result<(), Error> {
    let mut statement = update_claimed(claimed);
    tx.execute(statement.value("lease_until", format_timestamp(now + LEASE))).map(drop)
}

/// Marks a mail as sent, even if another worker has claimed it since.
pub fn mark_sent(
    tx: &mut Tx<'_>,
    claimed: &ClaimedMail,
    reply: &str,
    now: Timestamp,
) -> Result<(), Error> {
    let mut statement = Query::update();
    statement.table("outbox").value("state", "sent").value("sent_at", format_timestamp(now));
    statement.value("smtp_reply", reply).value("last_error", Option::<String>::None);
    clear_claim(&mut statement);
    if claimed.topic.is_none() {
        // The links of account mails are secrets of the recipient.
        statement.value("html", "");
    }
    // The parts of a digest are locked before it, as in `cancellation.rs`. In the other order the two would deadlock.
    let mut parts = Query::update();
    parts.table("outbox").value("sent_at", format_timestamp(now));
    tx.execute(parts.and_where(Expr::col("digest_id").eq(claimed.id)))?;
    tx.execute(statement.and_where(Expr::col("id").eq(claimed.id))).map(drop)
}

/// Schedules the next attempt after a failure. The mail fails for good after the last attempt.
pub fn retry_later(
    tx: &mut Tx<'_>,
    claimed: &ClaimedMail,
    why: &str,
    now: Timestamp,
) -> Result<(), Error> {
    let failed_attempts = usize::try_from(claimed.attempts).unwrap_or(usize::MAX).saturating_sub(1);
    let Some(minutes) = BACKOFF_MINUTES.get(failed_attempts) else {
        return mark_failed(
            tx,
            claimed,
            &format!("{why} Foi a última de {} tentativas.", claimed.attempts),
        );
    };
    let mut statement = update_claimed(claimed);
    statement.value("state", "queued").value("last_error", why);
    statement.value("next_attempt_at", format_timestamp(now + SignedDuration::from_mins(*minutes)));
    clear_claim(&mut statement);
    tx.execute(&statement).map(drop)
}

/// Marks a mail as failed for good.
pub fn mark_failed(tx: &mut Tx<'_>, claimed: &ClaimedMail, why: &str) -> Result<(), Error> {
    let mut statement = update_claimed(claimed);
    statement.value("state", "failed").value("last_error", why);
    clear_claim(&mut statement);
    tx.execute(&statement).map(drop)
}

/// Removes the bodies of old mails that are sent, failed or canceled.
pub fn purge_bodies(tx: &mut Tx<'_>, now: Timestamp) -> Result<(), Error> {
    let mut statement = Query::update();
    statement.table("outbox").value("html", "");
    // The same text as in the partial index.
    statement.and_where(Expr::cust("html <> ''"));
    statement.and_where(Expr::col("state").is_in(["sent", "failed", "cancelled"]));
    statement.and_where(Expr::col("created_at").lt(format_timestamp(now - BODY_RETENTION)));
    tx.execute(&statement).map(drop)
}

fn due(now: Timestamp) -> Condition {
    Condition::all()
        .add(Expr::col("state").eq("queued"))
        .add(Expr::col("next_attempt_at").lte(format_timestamp(now)))
}

fn head(tx: &mut Tx<'_>, now: Timestamp) -> Result<Option<QueueHead>, Error> {
    let mut query = Query::select();
    query.columns(["id", "recipient", "user_id", "topic", "attempts", "send_now"]).from("outbox");
    query.cond_where(due(now)).order_by("next_attempt_at", Order::Asc).limit(1);
    let rows = tx.rows(&query)?;
    let Some(row) = rows.first() else { return Ok(None) };
    Ok(Some(QueueHead {
        id: row.parse(0)?,
        recipient: row.text(1)?.to_owned(),
        user_id: row.opt_parse(2)?,
        topic: row.opt_text(3)?.map(str::to_owned),
        attempts: row.int(4)?,
        send_now: row.bool(5)?,
    }))
}

/// Claims a mail, or returns `None` if another worker claimed it first.
fn claim_mail(tx: &mut Tx<'_>, id: MailId, now: Timestamp) -> Result<Option<ClaimedMail>, Error> {
    let claim = keys::new_id(now).to_string();
    let mut statement = Query::update();
    statement.table("outbox").value("state", "sending").value("claimed_by", claim.as_str());
    statement.value("lease_until", format_timestamp(now + LEASE));
    statement.value("attempts", Expr::col("attempts").add(1));
    statement.value("hold_reason", Option::<String>::None);
    statement.cond_where(due(now)).and_where(Expr::col("id").eq(id));
    if tx.execute(&statement)? == 0 {
        return Ok(None);
    }
    let mut query = Query::select();
    query.columns(["recipient", "user_id", "topic", "attempts", "ticket_id", "event"]);
    let rows = tx.rows(query.from("outbox").and_where(Expr::col("id").eq(id)))?;
    let row = rows.first().ok_or_else(|| Error::Internal("a claimed mail is gone".into()))?;
    let (recipient, user_id) = (row.text(0)?.to_owned(), row.opt_parse::<UserId>(1)?);
    let account = user_id.map(|user| Recipient::load(tx, user)).transpose()?.flatten();
    let account = account.filter(|account| account.email == recipient);
    let can_answer = account.as_ref().is_some_and(|account| account.is_address_confirmed);
    Ok(Some(ClaimedMail {
        id,
        claim,
        name: account.as_ref().and_then(recipient_name),
        recipient,
        user_id,
        topic: row.opt_text(2)?.map(str::to_owned),
        attempts: row.int(3)?,
        ticket_id: row.opt_parse::<TicketId>(4)?.filter(|_| can_answer),
        event: row.text(5)?.to_owned(),
    }))
}

/// Returns the recipient's name, unless the address is unconfirmed: people choose their name at sign-up, and it must not
/// carry a message to others.
fn recipient_name(account: &Recipient) -> Option<String> {
    let name = account.name();
    (account.is_address_trusted && name != account.email).then(|| name.to_owned())
}

/// Claims a notification, or a digest of it and others of its topic. Returns `None` if the notifications have to wait.
fn claim_notification(
    tx: &mut Tx<'_>,
    app: &App,
    head: &QueueHead,
    topic: &str,
    now: Timestamp,
) -> Result<Option<ClaimedMail>, Error> {
    let same_topic = || {
        Condition::all()
            .add(Expr::col("recipient").eq(head.recipient.as_str()))
            .add(Expr::col("topic").eq(topic))
            .add(Expr::col("state").eq("queued"))
            .add(Expr::col("attempts").eq(0))
            .add(Expr::col("send_now").eq(false))
    };

    let allowance = Allowance::load(tx, &head.recipient, app.config.rate_recipient_mail, now)?;
    let mut hold = allowance.available_at.map(|until| (until, "recipient_limit"));
    if BATCHED_TOPICS.contains(&topic) {
        let last = last_sent_at(tx, &head.recipient, topic, now)?;
        hold = Ord::max(hold, last.map(|last| (last + DIGEST_INTERVAL, "digest")));
    }
    if topic == "expiries" {
        let mut first = Query::select();
        first.expr(Expr::col("created_at").min()).from("outbox").cond_where(same_topic());
        let rows = tx.rows(&first)?;
        let first = rows.first().map(|row| row.opt_text(0)).transpose()?.flatten();
        let collected =
            parse_timestamp(first).map(|first| (first + digest::BATCH_WINDOW, "digest"));
        hold = Ord::max(hold, collected);
    }

    // Earlier notifications may be scheduled for other times: all of the topic get the same one.
    let mut reschedule = Query::update();
    reschedule.table("outbox").cond_where(same_topic());
    if let Some((until, reason)) = hold.filter(|(until, _)| *until > now) {
        reschedule.value("next_attempt_at", format_timestamp(until)).value("hold_reason", reason);
        tx.execute(reschedule.and_where(Expr::col("next_attempt_at").ne(format_timestamp(until))))?;
        return Ok(None);
    }
    reschedule.value("next_attempt_at", format_timestamp(now));
    tx.execute(reschedule.and_where(Expr::col("next_attempt_at").gt(format_timestamp(now))))?;

    let mut query = Query::select();
    query.column("id").from("outbox").cond_where(same_topic());
    query.order_by("created_at", Order::Asc).order_by("id", Order::Asc).limit(MAX_DIGEST_MAILS);
    let rows = tx.rows(query.lock_exclusive())?;
    let waiting: Vec<MailId> = rows.iter().map(|row| row.parse(0)).collect::<Result<_, _>>()?;

    let Some(first) = waiting.first() else { return Ok(None) };
    let becomes_digest = BATCHED_TOPICS.contains(&topic) || waiting.len() > allowance.remaining;
    if waiting.len() == 1 || !becomes_digest {
        return claim_mail(tx, *first, now);
    }
    let user = head.user_id;
    let digest = digest::insert(tx, app, &head.recipient, user, topic, &waiting, now)?;
    claim_mail(tx, digest, now)
}

/// Returns the time of the last mail of a topic to a recipient; `now` if one is being sent.
fn last_sent_at(
    tx: &mut Tx<'_>,
    recipient: &str,
    topic: &str,
    now: Timestamp,
) -> Result<Option<Timestamp>, Error> {
    let mut query = Query::select();
    query.columns(["state", "sent_at"]).from("outbox");
    query.and_where(Expr::col("recipient").eq(recipient)).and_where(Expr::col("topic").eq(topic));
    query.and_where(Expr::col("digest_id").is_null());
    let recent = Condition::any()
        .add(Expr::col("state").eq("sending"))
        .add(Expr::col("sent_at").gt(format_timestamp(now - DIGEST_INTERVAL)));
    let mut last = None;
    for row in tx.rows(query.cond_where(recent))?.iter() {
        let at =
            if row.text(0)? == "sending" { Some(now) } else { parse_timestamp(row.opt_text(1)?) };
        last = Ord::max(last, at);
    }
    Ok(last)
}

/// The rest of a recipient's rate limit.
struct Allowance {
    remaining: usize,
    /// Time at which the next mail is allowed, if the limit is reached.
    available_at: Option<Timestamp>,
}

impl Allowance {
    fn load(
        tx: &mut Tx<'_>,
        recipient: &str,
        rate: Option<Rate>,
        now: Timestamp,
    ) -> Result<Self, Error> {
        let Some(Rate { count, per }) = rate else {
            return Ok(Self { remaining: usize::MAX, available_at: None });
        };
        let mut query = Query::select();
        query.columns(["state", "sent_at"]).from("outbox");
        query.and_where(Expr::col("recipient").eq(recipient));
        query.and_where(Expr::col("digest_id").is_null());
        let recent = Condition::any()
            .add(Expr::col("state").eq("sending"))
            .add(Expr::col("sent_at").gt(format_timestamp(now - per)));
        let mut times = Vec::new();
        for row in tx.rows(query.cond_where(recent))?.iter() {
            let is_leaving = row.text(0)? == "sending";
            times.extend(if is_leaving { Some(now) } else { parse_timestamp(row.opt_text(1)?) });
        }
        times.sort_unstable_by(|one, other| other.cmp(one));
        let count = usize::try_from(count.get()).unwrap_or(usize::MAX);
        let available_at = times.get(count - 1).map(|time| *time + per);
        Ok(Self { remaining: count.saturating_sub(times.len()), available_at })
    }
}

fn parse_timestamp(text: Option<&str>) -> Option<Timestamp> {
    text.and_then(|text| text.parse().ok())
}

/// Returns an update of a mail that applies only while this worker holds the claim.
fn update_claimed(claimed: &ClaimedMail) -> UpdateStatement {
    Query::update().table("outbox").cond_where(is_claimed(claimed)).take()
}

fn is_claimed(claimed: &ClaimedMail) -> Condition {
    Condition::all()
        .add(Expr::col("id").eq(claimed.id))
        .add(Expr::col("state").eq("sending"))
        .add(Expr::col("claimed_by").eq(claimed.claim.as_str()))
}

pub(crate) fn clear_claim(statement: &mut UpdateStatement) {
    let null = || Option::<String>::None;
    statement.value("claimed_by", null()).value("lease_until", null());
}

/// Returns an update that makes mails due now. The caller adds the condition.
#[must_use]
pub fn requeue(now: Timestamp) -> UpdateStatement {
    let mut statement = Query::update();
    statement.table("outbox").value("state", "queued").value("hold_reason", Option::<String>::None);
    statement.value("next_attempt_at", format_timestamp(now));
    clear_claim(&mut statement);
    statement
}
