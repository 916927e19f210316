//! `cargo xtask bench`: measures the speed of the release binary and its behavior under load (`crates/portaria-bench`).

use anyhow::Result;

use crate::{
    postgres::PostgresServer,
    prerequisites::{self, TestTools},
    process::{self, command, repository_root},
    server_build::{self, Profile},
};

/// Runs the load test (`--load`), the endurance test (`--soak`), the attack (`--attack`), the timing test of
/// accounts (`--accounts`), the websockets (`--realtime`), or the benchmarks. Arguments of the benchmarks are numbers of documents that replace the default sizes.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    prerequisites::check_build_tools()?;
    prerequisites::check_disk_space(Profile::Release.directory(), 8)?;
    server_build::build(Profile::Release)?;
    process::run(&mut Profile::Release.build("portaria-bench"))?;

    let mut bench = command(Profile::Release.binary("portaria-bench"), &[]);
    bench.arg(Profile::Release.binary("portaria"));
    let report = match arguments.first() {
        Some(&"--load") => "target/bench-load.json",
        Some(&"--soak") => "target/bench-soak.json",
        Some(&"--attack") => "target/bench-attack.json",
        Some(&"--accounts") => "target/bench-accounts.json",
        Some(&"--realtime") => "target/bench-realtime.json",
        _ => {
            let tools = TestTools::find_or_install()?;
            let postgres = PostgresServer::start_durable(&tools.postgres_bin)?;
            bench.arg(repository_root().join("target/bench.json"));
            bench.args(["--postgres", &postgres.url()]).args(arguments);
            return process::run(&mut bench);
        }
    };
    process::run(bench.arg(repository_root().join(report)).args(arguments))
}
