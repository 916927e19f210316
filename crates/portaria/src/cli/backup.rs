//! The commands `portaria backup` and `portaria restore`. The doc comments of the arguments are the help texts.

use std::time::Instant;

use anyhow::{Context, bail};
use clap::Args;

use crate::cli::{office::Office, print, runtime};
use crate::{
    app::App,
    backup::{
        self, BackupError, BackupReport, Manifest, Repository,
        restore::{self, RestoreOptions, RestoreReport},
    },
    clock::Clock,
    config::{BackupDestination, Config},
    data_dir, jobs,
    privacy::erasure,
};

#[derive(Args)]
pub(crate) struct Backup {
    /// The target: a folder, which is created if necessary, or the address of a bucket. Default: the setting
    /// `backup_to`.
    to: Option<BackupDestination>,
}

#[derive(Args)]
pub(crate) struct Restore {
    /// The target with the backup: a folder, or the address of a bucket. Default: the setting `backup_to`.
    from: Option<BackupDestination>,
    /// The name of the backup. Default: the newest.
    #[arg(long, value_name = "NAME")]
    snapshot: Option<String>,
    /// Move the existing data aside. Nothing of them is deleted.
    #[arg(long)]
    replace: bool,
    /// Only list the backups of the target.
    #[arg(long, conflicts_with_all = ["replace", "rehearse", "snapshot"])]
    list: bool,
    /// Rehearse: restore into a temporary folder, check everything, and remove the folder. The portal may be running.
    #[arg(long, conflicts_with = "replace")]
    rehearse: bool,
}

fn target(given: Option<BackupDestination>, config: &Config) -> anyhow::Result<BackupDestination> {
    let target = given.or_else(|| config.backup_to.clone());
    target.context("name a folder, or set backup_to")
}

pub(crate) fn run_backup(config: Config, Backup { to }: Backup) -> anyhow::Result<()> {
    let to = target(to, &config)?;
    let app = App::open(config, Clock::system())?;
    // `backup_keep` applies to the target of `backup_to` only, and the dashboard shows the state of that target.
    let is_scheduled = app.config.backup_to.as_ref() == Some(&to);
    let keep = is_scheduled.then_some(app.config.backup_keep);
    let report = runtime()?.block_on(async {
        let result = backup::run(&app, &to, keep).await;
        if is_scheduled || app.config.backup_to.is_none() {
            jobs::scheduled_backup::record_result(&app, &result).await?;
        }
        anyhow::Ok(result?)
    })?;
    let BackupReport { snapshot, files, bytes, rows, new_bytes, broken, .. } = report;
    print(&format!(
        "Backed up as {snapshot}: {rows} rows, {files} files, {bytes} bytes, of which {new_bytes} were new.\n"
    ))?;
    if broken.is_empty() {
        return Ok(());
    }
    bail!(
        "the portal no longer has {} of its files as they were stored; all others are in the backup. `portaria fsck` names them",
        broken.len()
    )
}

pub(crate) fn run_restore(office: &Office, given: Restore) -> anyhow::Result<()> {
    let config = &office.config;
    let Restore { from, snapshot, replace, list, rehearse } = given;
    let from = target(from, config)?;
    if list {
        return print_snapshots(config, &from);
    }

    let (options, clock) = (RestoreOptions { from, snapshot, replace }, Clock::system());
    let runtime = runtime()?;
    if !rehearse {
        // Tombstones of the backup are merged first, even if the restore fails later: people who were erased since
        // the backup are erased again at the next start. The list only grows, so a refused restore does no harm.
        data_dir::make_private(&config.data_dir)?;
        // The message of a bucket's error contains its causes already.
        let erased = runtime
            .block_on(erasure::read_backup_tombstones(&options.from))
            .map_err(anyhow::Error::msg)?;
        erasure::merge(&config.data_dir, &erased)?;
    }

    // The dashboard shows rehearsals of the newest scheduled backup.
    let is_recorded = rehearse
        && options.snapshot.is_none()
        && config.backup_to.as_ref() == Some(&options.from)
        && office.exists()?;
    let restored = runtime.block_on(async {
        if !rehearse {
            return restore::run(config, &clock, options).await;
        }
        let started = Instant::now();
        let outcome = restore::verify_restore(config, &clock, options).await;
        if is_recorded {
            let app = App::open(config.clone(), clock.clone()).map_err(BackupError::refused)?;
            let seconds = started.elapsed().as_secs();
            backup::status::record_rehearsal(&app, &outcome, seconds).await?;
        }
        outcome
    });
    let RestoreReport {
        snapshot, version, files, bytes, rows, broken, aside, other_secret, ..
    } = restored?;

    let verb = if rehearse { "Could be restored" } else { "Restored" };
    let mut lines = vec![format!(
        "{verb}: {snapshot}, made by version {version}: {rows} rows, {files} files, {bytes} bytes, all as they were written."
    )];
    if broken > 0 {
        lines.push(format!(
            "{broken} files were lost before the backup was made; `portaria fsck` names them."
        ));
    }
    if other_secret {
        lines.push(
            "jwt_secret is another one than it was: second steps and signing keys must be set up anew, and `portaria audit verify` fails."
                .to_owned(),
        );
    }
    if let Some(aside) = aside {
        lines.push(format!("What was there before is in {aside}."));
    }
    print(&(lines.join("\n") + "\n"))
}

fn print_snapshots(config: &Config, from: &BackupDestination) -> anyhow::Result<()> {
    let runtime = runtime()?;
    let repository = Repository::open(from, config, runtime.handle())?;
    for name in repository.snapshots()? {
        let summary = match repository.manifest(&name) {
            Ok(manifest) => {
                let Manifest { rows, blobs, blob_bytes: bytes, version, .. } = manifest;
                let (rows, files) = (rows.sum.count, blobs.sum.count);
                format!("{rows} rows, {files} files, {bytes} bytes, version {version}")
            }
            Err(error) => error.to_string(),
        };
        print(&format!("{name}  {summary}\n"))?;
    }
    Ok(())
}
