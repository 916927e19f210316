//! `portaria copy`.

use std::path::PathBuf;

use clap::Args;

use super::{BAD_SETTINGS, Failure, print, runtime};
use crate::{
    backup::copy::{self, Copied},
    clock::Clock,
    config::Config,
    settings::Settings,
};

#[derive(Args)]
pub(super) struct Copy {
    /// The settings (a portaria.toml) under which the portal has run until now.
    #[arg(long, value_name = "FILE")]
    from: PathBuf,
    /// The settings under which it is to run: another database, store or data folder.
    #[arg(long, value_name = "FILE")]
    to: PathBuf,
}

pub(super) fn run(Copy { from, to }: &Copy) -> Result<(), Failure> {
    let read = |file: &PathBuf| -> Result<Config, Failure> {
        Settings::of_file(file)
            .and_then(Settings::read)
            .map_err(|why| Failure(BAD_SETTINGS, format!("{}: {why}", file.display())))
    };
    let (from, to) = (read(from)?, read(to)?);
    let copied = runtime()?.block_on(copy::run(&from, &to, &Clock::system()));
    let Copied { rows, files, bytes } =
        copied.map_err(|failure| Failure(1, failure.to_string()))?;
    print(&format!(
        "Copied: {rows} rows, {files} files, {bytes} bytes, all found whole at the new place.\n"
    ))
}
