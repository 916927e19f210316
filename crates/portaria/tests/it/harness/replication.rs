//! A PostgreSQL server of one test with a streaming replica, because the common server of the tests writes no log for
//! replicas.

use std::{
    net::TcpListener,
    os::unix::{fs::chown, process::CommandExt},
    path::PathBuf,
    process::{Command, Stdio},
};

use nix::unistd::{Uid, User};
use tempfile::TempDir;

use crate::harness::{PROCESSORS, TestPortal, run_blocking, runtime};

/// Settings of both servers, whose data are removed with the test.
const SETTINGS: &str = "-c fsync=off -c full_page_writes=off -c unix_socket_directories= -c listen_addresses=127.0.0.1";

/// Runs a test on a portal whose database has a streaming replica.
pub(crate) fn run_with_replica(test: impl AsyncFnOnce(&mut TestPortal, &ReplicatedServer)) {
    let _processors = PROCESSORS.blocking_read();
    // Dropped after the portal, even if the test panics.
    let server = ReplicatedServer::start();
    runtime().block_on(async {
        let mut portal = TestPortal::new(Some(server.primary_url()));
        portal.set("database_replica_url", &server.replica_url());
        test(&mut portal, &server).await;
    });
}

/// A primary and its replica. Both are stopped and removed when the value is dropped.
pub(crate) struct ReplicatedServer {
    folder: TempDir,
    primary: u16,
    replica: u16,
}

impl ReplicatedServer {
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        if let Some(user) = user() {
            chown(folder.path(), Some(user.uid.as_raw()), Some(user.gid.as_raw())).unwrap();
        }
        let server = Self { folder, primary: free_port(), replica: free_port() };
        let primary = server.data("primary");
        server.run("initdb", &["--username=postgres", "--auth=trust", "--no-sync", "-D", &primary]);
        server.serve("primary", server.primary);
        let url = url_of(server.primary);
        let copy = ["--checkpoint=fast", "--no-sync", "--write-recovery-conf", "-d", &url, "-D"];
        server.run("pg_basebackup", &[&copy[..], &[&server.data("replica")]].concat());
        server.start_replica();
        server
    }

    /// The URL of the primary's database.
    pub(crate) fn primary_url(&self) -> String {
        url_of(self.primary)
    }

    /// The URL of the replica's database.
    pub(crate) fn replica_url(&self) -> String {
        url_of(self.replica)
    }

    pub(crate) fn start_replica(&self) {
        self.serve("replica", self.replica);
    }

    /// Kills the replica.
    pub(crate) fn kill_replica(&self) {
        self.run("pg_ctl", &["stop", "--mode=immediate", "-D", &self.data("replica")]);
    }

    /// Runs SQL on the replica, as its superuser.
    pub(crate) fn execute_on_replica(&self, sql: &str) {
        run_blocking(|| {
            let mut client =
                postgres::Client::connect(&self.replica_url(), postgres::NoTls).unwrap();
            client.batch_execute(sql).unwrap();
        });
    }

    fn data(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn serve(&self, name: &str, port: u16) {
        let (data, log) = (self.data(name), self.data(&format!("{name}.log")));
        let options = format!("-c port={port} {SETTINGS}");
        self.run("pg_ctl", &["start", "--wait", "-D", &data, "-l", &log, "-o", &options]);
    }

    fn run(&self, program: &str, words: &[&str]) {
        let done = self.command(program, words).status().unwrap();
        assert!(done.success(), "{program} {words:?}");
    }

    /// PostgreSQL refuses to run as root.
    fn command(&self, program: &str, words: &[&str]) -> Command {
        let mut command = Command::new(programs().join(program));
        command.args(words).current_dir(self.folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if let Some(user) = user() {
            command.uid(user.uid.as_raw()).gid(user.gid.as_raw());
        }
        command
    }
}

impl Drop for ReplicatedServer {
    fn drop(&mut self) {
        for name in ["replica", "primary"] {
            let data = self.data(name);
            drop(self.command("pg_ctl", &["stop", "--mode=immediate", "-D", &data]).status());
        }
    }
}

fn url_of(port: u16) -> String {
    format!("postgres://postgres@127.0.0.1:{port}/postgres")
}

fn user() -> Option<User> {
    let find = |name| User::from_name(name).ok().flatten();
    Uid::effective().is_root().then(|| ["postgres", "nobody"].into_iter().find_map(find).unwrap())
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

#[expect(clippy::disallowed_methods, reason = "the programs are not a setting of the portal")]
fn programs() -> PathBuf {
    let bin = std::env::var("TEST_POSTGRES_BIN").expect(
        "TEST_POSTGRES_BIN names no directory with initdb, pg_ctl and pg_basebackup: \
         run `cargo xtask test`, which sets it",
    );
    PathBuf::from(bin)
}
