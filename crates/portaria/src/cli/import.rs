//! The command `portaria import`. The doc comments of the arguments are the help texts; the report is for the office's
//! IT person, in Portuguese.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use anyhow::{Context, bail};
use clap::Args;

use crate::cli::{print, runtime};
use crate::{
    app::App,
    clock::Clock,
    config::Config,
    display_name::sanitize_display_name,
    documents::import::{
        Refusal,
        run::{self, Progress, Summary, Tally},
    },
};

/// Number of files between two lines of progress.
const PROGRESS_INTERVAL: u64 = 500;

#[derive(Args)]
pub(crate) struct Import {
    /// The folder of the archive. Without --csv it contains a folder for each client, named by CPF, CNPJ, e-mail or
    /// name, in which a folder for each folder of the portal contains the files.
    folder: PathBuf,
    /// A list of the files with the columns arquivo, cliente and pasta, and optionally nome, vencimento, competencia
    /// and valor.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Examine everything and change nothing.
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(config: Config, given: &Import) -> anyhow::Result<()> {
    let app = App::open(config, Clock::system())?;
    let runtime = runtime()?;
    let plan = runtime.block_on(run::plan(&app, &given.folder, given.csv.as_deref()))?;
    let total = plan.items.len();
    let report = |progress: Progress<'_>| match progress {
        Progress::Refused(refusal) => print_refusal(refusal),
        Progress::Done(done) if done % PROGRESS_INTERVAL == 0 => {
            // Standard output may be a file, in which only the report belongs.
            drop(writeln!(io::stderr(), "portaria: {done} of {total} files"));
            Ok(())
        }
        Progress::Done(_) => Ok(()),
    };
    let mut summary = Summary::default();
    let ended = runtime.block_on(run::run(&app, plan, given.dry_run, &mut summary, report));
    print(&describe(&summary, given.dry_run))?;
    ended.context("cannot import")?;
    match summary.refused {
        0 => Ok(()),
        1 => bail!("one file cannot be imported"),
        count => bail!("{count} files cannot be imported"),
    }
}

fn print_refusal(Refusal { label, reason, files }: &Refusal) -> anyhow::Result<()> {
    // The name of a file can contain control characters.
    let label = sanitize_display_name(label);
    match files {
        1 => print(&format!("RECUSADO {label}: {reason}\n")),
        count => print(&format!("RECUSADO {label} ({count} arquivos): {reason}\n")),
    }
}

fn describe(summary: &Summary, is_rehearsal: bool) -> String {
    let lines = summary.imported.iter().map(|((client, folder), tally)| {
        format!("{} · {}: {}\n", client.name, folder.name, describe_tally(*tally))
    });
    let lines: String = lines.collect();
    let verb = if is_rehearsal { "A importar" } else { "Importados" };
    let end = if is_rehearsal { " Nada foi mudado." } else { "" };
    let (total, present) = (describe_tally(summary.total()), summary.present);
    format!(
        "{lines}{verb}: {total}. Já estavam no portal: {present}. Recusados: {}.{end}\n",
        summary.refused
    )
}

fn describe_tally(Tally { files, bytes }: Tally) -> String {
    let noun = if files == 1 { "documento" } else { "documentos" };
    format!("{files} {noun}, {}", describe_size(bytes))
}

/// Writes a size with one decimal place: `1,5 MB`.
fn describe_size(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    match UNITS.into_iter().find(|(size, _)| bytes >= *size) {
        None => format!("{bytes} bytes"),
        Some((size, unit)) => {
            let tenths = bytes / (size / 10);
            format!("{},{} {unit}", tenths / 10, tenths % 10)
        }
    }
}
