//! The outbox as whoever delivers sees it: which mail is next, whose turn it is to send it, and what became of it.
//!
//! A mail is claimed by one conditional update, for as long as its lease is renewed; who dies with it leaves it to the next.
//! Two who look at the same person's notices wait for each other at that person's row.

use jiff::{SignedDuration, Timestamp};
use sea_query::{Condition, Expr, ExprTrait, OnConflict, Order, Query, UpdateStatement};
use serde_json::{Value, json};
use uuid::Uuid;

use super::digest;
use crate::db::{Error, Tx};
use crate::{accounts::user, app::App, clock::format_timestamp, config::units::Rate};

/// A claim that is not renewed ends after this time.
pub const LEASE: SignedDuration = SignedDuration::from_mins(2);
/// After an attempt that came to nothing, the next; after the last one the mail is given up: 47 hours (security N-05).
const BACKOFF_MINUTES: [i64; 11] = [1, 5, 15, 60, 120, 240, 480, 480, 480, 480, 480];
/// Notices of one kind to one person leave no more often than this; those in between leave as one.
const DIGEST_INTERVAL: SignedDuration = SignedDuration::from_mins(10);
/// What one night finds out about a client's documents is gathered for so long.
const BATCH_WINDOW: SignedDuration = SignedDuration::from_mins(2);
/// Mails of these topics leave together where there are several.
const BATCHED_TOPICS: [&str; 2] = ["documents", "expiries"];
/// More than these are not made one at once.
const AT_ONCE: u64 = 5_000;
/// Heads of the queue in one transaction.
const LOOKS: usize = 100;
/// What is written in a mail is forgotten when it is final and so old.
const FORGOTTEN_AFTER: SignedDuration = SignedDuration::from_hours(30 * 24);
/// Under this name the database knows why no mail leaves at present.
const TROUBLE: &str = "mail trouble";

/// A mail whose turn it is, and nobody else's to send it.
#[derive(Debug)]
#[expect(missing_docs, reason = "the names are the columns'")]
pub struct ClaimedMail {
    pub id: String,
    pub claim: String,
    pub recipient: String,
    pub user_id: Option<String>,
    /// What the recipient is called, if they are that person.
    pub name: Option<String>,
    pub subject: String,
    pub html: String,
    pub topic: Option<String>,
    pub attempts: i64,
}

/// What a look into the outbox came to.
#[derive(Debug)]
pub enum ClaimResult {
    /// A mail to be sent.
    Mail(Box<ClaimedMail>),
    /// Mails that have to wait were put off; there may be others.
    Again,
    /// Nothing is due.
    Nothing,
}

/// A row that is due.
struct QueueHead {
    id: String,
    recipient: String,
    user_id: Option<String>,
    topic: Option<String>,
    attempts: i64,
}

/// Rings for whoever delivers, once this transaction is committed.
pub fn notify_worker(tx: &mut Tx<'_>, app: &App) {
    let bell = std::sync::Arc::clone(&app.outbox_notify);
    tx.afterwards(move || bell.notify_one());
}

/// When there is something to do next: a mail is due, or somebody's lease is over.
pub fn next(tx: &mut Tx<'_>) -> Result<Option<Timestamp>, Error> {
    let mut found: Option<Timestamp> = None;
    for (state, column) in [("queued", "next_attempt_at"), ("sending", "lease_until")] {
        let mut query = Query::select();
        query.expr(Expr::col(column).min()).from("outbox").and_where(Expr::col("state").eq(state));
        let rows = tx.rows(&query)?;
        let text = rows.first().map(|row| row.opt_text(0)).transpose()?.flatten();
        let at = text.map(str::parse).transpose();
        let at = at.map_err(|_| Error::Internal(format!("{column} holds no time")))?;
        found = [found, at].into_iter().flatten().min();
    }
    Ok(found)
}

