//! The command line: its arguments, the exit codes, and the commands that need no module of their own.
//!
//! The doc comments of the arguments are the help texts.

pub mod backup;
pub mod copy;

use std::{
    io::{self, Read, Write},
    num::NonZero,
    path::Path,
    process::ExitCode,
    sync::Arc,
    thread,
    time::Duration,
};

use clap::{Args, Parser, Subcommand};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;
use tokio::sync::watch;
use uuid::Uuid;

use crate::{
    accounts::{user, validation},
    api::{auth::mfa, setup},
    app::{App, lock, make_private},
    audit,
    backup::swap,
    clock::Clock,
    config::{Config, sources::ConfigSources},
    db::{Db, Error, Shutdown, Tx},
    demo, fsck, http,
    jobs::{self, deliver_mail::Delivery, reclaim_leases},
    privacy::erasure,
    security::keys::Keys,
    systemd,
    telemetry::logging,
};

/// A client portal for small offices.
#[derive(Parser)]
#[command(version, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run the portal.
    Serve(Serve),
    /// Manage administrators.
    #[command(subcommand)]
    Admin(Admin),
    /// Look at the log of what happened.
    #[command(subcommand)]
    Audit(Audit),
    /// Erase all that is a person's, and their names from the log; what a legal hold names stays.
    Erase {
        /// The id of the account, which need not exist any more.
        #[arg(long)]
        person: Uuid,
    },
    /// Check that the database is sound and that every file is there, whole and unchanged. The portal may be running.
    Fsck,
    /// Back everything up while the portal goes on: database, files, and the secret of the data folder.
    Backup(backup::Backup),
    /// Bring a backup back. The portal must not be running.
    Restore(backup::Restore),
    /// Copy everything to another database and store, and check it there. The portal does not run meanwhile.
    Copy(copy::Copy),
    /// Print the public key and the service key as JSON.
    Keys,
    /// Print the settings in force, secrets masked.
    Config,
    /// Bring the database up to date and stop.
    Migrate,
}

#[derive(Args)]
struct Serve {
    /// Add a demo office with documents and tickets, print its sign-ins, and let strangers sign up.
    #[arg(long)]
    demo: bool,
}

#[derive(Subcommand)]
enum Admin {
    /// Create an administrator, or give the role to an existing account.
    Add {
        /// The e-mail address to sign in with.
        #[arg(long)]
        email: String,
        /// Read the password from standard input.
        #[arg(long)]
        password_stdin: bool,
    },
    /// Take the second step from an administrator who lost it. They are signed out everywhere, and told by mail.
    ResetSecondStep {
        /// The e-mail address that they sign in with.
        #[arg(long)]
        email: String,
    },
}

#[derive(Subcommand)]
enum Audit {
    /// Check that nobody changed, removed or added a line since it was written.
    Verify,
    /// Take a person's names out of every line that is by or about them. What happened stays.
    Erase {
        /// The id of the account, which need not exist any more.
        #[arg(long)]
        person: Uuid,
    },
}

/// The exit code and the message of a failed command.
pub(crate) struct Failure(u8, String);

/// Exit code: the settings are invalid. Nothing was changed.
const BAD_SETTINGS: u8 = 2;
/// Exit code: the address or the data folder is in use by another process.
const IN_USE: u8 = 3;
/// Exit code: the database is corrupt. A restart does not help.
const CORRUPT: u8 = 4;
/// Exit code: an fsync failed. The next start recovers the data
/// (`docs/decisions/0004-stop-writing-after-a-failed-fsync.md`).
const SYNC_FAILED: u8 = 5;

/// Timeout for running jobs to end, and for the database to close.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(10);

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Self(1, message)
    }
}

/// Runs the command of the process's arguments.
#[must_use]
pub fn run() -> ExitCode {
    match dispatch(Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(code, message)) => {
            // If standard error is closed, there is no other place for the message.
            drop(writeln!(io::stderr(), "portaria: {message}"));
            ExitCode::from(code)
        }
    }
}

