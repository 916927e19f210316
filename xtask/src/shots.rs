//! `cargo xtask shots`: the README's pictures, and every screen in every size and theme under target/shots.

use crate::{machine, packages::npm, process, start, tally::Tally};

pub(crate) fn run() -> Result<(), String> {
    machine::check_tools()?;
    machine::check_disk("target/release", 4)?;
    let chromium = machine::chromium()
        .ok_or("The pictures need Chromium: install it (on Debian: apt-get install chromium).")?;
    start::build()?;
    let mut shots = npm(&["shots", "--workspace", "e2e"]);
    shots.env("PORTARIA_CHROMIUM", chromium);
    process::run(shots, &mut Tally::default())
}