/// Takes back what somebody claimed and did not finish. A mail that ends whoever sends it is given up like any other.
pub fn release(tx: &mut Tx<'_>, now: Timestamp) -> Result<(), Error> {
    let most = i64::try_from(BACKOFF_MINUTES.len()).unwrap_or(i64::MAX);
    let left = |statement: &mut UpdateStatement| {
        statement.and_where(Expr::col("state").eq("sending"));
        statement.and_where(Expr::col("lease_until").lte(format_timestamp(now)));
    };
    let mut given_up = Query::update();
    given_up.table("outbox").value("state", "failed").value(
        "last_error",
        format!("O envio foi interrompido {} vezes antes de terminar.", most + 1),
    );
    unclaimed(&mut given_up);
    left(&mut given_up);
    tx.execute(given_up.and_where(Expr::col("attempts").gt(most)))?;
    let mut again = requeue(now);
    left(&mut again);
    tx.execute(&again).map(drop)
}

/// Claims the next mail, or puts off those that have to wait.
pub fn claim(tx: &mut Tx<'_>, app: &App, now: Timestamp) -> Result<ClaimResult, Error> {
    for _ in 0..LOOKS {
        let Some(head) = head(tx, now)? else { return Ok(ClaimResult::Nothing) };
        let claimed = match &head.topic {
            // Who was tried already may have arrived, so it stays the mail that it is.
            Some(topic) if head.attempts == 0 => notice(tx, app, &head, topic, now)?,
            _ => take(tx, &head.id, now)?,
        };
        if let Some(claimed) = claimed {
            return Ok(ClaimResult::Mail(Box::new(claimed)));
        }
    }
    Ok(ClaimResult::Again)
}

/// Renews a claim. Nothing is there to renew once it is over and somebody else's.
pub fn renew(tx: &mut Tx<'_>, claimed: &ClaimedMail, now: Timestamp) -> Result<(), Error> {
    let mut statement = ours(claimed);
    tx.execute(statement.value("lease_until", format_timestamp(now + LEASE))).map(drop)
}

/// The server has the mail. Whoever claimed it meanwhile is too late.
pub fn sent(tx: &mut Tx<'_>, claimed: &ClaimedMail, now: Timestamp) -> Result<(), Error> {
    let mut statement = Query::update();
    statement.table("outbox").value("state", "sent").value("sent_at", format_timestamp(now));
    statement.value("last_error", Option::<String>::None);
    unclaimed(&mut statement);
    if claimed.topic.is_none() {
        // The link in there was for the recipient alone.
        statement.value("html", "");
    }
    tx.execute(statement.and_where(Expr::col("id").eq(claimed.id.as_str())))?;
    let mut told = Query::update();
    told.table("outbox").value("sent_at", format_timestamp(now));
    tx.execute(told.and_where(Expr::col("digest_id").eq(claimed.id.as_str())))?;
    Ok(())
}

/// The mail did not leave and is tried again, unless that was done for long enough.
pub fn retry_later(
    tx: &mut Tx<'_>,
    claimed: &ClaimedMail,
    why: &str,
    now: Timestamp,
) -> Result<(), Error> {
    let tried = usize::try_from(claimed.attempts).unwrap_or(usize::MAX).saturating_sub(1);
    let Some(minutes) = BACKOFF_MINUTES.get(tried) else {
        return give_up(
            tx,
            claimed,
            &format!("{why} Foi a última de {} tentativas.", claimed.attempts),
        );
    };
    let mut statement = ours(claimed);
    statement.value("state", "queued").value("last_error", why);
    statement.value("next_attempt_at", format_timestamp(now + SignedDuration::from_mins(*minutes)));
    unclaimed(&mut statement);
    tx.execute(&statement).map(drop)
}

/// The mail will not leave.
pub fn give_up(tx: &mut Tx<'_>, claimed: &ClaimedMail, why: &str) -> Result<(), Error> {
    let mut statement = ours(claimed);
    statement.value("state", "failed").value("last_error", why);
    unclaimed(&mut statement);
    tx.execute(&statement).map(drop)
}

