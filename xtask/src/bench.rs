//! `cargo xtask bench`: measures the speed of the release binary and its behavior under load (`crates/portaria-bench`).

use std::process::Command;

use anyhow::Result;

use crate::{
    postgres::PostgresServer,
    prerequisites::{self, TestTools},
    process::{self, command, repository_root},
    server_build::{self, Profile},
};

/// Runs the load test (`--load`), the endurance test (`--soak`), the attack (`--attack`), the timing test of
/// accounts (`--accounts`), the websockets (`--realtime`), the reading of documents (`--inbox`), other products
/// (`--peers`), or the benchmarks. Arguments of the benchmarks are numbers of documents that replace the default sizes.
pub(crate) fn run(arguments: &[&str]) -> Result<()> {
    prerequisites::check_build_tools()?;
    prerequisites::check_disk_space(Profile::Release.directory(), 8)?;
    if arguments == ["--inbox"] {
        process::run(&mut Profile::Release.build("portaria-corpus"))?;
        return process::run(&mut command(Profile::Release.binary("portaria-corpus"), &[]));
    }
    server_build::build(Profile::Release)?;
    process::run(&mut Profile::Release.build("portaria-bench"))?;

    let mut bench = command(Profile::Release.binary("portaria-bench"), &[]);
    bench.arg(Profile::Release.binary("portaria"));
    let report = match arguments.first() {
        Some(&"--load") => "target/bench-load.json",
        Some(&"--soak") => "target/bench-soak.json",
        Some(&"--attack") => "target/bench-attack.json",
        Some(&"--accounts") => "target/bench-accounts.json",
        Some(&"--realtime") => {
            return run_with_postgres(&mut bench, "target/bench-realtime.json", arguments);
        }
        Some(&"--peers") => {
            return run_with_postgres(&mut bench, "target/bench-peers.json", arguments);
        }
        _ => return run_with_postgres(&mut bench, "target/bench.json", arguments),
    };
    process::run(bench.arg(repository_root().join(report)).args(arguments))
}

/// Runs a benchmark of both databases.
fn run_with_postgres(bench: &mut Command, report: &str, arguments: &[&str]) -> Result<()> {
    let tools = TestTools::find_or_install()?;
    let postgres = PostgresServer::start_durable(&tools.postgres_bin)?;
    bench.arg(repository_root().join(report));
    process::run(bench.args(["--postgres", &postgres.url()]).args(arguments))
}
