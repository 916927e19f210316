//! Connections to one server that several reads share. A read of one statement needs no transaction, because a statement
//! has one snapshot. It is sent behind the statements of other reads without a wait for their answers, and without a
//! thread.

use std::{
    pin::{Pin, pin},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use futures_util::TryStreamExt;
use hashlink::LruCache;
use tokio::{
    sync::{Mutex as AsyncMutex, OwnedSemaphorePermit, Semaphore},
    time::timeout_at,
};
use tokio_postgres::{Client, Row, RowStream, Statement};

use crate::{
    Error, QUEUE_CAPACITY, READ_TIMEOUT, Rows,
    postgres::{
        PREPARED, SILENCE_TIMEOUT, Target,
        pipeline::{Budget, Combined, RowsOfBoth},
        settings,
        values::{bound, cell, parameters},
    },
    queue::QueueStats,
};

/// Number of shared connections.
const CONNECTIONS: usize = 4;
/// Maximum number of statements in flight on one connection. The server executes them one after another.
const MAX_IN_FLIGHT: usize = 8;
/// Time without an answer after which a connection counts as occupied by a slow statement. Reads avoid it.
const STALL_TIME: Duration = Duration::from_millis(20);

/// The shared connections. Each is opened when it is first used, and again after it was lost.
pub(crate) struct SharedConnections {
    target: Arc<Target>,
    slots: [Slot; CONNECTIONS],
    places: Arc<Semaphore>,
    /// Number of reads that wait for a place or hold one.
    reads: AtomicUsize,
    begin: Instant,
    pub(crate) stats: QueueStats,
}

/// The place of one connection.
#[derive(Default)]
struct Slot {
    in_flight: AtomicUsize,
    /// Time of the last answer, or of the first statement since there was none in flight. Microseconds since
    /// [`SharedConnections::begin`].
    moved_at: AtomicU64,
    link: AsyncMutex<Option<Arc<Link>>>,
}

/// An open connection.
struct Link {
    client: Client,
    prepared: Mutex<LruCache<String, Statement>>,
}

/// The right to send one statement over the connection of a slot.
struct Place {
    connections: Arc<SharedConnections>,
    slot: usize,
    _permit: OwnedSemaphorePermit,
}

impl SharedConnections {
    pub(crate) fn new(target: Arc<Target>) -> Self {
        Self {
            target,
            slots: Default::default(),
            places: Arc::new(Semaphore::new(CONNECTIONS * MAX_IN_FLIGHT)),
            reads: AtomicUsize::new(0),
            begin: Instant::now(),
            stats: QueueStats::default(),
        }
    }

    /// Number of reads that wait.
    pub(crate) fn waiting(&self) -> usize {
        self.reads.load(Ordering::Relaxed).saturating_sub(CONNECTIONS * MAX_IN_FLIGHT)
    }

    /// Runs a statement.
    ///
    /// # Errors
    /// [`Error`] of the statement, or when it could not run.
    pub(crate) async fn read<B: Send + 'static, R: Send + 'static>(
        self: &Arc<Self>,
        statement: Arc<Combined>,
        budget: Budget<B, R>,
    ) -> Result<RowsOfBoth<B, R>, Error> {
        let place = self.place().await?;
        // If the caller is gone, the statement keeps its place until it is answered.
        let read = tokio::spawn(async move { place.read(&statement, budget).await });
        read.await.map_err(|_| Error::Internal("a read panicked".into()))?
    }

    /// Waits for a place, and takes it on the connection with the fewest statements.
    async fn place(self: &Arc<Self>) -> Result<Place, Error> {
        let reads = Count::add(&self.reads);
        if self.waiting() > QUEUE_CAPACITY {
            return Err(Error::Busy);
        }
        let queued_at = Instant::now();
        let permit = Arc::clone(&self.places).acquire_owned().await;
        let permit = permit.map_err(|_| Error::Unavailable("the connections are gone".into()))?;
        let waited = queued_at.elapsed();
        if !self.stats.is_in_time(waited) {
            return Err(Error::Busy);
        }
        self.stats.record_start(waited);
        let now = self.now();
        let load = |slot: &Slot| {
            let in_flight = slot.in_flight.load(Ordering::Relaxed);
            let since = now.saturating_sub(slot.moved_at.load(Ordering::Relaxed));
            (in_flight > 0 && u128::from(since) > STALL_TIME.as_micros(), in_flight)
        };
        let slots = self.slots.iter().enumerate();
        let slot = slots.min_by_key(|(_, slot)| load(slot)).map_or(0, |(number, _)| number);
        if self.slots[slot].in_flight.fetch_add(1, Ordering::Relaxed) == 0 {
            self.slots[slot].moved_at.store(now, Ordering::Relaxed);
        }
        reads.keep();
        Ok(Place { connections: Arc::clone(self), slot, _permit: permit })
    }

    fn now(&self) -> u64 {
        u64::try_from(self.begin.elapsed().as_micros()).unwrap_or(u64::MAX)
    }
}

/// Counts a read until it is dropped.
struct Count<'a>(Option<&'a AtomicUsize>);