/// Remembers why no mail leaves, or that they do.
pub fn record_outage(tx: &mut Tx<'_>, why: Option<&str>) -> Result<(), Error> {
    let Some(why) = why else {
        let mut statement = Query::delete();
        statement.from_table("facts").and_where(Expr::col("name").eq(TROUBLE));
        return tx.execute(&statement).map(drop);
    };
    tx.execute(
        Query::insert()
            .into_table("facts")
            .columns(["name", "value"])
            .values_panic([TROUBLE.into(), why.into()])
            .on_conflict(OnConflict::column("name").update_column("value").to_owned()),
    )
    .map(drop)
}

/// How delivery stands, for the administrator.
pub fn status(tx: &mut Tx<'_>, app: &App) -> Result<Value, Error> {
    let count = |tx: &mut Tx<'_>, states: &[&str]| {
        let mut query = Query::select();
        query.expr(Expr::cust("count(*)")).from("outbox");
        query.and_where(Expr::col("state").is_in(states.iter().copied()));
        let rows = tx.rows(&query)?;
        rows.first().map_or(Ok(0), |row| row.int(0))
    };
    let text = |tx: &mut Tx<'_>, query: &sea_query::SelectStatement| {
        let rows = tx.rows(query)?;
        let text = rows.first().map(|row| row.opt_text(0)).transpose()?.flatten();
        Ok::<_, Error>(text.map(str::to_owned))
    };
    let why = Query::select()
        .column("value")
        .from("facts")
        .and_where(Expr::col("name").eq(TROUBLE))
        .take();
    let last = Query::select().expr(Expr::col("sent_at").max()).from("outbox").take();
    let server = app.config.mail_server.as_ref();
    Ok(json!({
        "configured": server.is_some(),
        "sender": app.config.mail_from.as_ref().map(ToString::to_string),
        "server": server.map(|server| format!("{}:{}", server.host, server.port)),
        "waiting": count(tx, &["queued", "sending"])?,
        "failed": count(tx, &["failed"])?,
        "last_error": text(tx, &why)?,
        "last_sent_at": text(tx, &last)?,
    }))
}

/// Empties what nobody has a use for any more.
pub fn purge_bodies(tx: &mut Tx<'_>, now: Timestamp) -> Result<(), Error> {
    let mut statement = Query::update();
    statement.table("outbox").value("html", "");
    // As the index says it.
    statement.and_where(Expr::cust("html <> ''"));
    statement.and_where(Expr::col("state").is_in(["sent", "failed", "cancelled"]));
    statement.and_where(Expr::col("created_at").lt(format_timestamp(now - FORGOTTEN_AFTER)));
    tx.execute(&statement).map(drop)
}

fn due(now: Timestamp) -> Condition {
    Condition::all()
        .add(Expr::col("state").eq("queued"))
        .add(Expr::col("next_attempt_at").lte(format_timestamp(now)))
}

fn head(tx: &mut Tx<'_>, now: Timestamp) -> Result<Option<QueueHead>, Error> {
    let mut query = Query::select();
    query.columns(["id", "recipient", "user_id", "topic", "attempts"]).from("outbox");
    query.cond_where(due(now)).order_by("next_attempt_at", Order::Asc).limit(1);
    let rows = tx.rows(&query)?;
    let Some(row) = rows.first() else { return Ok(None) };
    Ok(Some(QueueHead {
        id: row.text(0)?.to_owned(),
        recipient: row.text(1)?.to_owned(),
        user_id: row.opt_text(2)?.map(str::to_owned),
        topic: row.opt_text(3)?.map(str::to_owned),
        attempts: row.int(4)?,
    }))
}

