//! The nightly notice: tells clients which of their documents are about to expire, or did (behaviour E1).
//!
//! Due at eight every morning in the portal's zone, and as soon as the portal is up again when it was down at that
//! time. One row says when the next run is due; whoever moves it on by a condition has the run, on whichever node. It
//! is moved on by a lease first: when the process dies, another goes on where nothing was told yet.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use sea_query::{Expr, ExprTrait, OnConflict, Query, UpdateStatement};

use crate::{
    app::App,
    clock::stamp,
    db::{self, Tx},
    events::expiries::{self, next_run},
};

/// The fact that says when the next run is due.
const FACT: &str = "expiry notices";
/// A run that was not heard of for so long is over.
const LEASE: SignedDuration = SignedDuration::from_mins(10);
/// No run is due later than this, be the day as long as it may: a later time was written by a clock that went wrong.
const LATEST: SignedDuration = SignedDuration::from_hours(26);

/// Runs if a run is due. Running it twice, or on two nodes at once, tells nobody twice: each notice has its key.
///
/// # Errors
/// The database's; what was not told yet is told when the lease is over.
pub async fn run(app: &Arc<App>) -> Result<(), db::Error> {
    let at = app.clock.now();
    let Some(mut lease) = claim(app, at).await? else { return Ok(()) };
    let mut place = None;
    let mut told = 0_u64;
    loop {
        let inner = Arc::clone(app);
        let page = app.db.read(move |tx| expiries::due(tx, &inner, at, place.as_ref())).await?;
        for document in page.due {
            let inner = Arc::clone(app);
            let tell = move |tx: &mut Tx<'_>| expiries::tell(tx, &inner, at, &document);
            told += u64::from(app.db.write(tell).await?);
        }
        let next = match page.next {
            Some(_) => app.clock.now() + LEASE,
            None => next_run(app.clock.now(), &app.config.time_zone),
        };
        // Whoever took too long finds that somebody else has it.
        if !move_on(app, lease, next).await? {
            return Ok(());
        }
        if page.next.is_none() {
            break;
        }
        (place, lease) = (page.next, next);
    }
    tracing::info!(told, "clients were told what expires");
    Ok(())
}

/// Takes the run that is due, if one is; until when it is ours.
async fn claim(app: &App, now: Timestamp) -> Result<Option<Timestamp>, db::Error> {
    let due = app.db.read(due_at).await?;
    let is_due = due.as_ref().is_some_and(|due| *due <= stamp(now) || *due > stamp(now + LATEST));
    if due.is_some() && !is_due {
        return Ok(None);
    }
    let (first, until) = (next_run(now, &app.config.time_zone), now + LEASE);
    let take = move |tx: &mut Tx<'_>| {
        // A new portal has missed nothing.
        let mut begin = Query::insert();
        begin.into_table("facts").columns(["name", "value"]);
        begin.values_panic([FACT.into(), stamp(first).into()]);
        tx.execute(begin.on_conflict(OnConflict::column("name").do_nothing().to_owned()))?;
        let is_due =
            Expr::col("value").lte(stamp(now)).or(Expr::col("value").gt(stamp(now + LATEST)));
        tx.execute(moved_to(until).and_where(is_due))
    };
    Ok((app.db.write(take).await? > 0).then_some(until))
}

/// Moves the run on from where we put it; whether it was still there.
async fn move_on(app: &App, from: Timestamp, to: Timestamp) -> Result<bool, db::Error> {
    let go = move |tx: &mut Tx<'_>| {
        tx.execute(moved_to(to).and_where(Expr::col("value").eq(stamp(from))))
    };
    Ok(app.db.write(go).await? > 0)
}

fn due_at(tx: &mut Tx<'_>) -> Result<Option<String>, db::Error> {
    let mut query = Query::select();
    let rows =
        tx.rows(query.column("value").from("facts").and_where(Expr::col("name").eq(FACT)))?;
    rows.first().map(|row| row.text(0).map(str::to_owned)).transpose()
}

fn moved_to(moment: Timestamp) -> UpdateStatement {
    let mut statement = Query::update();
    statement.table("facts").value("value", stamp(moment)).and_where(Expr::col("name").eq(FACT));
    statement
}
