//! The hash chain of the audit log. Each event carries an HMAC of its fields and of the previous event's hash, by a key
//! derived from the portal's secret. A person with access to the database alone cannot change, add or remove an event
//! without detection.
//!
//! Names are in the chain as a salted hash only, so they can be erased without breaking it.

use std::collections::HashMap;

use sea_query::{Expr, ExprTrait, Order, Query, SelectStatement};
use serde_json::json;

use crate::audit::{AuditEvent, read_name, select_name};
use crate::{
    app::App,
    db::{Error, Row, Rows, Tx},
    security::{
        ids::UserId,
        keys::{self, HmacKey},
    },
};

/// Maximum number of events in one statement.
const BATCH: usize = 500;
/// Maximum number of characters of a name in an event.
const MAX_NAME_CHARS: usize = 255;

const COLUMNS: [&str; 14] = [
    "number",
    "created_at",
    "event",
    "actor",
    "actor_id",
    "person_id",
    "subject_id",
    "detail",
    "actor_name",
    "person_name",
    "subject",
    "salt",
    "names_hash",
    "hash",
];

/// The actor and the time of an event.
pub(crate) struct Actor {
    pub(crate) kind: &'static str,
    pub(crate) id: Option<UserId>,
    pub(crate) at: String,
}

/// An event as stored in the table `activity`.
#[derive(Debug)]
struct StoredEvent {
    number: i64,
    /// The columns from `created_at` to `detail` of `COLUMNS`.
    facts: [Option<String>; 7],
    /// `actor_name`, `person_name`, `subject`.
    names: [Option<String>; 3],
    salt: Option<String>,
    names_hash: String,
    hash: String,
}

impl StoredEvent {
    fn read(row: Row<'_>) -> Result<Self, Error> {
        let mut texts = Vec::with_capacity(COLUMNS.len());
        for cell in 1..COLUMNS.len() {
            texts.push(row.opt_text(cell)?.map(str::to_owned));
        }
        let mut texts = texts.into_iter();
        let mut next = || texts.next().flatten();
        Ok(Self {
            number: row.int(0)?,
            facts: std::array::from_fn(|_| next()),
            names: std::array::from_fn(|_| next()),
            salt: next(),
            names_hash: next().unwrap_or_default(),
            hash: next().unwrap_or_default(),
        })
    }

    fn values(self) -> Vec<Expr> {
        let mut values: Vec<Expr> = vec![self.number.into()];
        values.extend(self.facts.into_iter().chain(self.names).map(Expr::from));
        values.extend([self.salt.into(), self.names_hash.into(), self.hash.into()]);
        values
    }

    /// Returns the hash of the names. It reveals nothing about them without the salt.
    fn hash_names(&self, salt: &str) -> String {
        keys::sha256_hex(&json!([salt, self.names]).to_string())
    }

    fn chain_hash(&self, key: HmacKey, previous_hash: &str) -> String {
        key.hmac_hex(&json!([self.number, self.facts, self.names_hash, previous_hash]).to_string())
    }
}

/// One end of the chain: an event's number and hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChainHead {
    pub(crate) number: i64,
    pub(crate) hash: String,
}

impl ChainHead {
    /// Reads the result of [`select_head`].
    fn read(rows: Option<&Rows>) -> Result<Self, Error> {
        let row = rows.and_then(Rows::first);
        let row = row.ok_or_else(|| Error::Internal("the log has no such end".into()))?;
        Ok(Self { number: row.int(0)?, hash: row.text(1)?.to_owned() })
    }

    /// Returns the proof that the portal itself deleted the events up to this one.
    pub(crate) fn prune_seal(&self, key: HmacKey) -> String {
        key.hmac_hex(&json!(["dropped", self.number, self.hash]).to_string())
    }
}

