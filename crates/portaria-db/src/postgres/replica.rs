//! Reads on a streaming replica (`docs/decisions/0063-reads-on-a-current-replica.md`).
//!
//! A read uses the replica if it has replayed the log of the primary up to its end, taken after the read began. The read
//! then sees every transaction that was committed before: the caller's own writes, ended sessions, announced changes.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::{
    runtime,
    sync::{mpsc, oneshot},
    time::{sleep, timeout},
    try_join,
};
use tokio_postgres::{Client, Statement, types::PgLsn};

use crate::{
    Error, QUEUE_CAPACITY, READ_TIMEOUT,
    postgres::{Target, connections::SharedConnections, settings, threads::spawn},
    queue::ReplicaStats,
};

/// End of the log of the primary. Its last records may not be on the disk, and reach the replica only afterwards.
const WRITTEN: &str = "SELECT pg_current_wal_insert_lsn()";
/// Position up to which the replica has replayed the log; NULL when it became a primary.
const REPLAYED: &str = "SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() END";
/// Number of the cluster, which a replica has in common with its primary, and name of the database.
const IDENTITY: &str =
    "SELECT system_identifier, current_database()::text FROM pg_control_system()";
/// Maximum time that reads wait for the replica. A replica that takes longer is not used until it has caught up.
const MAX_DELAY: Duration = Duration::from_millis(20);
/// Interval between two looks at a replica that has not caught up.
const POLL_INTERVAL: Duration = Duration::from_millis(1);
/// Interval before the first attempt to use a replica again. It doubles with each attempt.
const FIRST_PAUSE: Duration = Duration::from_millis(20);
/// Maximum of that interval. The log mentions a replica that is not used for that time.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// A replica with its shared connections, and the thread that compares it with the primary.
pub(crate) struct Replica {
    connections: Arc<SharedConnections>,
    checks: mpsc::Sender<oneshot::Sender<bool>>,
    is_current: Arc<AtomicBool>,
    reads: AtomicU64,
}

impl Replica {
    /// Starts the thread, which ends when the replica is dropped. It connects by itself: a portal without its replica
    /// starts, and uses it later.
    pub(crate) fn start(primary: Arc<Target>, replica: Arc<Target>) -> Result<Self, Error> {
        let connections = Arc::new(SharedConnections::new(Arc::clone(&replica)));
        let (checks, requested) = mpsc::channel(QUEUE_CAPACITY);
        let is_current = Arc::new(AtomicBool::new(false));
        let comparison =
            Comparison { primary, replica, links: None, is_current: Arc::clone(&is_current) };
        let runtime = runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime
            .map_err(|error| Error::Internal(format!("cannot compare the replica: {error}")))?;
        spawn("db-replica", move || runtime.block_on(comparison.serve(requested)))?;
        Ok(Self { connections, checks, is_current, reads: AtomicU64::new(0) })
    }

    /// Returns the connections, if a read that begins now may use them.
    pub(crate) async fn current(&self) -> Option<&Arc<SharedConnections>> {
        if !self.is_current.load(Ordering::Relaxed) {
            return None;
        }
        let (answer, answered) = oneshot::channel();
        self.checks.try_send(answer).ok()?;
        answered.await.ok()?.then(|| {
            self.reads.fetch_add(1, Ordering::Relaxed);
            &self.connections
        })
    }

    pub(crate) fn stats(&self) -> ReplicaStats {
        ReplicaStats {
            is_current: self.is_current.load(Ordering::Relaxed),
            reads: self.reads.load(Ordering::Relaxed),
        }
    }
}

/// The comparison of both servers.
struct Comparison {
    primary: Arc<Target>,
    replica: Arc<Target>,
    links: Option<Links>,
    is_current: Arc<AtomicBool>,
}

/// A connection to each server with the statement that returns its position.
struct Links {
    primary: (Client, Statement),
    replica: (Client, Statement),
}

