//! `cargo xtask lighthouse`: what Lighthouse says of the first screens, on a machine that does nothing else.

use crate::{machine, packages::npm, process, start, tally::Tally};

pub(crate) fn run() -> Result<(), String> {
    machine::check_tools()?;
    machine::check_disk("target/release", 4)?;
    let chromium = machine::chromium()
        .ok_or("Lighthouse needs Chromium: install it (on Debian: apt-get install chromium).")?;
    start::build()?;
    let mut lighthouse = npm(&["lighthouse", "--workspace", "e2e"]);
    lighthouse.env("PORTARIA_CHROMIUM", chromium);
    process::run(lighthouse, &mut Tally::default())
}