/// Appends events to the chain. Concurrent transactions wait for the lock on the head of the chain until the one before
/// them commits.
pub(crate) fn append(
    tx: &mut Tx<'_>,
    key: HmacKey,
    actor: &Actor,
    events: Vec<AuditEvent>,
) -> Result<(), Error> {
    let mut ids: Vec<UserId> = events
        .iter()
        .filter(|event| event.person_name.is_none())
        .filter_map(|event| event.person)
        .chain(actor.id)
        .collect();
    ids.sort_unstable();
    ids.dedup();
    let mut queries: Vec<_> = ids.iter().map(|id| select_name(*id)).collect();
    queries.push(select_head("end").lock_exclusive().take());
    let results = tx.rows_of_each(&queries)?;
    let mut names_by_id = HashMap::new();
    for (id, rows) in ids.iter().zip(&results) {
        names_by_id.extend(read_name(rows)?.map(|name| (*id, name)));
    }
    let name_of = |id: Option<UserId>| id.and_then(|id| names_by_id.get(&id).cloned());
    let actor_name = name_of(actor.id);

    let mut end = ChainHead::read(results.last())?;
    let mut stored = Vec::with_capacity(events.len());
    for event in events {
        let person_name = event.person_name.or_else(|| name_of(event.person));
        let names = [actor_name.clone(), person_name, event.subject];
        let salt = keys::new_token();
        let mut new = StoredEvent {
            number: end.number + 1,
            facts: [
                Some(actor.at.clone()),
                Some(event.event.as_str().to_owned()),
                Some(actor.kind.to_owned()),
                actor.id.map(|id| id.to_string()),
                event.person.map(|id| id.to_string()),
                event.subject_id,
                Some(event.detail.to_string()),
            ],
            names: names.map(|name| name.map(|name| name.chars().take(MAX_NAME_CHARS).collect())),
            salt: None,
            names_hash: String::new(),
            hash: String::new(),
        };
        new.names_hash = new.hash_names(&salt);
        new.salt = Some(salt);
        new.hash = new.chain_hash(key, &end.hash);
        end = ChainHead { number: new.number, hash: new.hash.clone() };
        stored.push(new.values());
    }

    while !stored.is_empty() {
        let rest = stored.split_off(stored.len().min(BATCH));
        let mut statement = Query::insert();
        statement.into_table("activity").columns(COLUMNS);
        for values in std::mem::replace(&mut stored, rest) {
            statement.values_panic(values);
        }
        tx.execute_deferred(&statement)?;
    }

    let mut statement = Query::update();
    statement
        .table("activity_ends")
        .values([("number", end.number.into()), ("hash", end.hash.into())]);
    tx.execute_deferred(statement.and_where(Expr::col("name").eq("end")))
}

/// Returns whether the actor's event about this subject was recorded after `since`.
pub(crate) fn recently_recorded(
    tx: &mut Tx<'_>,
    actor: &Actor,
    event: &AuditEvent,
    since: &str,
) -> Result<bool, Error> {
    let mut query = Query::select();
    query.column("number").from("activity");
    query.and_where(Expr::col("actor_id").eq(actor.id));
    query.and_where(Expr::col("event").eq(event.event.as_str()));
    query.and_where(Expr::col("subject_id").eq(event.subject_id.clone()));
    query.and_where(Expr::col("created_at").gt(since)).limit(1);
    Ok(!tx.rows(&query)?.is_empty())
}

/// Returns the event before the oldest kept one, and whether the portal itself deleted the events up to there.
fn start(tx: &mut Tx<'_>, key: HmacKey) -> Result<(ChainHead, bool), Error> {
    let mut query = Query::select();
    query.column("seal").from("activity_ends").and_where(Expr::col("name").eq("start"));
    let rows = tx.rows(&query)?;
    let seal = rows.first().map(|row| row.opt_text(0)).transpose()?.flatten();
    let start = read_head(tx, "start")?;
    let sealed = start.number == 0 || seal == Some(start.prune_seal(key).as_str());
    Ok((start, sealed))
}

fn select_head(name: &str) -> SelectStatement {
    let mut query = Query::select();
    query.columns(["number", "hash"]).from("activity_ends").and_where(Expr::col("name").eq(name));
    query
}

pub(crate) fn read_head(tx: &mut Tx<'_>, name: &str) -> Result<ChainHead, Error> {
    ChainHead::read(Some(&tx.rows(&select_head(name))?))
}

/// Reads an end and locks it until the end of the transaction.
pub(crate) fn lock_head(tx: &mut Tx<'_>, name: &str) -> Result<ChainHead, Error> {
    ChainHead::read(Some(&tx.rows(select_head(name).lock_exclusive())?))
}

/// An inconsistency of the chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChainBreak {
    /// The event with this number was changed, or does not follow the previous one.
    Tampered(i64),
    /// The events from the first to the second number are missing.
    Gap(i64, i64),
    /// The events up to this number are missing, and the portal did not delete them.
    TruncatedPrefix(i64),
}