/// Claims a mail; `None` if somebody else did.
fn take(tx: &mut Tx<'_>, id: &str, now: Timestamp) -> Result<Option<ClaimedMail>, Error> {
    let claim = Uuid::to_string(&crate::security::keys::new_id(now));
    let mut statement = Query::update();
    statement.table("outbox").value("state", "sending").value("claimed_by", claim.as_str());
    statement.value("lease_until", format_timestamp(now + LEASE));
    statement.value("attempts", Expr::col("attempts").add(1));
    statement.cond_where(due(now)).and_where(Expr::col("id").eq(id));
    if tx.execute(&statement)? == 0 {
        return Ok(None);
    }
    let mut query = Query::select();
    query.columns(["recipient", "user_id", "subject", "html", "topic", "attempts"]).from("outbox");
    let rows = tx.rows(query.and_where(Expr::col("id").eq(id)))?;
    let row = rows.first().ok_or_else(|| Error::Internal("a claimed mail is gone".into()))?;
    let user_id = row.opt_text(1)?.map(str::to_owned);
    let recipient = row.text(0)?.to_owned();
    Ok(Some(ClaimedMail {
        id: id.to_owned(),
        claim,
        name: name(tx, user_id.as_deref(), &recipient)?,
        recipient,
        user_id,
        subject: row.text(2)?.to_owned(),
        html: row.text(3)?.to_owned(),
        topic: row.opt_text(4)?.map(str::to_owned),
        attempts: row.int(5)?,
    }))
}

/// What the recipient is called. Who signs up chooses their name: it must not become words to somebody else.
fn name(tx: &mut Tx<'_>, user: Option<&str>, recipient: &str) -> Result<Option<String>, Error> {
    let Some(id) = user.and_then(|id| Uuid::parse_str(id).ok()) else { return Ok(None) };
    let is_theirs = |user: &user::User| {
        user.email == recipient && (user.email_confirmed_at.is_some() || !user.signed_up)
    };
    let user = user::by_id(tx, id)?.filter(is_theirs);
    let name = user.map(|user| user.full_name().to_owned());
    Ok(name.filter(|name| name != recipient))
}

/// Claims a notice, alone or with those that it leaves together with; `None` if it has to wait.
fn notice(
    tx: &mut Tx<'_>,
    app: &App,
    head: &QueueHead,
    topic: &str,
    now: Timestamp,
) -> Result<Option<ClaimedMail>, Error> {
    if let Some(person) = &head.user_id {
        let mut lock = Query::select();
        lock.column("id").from("users").and_where(Expr::col("id").eq(person.as_str()));
        tx.rows(lock.lock_exclusive())?;
    }
    let of_kind = || {
        Condition::all()
            .add(Expr::col("recipient").eq(head.recipient.as_str()))
            .add(Expr::col("topic").eq(topic))
            .add(Expr::col("state").eq("queued"))
            .add(Expr::col("attempts").eq(0))
    };
    let room = Room::of(tx, &head.recipient, app.config.rates.recipient_mail, now)?;
    let mut until = room.from;
    if BATCHED_TOPICS.contains(&topic) {
        let last = last_left(tx, &head.recipient, topic, now)?;
        until = Ord::max(until, last.map(|last| last + DIGEST_INTERVAL));
    }
    if topic == "expiries" {
        let mut first = Query::select();
        first.expr(Expr::col("created_at").min()).from("outbox").cond_where(of_kind());
        let rows = tx.rows(&first)?;
        let first = rows.first().map(|row| row.opt_text(0)).transpose()?.flatten();
        until = Ord::max(until, at(first).map(|first| first + BATCH_WINDOW));
    }
    // Those that came before may have been put off already: they go by the same time.
    let mut all = Query::update();
    all.table("outbox").cond_where(of_kind());
    if let Some(until) = until.filter(|until| *until > now) {
        all.value("next_attempt_at", format_timestamp(until));
        tx.execute(all.and_where(Expr::col("next_attempt_at").ne(format_timestamp(until))))?;
        return Ok(None);
    }
    all.value("next_attempt_at", format_timestamp(now));
    tx.execute(all.and_where(Expr::col("next_attempt_at").gt(format_timestamp(now))))?;
    let mut query = Query::select();
    query.column("id").from("outbox").cond_where(of_kind());
    query.order_by("created_at", Order::Asc).order_by("id", Order::Asc).limit(AT_ONCE);
    let rows = tx.rows(query.lock_exclusive())?;
    let mut waiting = Vec::with_capacity(rows.len());
    for row in rows.iter() {
        waiting.push(row.text(0)?.to_owned());
    }
    let Some(first) = waiting.first() else { return Ok(None) };
    let is_crowd = BATCHED_TOPICS.contains(&topic) || waiting.len() > room.left;
    if waiting.len() == 1 || !is_crowd {
        return take(tx, first, now);
    }
    let whom = (head.recipient.as_str(), head.user_id.as_deref(), topic);
    let digest = digest::put(tx, app, whom, &waiting, now)?;
    take(tx, &digest, now)
}

