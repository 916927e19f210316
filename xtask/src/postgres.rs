//! A database server of our own: in a temporary folder, on a free port of the loopback, gone with this value.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use nix::unistd::{Uid, User};

pub(crate) struct Postgres {
    programs: PathBuf,
    folder: PathBuf,
    port: u16,
    /// It refuses to run as root, so then it runs as this user.
    user: Option<User>,
}

impl Postgres {
    /// For tests: nothing has to survive, so nothing waits for the disk.
    pub(crate) fn start(programs: &Path) -> Result<Self, String> {
        Self::start_with(programs, "-c fsync=off -c synchronous_commit=off -c full_page_writes=off")
    }

    /// As an office would run it.
    pub(crate) fn start_durable(programs: &Path) -> Result<Self, String> {
        Self::start_with(programs, "-c shared_buffers=256MB")
    }

    fn start_with(programs: &Path, settings: &str) -> Result<Self, String> {
        // Not under target/: the user that PostgreSQL runs as may not be allowed to look into this repository.
        let folder = std::env::temp_dir().join(format!("portaria-postgres-{}", std::process::id()));
        let failed = |e: std::io::Error| {
            format!("PostgreSQL could not be prepared in {}: {e}.", folder.display())
        };
        fs::create_dir(&folder).map_err(failed)?;
        let user = if Uid::effective().is_root() { Some(unprivileged_user()?) } else { None };
        if let Some(user) = &user {
            chown(&folder, Some(user.uid.as_raw()), Some(user.gid.as_raw())).map_err(failed)?;
        }
        let port = free_port().map_err(failed)?;
        let postgres = Self { programs: programs.to_owned(), folder, port, user };
        postgres.initialise()?;
        postgres.serve(settings)?;
        Ok(postgres)
    }

    /// A superuser's connection; each test creates a database for itself.
    pub(crate) fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    fn initialise(&self) -> Result<(), String> {
        let mut initdb = self.program("initdb");
        initdb.args([
            "--username=postgres",
            "--auth=trust",
            "--encoding=UTF8",
            "--locale=C.UTF-8",
            "--no-sync",
        ]);
        quietly(initdb.arg("--pgdata").arg(self.data()))
    }

    fn serve(&self, settings: &str) -> Result<(), String> {
        let options = format!(
            "-c listen_addresses=127.0.0.1 -c port={} -c unix_socket_directories= -c max_connections=200 \
             {settings}",
            self.port
        );
        let mut start = self.pg_ctl("start");
        start.args(["--wait", "--options", &options]).arg("--log").arg(self.folder.join("log"));
        quietly(&mut start)
    }

    fn pg_ctl(&self, verb: &str) -> Command {
        let mut command = self.program("pg_ctl");
        command.arg(verb).arg("--pgdata").arg(self.data());
        command
    }

    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        command.current_dir(&self.folder).stdin(Stdio::null());
        if let Some(user) = &self.user {
            command.uid(user.uid.as_raw()).gid(user.gid.as_raw());
        }
        command
    }

    fn data(&self) -> PathBuf {
        self.folder.join("data")
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let mut stop = self.pg_ctl("stop");
        let _ = stop
            .args(["--mode=immediate", "--wait"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn unprivileged_user() -> Result<User, String> {
    ["postgres", "nobody"]
        .into_iter()
        .find_map(|name| User::from_name(name).ok().flatten())
        .ok_or_else(|| {
            "PostgreSQL cannot run as root, and there is neither a user postgres nor nobody."
                .to_owned()
        })
}

fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

/// Shows what the program printed only if it failed.
fn quietly(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| format!("`{name}` could not be started: {e}."))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("`{name}` failed:\n{}", said.trim()))
}
