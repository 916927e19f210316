//! Runs an import: reads the plan, stores or rehearses each file, and counts.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context;
use rustix::fs::statvfs;

use crate::{
    app::App,
    db::{self, Tx},
    documents::import::{
        Item, Plan, Refusal,
        archive::Archive,
        directory::{Client, Directory, Folder},
        list,
        store::{self, Outcome},
        tree,
    },
    schema::DOCUMENTS_BUCKET,
    stored_files::quota::{self, QuotaError},
};

/// Maximum number of errors of the store in a row. One may be that of an interruption; more are those of the store.
const MAX_ERRORS: u32 = 3;

/// Files and their bytes.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Tally {
    pub(crate) files: u64,
    pub(crate) bytes: u64,
}

/// The result of an import.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    /// New documents by client and folder.
    pub(crate) imported: BTreeMap<(Client, Folder), Tally>,
    /// Documents that existed.
    pub(crate) present: u64,
    /// Files that were not accepted.
    pub(crate) refused: u64,
}

impl Summary {
    /// Counts the new documents.
    pub(crate) fn total(&self) -> Tally {
        self.imported.values().fold(Tally::default(), |sum, one| Tally {
            files: sum.files + one.files,
            bytes: sum.bytes + one.bytes,
        })
    }
}

/// A step of a run.
#[derive(Debug)]
pub(crate) enum Progress<'a> {
    /// Files were not accepted.
    Refused(&'a Refusal),
    /// This number of files of the plan is done.
    Done(u64),
}

/// Reads the plan of an archive: by a list if there is one, otherwise by the names of its folders.
///
/// # Errors
/// A sentence for the operator.
pub(crate) async fn plan(
    app: &Arc<App>,
    folder: &Path,
    list: Option<&Path>,
) -> anyhow::Result<Plan> {
    let archive = Archive::open(folder)?;
    let directory = app.db.read(Directory::load).await?;
    match list {
        None => {
            let shown = folder.display();
            tree::plan(&archive, &directory).with_context(|| format!("cannot read {shown}"))
        }
        Some(list) => {
            let bytes = tokio::fs::read(list).await;
            let bytes = bytes.with_context(|| format!("cannot read {}", list.display()))?;
            list::plan(&bytes, &archive, &directory).map_err(anyhow::Error::msg)
        }
    }
}

/// Stores the files of a plan one by one, or rehearses it. `report` receives each step, and `summary` counts them.
///
/// # Errors
/// A database error, an error of the store, or an error of `report`. Files that were stored before stay, and `summary`
/// contains them.
pub(crate) async fn run(
    app: &Arc<App>,
    plan: Plan,
    rehearses: bool,
    summary: &mut Summary,
    mut report: impl FnMut(Progress<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut errors = 0;
    let mut seen = Seen::default();
    for refusal in &plan.refusals {
        summary.refused += refusal.files;
        report(Progress::Refused(refusal))?;
    }
    for (done, item) in (0..).zip(plan.items) {
        report(Progress::Done(done))?;
        let (label, key) = (item.label.clone(), (item.client.clone(), item.folder.clone()));
        let is_repeated = rehearses && seen.contains(&item).await;
        let outcome = if is_repeated {
            Ok(Outcome::Present)
        } else {
            store::store(app, item, rehearses).await
        };
        let reason = match outcome {
            Ok(Outcome::Imported(bytes)) => {
                let tally = summary.imported.entry(key).or_default();
                (tally.files, tally.bytes) = (tally.files + 1, tally.bytes + bytes);
                errors = 0;
                continue;
            }
            Ok(Outcome::Present) => {
                summary.present += 1;
                errors = 0;
                continue;
            }
            Ok(Outcome::Refused(reason)) => reason,
            Err(error) if errors + 1 < MAX_ERRORS && !error.is::<db::Error>() => {
                errors += 1;
                format!("Não foi possível guardar: {error:#}. Rode de novo.")
            }
            Err(error) => {
                return Err(
                    error.context(format!("stopped at {label}; run the command again to continue"))
                );
            }
        };
        summary.refused += 1;
        report(Progress::Refused(&Refusal { label, reason, files: 1 }))?;
    }
    if rehearses {
        check_space(app, summary, &mut report)?;
        check_quotas(app, summary, &mut report).await?;
    }
    Ok(())
}

/// The files of a rehearsal, which no row shows. A list may name a document twice.
#[derive(Default)]
struct Seen(BTreeMap<(String, String, String), Vec<PathBuf>>);

impl Seen {
    /// Adds an item. Returns whether one before it has the same client, folder, name and content.
    async fn contains(&mut self, item: &Item) -> bool {
        let key = (item.client.id.clone(), item.folder.id.clone(), item.name.clone());
        let paths = self.0.entry(key).or_default();
        for path in paths.iter() {
            let hashes = (store::hash(path).await, store::hash(&item.path).await);
            if let (Ok(one), Ok(other)) = hashes
                && one == other
            {
                return true;
            }
        }
        paths.push(item.path.clone());
        false
    }
}

/// Checks the free space of the disk for all files of a rehearsal together. A bucket has no limit of its own.
fn check_space(
    app: &App,
    summary: &mut Summary,
    report: &mut impl FnMut(Progress<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    if app.config.bucket.is_some() {
        return Ok(());
    }
    let disk = statvfs(&app.config.data_dir).context("cannot read the free space of the disk")?;
    let free = disk.f_bavail.saturating_mul(disk.f_frsize);
    if summary.total().bytes <= free.saturating_sub(app.config.min_free_space) {
        return Ok(());
    }
    summary.refused += 1;
    let (label, reason) = ("Todos os arquivos".into(), "Não cabem juntos no disco.".into());
    report(Progress::Refused(&Refusal { label, reason, files: 1 }))
}

/// Checks the quotas for all files of a rehearsal together.
async fn check_quotas(
    app: &Arc<App>,
    summary: &mut Summary,
    report: &mut impl FnMut(Progress<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    // A name without a client counts for the portal only.
    let total = summary.total().bytes;
    let mut sums = BTreeMap::from([(String::new(), ("Todos os arquivos".to_owned(), total))]);
    for ((client, _), tally) in &summary.imported {
        let place = format!("public/{}/", client.id);
        sums.entry(place).or_insert((client.name.clone(), 0)).1 += tally.bytes;
    }
    for (place, (label, bytes)) in sums {
        let check = move |tx: &mut Tx<'_>, app: &Arc<App>| {
            Ok::<_, db::Error>(quota::check(tx, app, DOCUMENTS_BUCKET, &place, bytes))
        };
        let reason = match app.read(check).await? {
            Ok(()) => continue,
            Err(QuotaError::Portal) => "Não cabem juntos no espaço do portal (quota).",
            Err(QuotaError::Client) => "Não cabem juntos no espaço do cliente (quota_per_client).",
            Err(QuotaError::Database(error)) => return Err(error.into()),
        };
        summary.refused += 1;
        let reason = reason.into();
        report(Progress::Refused(&Refusal { label, reason, files: 1 }))?;
    }
    Ok(())
}
