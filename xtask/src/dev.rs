//! `cargo xtask dev`: the debug binary, and beside it Vite, which passes on to it what is not the web app's.

use std::time::Duration;

use crate::machine;
use crate::packages::{self, npm};
use crate::process::{self, Running, root, tool};
use crate::steps::{self, Step};

pub(crate) fn run() -> Result<(), String> {
    machine::check_tools()?;
    // Vite knows this address, so no setting moves it.
    let address = machine::DEFAULT_ADDRESS;
    machine::check_free(address)?;
    let mut steps = Vec::from_iter(packages::install_step());
    steps.push(Step::new("Server", [tool("cargo", &["build", "--package", "portaria"])]));
    steps::run(steps).1?;
    let mut serve = tool(root().join("target/debug/portaria"), &["serve", "--demo"]);
    serve.env("PORTARIA_LISTEN", address).env("PORTARIA_DATA_DIR", root().join("target/dev-data"));
    let mut server = Running::start(&mut serve)?;
    let mut vite = Running::start(&mut npm(&["dev"]))?;
    while server.is_running() && vite.is_running() {
        std::thread::sleep(Duration::from_millis(200));
    }
    if process::stopping() { Ok(()) } else { Err("The server or Vite ended by itself.".to_owned()) }
}