fn dispatch(command: Command) -> Result<(), Failure> {
    let settings =
        ConfigSources::load(std::env::vars()).map_err(|why| Failure(BAD_SETTINGS, why))?;
    let redacted = settings.redacted();
    let mut config = settings.read().map_err(|why| Failure(BAD_SETTINGS, why))?;
    match command {
        Command::Copy(given) => copy::run(&given),
        Command::Config => print(&redacted),
        Command::Keys => {
            let (folder, secret) = (config.data_dir.clone(), config.jwt_secret.clone());
            make_private(&folder)?;
            let keys = Keys::open(secret.as_deref(), &folder)?;
            print(&format!(
                "{}\n",
                json!({"anon_key": keys.anon, "service_role_key": keys.service_role})
            ))
        }
        Command::Migrate => App::open(config, Clock::system()).map(drop).map_err(Failure::from),
        Command::Admin(Admin::Add { email, password_stdin }) => {
            add_admin(config, &email, password_stdin)
        }
        Command::Admin(Admin::ResetSecondStep { email }) => reset_second_step(config, &email),
        Command::Audit(Audit::Verify) => verify_log(config),
        Command::Fsck => check_data(config),
        Command::Backup(given) => backup::run_backup(config, given),
        Command::Restore(given) => backup::run_restore(&config, given),
        Command::Erase { person } => erase(config, person),
        Command::Audit(Audit::Erase { person }) => {
            let app = App::open(config, Clock::system())?;
            let inner = Arc::clone(&app);
            let erase =
                move |tx: &mut Tx<'_>| audit::redact_person(tx, &inner, &person.to_string());
            let lines = runtime()?.block_on(app.db.write(erase));
            let lines = lines.map_err(|error: Error| format!("cannot erase: {error}"))?;
            print(&format!("Names were erased in {lines} lines.\n"))
        }
        Command::Serve(Serve { demo }) => {
            config.signup |= demo;
            // The demo sends no mail, so its accounts cannot confirm their addresses.
            config.autoconfirm |= demo;
            logging::start(config.server.log_format);
            serve(config, demo)
        }
    }
}

/// Runs the portal, then closes the database, so that the next start has nothing to recover.
fn serve(config: Config, demo: bool) -> Result<(), Failure> {
    http::tls::check(&config).map_err(|why| Failure(BAD_SETTINGS, why))?;
    let runtime = runtime()?;
    allow_descriptors();
    make_private(&config.data_dir)?;
    let _lock = lock(&config.data_dir).map_err(|why| Failure(IN_USE, why))?;
    swap::recover(&config.data_dir)?;

    let served = runtime.block_on(run_server(config, demo));
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

async fn run_server(config: Config, with_demo: bool) -> Result<Shutdown, Failure> {
    let in_use = |why| Failure(IN_USE, why);
    let listener = http::listen(config.listen).map_err(in_use)?;
    let metrics_listener = match config.server.metrics_listen {
        Some(address) => Some(http::listen(address).map_err(in_use)?),
        None => None,
    };
    let (site, listen) = (config.site_url.clone(), config.listen);
    if config.database.is_none() {
        recover(&config.data_dir)?;
    }

    let app = App::open(config, Clock::system())?;
    app.files.clear_staging()?;
    reclaim_leases::run(&app).await;
    let erased_again = erasure::reapply_tombstones(&app).await;
    let erased_again = erased_again
        .map_err(|error| format!("cannot erase anew whom a backup brought back: {error}"))?;
    if erased_again > 0 {
        tracing::warn!(people = erased_again, "erased people found after a restore, erased again");
    }

    let mut welcome = format!("Portaria is at {site}\n");
    if with_demo {
        welcome.push_str(&demo::seed(&app).await?);
    } else if let Some(token) =
        setup::issue_setup_token(&app).await.map_err(|error| error.to_string())?
    {
        welcome.push_str("\nThere is no administrator yet. Create the first one here:\n");
        welcome.push_str(&[" ", &site, "/primeiro-acesso#token=", &token, "\n"].concat());
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
    let delivery = delivery.map(|delivery| tokio::spawn(delivery.run(stopping)));
    let delivered = async {
        if let Some(delivery) = delivery {
            drop(delivery.await);
        }
    };

    systemd::notify("READY=1");
    let db = app.db.clone();
    http::serve(app, listener, stop, delivered).await?;
    db.failure().map_or(Ok(db.ended()), |why| Err(Failure(SYNC_FAILED, why)))
}

fn recover(folder: &Path) -> Result<(), Failure> {
    Db::recover(folder).map_err(|error| {
        let shown = folder.display();
        match &error {
            Error::Corrupt(_) => Failure(
                CORRUPT,
                format!("{error}. Nothing was changed. Put {shown} aside and bring a backup back with `portaria restore`; `portaria fsck` says what can still be read"),
            ),
            Error::SyncFailed(_) => Failure(SYNC_FAILED, error.to_string()),
            _ => Failure(1, format!("cannot open the database: {error}")),
        }
    })
}

fn add_admin(config: Config, email: &str, password_stdin: bool) -> Result<(), Failure> {
    let message = |error: crate::api::auth::AuthError| Failure(1, error.to_string());
    let email = validation::email(email).map_err(|error| message(error.into()))?;
    let password = if password_stdin {
        let mut text = String::new();
        io::stdin()
            .read_to_string(&mut text)
            .map_err(|error| format!("cannot read the password: {error}"))?;
        let password = text.trim_end_matches(['\r', '\n']).to_owned();
        validation::password(&password, &config).map_err(|error| message(error.into()))?;
        Some(password)
    } else {
        None
    };

    let app = App::open(config, Clock::system())?;
    runtime()?.block_on(async {
        let hash = match password {
            Some(password) => {
                Some(app.passwords.hash(password).await.map_err(|_| "try again".to_owned())?)
            }
            None => None,
        };
        let (inner, address) = (Arc::clone(&app), email.clone());
        let create = move |tx: &mut Tx<'_>| {
            // Without a password, an existing account keeps its own, and a new account would have none.
            if hash.is_none() && user::by_email(tx, &address)?.is_none() {
                return Ok(false);
            }
            setup::create_admin(tx, &inner, address, hash, "").map(|()| true)
        };
        if app.db.write(create).await.map_err(message)? {
            print(&format!("{email} is an administrator.\n"))
        } else {
            Err(Failure(
                1,
                format!("{email} has no account yet: give a password with --password-stdin"),
            ))
        }
    })
}

fn reset_second_step(config: Config, email: &str) -> Result<(), Failure> {
    let message = |error: crate::api::auth::AuthError| Failure(1, error.to_string());
    let address = validation::email(email).map_err(|error| message(error.into()))?;
    let app = App::open(config, Clock::system())?;
    let inner = Arc::clone(&app);
    let reset = move |tx: &mut Tx<'_>| match user::by_email(tx, &address)? {
        Some(user) => Ok(Some(mfa::reset_mfa(tx, &inner, &user)?)),
        None => Ok(None),
    };
    match runtime()?.block_on(app.db.write(reset)).map_err(message)? {
        Some(true) => print(&format!("{email} signs in with the password alone.\n")),
        Some(false) => Err(Failure(1, format!("{email} has no second step"))),
        None => Err(Failure(1, format!("{email} has no account"))),
    }
}

