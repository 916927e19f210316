//! What may be taken out of the log without breaking it: a person's names, and the oldest lines.

use jiff::Timestamp;
use sea_query::{Condition, Expr, ExprTrait, Order, Query, SelectStatement};
use serde_json::json;

use crate::audit::{
    AuditEvent,
    hash_chain::{ChainHead, end},
    record,
};
use crate::{
    app::App,
    clock::format_timestamp,
    db::{Error, Tx},
    policy::Caller,
    security::keys::HmacKey,
};

/// Lines that are dropped in one transaction.
const AT_ONCE: u64 = 2_000;

/// Takes the names out of every line that is by a person or about them, and counts the lines. What happened stays,
/// and so does the chain.
pub fn redact_person(tx: &mut Tx<'_>, app: &App, person: &str) -> Result<u64, Error> {
    let lines = count_named(tx, person)?;
    let told = AuditEvent::new("activity.erased")
        .person(Some(person.to_owned()))
        .detail(json!({"lines": lines}));
    record(tx, app, Caller::Service, [told]);
    // Behind the line that says so: it names nobody either.
    redact_names(tx, person, Vec::new())?;
    Ok(lines)
}

/// Takes the names out of every line that is by a person, about them, or was done to what `theirs` select by its id.
pub fn redact_names(
    tx: &mut Tx<'_>,
    person: &str,
    theirs: Vec<SelectStatement>,
) -> Result<u64, Error> {
    let lines = erase_where(tx, person, theirs)?;
    // Once more at the very end, when nobody else can be writing a line: somebody may have signed in meanwhile.
    let person = person.to_owned();
    tx.last(move |tx| {
        end(tx, "end", true)?;
        erase_where(tx, &person, Vec::new()).map(drop)
    });
    Ok(lines)
}

fn erase_where(tx: &mut Tx<'_>, person: &str, theirs: Vec<SelectStatement>) -> Result<u64, Error> {
    let which = Condition::any()
        .add(Expr::col("actor_id").eq(person))
        .add(Expr::col("person_id").eq(person));
    let done_to = |which: Condition, ids| which.add(Expr::col("subject_id").in_subquery(ids));
    let which = theirs.into_iter().fold(which, done_to);
    let mut statement = Query::update();
    statement.table("activity");
    statement.values(
        ["actor_name", "person_name", "subject", "salt"]
            .map(|column| (column, Expr::val(Option::<String>::None))),
    );
    tx.execute(statement.cond_where(which).and_where(Expr::col("salt").is_not_null()))
}

/// How many lines of the log [`erase_names`] would change.
pub fn count_named(tx: &mut Tx<'_>, person: &str) -> Result<u64, Error> {
    let mut query = Query::select();
    query.expr(Expr::cust("count(*)")).from("activity");
    query.and_where(Expr::col("actor_id").eq(person).or(Expr::col("person_id").eq(person)));
    let rows = tx.rows(query.and_where(Expr::col("salt").is_not_null()))?;
    rows.first().map_or(Ok(0), |row| row.int(0).map(i64::unsigned_abs))
}

/// Drops the oldest lines, some at a time, as far as all of them are older than `before`; how many. The chain's new
/// beginning is sealed: whoever cuts lines off in the database alone cannot say so.
pub fn prune_before(tx: &mut Tx<'_>, seal: HmacKey, before: Timestamp) -> Result<u64, Error> {
    // Two nodes do this one after the other.
    let start = end(tx, "start", true)?;
    let mut oldest = Query::select();
    oldest.columns(["number", "hash", "created_at"]).from("activity");
    oldest.and_where(Expr::col("number").gt(start.number)).order_by("number", Order::Asc);
    let before = format_timestamp(before);
    let mut last = None;
    for row in tx.rows(oldest.limit(AT_ONCE))?.iter() {
        // A clock that went back for a while must not have younger lines dropped.
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
        ("seal", last.seal(seal).into()),
    ]);
    tx.execute(moved.and_where(Expr::col("name").eq("start")))?;
    let mut old = Query::delete();
    tx.execute(old.from_table("activity").and_where(Expr::col("number").lte(last.number)))
}
