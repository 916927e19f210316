//! A temporary PostgreSQL server on a free port of the loopback interface.

use std::{
    fs,
    net::TcpListener,
    os::unix::{fs::chown, process::CommandExt},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};
use nix::unistd::{Uid, User};

use crate::scratch_dir::ScratchDir;

/// Settings of a server whose data need not survive a crash. The limit on the WAL keeps the data directory small.
const NOT_DURABLE: &str = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off \
                           -c wal_level=minimal -c max_wal_senders=0 -c max_wal_size=256MB";
/// Settings of a server as an office would run it.
const DURABLE: &str = "-c shared_buffers=256MB";

/// The server stops when this value is dropped.
pub(crate) struct PostgresServer {
    bin: PathBuf,
    directory: PathBuf,
    port: u16,
    /// The user that the server runs as if this process is root, because PostgreSQL refuses to run as root.
    user: Option<User>,
    /// Its own directory, if it shares none. It is removed after the server has stopped.
    scratch: Option<ScratchDir>,
}

impl PostgresServer {
    /// Starts a server for tests, with its data in `scratch`. `bin` is the directory of `initdb` and `pg_ctl`.
    pub(crate) fn start(bin: &Path, scratch: &ScratchDir) -> Result<Self> {
        Self::start_with(bin, scratch.path(), NOT_DURABLE)
    }

    /// Starts a server for measurements, with its data on the disk.
    pub(crate) fn start_durable(bin: &Path) -> Result<Self> {
        let scratch = ScratchDir::create_on_disk()?;
        let mut server = Self::start_with(bin, scratch.path(), DURABLE)?;
        server.scratch = Some(scratch);
        Ok(server)
    }

    fn start_with(bin: &Path, parent: &Path, settings: &str) -> Result<Self> {
        let directory = parent.join("postgres");
        fs::create_dir(&directory)
            .with_context(|| format!("cannot create {}", directory.display()))?;
        let user = if Uid::effective().is_root() { Some(unprivileged_user()?) } else { None };
        if let Some(user) = &user {
            chown(&directory, Some(user.uid.as_raw()), Some(user.gid.as_raw()))
                .with_context(|| format!("cannot change the owner of {}", directory.display()))?;
        }
        let port = free_port().context("cannot find a free port for PostgreSQL")?;
        let server = Self { bin: bin.to_owned(), directory, port, user, scratch: None };
        server.initialize()?;
        server.serve(settings)?;
        Ok(server)
    }

    /// The connection URL of a superuser. Each test creates its own database.
    pub(crate) fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// Passes the URL, and the directory of the programs, to a command that runs tests.
    pub(crate) fn use_for_tests(&self, command: &mut Command) {
        command.env("TEST_POSTGRES", self.url()).env("TEST_POSTGRES_BIN", &self.bin);
    }

    fn initialize(&self) -> Result<()> {
        let mut initdb = self.program("initdb");
        initdb.args([
            "--username=postgres",
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C.UTF-8",
            "--no-sync",
        ]);
        run_silently(initdb.arg("--pgdata").arg(self.data()))
    }

    fn serve(&self, settings: &str) -> Result<()> {
        let options = format!(
            "-c listen_addresses=127.0.0.1 -c port={} -c unix_socket_directories= -c max_connections=200 \
             {settings}",
            self.port
        );
        let mut start = self.pg_ctl("start");
        start.args(["--wait", "--options", &options]).arg("--log").arg(self.directory.join("log"));
        run_silently(&mut start)
    }

    fn pg_ctl(&self, verb: &str) -> Command {
        let mut command = self.program("pg_ctl");
        command.arg(verb).arg("--pgdata").arg(self.data());
        command
    }

    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.bin.join(name));
        // The user of the server may have no access to the repository.
        command.current_dir(&self.directory).stdin(Stdio::null());
        if let Some(user) = &self.user {
            command.uid(user.uid.as_raw()).gid(user.gid.as_raw());
        }
        command
    }

    fn data(&self) -> PathBuf {
        self.directory.join("data")
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        let mut stop = self.pg_ctl("stop");
        let _ = stop
            .args(["--mode=immediate", "--wait"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        let _ = fs::remove_dir_all(&self.directory);
    }
}

fn unprivileged_user() -> Result<User> {
    ["postgres", "nobody"]
        .into_iter()
        .find_map(|name| User::from_name(name).ok().flatten())
        .context("PostgreSQL cannot run as root, and there is neither a user postgres nor nobody.")
}

fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// Runs a command. Its error output is part of the error if it fails, and discarded otherwise.
fn run_silently(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("cannot start `{name}`"))?;
    if !output.status.success() {
        bail!("`{name}` failed:\n{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(())
}