/// When the last mail of a topic left for somebody, or is leaving.
fn last_left(
    tx: &mut Tx<'_>,
    recipient: &str,
    topic: &str,
    now: Timestamp,
) -> Result<Option<Timestamp>, Error> {
    let mut query = Query::select();
    query.columns(["state", "sent_at"]).from("outbox");
    query.and_where(Expr::col("recipient").eq(recipient)).and_where(Expr::col("topic").eq(topic));
    query.and_where(Expr::col("digest_id").is_null());
    let left = Condition::any()
        .add(Expr::col("state").eq("sending"))
        .add(Expr::col("sent_at").gt(format_timestamp(now - DIGEST_INTERVAL)));
    let mut last = None;
    for row in tx.rows(query.cond_where(left))?.iter() {
        let at = if row.text(0)? == "sending" { Some(now) } else { at(row.opt_text(1)?) };
        last = Ord::max(last, at);
    }
    Ok(last)
}

/// How many mails more somebody can get just now.
struct Room {
    left: usize,
    /// Where there is no room, from when on there will be.
    from: Option<Timestamp>,
}

impl Room {
    fn of(
        tx: &mut Tx<'_>,
        recipient: &str,
        rate: Option<Rate>,
        now: Timestamp,
    ) -> Result<Self, Error> {
        let Some(Rate { count, per }) = rate else {
            return Ok(Self { left: usize::MAX, from: None });
        };
        let mut query = Query::select();
        query.columns(["state", "sent_at"]).from("outbox");
        query.and_where(Expr::col("recipient").eq(recipient));
        query.and_where(Expr::col("digest_id").is_null());
        let left = Condition::any()
            .add(Expr::col("state").eq("sending"))
            .add(Expr::col("sent_at").gt(format_timestamp(now - per)));
        let mut times = Vec::new();
        for row in tx.rows(query.cond_where(left))?.iter() {
            let is_leaving = row.text(0)? == "sending";
            times.extend(if is_leaving { Some(now) } else { at(row.opt_text(1)?) });
        }
        times.sort_unstable_by(|one, other| other.cmp(one));
        let count = usize::try_from(count.get()).unwrap_or(usize::MAX);
        let from = times.get(count - 1).map(|time| *time + per);
        Ok(Self { left: count.saturating_sub(times.len()), from })
    }
}

fn at(text: Option<&str>) -> Option<Timestamp> {
    text.and_then(|text| text.parse().ok())
}

/// A change of a mail that nobody else has claimed meanwhile.
fn ours(claimed: &ClaimedMail) -> UpdateStatement {
    let mut statement = Query::update();
    statement.table("outbox").and_where(Expr::col("id").eq(claimed.id.as_str()));
    statement.and_where(Expr::col("state").eq("sending"));
    statement.and_where(Expr::col("claimed_by").eq(claimed.claim.as_str()));
    statement
}

fn unclaimed(statement: &mut UpdateStatement) {
    let nothing = || Option::<String>::None;
    statement.value("claimed_by", nothing()).value("lease_until", nothing());
}

/// The change of a mail to one that waits to be sent now.
#[must_use]
pub fn requeue(now: Timestamp) -> UpdateStatement {
    let mut statement = Query::update();
    statement
        .table("outbox")
        .value("state", "queued")
        .value("next_attempt_at", format_timestamp(now));
    unclaimed(&mut statement);
    statement
}
