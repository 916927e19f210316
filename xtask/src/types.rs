//! `cargo xtask types`: writes the TypeScript types of the web app. The test that compares them generates them, because
//! xtask does not link the server.

use anyhow::Result;

use crate::{process, test::cargo_test};

pub(crate) fn run() -> Result<()> {
    let mut generate =
        cargo_test(&["--test", "it", "--", "types::generated_types_match_the_server"]);
    process::run(generate.env("TEST_WRITE_TYPES", "1"))
}
