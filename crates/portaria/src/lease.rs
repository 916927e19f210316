//! Whose turn something is that only one may do at a time: a fact that holds a moment, until when it is somebody's or
//! when it is next due. Whoever moves it on by a condition has it. A process that dies leaves it to lapse.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};
use sea_query::{Expr, ExprTrait, LikeExpr, OnConflict, Query, UpdateStatement};
use tokio::{sync::oneshot, task::JoinHandle};

use crate::{
    app::App,
    clock::format_timestamp,
    db::{self, Tx},
};

/// Who was not heard of for so long has lost the turn.
pub(crate) const LEASE_TTL: SignedDuration = SignedDuration::from_mins(10);
/// How often whoever is at work for long says so.
const RENEW_INTERVAL: Duration = Duration::from_mins(1);
/// Nothing is due later than this, be the day as long as it may: a later time was written by a clock that went wrong.
const LATEST: SignedDuration = SignedDuration::from_hours(26);

/// Something that is ours for now.
pub struct Lease {
    app: Arc<App>,
    fact: String,
    until: Timestamp,
}

impl Lease {
    /// Takes what is due, if it is. What nobody has heard of yet is due at `first`.
    ///
    /// # Errors
    /// The database's.
    pub async fn acquire_if_due(
        app: &Arc<App>,
        fact: &str,
        first: Timestamp,
    ) -> Result<Option<Self>, db::Error> {
        let now = app.clock.now();
        let name = fact.to_owned();
        let due = app.db.read(move |tx| due_at(tx, &name)).await?;
        let is_due = due.as_ref().is_some_and(|due| {
            *due <= format_timestamp(now) || *due > format_timestamp(now + LATEST)
        });
        if due.is_some() && !is_due {
            return Ok(None);
        }
        let (until, name) = (now + LEASE_TTL, fact.to_owned());
        let take = move |tx: &mut Tx<'_>| {
            insert(tx, &name, first)?;
            let is_due = Expr::col("value")
                .lte(format_timestamp(now))
                .or(Expr::col("value").gt(format_timestamp(now + LATEST)));
            tx.execute(moved_to(&name, until).and_where(is_due))
        };
        let taken = app.db.write(take).await? > 0;
        Ok(taken.then(|| Self { app: Arc::clone(app), fact: fact.to_owned(), until }))
    }

    /// Takes what nobody else has, because nobody else has its name.
    ///
    /// # Errors
    /// The database's.
    pub async fn acquire(app: &Arc<App>, fact: String) -> Result<Self, db::Error> {
        let (until, name) = (app.clock.now() + LEASE_TTL, fact.clone());
        app.db.write(move |tx| insert(tx, &name, until)).await?;
        Ok(Self { app: Arc::clone(app), fact, until })
    }

    /// Keeps it for longer, or says when it is due again; `false` when it was somebody else's by then.
    ///
    /// # Errors
    /// The database's.
    pub async fn extend(&mut self, to: Timestamp) -> Result<bool, db::Error> {
        let (fact, from) = (self.fact.clone(), self.until);
        let go = move |tx: &mut Tx<'_>| {
            tx.execute(moved_to(&fact, to).and_where(Expr::col("value").eq(format_timestamp(from))))
        };
        let moved = self.app.db.write(go).await? > 0;
        self.until = to;
        Ok(moved)
    }

    /// Leaves nothing behind.
    ///
    /// # Errors
    /// The database's.
    pub async fn end(self) -> Result<(), db::Error> {
        let go = move |tx: &mut Tx<'_>| {
            tx.execute(
                Query::delete().from_table("facts").and_where(Expr::col("name").eq(self.fact)),
            )
        };
        self.app.db.write(go).await.map(drop)
    }

    /// Keeps it for as long as the process lives and the work goes on.
    pub(crate) fn auto_renew(self) -> RenewedLease {
        let (stop, stopped) = oneshot::channel();
        let lost = Arc::new(AtomicBool::new(false));
        RenewedLease {
            stop,
            lost: Arc::clone(&lost),
            renewing: tokio::spawn(self.renew(stopped, lost)),
        }
    }

    async fn renew(mut self, mut stopped: oneshot::Receiver<()>, lost: Arc<AtomicBool>) -> Self {
        while tokio::time::timeout(RENEW_INTERVAL, &mut stopped).await.is_err() {
            let now = self.app.clock.now();
            // A database that is away for a moment is asked again, for as long as the turn lasts.
            let renewed =
                if now < self.until { self.move_on_to(now + LEASE_TTL).await } else { Some(false) };
            if renewed == Some(false) {
                lost.store(true, Ordering::Relaxed);
            }
        }
        self
    }

    async fn move_on_to(&mut self, to: Timestamp) -> Option<bool> {
        let from = self.until;
        match self.extend(to).await {
            Ok(moved) => Some(moved),
            Err(error) => {
                self.until = from;
                tracing::warn!(%error, fact = self.fact, "a turn could not be renewed");
                None
            }
        }
    }
}

