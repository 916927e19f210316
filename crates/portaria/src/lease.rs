//! Leases for work that only one node may do at a time.
//!
//! A lease is a row of the table `system_state` whose value is its expiry, or the time at which the work is next due. A
//! node acquires it with a conditional UPDATE, renews it every minute, and loses it after ten minutes without renewal.
//! The lease of a process that dies expires by itself.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use jiff::{SignedDuration, Timestamp, civil::Time};
use sea_query::{Expr, ExprTrait, LikeExpr, OnConflict, Query, UpdateStatement};
use tokio::{sync::oneshot, task::JoinHandle};

use crate::{
    app::App,
    clock::{format_timestamp, next_daily},
    config::Config,
    db::{self, Tx},
};

/// Time after which a lease expires without renewal.
pub(crate) const LEASE_TTL: SignedDuration = SignedDuration::from_mins(10);
/// Interval between renewals.
const RENEW_INTERVAL: Duration = Duration::from_mins(1);
/// Maximum time until work is due: a day of at most 25 hours, and one hour in reserve. A later value was written by a
/// node whose clock was wrong, and counts as due.
const MAX_AHEAD: SignedDuration = SignedDuration::from_hours(26);

/// Work at a fixed hour of the day in the portal's time zone, with the name of its lease.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScheduledJob {
    name: &'static str,
    hour: i8,
}

/// Notifications of due dates.
pub(crate) const EXPIRY_NOTICES: ScheduledJob = ScheduledJob { name: "expiry notices", hour: 8 };
/// Reminders of documents and of requests.
pub(crate) const REMINDERS: ScheduledJob = ScheduledJob { name: "reminders", hour: 8 };
/// Daily digests for staff.
pub(crate) const STAFF_DIGESTS: ScheduledJob = ScheduledJob { name: "staff digests", hour: 8 };
/// Deletion of old data.
pub(crate) const NIGHTLY_MAINTENANCE: ScheduledJob =
    ScheduledJob { name: "nightly upkeep", hour: 2 };

/// The end of the last run of a job, and the time at which the next one is due.
#[derive(Debug)]
pub(crate) struct JobRuns {
    pub(crate) last: Option<Timestamp>,
    pub(crate) next: Option<Timestamp>,
}

impl ScheduledJob {
    /// Acquires the lease of the job if it is due. A job without a lease is due at the next time.
    ///
    /// # Errors
    /// The database's errors.
    pub(crate) async fn acquire_if_due(self, app: &Arc<App>) -> Result<Option<Lease>, db::Error> {
        let rule = daily_rule(self.time(), &app.config);
        Lease::acquire_on_schedule(app, self.name, rule, self.next(app)).await
    }

    /// Returns the next time of the job.
    pub(crate) fn next(self, app: &App) -> Timestamp {
        next_daily(app.clock.now(), self.time(), &app.config.time_zone)
    }

    fn time(self) -> Time {
        Time::constant(self.hour, 0, 0, 0)
    }

    /// Records that the job is done. Returns `false` if another node has acquired the lease meanwhile.
    ///
    /// # Errors
    /// The database's errors.
    pub(crate) async fn finish(self, lease: Lease) -> Result<bool, db::Error> {
        let next = self.next(&lease.app);
        lease.finish(next).await
    }

    /// Reads when the job ran and when it is due.
    ///
    /// # Errors
    /// The database's errors.
    pub(crate) fn runs(self, tx: &mut Tx<'_>) -> Result<JobRuns, db::Error> {
        let parse = |value: Option<String>| value.and_then(|text| text.parse().ok());
        Ok(JobRuns {
            last: parse(read_value(tx, &done_name(self.name))?),
            next: parse(read_value(tx, self.name)?),
        })
    }
}

/// Name of the row with the end of the last run of the work of a lease.
fn done_name(key: &str) -> String {
    format!("{key} done")
}

/// Name of the row with the settings from which the due time of a lease follows: a line for each rule since the last run.
fn rule_name(key: &str) -> String {
    format!("{key} rule")
}

/// Returns the rule of work that is due at a time of each day.
pub(crate) fn daily_rule(at: Time, settings: &Config) -> String {
    format!("{} {}", at.strftime("%H:%M"), settings.time_zone_name())
}

/// A lease of this process.
pub struct Lease {
    app: Arc<App>,
    key: String,
    until: Timestamp,
}

impl Lease {
    /// Acquires the lease if its work is due. A lease without a row is due at `first`. Returns `None` if it is not due
    /// or another node holds it.
    ///
    /// # Errors
    /// The database's errors.
    pub async fn acquire_if_due(
        app: &Arc<App>,
        key: &str,
        first: Timestamp,
    ) -> Result<Option<Self>, db::Error> {
        let now = app.clock.now();
        let name = key.to_owned();
        let due = app.db.read(move |tx| read_value(tx, &name)).await?;
        let is_due = due.as_ref().is_some_and(|due| {
            *due <= format_timestamp(now) || *due > format_timestamp(now + MAX_AHEAD)
        });
        if due.is_some() && !is_due {
            return Ok(None);
        }

        let (until, name) = (now + LEASE_TTL, key.to_owned());
        let write = move |tx: &mut Tx<'_>| {
            insert(tx, &name, first)?;
            let is_due = Expr::col("value")
                .lte(format_timestamp(now))
                .or(Expr::col("value").gt(format_timestamp(now + MAX_AHEAD)));
            tx.execute(set_value(&name, until).and_where(is_due))
        };

