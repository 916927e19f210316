//! `cargo xtask check`: the quick part of `cargo xtask test`, for use while editing: formatting, lints, unit tests, and
//! the server tests on SQLite.

use anyhow::Result;

use crate::{npm, prerequisites, scratch_dir::ScratchDir, steps::Step, test};

pub(crate) fn run() -> Result<()> {
    prerequisites::check_build_tools()?;
    prerequisites::check_disk_space("target/debug", 8)?;
    let scratch = ScratchDir::create()?;

    // Tests that run on either database end in `::sqlite` or `::postgres`.
    let mut server_tests = test::server_tests(&["::sqlite", "types::generated"]);
    scratch.use_for_temporary_files(&mut server_tests);
    let steps = vec![
        npm::install_step(),
        test::formatting_step(),
        test::web_lints_step(),
        test::web_unit_tests_step(),
        test::rust_lints_step(),
        test::test_build_step(),
        test::unit_tests_step(),
        Step::new("Server tests", [server_tests]).after(&[test::TEST_BUILD]).weight(2),
    ];
    test::run_and_summarize(steps)
}
