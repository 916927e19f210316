//! The command `portaria serve`: start-up and shutdown of the portal.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use anyhow::{Context, anyhow};
use clap::Args;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::watch,
};

use crate::cli::{
    BAD_SETTINGS, CORRUPT, IN_USE, SYNC_FAILED, exit_with, office::Office, print, reload::Reload,
    runtime,
};
use crate::{
    api::setup,
    app::App,
    backup::swap,
    clock::Clock,
    config::{Config, pages::Page},
    data_dir,
    db::{Db, Error, Shutdown},
    demo, http,
    jobs::{self, deliver_mail::Delivery, deliver_push::PushDelivery, reclaim_leases},
    privacy::erasure,
    telemetry::{logging, systemd, traces::TraceExport},
};

/// Timeout for running jobs to end, and for the database to close.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Args)]
pub(crate) struct Serve {
    /// Add a demo office with documents and tickets, print its accounts, and let visitors sign up.
    #[arg(long)]
    demo: bool,
}

/// Runs the portal, then closes the database, so that the next start has nothing to recover.
pub(crate) fn run(office: Office, file: Option<PathBuf>, given: &Serve) -> anyhow::Result<()> {
    let described = office.to_string();
    let Office { mut config, sources, .. } = office;
    config.signup |= given.demo;
    // The demo sends no mail, so its accounts cannot confirm their addresses.
    config.autoconfirm |= given.demo;
    let log = logging::start(config.log_format, &config.log_filter);
    let runtime = runtime()?;
    // From here on the signal does not end the program.
    let hangups = runtime.block_on(async { signal(SignalKind::hangup()) })?;
    runtime.spawn(Reload { file, sources, log }.run(hangups));

    http::tls::check(&config).map_err(exit_with(BAD_SETTINGS))?;
    allow_descriptors();
    data_dir::make_private(&config.data_dir)?;
    let _lock = data_dir::lock(&config.data_dir).map_err(exit_with(IN_USE))?;
    tracing::info!(office = described, "starting");
    swap::recover(&config.data_dir)?;

    let traces = config.traces_url.as_ref().map(TraceExport::start).transpose()?;
    let served = runtime.block_on(run_server(config, given.demo));
    drop(traces);
    // No request is running any more.
    runtime.shutdown_timeout(CLOSE_TIMEOUT);
    let ended = served?;
    if !ended.wait(CLOSE_TIMEOUT) {
        tracing::warn!("database did not close in time; the next start recovers it");
    }
    Ok(())
}

/// Raises the limit of file descriptors to its maximum. The usual default is 1,024, which limits the number of
/// connections.
fn allow_descriptors() {
    let allowed = getrlimit(Resource::Nofile);
    let all = Rlimit { current: allowed.maximum, ..allowed };
    if let Err(error) = setrlimit(Resource::Nofile, all) {
        tracing::warn!(%error, "raising the file descriptor limit failed");
    }
}

async fn run_server(config: Config, with_demo: bool) -> anyhow::Result<Shutdown> {
    let listener = http::listen(config.listen).map_err(exit_with(IN_USE))?;
    let metrics_listener = match config.metrics_listen {
        Some(address) => Some(http::listen(address).map_err(exit_with(IN_USE))?),
        None => None,
    };
    let (site, listen) = (config.site_url.clone(), config.listen);
    if config.database.is_none() {
        recover(&config.data_dir)?;
    }

    let app = App::open(config, Clock::system())?;
    app.files.clear_staging().map_err(anyhow::Error::msg)?;
    reclaim_leases::run(&app).await;
    let erased_again = erasure::reapply_tombstones(&app).await;
    let erased_again = erased_again.context("cannot erase people again whom a backup restored")?;
    if erased_again > 0 {
        tracing::warn!(people = erased_again, "erased people found after a restore, erased again");
    }

    let mut welcome = format!("Portaria is at {site}\n");
    if with_demo {
        welcome.push_str(&demo::seed(&app).await.map_err(anyhow::Error::msg)?);
    } else if let Some(token) = setup::issue_setup_token(&app).await? {
        welcome.push_str("\nThere is no administrator yet. Create the first one here:\n");
        welcome.push_str(&[" ", &site, &Page::Setup.to_string(), "#token=", &token, "\n"].concat());
    }
    print(&welcome)?;

    tracing::info!(%listen, "serving");
    if let Some(listener) = metrics_listener {
        tokio::spawn(http::metrics::serve(Arc::clone(&app), listener));
    }
    tokio::spawn(jobs::run(Arc::clone(&app)));
    // The e-mail addresses of the demo may belong to real people.
    let delivery = if with_demo { None } else { Delivery::open(&app)? };
    let (stop, stopping) = watch::channel(false);
    let pushes = tokio::spawn(PushDelivery::open(&app)?.run(stopping.clone()));
    let delivery = delivery.map(|delivery| tokio::spawn(delivery.run(stopping)));
    let delivered = async {
        if let Some(delivery) = delivery {
            drop(delivery.await);
        }
        drop(pushes.await);
    };

    systemd::notify("READY=1");
    let db = app.db.clone();
    http::serve(app, listener, stop, delivered).await?;
    match db.failure() {
        None => Ok(db.ended()),
        Some(why) => Err(exit_with(SYNC_FAILED)(anyhow::Error::msg(why))),
    }
}

/// Recovers the embedded database after a crash.
fn recover(folder: &Path) -> anyhow::Result<()> {
    Db::recover(folder).map_err(|error| match &error {
        Error::Corrupt(_) => exit_with(CORRUPT)(anyhow!(
            "{error}. Nothing was changed. Put {} aside and bring a backup back with `portaria restore`; `portaria fsck` says what can still be read",
            folder.display()
        )),
        Error::SyncFailed(_) => exit_with(SYNC_FAILED)(error.into()),
        _ => anyhow::Error::new(error).context("cannot open the database"),
    })
}