impl<'a> Count<'a> {
    fn add(reads: &'a AtomicUsize) -> Self {
        reads.fetch_add(1, Ordering::Relaxed);
        Self(Some(reads))
    }

    /// Leaves the count to the place.
    fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for Count<'_> {
    fn drop(&mut self) {
        if let Some(reads) = self.0 {
            reads.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let slot = self.slot();
        slot.moved_at.store(self.connections.now(), Ordering::Relaxed);
        slot.in_flight.fetch_sub(1, Ordering::Relaxed);
        self.connections.reads.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Place {
    fn slot(&self) -> &Slot {
        &self.connections.slots[self.slot]
    }

    async fn read<B, R>(
        self,
        Combined { sql, values, widths }: &Combined,
        budget: Budget<B, R>,
    ) -> Result<RowsOfBoth<B, R>, Error> {
        let deadline = tokio::time::Instant::now() + READ_TIMEOUT + SILENCE_TIMEOUT;
        let silent = || Error::Unavailable("the server fell silent".into());
        // Others may try to open the connection first.
        let link = timeout_at(deadline, self.link()).await.map_err(|_| silent())??;
        let answer = async {
            let statement = link.prepare(sql).await?;
            let bound = bound(values);
            let stream = link.client.query_raw(&statement, parameters(&bound)).await?;
            separate(pin!(stream), *widths, budget).await
        };
        let Ok(answer) = timeout_at(deadline, answer).await else {
            drop(self.slot().link.lock().await.take_if(|lost| Arc::ptr_eq(lost, &link)));
            return Err(silent());
        };
        answer
    }

    /// Returns the open connection of the slot, or opens one.
    async fn link(&self) -> Result<Arc<Link>, Error> {
        let mut slot = self.slot().link.lock().await;
        if let Some(link) = slot.as_ref().filter(|link| !link.client.is_closed()) {
            return Ok(Arc::clone(link));
        }
        let client = self.connections.target.connect().await?;
        client.batch_execute(&settings(true, READ_TIMEOUT)).await?;
        let prepared = Mutex::new(LruCache::new(PREPARED));
        Ok(Arc::clone(slot.insert(Arc::new(Link { client, prepared }))))
    }
}

impl Link {
    async fn prepare(&self, sql: &str) -> Result<Statement, Error> {
        let prepared = || self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(statement) = prepared().get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(sql).await?;
        prepared().insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

async fn separate<B, R>(
    mut stream: Pin<&mut RowStream>,
    (first, second): (usize, usize),
    (budget, hold): Budget<B, R>,
) -> Result<RowsOfBoth<B, R>, Error> {
    let (mut of_first, mut of_second) = (Rows::new(first), Ok((Rows::new(second), budget)));
    while let Some(row) = stream.try_next().await? {
        if row.try_get::<_, i32>(0)? == 1 {
            push(&row, 1, &mut of_first)?;
        } else if let Ok((rows, budget)) = &mut of_second {
            let before = rows.memory();
            push(&row, 1 + first, rows)?;
            if let Err(refusal) = hold(budget, rows.memory() - before) {
                // The other rows are read nevertheless, because the answers to other reads follow.
                of_second = Err(refusal);
            }
        }
    }
    Ok((of_first, of_second))
}

/// Appends the columns of a row that belong to one part.
fn push(row: &Row, skipped: usize, rows: &mut Rows) -> Result<(), Error> {
    let columns = row.columns().iter().enumerate().skip(skipped).take(rows.width());
    columns.map(|(column, described)| cell(row, column, described.type_())).try_for_each(|cell| {
        rows.push(cell?);
        Ok(())
    })
}