impl Comparison {
    /// Compares the servers for all reads that wait at the same time, or at intervals while the replica is not used.
    async fn serve(mut self, mut requested: mpsc::Receiver<oneshot::Sender<bool>>) {
        let (mut pause, mut logged) = (Duration::ZERO, None);
        loop {
            let mut waiting = Vec::new();
            if self.is_current.load(Ordering::Relaxed) {
                requested.recv_many(&mut waiting, QUEUE_CAPACITY).await;
            } else {
                refuse_for(pause, &mut requested).await;
            }
            if requested.is_closed() {
                return;
            }
            let compared = self.catch_up().await;
            self.is_current.store(compared.is_ok(), Ordering::Relaxed);
            for answer in waiting {
                let _ = answer.send(compared.is_ok());
            }
            pause = match compared {
                Ok(()) => FIRST_PAUSE,
                Err(_) => (2 * pause).clamp(FIRST_PAUSE, LONGEST_PAUSE),
            };
            let state = compared.map_err(|error| error.to_string());
            if (state.is_err() && pause < LONGEST_PAUSE) || logged.as_ref() == Some(&state) {
                continue;
            }
            match &state {
                Ok(()) => tracing::info!("lists are read from the replica"),
                Err(error) => tracing::warn!(error, "lists are read from the primary"),
            }
            logged = Some(state);
        }
    }

    /// Waits until the replica has replayed the log of the primary.
    async fn catch_up(&mut self) -> Result<(), Error> {
        let is_open = |links: &Links| !links.primary.0.is_closed() && !links.replica.0.is_closed();
        let links = match self.links.take().filter(is_open) {
            Some(links) => links,
            None => Links::open(&self.primary, &self.replica).await?,
        };
        let behind = || Error::Unavailable("the replica has not caught up".into());
        timeout(MAX_DELAY, links.catch_up()).await.map_err(|_| behind())??;
        // After an error both connections are opened again.
        self.links = Some(links);
        Ok(())
    }
}

/// Answers reads that asked just before the replica was not current any more.
async fn refuse_for(time: Duration, requested: &mut mpsc::Receiver<oneshot::Sender<bool>>) {
    let refuse = async {
        while let Some(answer) = requested.recv().await {
            let _ = answer.send(false);
        }
    };
    // The end of the portal ends the wait early.
    let _ = timeout(time, refuse).await;
}

impl Links {
    /// Opens the connections.
    ///
    /// # Errors
    /// [`Error::Internal`] if the second server is not a replica of the first one, or the database is another.
    async fn open(primary: &Target, replica: &Target) -> Result<Self, Error> {
        let (primary, replica) = try_join!(primary.connect(), replica.connect())?;
        let settings = settings(true, READ_TIMEOUT);
        try_join!(primary.batch_execute(&settings), replica.batch_execute(&settings))?;
        if identity(&primary).await? != identity(&replica).await? {
            return Err(Error::Internal(
                "database_replica_url is no streaming replica of database_url".into(),
            ));
        }
        let (written, replayed) = try_join!(primary.prepare(WRITTEN), replica.prepare(REPLAYED))?;
        Ok(Self { primary: (primary, written), replica: (replica, replayed) })
    }

    async fn catch_up(&self) -> Result<(), Error> {
        let (written, mut replayed) = try_join!(position(&self.primary), position(&self.replica))?;
        while replayed < written {
            sleep(POLL_INTERVAL).await;
            replayed = position(&self.replica).await?;
        }
        Ok(())
    }
}

async fn identity(client: &Client) -> Result<(i64, String), Error> {
    let row = client.query_one(IDENTITY, &[]).await?;
    Ok((row.try_get(0)?, row.try_get(1)?))
}

async fn position((client, statement): &(Client, Statement)) -> Result<PgLsn, Error> {
    let row = client.query_one(statement, &[]).await?;
    let position: Option<PgLsn> = row.try_get(0)?;
    position.ok_or_else(|| Error::Unavailable("the replica is no replica any more".into()))
}