fn erase(config: Config, person: Uuid) -> Result<(), Failure> {
    let app = App::open(config, Clock::system())?;
    let erased = runtime()?.block_on(erasure::erase_from_cli(&app, person));
    let erased = erased.map_err(|error| format!("cannot erase: {error}"))?;
    let Some(erasure::ErasureReport { documents, tickets, mails, events: lines, held }) = erased
    else {
        return Err(Failure(1, "this is an administrator: take the role away first".into()));
    };
    print(&format!(
        "Erased: {documents} documents, {tickets} tickets, {mails} mails, names in {lines} lines. {held} documents are held.\n"
    ))
}

fn verify_log(config: Config) -> Result<(), Failure> {
    let app = App::open(config, Clock::system())?;
    let found = runtime()?.block_on(audit::ChainVerifier::run(&app));
    let found = found.map_err(|error| format!("cannot read the log: {error}"))?;
    let audit::ChainReport { events: lines, erased, dropped, head: (number, hash), breaks } = found;
    if breaks.is_empty() {
        return print(&format!(
            "The log stands: {lines} lines, names erased in {erased}; {dropped} older ones were dropped in their time.\nIts end is {number} {hash}\n"
        ));
    }
    let describe = |broken: &audit::ChainBreak| match broken {
        audit::ChainBreak::Tampered(number) => format!("line {number} is not as it was written"),
        audit::ChainBreak::Gap(from, to) => format!("lines {from} to {to} are missing"),
        audit::ChainBreak::TruncatedPrefix(to) => {
            format!("lines 1 to {to} were not dropped by the portal")
        }
    };
    let shown: Vec<String> = breaks.iter().map(describe).collect();
    Err(Failure(1, format!("the log was tampered with: {}", summarize(&shown))))
}

fn check_data(config: Config) -> Result<(), Failure> {
    let app = App::open(config, Clock::system())?;
    let found = runtime()?.block_on(fsck::run(&app));
    let fsck::FsckReport { files, bytes, orphans: strays, faults } =
        found.map_err(|error| format!("cannot check: {error}"))?;
    if faults.is_empty() {
        return print(&format!(
            "All is whole: {files} files, {bytes} bytes. {strays} blobs without a name wait to be removed.\n"
        ));
    }
    Err(Failure(1, summarize(&faults)))
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

fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let mut builder = tokio::runtime::Builder::new_multi_thread();
    // Blocking threads wait for the disk and compute hashes. On a busy machine a few dozen uploads reach the default
    // maximum of 512. Each thread then occupies half a mebibyte and takes processor time from other requests.
    let runtime = builder.enable_all().max_blocking_threads(8 + 4 * cores).build();
    runtime.map_err(|error| Failure(1, format!("cannot start: {error}")))
}

fn print(text: &str) -> Result<(), Failure> {
    let written = io::stdout().write_all(text.as_bytes()).and_then(|()| io::stdout().flush());
    written.map_err(|error| Failure(1, format!("cannot write: {error}")))
}
