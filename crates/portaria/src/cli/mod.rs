//! The command line: its arguments, the exit codes, and the commands that need no module of their own.
//!
//! The doc comments of the arguments are the help texts.

pub mod admin;
pub mod audit;
pub mod backup;
pub mod copy;
mod doctor;
pub mod erase;
pub mod fsck;
pub mod import;
pub mod init;
pub mod keys;
mod manual;
pub mod office;
mod reload;
pub mod serve;

use std::{
    io::{self, Write},
    num::NonZero,
    path::{Path, PathBuf},
    process::ExitCode,
    thread,
};

use anyhow::Context;
use clap::{Parser, Subcommand};

use crate::cli::office::Office;
use crate::{
    app::App, clock::Clock, config::Config, security::ids::UserId, telemetry::version::VERSION,
};

/// A client portal for small offices.
#[derive(Parser)]
#[command(version = VERSION.as_str(), propagate_version = true)]
struct Cli {
    /// The file with the settings: TOML if its name ends with .toml, otherwise a line PORTARIA_… for each. Default:
    /// /etc/portaria.env, or else portaria.toml in the current folder. Environment variables take precedence.
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the portal. The first start creates the office.
    Serve(serve::Serve),
    /// Create an empty office: the data folder, its secret, the database.
    Init,
    /// Manage administrators.
    #[command(subcommand)]
    Admin(admin::Admin),
    /// Verify the audit log, or erase a person's names from it.
    #[command(subcommand)]
    Audit(audit::Audit),
    /// Erase a client's personal data, and their names from the audit log. Documents under legal hold stay.
    Erase {
        /// The id of the account, which need not exist any more.
        #[arg(long)]
        person: UserId,
    },
    /// Check that the database is intact, and that every file exists and is unchanged. The portal may be running.
    Fsck(fsck::Fsck),
    /// Save a backup of the database, the files, and the secret of the data folder. The portal may be running.
    Backup(backup::Backup),
    /// Restore a backup, completely or not at all. The portal must not be running.
    Restore(backup::Restore),
    /// Import the documents of an existing archive, without mails. Documents that the portal has already are skipped.
    /// The portal may be running.
    Import(import::Import),
    /// Copy everything to another database and blob store, and verify the copy. The portal must not be running.
    Copy(copy::Copy),
    /// Print the public key and the service key as JSON, or manage the keys that sign access tokens.
    Keys(keys::Keys),
    /// Print the settings in force, with secrets masked.
    Config,
    /// Examine what the office depends on: settings, database, files, mail, clock, certificate, disk, backups.
    Doctor(doctor::Doctor),
    /// Bring the database up to date, and exit.
    Migrate,
    /// Print the completion script of a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Write the manual pages of all commands into a folder.
    Man {
        /// The folder, which is created if necessary.
        folder: PathBuf,
    },
    /// Read one file from standard input, for the inbox and for previews. The portal starts this command by itself.
    #[command(hide = true)]
    ReadDocument,
}

/// Exit code: the command failed.
const FAILED: u8 = 1;
/// Exit code: the settings are invalid. Nothing was changed.
const BAD_SETTINGS: u8 = 2;
/// Exit code: the address or the data folder is in use by another process.
const IN_USE: u8 = 3;
/// Exit code: the database is corrupt. A restart does not help.
const CORRUPT: u8 = 4;
/// Exit code: an fsync failed. The next start recovers the data
/// (`docs/decisions/0004-stop-writing-after-a-failed-fsync.md`).
const SYNC_FAILED: u8 = 5;

/// An error with an exit code of its own. All other errors exit with [`FAILED`].
#[derive(Debug, thiserror::Error)]
#[error("{error:#}")]
struct ExitError {
    code: u8,
    error: anyhow::Error,
}

/// Returns a conversion for `map_err` that gives an error an exit code.
fn exit_with(code: u8) -> impl Fn(anyhow::Error) -> anyhow::Error {
    move |error| ExitError { code, error }.into()
}

/// Runs the command of the process's arguments.
#[must_use]
pub fn run() -> ExitCode {
    let Cli { config, command } = Cli::parse();
    // Without settings: the reader of a stranger's file must hold no secret.
    if matches!(command, Command::ReadDocument) {
        return portaria_recognize::child::main();
    }
    match dispatch(config.as_deref(), command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // If standard error is closed, there is no other place for the message.
            drop(writeln!(io::stderr(), "portaria: {error:#}"));
            ExitCode::from(error.downcast_ref().map_or(FAILED, |error: &ExitError| error.code))
        }
    }
}

fn dispatch(file: Option<&Path>, command: Command) -> anyhow::Result<()> {
    match &command {
        Command::Copy(given) => return copy::run(given),
        Command::Completions { shell } => {
            manual::print_completions(*shell);
            return Ok(());
        }
        Command::Man { folder } => return manual::write_pages(folder),
        _ => {}
    }
    let office = Office::find(file)?;
    // The log of `serve` contains it.
    if !matches!(command, Command::Serve(_)) {
        drop(writeln!(io::stderr(), "portaria: {office}"));
    }
    match command {
        Command::Serve(given) => serve::run(office, file.map(Path::to_owned), &given),
        Command::Init => init::run(office),
        Command::Restore(given) => backup::run_restore(&office, given),
        Command::Doctor(given) => doctor::run(&office, &given),
        Command::Keys(given) => keys::run(office, &given),
        Command::Config => {
            print(&office.sources.redacted())?;
            office.require()
        }
        command => {
            office.require()?;
            run_on_office(office.config, command)
        }
    }
}

/// Runs a command that needs an office.
fn run_on_office(config: Config, command: Command) -> anyhow::Result<()> {
    match command {
        Command::Admin(given) => admin::run(config, given),
        Command::Audit(given) => audit::run(config, &given),
        Command::Erase { person } => erase::run(config, person),
        Command::Fsck(given) => fsck::run(config, &given),
        Command::Backup(given) => backup::run_backup(config, given),
        Command::Import(given) => import::run(config, &given),
        Command::Migrate => App::open(config, Clock::system()).map(drop),
        Command::Serve(_)
        | Command::Init
        | Command::Restore(_)
        | Command::Copy(_)
        | Command::Completions { .. }
        | Command::Man { .. }
        | Command::Config
        | Command::Keys(_)
        | Command::Doctor(_)
        | Command::ReadDocument => unreachable!("these commands open the office themselves"),
    }
}

/// Joins the first messages, and states the number of the others.
fn summarize(faults: &[String]) -> String {
    const MAX_SHOWN: usize = 20;
    let shown = faults.get(..MAX_SHOWN).unwrap_or(faults).join("; ");
    match faults.len().saturating_sub(MAX_SHOWN) {
        0 => shown,
        more => format!("{shown}; and {more} more"),
    }
}

fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    // Blocking threads wait for the disk and compute hashes. On a busy machine a few dozen uploads reach the default
    // maximum of 512. Each thread then occupies half a mebibyte and takes processor time from other requests.
    let runtime = builder.enable_all().max_blocking_threads(8 + 4 * cores).build();
    runtime.context("cannot start")
}

fn print(text: &str) -> anyhow::Result<()> {
    let written = io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush());
    written.context("cannot write")
}
