//! The command `portaria copy`. The doc comments of the arguments are the help texts.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::Args;

use crate::cli::{BAD_SETTINGS, exit_with, office::become_owner, print, runtime};
use crate::{
    backup::transfer::{self, TransferReport},
    clock::Clock,
    config::{Config, sources::ConfigSources},
    privacy::erasure,
};

#[derive(Args)]
pub(crate) struct Copy {
    /// The file with the present settings: a portaria.toml, or a file like /etc/portaria.env.
    #[arg(long, value_name = "FILE")]
    from: PathBuf,
    /// The file with the new settings: another database, blob store or data folder.
    #[arg(long, value_name = "FILE")]
    to: PathBuf,
}

pub(crate) fn run(Copy { from, to }: &Copy) -> anyhow::Result<()> {
    let read = |file: &PathBuf| -> anyhow::Result<Config> {
        ConfigSources::from_file(file)
            .and_then(|settings| settings.read())
            .map_err(|why| exit_with(BAD_SETTINGS)(anyhow!("{}: {why}", file.display())))
    };
    let (from, to) = (read(from)?, read(to)?);
    become_owner(&[&from.data_dir, &to.data_dir], None)?;
    let copied = runtime()?.block_on(transfer::run(&from, &to, &Clock::system()));
    let TransferReport { rows, files, bytes } = copied?;
    // A backup of the old portal may be restored at the new one, so the tombstones are copied too.
    let erased = erasure::read_tombstones(&from.data_dir)?;
    erasure::merge(&to.data_dir, &erased)?;
    print(&format!(
        "Copied: {rows} rows, {files} files, {bytes} bytes, all found whole at the new place.\n"
    ))
}