        let taken = app.db.write(write).await? > 0;
        Ok(taken.then(|| Self { app: Arc::clone(app), key: key.to_owned(), until }))
    }

    /// Acquires the lease if its work is due. `rule` names the settings from which `next`, the next time, follows. After
    /// a change of the rule the stored time does not count any more: the work is due at `next`, unless it is overdue.
    /// Until the work is done, each rule counts once: nodes with different settings, as during a rolling restart, would
    /// postpone it without end.
    ///
    /// # Errors
    /// The database's errors.
    pub(crate) async fn acquire_on_schedule(
        app: &Arc<App>,
        key: &'static str,
        rule: String,
        next: Timestamp,
    ) -> Result<Option<Self>, db::Error> {
        let stored = app.db.read(move |tx| read_value(tx, &rule_name(key))).await?;
        let is_known = stored.iter().flat_map(|rules| rules.lines()).any(|known| known == rule);
        if !is_known {
            // A nearer time may be the expiry of a lease.
            let beyond_lease = format_timestamp(app.clock.now() + LEASE_TTL);
            let added = rule.clone();
            let write = move |tx: &mut Tx<'_>| {
                let known = read_value(tx, &rule_name(key))?.map(|rules| format!("{rules}\n"));
                set_state(tx, &rule_name(key), &format!("{}{added}", known.unwrap_or_default()))?;
                let is_due_time = Expr::col("value").gt(beyond_lease.as_str());
                tx.execute(set_value(key, next).and_where(is_due_time)).map(drop)
            };
            app.db.write(write).await?;
        }

        let lease = Self::acquire_if_due(app, key, next).await?;
        if lease.is_some() && stored.as_ref() != Some(&rule) {
            app.db.write(move |tx| set_state(tx, &rule_name(key), &rule)).await?;
        }
        Ok(lease)
    }

    /// Creates a lease whose key is unique, so that no other node competes for it.
    ///
    /// # Errors
    /// The database's errors.
    pub async fn acquire(app: &Arc<App>, key: String) -> Result<Self, db::Error> {
        let (until, name) = (app.clock.now() + LEASE_TTL, key.clone());
        app.db.write(move |tx| insert(tx, &name, until)).await?;
        Ok(Self { app: Arc::clone(app), key, until })
    }

    /// Sets the expiry, or the time at which the work is next due. Returns `false` if another node has acquired the
    /// lease meanwhile.
    ///
    /// # Errors
    /// The database's errors.
    pub async fn extend(&mut self, to: Timestamp) -> Result<bool, db::Error> {
        let (key, from) = (self.key.clone(), self.until);
        let write = move |tx: &mut Tx<'_>| {
            tx.execute(set_value(&key, to).and_where(Expr::col("value").eq(format_timestamp(from))))
        };
        let moved = self.app.db.write(write).await? > 0;
        self.until = to;
        Ok(moved)
    }

    /// Records that the work is done, and sets the time at which it is next due. Returns `false` if another node has
    /// acquired the lease meanwhile.
    ///
    /// # Errors
    /// The database's errors.
    async fn finish(self, next: Timestamp) -> Result<bool, db::Error> {
        let now = self.app.clock.now();
        let write = move |tx: &mut Tx<'_>| {
            let is_own = Expr::col("value").eq(format_timestamp(self.until));
            if tx.execute(set_value(&self.key, next).and_where(is_own))? == 0 {
                return Ok(false);
            }
            set_state(tx, &done_name(&self.key), &format_timestamp(now)).map(|()| true)
        };
        self.app.db.write(write).await
    }

    /// Deletes the lease.
    ///
    /// # Errors
    /// The database's errors.
    pub async fn delete(self) -> Result<(), db::Error> {
        let write = move |tx: &mut Tx<'_>| {
            tx.execute(
                Query::delete()
                    .from_table("system_state")
                    .and_where(Expr::col("name").eq(self.key)),
            )
        };
        self.app.db.write(write).await.map(drop)
    }

    /// Renews the lease in the background, until [`RenewedLease::release`] or the end of the process.
    pub(crate) fn auto_renew(self) -> RenewedLease {
        let (stop, stopped) = oneshot::channel();
        let lost = Arc::new(AtomicBool::new(false));
        RenewedLease {
            stop,
            lost: Arc::clone(&lost),
            task: tokio::spawn(self.renew(stopped, lost)),
        }
    }

    async fn renew(mut self, mut stopped: oneshot::Receiver<()>, lost: Arc<AtomicBool>) -> Self {
        while tokio::time::timeout(RENEW_INTERVAL, &mut stopped).await.is_err() {
            let now = self.app.clock.now();
            // While the database is unavailable, the renewal is repeated until the lease expires.
            let renewed =
                if now < self.until { self.try_extend(now + LEASE_TTL).await } else { Some(false) };
            if renewed == Some(false) {
                lost.store(true, Ordering::Relaxed);
            }
        }
        self
    }

    async fn try_extend(&mut self, to: Timestamp) -> Option<bool> {
        let from = self.until;
        match self.extend(to).await {
            Ok(moved) => Some(moved),
            Err(error) => {
                self.until = from;
                tracing::warn!(%error, lease = self.key, "lease renewal failed");
                None
            }
        }
    }
}

