//! The checks of everything that an office depends on: one list, which `portaria doctor` prints and the page "Sistema"
//! shows. The findings are in Portuguese, for the office's IT person.
//!
//! The checks change nothing except a test file in the store of files, which they remove.

mod backups;
mod certificate;
pub mod certificate_end;
mod database;
mod finding;
mod intake;
mod jobs;
mod machine;
mod program;
mod services;

use std::{panic::resume_unwind, sync::Arc, time::Duration};

use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use crate::{
    app::App,
    blob::BlobStore,
    clock::format_timestamp,
    config::{Config, sources::ConfigSources},
    telemetry::version::VERSION,
};

pub use crate::doctor::finding::{Finding, Section, Status};

/// Timeout of a check for a person who waits for a page.
const PAGE_TIMEOUT: Duration = Duration::from_secs(4);
/// Timeout of a check for the command. A mail server may examine the test mail for a while.
const COMMAND_TIMEOUT: Duration = Duration::from_mins(2);

/// Examines an office from the command line; the portal may be running. Sends a test mail if there is a recipient.
pub(crate) async fn examine_office(
    config: &Config,
    sources: &ConfigSources,
    recipient: Option<&str>,
) -> Vec<Finding> {
    let mut findings = vec![
        program::check_version(),
        program::check_settings(config, Some(sources)),
        program::check_service(config),
    ];
    let (database, app) = open_database(config).await;
    findings.extend(database);
    let store = services::open_store(config);
    let store = store.as_ref().map_err(Clone::clone);
    findings.extend(Box::pin(examine(config, store, recipient, COMMAND_TIMEOUT)).await);
    if let Some(app) = &app {
        findings.extend(examine_records(app, COMMAND_TIMEOUT).await);
    }
    findings
}

async fn open_database(config: &Config) -> (Vec<Finding>, Option<Arc<App>>) {
    let config = config.clone();
    let opened = spawn_blocking(move || database::open(&config)).await;
    opened.unwrap_or_else(|error| resume_unwind(error.into_panic()))
}

/// Examines the running portal for its page, within seconds. The texts of errors go to the log.
pub(crate) async fn examine_running(app: &Arc<App>) -> Value {
    let config = &app.config;
    let (database, others, records) = tokio::join!(
        database::check_running(app, PAGE_TIMEOUT),
        examine(config, Ok(&app.files), None, PAGE_TIMEOUT),
        examine_records(app, PAGE_TIMEOUT),
    );
    let mut findings = vec![
        program::check_version(),
        program::check_settings(config, None),
        program::check_running(app),
    ];
    findings.extend(database);
    findings.extend(others);
    findings.extend(records);
    let findings: Vec<Finding> = findings.into_iter().map(Finding::log_cause).collect();
    json!({
        "version": VERSION.as_str(),
        "examined_at": format_timestamp(app.clock.now()),
        "status": worst(&findings),
        "checks": findings,
    })
}

/// Returns the most serious status.
pub(crate) fn worst(findings: &[Finding]) -> Status {
    findings.iter().map(|finding| finding.status).max().unwrap_or(Status::Ok)
}

/// Runs the checks that need no database.
async fn examine(
    config: &Config,
    store: Result<&BlobStore, String>,
    recipient: Option<&str>,
    limit: Duration,
) -> Vec<Finding> {
    let (permissions, disk, storage, smtp, mailbox, target, folder, certificate) = tokio::join!(
        on_disk(machine::PERMISSIONS, config, limit, machine::check_permissions),
        on_disk(machine::DISK, config, limit, machine::check_disk),
        services::STORAGE.within(limit, services::check_storage(config, store)),
        services::SMTP.within(limit, services::check_smtp(config, recipient)),
        async {
            match &config.mailbox {
                Some(at) => Some(intake::MAILBOX.within(limit, intake::check_mailbox(at)).await),
                None => None,
            }
        },
        async {
            match &config.backup_to {
                Some(to) => {
                    Some(backups::TARGET.within(limit, backups::check_target(config, to)).await)
                }
                None => None,
            }
        },
        async {
            config.inbox_dir.as_ref()?;
            Some(on_disk(intake::INBOX_FOLDER, config, limit, intake::check_folder).await)
        },
        certificate::CERTIFICATE.within(limit, certificate::check(config)),
    );
    let findings =
        [Some(storage), folder, Some(permissions), Some(disk), Some(smtp), mailbox, target];
    findings.into_iter().flatten().chain([certificate]).collect()
}

/// Runs the checks that read the database.
async fn examine_records(app: &Arc<App>, limit: Duration) -> Vec<Finding> {
    let (replica, queue, backup, rehearsal, jobs, clock) = tokio::join!(
        database::check_replica(app),
        services::MAIL_QUEUE.within(limit, services::check_queue(app)),
        backups::BACKUP.within(limit, backups::check_backup(app)),
        backups::REHEARSAL.within(limit, backups::check_rehearsal(app)),
        jobs::check(app, limit),
        machine::CLOCK.within(limit, machine::check_clock(app)),
    );
    replica.into_iter().chain([queue, backup, rehearsal]).chain(jobs).chain([clock]).collect()
}

/// Runs a check that reads the disk, away from the threads of the requests.
async fn on_disk(
    subject: finding::Subject,
    config: &Config,
    limit: Duration,
    check: fn(&Config) -> Finding,
) -> Finding {
    let config = config.clone();
    subject
        .within(limit, async move {
            let checked = spawn_blocking(move || check(&config)).await;
            checked.unwrap_or_else(|_| subject.error("A verificação parou.", "Examine de novo."))
        })
        .await
}

/// A time in the portal's time zone.
fn local_time(app: &App, at: Timestamp) -> String {
    at.to_zoned(app.config.time_zone.clone()).strftime("%d/%m/%Y %H:%M").to_string()
}

/// A time of the past in the portal's time zone, with its age.
fn local_time_and_age(app: &App, at: Timestamp) -> String {
    let hours = app.clock.now().duration_since(at).as_hours();
    let age = match hours {
        ..1 => "há menos de uma hora".to_owned(),
        1 => "há uma hora".to_owned(),
        2..48 => format!("há {hours} horas"),
        _ => format!("há {} dias", hours / 24),
    };
    format!("{} ({age})", local_time(app, at))
}
