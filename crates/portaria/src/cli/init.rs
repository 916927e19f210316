//! The command `portaria init`.

use anyhow::bail;

use crate::cli::{office::Office, print};
use crate::{app::App, clock::Clock};

pub(crate) fn run(office: Office) -> anyhow::Result<()> {
    if office.exists()? {
        bail!("there is an office here already");
    }
    App::open(office.config, Clock::system())?;
    print(
        "The office is ready. `portaria serve` runs it, and `portaria admin add` creates an administrator.\n",
    )
}