/// A lease that a background task renews.
pub(crate) struct RenewedLease {
    stop: oneshot::Sender<()>,
    lost: Arc<AtomicBool>,
    task: JoinHandle<Lease>,
}

impl RenewedLease {
    /// Returns a function that reports whether the lease was lost, for example because the machine slept or the
    /// database was unavailable.
    pub(crate) fn lost(&self) -> impl Fn() -> bool + Send + Sync + 'static {
        let lost = Arc::clone(&self.lost);
        move || lost.load(Ordering::Relaxed)
    }

    /// Stops the renewal. Returns the lease unless it was lost.
    pub(crate) async fn release(self) -> Option<Lease> {
        drop(self.stop);
        let lease = self.task.await.ok()?;
        (!self.lost.load(Ordering::Relaxed)).then_some(lease)
    }
}

/// Condition that no lease whose key starts with `prefix` is active.
pub(crate) fn no_active_lease(prefix: &str, now: Timestamp) -> Expr {
    let select = Query::select()
        .expr(Expr::cust("1"))
        .from("system_state")
        .and_where(key_starts_with(prefix))
        .and_where(Expr::col(("system_state", "value")).gt(format_timestamp(now)))
        .take();
    Expr::exists(select).not()
}

/// Deletes the expired leases whose key starts with `prefix`.
pub(crate) fn delete_expired(
    tx: &mut Tx<'_>,
    prefix: &str,
    now: Timestamp,
) -> Result<(), db::Error> {
    let expired = key_starts_with(prefix)
        .and(Expr::col(("system_state", "value")).lte(format_timestamp(now)));
    tx.execute(Query::delete().from_table("system_state").and_where(expired)).map(drop)
}

fn key_starts_with(prefix: &str) -> Expr {
    Expr::col(("system_state", "name")).like(LikeExpr::new(format!("{prefix}%")))
}

fn insert(tx: &mut Tx<'_>, key: &str, moment: Timestamp) -> Result<(), db::Error> {
    let mut statement = Query::insert();
    statement.into_table("system_state").columns(["name", "value"]);
    statement.values_panic([key.into(), format_timestamp(moment).into()]);
    tx.execute(statement.on_conflict(OnConflict::column("name").do_nothing().to_owned())).map(drop)
}

/// Sets a row of `system_state`, which need not exist.
///
/// # Errors
/// The database's errors.
pub(crate) fn set_state(tx: &mut Tx<'_>, name: &str, value: &str) -> Result<(), db::Error> {
    let mut statement = Query::insert();
    statement.into_table("system_state").columns(["name", "value"]);
    statement.values_panic([name.into(), value.into()]);
    let overwrite = OnConflict::column("name").update_column("value").to_owned();
    tx.execute(statement.on_conflict(overwrite)).map(drop)
}

fn read_value(tx: &mut Tx<'_>, key: &str) -> Result<Option<String>, db::Error> {
    let mut query = Query::select();
    let rows =
        tx.rows(query.column("value").from("system_state").and_where(Expr::col("name").eq(key)))?;
    rows.first().map(|row| row.text(0).map(str::to_owned)).transpose()
}

fn set_value(key: &str, moment: Timestamp) -> UpdateStatement {
    let mut statement = Query::update();
    statement
        .table("system_state")
        .value("value", format_timestamp(moment))
        .and_where(Expr::col("name").eq(key));
    statement
}

/// Acquires a named lock and holds it until the transaction ends. Waits for a transaction that holds it.
///
/// # Errors
/// The database's errors.
pub fn advisory_lock(tx: &mut Tx<'_>, name: &str) -> Result<(), db::Error> {
    let mut statement = Query::insert();
    statement
        .into_table("system_state")
        .columns(["name", "value"])
        .values_panic([name.into(), "".into()]);
    tx.execute(statement.on_conflict(OnConflict::column("name").do_nothing().to_owned()))?;
    let mut select = Query::select();
    select
        .column("value")
        .from("system_state")
        .and_where(Expr::col("name").eq(name))
        .lock_exclusive();
    tx.rows(&select).map(drop)
}
