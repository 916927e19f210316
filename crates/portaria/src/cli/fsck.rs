//! The command `portaria fsck`. The doc comments of the arguments are the help texts.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use clap::Args;

use crate::cli::{CORRUPT, exit_with, print, runtime, summarize};
use crate::{
    app::App,
    clock::Clock,
    config::Config,
    data_dir,
    db::{
        Db, Error,
        salvage::{self, SalvagedTable},
    },
    fsck::{self, FsckReport},
    schema::migrations::MIGRATIONS,
};

#[derive(Args)]
pub(crate) struct Fsck {
    /// Copy all rows of a damaged database that can still be read to a new database in this folder.
    #[arg(long, value_name = "FOLDER")]
    recover: Option<PathBuf>,
}

pub(crate) fn run(config: Config, given: &Fsck) -> anyhow::Result<()> {
    if let Some(to) = &given.recover {
        return recover(&config, to);
    }
    // The database file is examined before anything opens it to write.
    let mut faults = match &config.database {
        None => examine(&config.data_dir)?,
        Some(_) => Vec::new(),
    };
    let app = App::open(config, Clock::system())?;
    let found = runtime()?.block_on(fsck::check_files(&app));
    let FsckReport { files, bytes, orphans: strays, faults: broken, misnamed, unreadable_keys } =
        found.context("cannot check")?;
    for row in misnamed {
        print(&format!("Rename: {row}\n"))?;
    }
    faults.extend(broken.into_iter().map(|fault| fault.text));
    let describe = |id| format!("the signing key {id} was encrypted with another jwt_secret");
    faults.extend(unreadable_keys.into_iter().map(describe));
    if faults.is_empty() {
        return print(&format!(
            "All is whole: {files} files, {bytes} bytes. {strays} blobs without a name wait to be removed.\n"
        ));
    }
    for fault in &faults {
        print(&format!("Fault: {fault}\n"))?;
    }
    bail!("the check found {} {}", faults.len(), if faults.len() == 1 { "fault" } else { "faults" })
}

/// Returns the faults of the database file that leave every row readable.
///
/// # Errors
/// Lost rows. The rows that are left are printed, table by table.
fn examine(folder: &Path) -> anyhow::Result<Vec<String>> {
    let faults = match Db::integrity_errors(folder) {
        Ok(faults) => faults,
        Err(Error::Corrupt(why)) => vec![why],
        Err(error) => return Err(error).context("cannot check"),
    };
    let faults: Vec<String> =
        faults.into_iter().map(|fault| format!("the database: {fault}")).collect();
    if faults.is_empty() {
        return Ok(faults);
    }
    let left = salvage::survey(folder, MIGRATIONS);
    if left.as_ref().is_ok_and(|tables| tables.iter().all(|table| table.is_complete)) {
        return Ok(faults);
    }
    let way_on = match left {
        Ok(tables) => {
            print(&describe(&tables))?;
            "Restore a backup with `portaria restore --replace`, or copy what is left with `portaria fsck --recover FOLDER`"
        }
        Err(_) => "Nothing in it can be read: restore a backup with `portaria restore --replace`",
    };
    Err(exit_with(CORRUPT)(anyhow!("{}. Nothing was changed. {way_on}", summarize(&faults))))
}

fn recover(config: &Config, to: &Path) -> anyhow::Result<()> {
    if config.database.is_some() {
        bail!("--recover reads the embedded database; PostgreSQL has tools of its own");
    }
    let _lock = data_dir::lock(&config.data_dir).context("stop the portal first")?;
    data_dir::make_private(to)?;
    if !data_dir::entry_names(to)?.is_empty() {
        bail!("{} is not empty", to.display());
    }
    let tables = salvage::recover(&config.data_dir, to, MIGRATIONS).context("cannot recover")?;
    print(&describe(&tables))?;
    print(&format!(
        "They are in {0}/portaria.db. Keep a copy of {1}; then replace portaria.db in it by the new one, delete \
         portaria.db-wal and portaria.db-shm, and run `portaria fsck`.\n",
        to.display(),
        config.data_dir.display()
    ))
}

fn describe(tables: &[SalvagedTable]) -> String {
    let line = |SalvagedTable { name, rows, is_complete }: &SalvagedTable| {
        let rest = if *is_complete { "all" } else { "others are lost" };
        format!("{name}: {rows} rows can be read, {rest}\n")
    };
    tables.iter().filter(|table| table.rows > 0 || !table.is_complete).map(line).collect()
}
