//! The commands `portaria completions` and `portaria man`.

use std::{fs, io, path::Path};

use anyhow::Context;
use clap::CommandFactory;
use clap_complete::Shell;

use crate::cli::Cli;

/// Prints the completions of a shell.
pub(crate) fn print_completions(shell: Shell) {
    clap_complete::generate(shell, &mut Cli::command(), "portaria", &mut io::stdout());
}

/// Writes a page for each command into a folder.
pub(crate) fn write_pages(folder: &Path) -> anyhow::Result<()> {
    let written = fs::create_dir_all(folder).and_then(|()| {
        clap_mangen::generate_to(Cli::command().disable_help_subcommand(true), folder)
    });
    written.with_context(|| format!("cannot write to {}", folder.display()))
}