/// Result of a verification of the whole log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainReport {
    /// Number of events.
    pub events: u64,
    /// Number of events from which names were erased.
    pub erased: u64,
    /// Number of the last event that was deleted after its retention period; 0 if none was.
    pub dropped: i64,
    /// Number and hash of the last event. Noted outside the portal, they later prove that the event is unchanged.
    pub head: (i64, String),
    /// Inconsistencies, in the order of the log.
    pub breaks: Vec<ChainBreak>,
}

/// Verifies the log from its oldest event to its last, one page per transaction.
#[derive(Debug)]
pub struct ChainVerifier {
    report: ChainReport,
    previous: Option<ChainHead>,
}

impl ChainVerifier {
    /// Verifies the whole log.
    ///
    /// # Errors
    /// Database errors.
    pub async fn run(app: &App) -> Result<ChainReport, Error> {
        let end = (0, String::new());
        let report =
            ChainReport { events: 0, erased: 0, dropped: 0, head: end, breaks: Vec::new() };
        let mut verifier = Self { report, previous: None };
        let key = app.keys.activity();
        loop {
            let (next, done) = app.db.read(move |tx| verifier.page(tx, key)).await?;
            if done {
                return Ok(next.report);
            }
            verifier = next;
        }
    }

    fn page(mut self, tx: &mut Tx<'_>, key: HmacKey) -> Result<(Self, bool), Error> {
        let (start, sealed) = start(tx, key)?;
        // Old events may be deleted during the verification: the log may then begin after the verified part.
        let mut previous = match self.previous.take() {
            Some(previous) if previous.number >= start.number => previous,
            _ => {
                if !sealed {
                    self.report.breaks.push(ChainBreak::TruncatedPrefix(start.number));
                }
                self.report.dropped = start.number;
                start
            }
        };
        let mut query = Query::select();
        query.columns(COLUMNS).from("activity").order_by("number", Order::Asc);
        query.and_where(Expr::col("number").gt(previous.number)).limit(BATCH as u64);
        let rows = tx.rows(&query)?;
        for row in rows.iter() {
            let event = StoredEvent::read(row)?;
            if event.number > previous.number + 1 {
                self.report.breaks.push(ChainBreak::Gap(previous.number + 1, event.number - 1));
            }
            let names_fit = match &event.salt {
                Some(salt) => event.hash_names(salt) == event.names_hash,
                None => event.names.iter().all(Option::is_none),
            };
            // The previous hash is unknown after a gap, which is reported already.
            let follows = event.number > previous.number + 1
                || event.chain_hash(key, &previous.hash) == event.hash;
            if !(names_fit && follows) {
                self.report.breaks.push(ChainBreak::Tampered(event.number));
            }
            self.report.events += 1;
            self.report.erased += u64::from(event.salt.is_none());
            previous = ChainHead { number: event.number, hash: event.hash };
        }

        let done = rows.len() < BATCH;
        if done {
            // Read in the same transaction as the last events.
            let last = read_head(tx, "end")?;
            if last.number > previous.number {
                self.report.breaks.push(ChainBreak::Gap(previous.number + 1, last.number));
            } else if last != previous {
                self.report.breaks.push(ChainBreak::Tampered(previous.number));
            }
            self.report.head = (last.number, last.hash);
        }
        self.previous = Some(previous);
        Ok((self, done))
    }
}

#[cfg(test)]
mod tests {
    use crate::audit::hash_chain::StoredEvent;
    use crate::security::keys::Keys;

    #[test]
    fn hash_depends_on_every_field() {
        let key = Keys::from_secret("a secret of thirty-two bytes or more").activity();
        let event = |number, fact: &str, name: Option<&str>| {
            let mut event = StoredEvent {
                number,
                facts: std::array::from_fn(|_| Some(fact.to_owned())),
                names: std::array::from_fn(|_| name.map(str::to_owned)),
                salt: None,
                names_hash: String::new(),
                hash: String::new(),
            };
            event.names_hash = event.hash_names("salt");
            event
        };
        let first = event(1, "a", Some("Ana")).chain_hash(key, "");
        for other in [event(2, "a", Some("Ana")), event(1, "b", Some("Ana")), event(1, "a", None)] {
            assert_ne!(other.chain_hash(key, ""), first);
        }
        assert_ne!(event(1, "a", Some("Ana")).chain_hash(key, "before"), first);
        assert_eq!(event(1, "a", Some("Ana")).chain_hash(key, ""), first);
    }
}
