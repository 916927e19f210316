//! `cargo xtask audit`: whether what is built in may be: its licences, where it comes from, and what is banned (`deny.toml`).
//! Known vulnerabilities are not asked for here: `cargo deny check advisories` fetches their list from the network.

use crate::{process, tally::Tally, tools};

pub(crate) fn run() -> Result<(), String> {
    let mut deny = tools::cargo("deny", "0.20.2")?;
    deny.args(["check", "bans", "licenses", "sources"]);
    process::run(deny, &mut Tally::default())
}
