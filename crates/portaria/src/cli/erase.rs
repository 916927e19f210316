//! The command `portaria erase`.

use anyhow::{Context, bail};

use crate::cli::{print, runtime};
use crate::{
    app::App,
    clock::Clock,
    config::Config,
    privacy::erasure::{self, ErasureReport},
    security::ids::UserId,
};

pub(crate) fn run(config: Config, person: UserId) -> anyhow::Result<()> {
    let app = App::open(config, Clock::system())?;
    let erased = runtime()?.block_on(erasure::erase_from_cli(&app, person));
    let Some(ErasureReport { documents, tickets, mails, events: lines, held }) =
        erased.context("cannot erase")?
    else {
        bail!("the account is one of the staff: remove the role first");
    };
    if [documents, tickets, mails, lines, held].iter().all(|count| *count == 0) {
        return print("No data of this id were found. A restore of an older backup erases them.\n");
    }
    print(&format!(
        "Erased: {documents} documents, {tickets} tickets, {mails} mails, names in {lines} audit events. {held} documents are under legal hold.\n"
    ))
}
