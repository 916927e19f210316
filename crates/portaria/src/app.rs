//! The application state that all handlers share. [`App::open`] builds it once at start.

use std::{
    fs::{self, File},
    io,
    path::Path,
    sync::Arc,
    time::Instant,
};

use rustix::fs::{FsWord, NFS_SUPER_MAGIC};
use tokio::sync::{Notify, Semaphore};

use crate::{
    backup::swap,
    blob::BlobStore,
    clock::Clock,
    config::Config,
    db::Db,
    security::{keys::Keys, password::Passwords, rate_limit::RateLimits},
    telemetry::metrics::Metrics,
};

/// Magic numbers of network file systems (`linux/magic.h`): NFS, three generations of SMB, AFS. Locks and fsync are
/// not reliable on them.
const NETWORK_FILE_SYSTEMS: [FsWord; 5] =
    [NFS_SUPER_MAGIC, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x5346_414F];

/// The state of a running portal.
#[derive(Debug)]
pub struct App {
    /// The settings in force.
    pub config: Config,
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
    /// Notified when the outbox has a new mail, so that the worker sends it without delay.
    pub outbox_notify: Arc<Notify>,
    /// Permits for simultaneous uploads (`uploads_at_once`).
    pub upload_permits: Semaphore,
    /// Request counters and durations since the start.
    pub metrics: Metrics,
    /// The time of the start.
    pub started: Instant,
}

impl App {
    /// Opens the data folder and the database, and applies missing migrations.
    ///
    /// # Errors
    /// A sentence for the operator.
    pub fn open(config: Config, clock: Clock) -> Result<Arc<Self>, String> {
        make_private(&config.data_dir)?;
        if swap::is_interrupted(&config.data_dir) {
            return Err(
                "a restore was cut off: start the portal, or restore again, to finish it".into()
            );
        }
        let keys = Keys::open(config.jwt_secret.as_deref(), &config.data_dir)?;
        let db = match &config.database {
            None => Db::sqlite(&config.data_dir),
            Some(server) => Db::postgres(server),
        };
        let db = db.map_err(|error| format!("cannot open the database: {error}"))?;
        let files =
            BlobStore::open(&config.data_dir, config.min_free_space, config.bucket.as_ref())?;
        let limits = RateLimits::new(&config.rates.visitor_rates(), &clock);
        let uploads = Semaphore::new(config.server.uploads_at_once);
        Ok(Arc::new(Self {
            config,
            clock,
            keys,
            db,
            files,
            passwords: Passwords::default(),
            limits,
            outbox_notify: Arc::default(),
            upload_permits: uploads,
            metrics: Metrics::default(),
            started: Instant::now(),
        }))
    }
}

/// Locks the data folder, so that only one process serves it. The kernel releases the lock when the process ends, for
/// whatever reason.
///
/// # Errors
/// A sentence for the operator.
pub fn lock(data_dir: &Path) -> Result<File, String> {
    let path = data_dir.join(swap::LOCK);
    let file =
        File::create(&path).map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => {
            Err(format!("another portaria already serves {}", data_dir.display()))
        }
        Err(fs::TryLockError::Error(error)) => {
            Err(format!("cannot lock {}: {error}", path.display()))
        }
    }
}

/// Creates the data folder with mode 0700, and refuses a folder that other users can read or that lies on a network
/// file system.
///
/// # Errors
/// A sentence for the operator.
pub fn make_private(folder: &Path) -> Result<(), String> {
    use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
    let shown = folder.display();
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(|error| format!("cannot create the data folder {shown}: {error}"))?;
    // The entry of a new folder must survive a power cut, so its parent is synced too. A parent that cannot be opened
    // cannot contain a folder that was created here.
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty());
    if let Ok(parent) = fs::File::open(parent.unwrap_or(Path::new("."))) {
        parent.sync_all().map_err(|error| format!("cannot keep {shown}: {error}"))?;
    }
    let stat = rustix::fs::statfs(folder)
        .map_err(|error| format!("cannot read {shown}: {}", io::Error::from(error)))?;
    if NETWORK_FILE_SYSTEMS.contains(&stat.f_type) {
        return Err(format!(
            "the data folder {shown} lies on another machine: a database and a lock need a disk of this one"
        ));
    }
    let mode = fs::metadata(folder)
        .map_err(|error| format!("cannot read {shown}: {error}"))?
        .permissions()
        .mode();
    if mode & 0o077 != 0 {
        return Err(format!(
            "the data folder {shown} can be read by others: run chmod 700 {shown}"
        ));
    }
    Ok(())
}
