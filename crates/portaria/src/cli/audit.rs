//! The commands `portaria audit …`. The doc comments of the arguments are the help texts.

use anyhow::{Context, bail};
use clap::Subcommand;

use crate::cli::{print, runtime, summarize};
use crate::{
    app::App,
    audit::{self, ChainBreak, ChainReport, ChainVerifier},
    clock::Clock,
    config::Config,
    security::ids::UserId,
};

#[derive(Subcommand)]
pub(crate) enum Audit {
    /// Check that no audit event was changed, removed or added.
    Verify,
    /// Remove a person's names from the audit events that are by or about them. The events stay.
    Erase {
        /// The id of the account, which need not exist any more.
        #[arg(long)]
        person: UserId,
    },
}

pub(crate) fn run(config: Config, given: &Audit) -> anyhow::Result<()> {
    match given {
        Audit::Verify => verify_log(config),
        Audit::Erase { person } => erase_names(config, *person),
    }
}

fn erase_names(config: Config, person: UserId) -> anyhow::Result<()> {
    let app = App::open(config, Clock::system())?;
    let erased = app.write(move |tx, app| audit::redact_person(tx, app, person));
    let lines = runtime()?.block_on(erased).context("cannot erase")?;
    print(&format!("Names were erased in {lines} audit events.\n"))
}

fn verify_log(config: Config) -> anyhow::Result<()> {
    let app = App::open(config, Clock::system())?;
    let found = runtime()?.block_on(ChainVerifier::run(&app));
    let ChainReport { events: lines, erased, dropped, head: (number, hash), breaks } =
        found.context("cannot read the log")?;
    if breaks.is_empty() {
        return print(&format!(
            "The audit log is intact: {lines} events, names erased in {erased}; {dropped} older ones were deleted after their retention.\nIts end is {number} {hash}\n"
        ));
    }
    let describe = |broken: &ChainBreak| match broken {
        ChainBreak::Tampered(number) => format!("event {number} was changed"),
        ChainBreak::Gap(from, to) => format!("events {from} to {to} are missing"),
        ChainBreak::TruncatedPrefix(to) => {
            format!("events 1 to {to} were not deleted by the portal")
        }
    };
    let shown: Vec<String> = breaks.iter().map(describe).collect();
    bail!("the audit log was changed from outside: {}", summarize(&shown))
}
