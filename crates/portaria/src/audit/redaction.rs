//! The two changes of the audit log that keep its hash chain valid: the erasure of a person's names, and the deletion
//! of the oldest events.

use jiff::Timestamp;
use sea_query::{Condition, Expr, ExprTrait, Order, Query, SelectStatement};
use serde_json::json;

use crate::audit::{
    AuditEvent, EventName,
    hash_chain::{ChainHead, lock_head},
    record,
};
use crate::{
    app::App,
    clock::format_timestamp,
    db::{Error, Tx},
    security::{caller::Caller, ids::UserId, keys::HmacKey},
};

/// Maximum number of events that one transaction deletes.
const BATCH: u64 = 2_000;

/// Removes the names from all events by or about a person, records this as an event, and returns the number of changed
/// events.
pub fn redact_person(tx: &mut Tx<'_>, app: &App, person: UserId) -> Result<u64, Error> {
    let events = count_named(tx, person)?;
    let event = AuditEvent::new(EventName::ActivityErased)
        .person(Some(person))
        .detail(json!({"lines": events}));
    record(tx, app, Caller::Service, [event]);
    // After the new event, so that it contains no name either.
    redact_names(tx, person, Vec::new())?;
    Ok(events)
}

/// Removes the names from all events by a person, about them, or about a subject whose id `subjects` select. Returns
/// the number of changed events.
pub fn redact_names(
    tx: &mut Tx<'_>,
    person: UserId,
    subjects: Vec<SelectStatement>,
) -> Result<u64, Error> {
    let events = redact_where(tx, person, subjects)?;
    // Repeated at the end of the transaction under the lock of the chain: the person may have signed in meanwhile.
    tx.before_commit(move |tx| {
        lock_head(tx, "end")?;
        redact_where(tx, person, Vec::new()).map(drop)
    });
    Ok(events)
}

fn redact_where(
    tx: &mut Tx<'_>,
    person: UserId,
    subjects: Vec<SelectStatement>,
) -> Result<u64, Error> {
    let condition = Condition::any()
        .add(Expr::col("actor_id").eq(person))
        .add(Expr::col("person_id").eq(person))
        // A client is the subject of events about its members.
        .add(Expr::col("subject_id").eq(person));
    let add_subjects =
        |condition: Condition, ids| condition.add(Expr::col("subject_id").in_subquery(ids));
    let condition = subjects.into_iter().fold(condition, add_subjects);
    let mut statement = Query::update();
    statement.table("activity");
    statement.values(
        ["actor_name", "person_name", "subject", "salt"]
            .map(|column| (column, Expr::val(Option::<String>::None))),
    );
    tx.execute(statement.cond_where(condition).and_where(Expr::col("salt").is_not_null()))
}

/// Returns the number of events by or about a person that contain names.
pub fn count_named(tx: &mut Tx<'_>, person: UserId) -> Result<u64, Error> {
    let mut query = Query::select();
    query.expr(Expr::cust("count(*)")).from("activity");
    let is = |column: &'static str| Expr::col(column).eq(person);
    query.and_where(is("actor_id").or(is("person_id")).or(is("subject_id")));
    let rows = tx.rows(query.and_where(Expr::col("salt").is_not_null()))?;
    rows.first().map_or(Ok(0), |row| row.int(0).map(i64::unsigned_abs))
}

/// Deletes one batch of the oldest events, up to the first that is not older than `before`, and returns their number.
/// The new beginning of the chain is sealed with the key, so only the portal can shorten the log.
pub fn prune_before(tx: &mut Tx<'_>, key: HmacKey, before: Timestamp) -> Result<u64, Error> {
    // The lock serializes concurrent nodes.
    let start = lock_head(tx, "start")?;

    let mut oldest = Query::select();
    oldest.columns(["number", "hash", "created_at"]).from("activity");
    oldest.and_where(Expr::col("number").gt(start.number)).order_by("number", Order::Asc);
    let before = format_timestamp(before);
    let mut last = None;
    for row in tx.rows(oldest.limit(BATCH))?.iter() {
        // After a clock was set back, later events may have earlier times. They must not cause younger events to be
        // deleted.
        if row.text(2)? >= before.as_str() {
            break;
        }
        last = Some(ChainHead { number: row.int(0)?, hash: row.text(1)?.to_owned() });
    }

    let Some(last) = last else { return Ok(0) };
    let mut moved = Query::update();
    moved.table("activity_ends").values([
        ("number", last.number.into()),
        ("hash", last.hash.as_str().into()),
        ("seal", last.prune_seal(key).into()),
    ]);
    tx.execute(moved.and_where(Expr::col("name").eq("start")))?;
    let mut old = Query::delete();
    tx.execute(old.from_table("activity").and_where(Expr::col("number").lte(last.number)))
}