/// A turn that renews itself.
pub(crate) struct RenewedLease {
    stop: oneshot::Sender<()>,
    lost: Arc<AtomicBool>,
    renewing: JoinHandle<Lease>,
}

impl RenewedLease {
    /// Whether it was lost: the machine slept, or the database was away.
    pub(crate) fn lost(&self) -> impl Fn() -> bool + Send + Sync + 'static {
        let lost = Arc::clone(&self.lost);
        move || lost.load(Ordering::Relaxed)
    }

    /// The turn, if it is still ours.
    pub(crate) async fn release(self) -> Option<Lease> {
        drop(self.stop);
        let turn = self.renewing.await.ok()?;
        (!self.lost.load(Ordering::Relaxed)).then_some(turn)
    }
}

/// The condition under which nobody has anything whose name begins so.
pub(crate) fn no_active_lease(names: &str, now: Timestamp) -> Expr {
    let held = Query::select()
        .expr(Expr::cust("1"))
        .from("facts")
        .and_where(begins(names))
        .and_where(Expr::col(("facts", "value")).gt(format_timestamp(now)))
        .take();
    Expr::exists(held).not()
}

/// Forgets what was never ended, and lapsed: of names that nobody uses again.
pub(crate) fn delete_expired(
    tx: &mut Tx<'_>,
    names: &str,
    now: Timestamp,
) -> Result<(), db::Error> {
    let lapsed = begins(names).and(Expr::col(("facts", "value")).lte(format_timestamp(now)));
    tx.execute(Query::delete().from_table("facts").and_where(lapsed)).map(drop)
}

fn begins(names: &str) -> Expr {
    Expr::col(("facts", "name")).like(LikeExpr::new(format!("{names}%")))
}

fn insert(tx: &mut Tx<'_>, fact: &str, moment: Timestamp) -> Result<(), db::Error> {
    let mut begin = Query::insert();
    begin.into_table("facts").columns(["name", "value"]);
    begin.values_panic([fact.into(), format_timestamp(moment).into()]);
    tx.execute(begin.on_conflict(OnConflict::column("name").do_nothing().to_owned())).map(drop)
}

fn due_at(tx: &mut Tx<'_>, fact: &str) -> Result<Option<String>, db::Error> {
    let mut query = Query::select();
    let rows =
        tx.rows(query.column("value").from("facts").and_where(Expr::col("name").eq(fact)))?;
    rows.first().map(|row| row.text(0).map(str::to_owned)).transpose()
}

fn moved_to(fact: &str, moment: Timestamp) -> UpdateStatement {
    let mut statement = Query::update();
    statement
        .table("facts")
        .value("value", format_timestamp(moment))
        .and_where(Expr::col("name").eq(fact));
    statement
}
/// Waits until no other transaction holds what goes by this name, and holds it until this one ends.
///
/// # Errors
/// The database's.
pub fn advisory_lock(tx: &mut Tx<'_>, name: &str) -> Result<(), db::Error> {
    let mut begin = Query::insert();
    begin.into_table("facts").columns(["name", "value"]).values_panic([name.into(), "".into()]);
    tx.execute(begin.on_conflict(OnConflict::column("name").do_nothing().to_owned()))?;
    let mut held = Query::select();
    held.column("value").from("facts").and_where(Expr::col("name").eq(name)).lock_exclusive();
    tx.rows(&held).map(drop)
}
