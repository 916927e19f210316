//! Everything that a handler needs, put together once at start.

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

/// File systems of other machines: NFS, SMB in its three forms, AFS (`linux/magic.h`). What they say of a lock or a sync
/// need not be so.
const NETWORK: [FsWord; 5] = [NFS_SUPER_MAGIC, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x5346_414F];

/// The running portal.
#[derive(Debug)]
pub struct App {
    /// The settings in force.
    pub config: Config,
    /// The time.
    pub clock: Clock,
    /// The signing keys.
    pub keys: Keys,
    /// The database.
    pub db: Db,
    /// The stored bytes.
    pub files: BlobStore,
    /// The hashing of passwords.
    pub passwords: Passwords,
    /// How often one visitor may ask.
    pub limits: RateLimits,
    /// Rung when the outbox has something new, so that it is looked into at once.
    pub outbox_notify: Arc<Notify>,
    /// Places for files on their way in.
    pub upload_permits: Semaphore,
    /// What was counted since the start.
    pub metrics: Metrics,
    /// When that was.
    pub started: Instant,
}

impl App {
    /// Opens the data folder and the database, and brings both up to date.
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
        let limits = RateLimits::new(&config.rates, &clock);
        let uploads = Semaphore::new(config.doors.uploads_at_once);
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

/// One process at a time on a data folder. The system frees the lock when the process ends, however it ends.
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

/// The data folder belongs to the portal's user alone.
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
    // A new folder's own name must survive a power cut too. Whoever may not look into the folder around it cannot have
    // made it there.
    let around = folder.parent().filter(|around| !around.as_os_str().is_empty());
    if let Ok(around) = fs::File::open(around.unwrap_or(Path::new("."))) {
        around.sync_all().map_err(|error| format!("cannot keep {shown}: {error}"))?;
    }
    let system = rustix::fs::statfs(folder)
        .map_err(|error| format!("cannot read {shown}: {}", io::Error::from(error)))?;
    if NETWORK.contains(&system.f_type) {
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
