//! The application state that all handlers share. [`App::open`] builds it once at start.

use std::{
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Instant,
};

use anyhow::{Context, anyhow, bail};
use portaria_recognize::child::{Limits, Reader};
use tokio::sync::{Notify, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::{
    blob::BlobStore,
    clock::Clock,
    config::Config,
    data_dir,
    db::{self, Db, JobContext, Tx, migrations::find_applied},
    mail::layout_cache::LayoutCache,
    office::{OfficeCache, OfficeProfile},
    schema::migrations::{MIGRATIONS, database_source},
    security::{
        concurrency_limit::ConcurrencyLimit,
        ids::UserId,
        keys::{self, Keys},
        last_callers::LastCallers,
        memory_pool::MemoryPool,
        password::Passwords,
        rate_limit::{ClientAddr, RateLimits},
    },
    telemetry::{
        examination::LastExamination, metrics::Metrics, request_id::RequestContext,
        storage_health::StorageHealth,
    },
};

/// Memory for the transformation of an image, the largest that one may need in this process. Bytes. A node transforms
/// one image at a time. The process that decodes a photo of a phone has a limit of its own.
pub const IMAGE_MEMORY: usize = 320 << 20;
/// Maximum number of images of one address that are transformed or wait for it.
const IMAGES_PER_ADDRESS: usize = 32;
/// Maximum number of JSON bodies above 64 KiB that one person sends at once.
const LARGE_BODIES_PER_PERSON: usize = 4;

/// The state of a running portal.
#[derive(Debug)]
pub struct App {
    /// The settings in force.
    pub config: Config,
    /// The program that reads files of strangers as `portaria read-document`: this one. Tests run in another.
    pub program: PathBuf,
    /// The source of the current time.
    pub clock: Clock,
    /// Signing keys and API keys.
    pub keys: Keys,
    /// The database.
    pub db: Db,
    /// The blobs of stored files.
    pub files: BlobStore,
    /// Password hashing.
    pub passwords: Passwords,
    /// Rate limits per visitor and per account.
    pub limits: RateLimits,
    /// The sanitized pages of the office's templates.
    pub layouts: LayoutCache,
    /// The office's profile.
    pub office_cache: Arc<OfficeCache>,
    /// Notified when the outbox has a new mail, so that the worker sends it without delay.
    pub outbox_notify: Arc<Notify>,
    /// Notified when a push message is queued.
    pub push_notify: Arc<Notify>,
    /// Notified when the inbox has a new file.
    pub inbox_notify: Arc<Notify>,
    /// Notified when the schedule of publications changes.
    pub publication_notify: Arc<Notify>,
    /// Memory for the large answers in flight. Each person can hold that of one largest answer.
    pub answer_memory: Arc<MemoryPool>,
    /// Memory for the image in transformation. One person's images wait in a queue of their own.
    pub image_memory: MemoryPool,
    /// The one place of all visitors without an account in the queue for that memory. The images of one address wait in
    /// a queue of their own.
    pub visitor_images: MemoryPool<ClientAddr>,
    /// Images of one address that are transformed or wait for it.
    pub images_per_address: ConcurrencyLimit<ClientAddr>,
    /// JSON bodies above 64 KiB that one person sends at once.
    pub large_bodies: ConcurrencyLimit<UserId>,
    /// Permits for simultaneous uploads (`uploads_at_once`).
    pub upload_permits: Semaphore,
    /// The share of these permits of one person.
    pub uploads_per_person: ConcurrencyLimit<UserId>,
    /// The share of these permits of one address.
    pub uploads_per_address: ConcurrencyLimit<ClientAddr>,
    /// Connections of one address, and requests of one address behind a trusted proxy.
    pub connections: ConcurrencyLimit<ClientAddr>,
    /// The caller to whom each session resolved last.
    pub last_callers: LastCallers,
    /// Uploads in progress. A graceful shutdown waits longer for uploads than for other requests.
    pub uploads: InFlight,
    /// Downloads in progress.
    pub downloads: InFlight,
    /// Canceled when the process receives the signal to stop.
    pub stopping: CancellationToken,
    /// Open connections of the change feed.
    pub realtime: InFlight,
    /// Whether the store of files answers.
    pub storage_health: StorageHealth,
    /// Request counters and durations since the start.
    pub metrics: Metrics,
    /// The last examination for the page "Sistema".
    pub examination: LastExamination,
    /// The time of the start.
    pub started: Instant,
}

impl App {
    /// Opens the data folder and the database, and applies missing migrations.
    ///
    /// # Errors
    /// A sentence for the operator.
    pub fn open(config: Config, clock: Clock) -> anyhow::Result<Arc<Self>> {
        Self::open_with(config, clock, Passwords::default())
    }

    /// [`open`](Self::open) with another cost of password hashes.
    ///
    /// # Errors
    /// A sentence for the operator.
    pub fn open_with(
        config: Config,
        clock: Clock,
        passwords: Passwords,
    ) -> anyhow::Result<Arc<Self>> {
        data_dir::make_private(&config.data_dir)?;
        if data_dir::is_restore_interrupted(&config.data_dir) {
            bail!("a restore was cut off: start the portal, or restore again, to finish it");
        }
        let is_new = || {
            let database = database_source(&config).location;
            // The connection waits, which the threads of the server must not.
            let applied = thread::spawn(move || find_applied(&database)).join();
            let applied = applied.map_err(|_| anyhow!("the database could not be examined"))?;
            Ok(applied.context("cannot open the database")?.is_none())
        };
        let keys = Keys::open(config.portal_secret(), &config.data_dir, is_new)?;
        let db = match &config.database {
            None => Db::sqlite(&config.data_dir, MIGRATIONS),
            Some(server) => Db::postgres(server, config.database_replica.as_ref(), MIGRATIONS),
        };
        let db = db.context("cannot open the database")?.with_context(request_context);
        let files = BlobStore::open(
            &config.data_dir,
            config.min_free_space,
            config.bucket.as_ref(),
            keys::new_blob_name,
        )
        .map_err(anyhow::Error::msg)?;
        let limits = RateLimits::new(&config.visitor_rates(), &clock);
        let answer_share = config.answer_memory();
        let answer_memory = MemoryPool::new(answer_share.saturating_mul(3), answer_share);
        let uploads = config.uploads_at_once;
        let connections = ConcurrencyLimit::new(config.connections_per_address);
        Ok(Arc::new(Self {
            config,
            program: "/proc/self/exe".into(),
            clock,
            keys,
            db,
            files,
            passwords,
            limits,
            layouts: LayoutCache::default(),
            office_cache: Arc::default(),
            outbox_notify: Arc::default(),
            push_notify: Arc::default(),
            inbox_notify: Arc::default(),
            publication_notify: Arc::default(),
            answer_memory: Arc::new(answer_memory),
            image_memory: MemoryPool::new(IMAGE_MEMORY, IMAGE_MEMORY),
            visitor_images: MemoryPool::new(IMAGE_MEMORY, IMAGE_MEMORY),
            images_per_address: ConcurrencyLimit::new(IMAGES_PER_ADDRESS),
            large_bodies: ConcurrencyLimit::new(LARGE_BODIES_PER_PERSON),
            upload_permits: Semaphore::new(uploads),
            uploads_per_person: ConcurrencyLimit::new(uploads.div_ceil(8)),
            uploads_per_address: ConcurrencyLimit::new(uploads.div_ceil(4)),
            connections,
            last_callers: LastCallers::default(),
            uploads: InFlight::default(),
            downloads: InFlight::default(),
            stopping: CancellationToken::new(),
            realtime: InFlight::default(),
            storage_health: StorageHealth::default(),
            metrics: Metrics::default(),
            examination: LastExamination::default(),
            started: Instant::now(),
        }))
    }

    /// Returns what reads a file of a stranger in a process of its own.
    #[must_use]
    pub fn reader(&self, limits: Limits) -> Reader {
        Reader {
            program: self.program.clone(),
            arguments: vec!["read-document".into()],
            limits,
            kinds: Vec::new(),
        }
    }

    /// Runs `f` against one consistent snapshot of the data, with this state. See [`Db::read`].
    ///
    /// # Errors
    /// The error of `f`; [`db::Error`] when it could not run.
    pub async fn read<T, E, F>(self: &Arc<Self>, f: F) -> Result<T, E>
    where
        F: FnOnce(&mut Tx<'_>, &Arc<Self>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<db::Error> + Send + 'static,
    {
        let app = Arc::clone(self);
        self.db.read(move |tx| f(tx, &app)).await
    }

    /// Runs `f` in a transaction, with this state. See [`Db::write`].
    ///
    /// # Errors
    /// The error of `f`; [`db::Error`] when the transaction could not begin or commit.
    pub async fn write<T, E, F>(self: &Arc<Self>, f: F) -> Result<T, E>
    where
        F: FnOnce(&mut Tx<'_>, &Arc<Self>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<db::Error> + Send + 'static,
    {
        let app = Arc::clone(self);
        self.db.write(move |tx| f(tx, &app)).await
    }

    /// Returns the office's profile, without a transaction if this node has read it in the last seconds. While the
    /// database does not answer, it is the last profile that was read.
    pub async fn office(self: &Arc<Self>) -> Arc<OfficeProfile> {
        if let Some(profile) = self.office_cache.fresh(self.clock.now()) {
            return profile;
        }
        let read = self.read(|tx, app| app.office_in(tx)).await;
        read.ok()
            .or_else(|| self.office_cache.last())
            .unwrap_or_else(|| Arc::new(OfficeProfile::unset(&self.config)))
    }

    /// Returns the office's profile within a transaction.
    ///
    /// # Errors
    /// Database errors.
    pub fn office_in(&self, tx: &mut Tx<'_>) -> Result<Arc<OfficeProfile>, db::Error> {
        self.office_cache.get(tx, &self.config, self.clock.now())
    }
}

/// Number of operations of one kind that are in progress.
#[derive(Debug, Default)]
pub struct InFlight(Arc<AtomicUsize>);

impl InFlight {
    /// Counts one operation until the guard is dropped.
    pub fn begin(&self) -> InFlightGuard {
        self.0.fetch_add(1, Ordering::Relaxed);
        InFlightGuard(Arc::clone(&self.0))
    }

    /// Returns the number of operations in progress.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// Guard that keeps the counter of [`InFlight`] incremented until it is dropped.
#[derive(Debug)]
#[must_use]
pub struct InFlightGuard(Arc<AtomicUsize>);

impl InFlightGuard {
    /// Returns the number of operations in progress, including this one.
    #[must_use]
    pub fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Carries the context of the current request to the database thread, for error messages and the log.
fn request_context() -> JobContext {
    let context = RequestContext::current();
    Box::new(move |work| {
        let _part = context.trace_part("transaction");
        context.run(work);
    })
}
