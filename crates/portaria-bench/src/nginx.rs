//! nginx with `sendfile` as a baseline: files of a temporary folder, on every core, without an access log.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

use crate::{
    Outcome,
    server::{Server, free_address},
};

/// A running nginx. It is stopped, and its folder removed, when the value is dropped.
pub(crate) struct Nginx {
    /// The server, for load and processor time.
    pub(crate) server: Server,
    folder: TempDir,
}

impl Nginx {
    /// Starts nginx with an empty folder on a free port. `None` if nginx is not installed.
    pub(crate) fn start() -> Outcome<Option<Self>> {
        let Some(binary) = find() else { return Ok(None) };
        let folder = TempDir::new()?;
        fs::create_dir(folder.path().join(FILES))?;
        let address = free_address()?;
        let settings = folder.path().join("nginx.conf");
        fs::write(&settings, configuration(folder.path(), &address.to_string()))?;
        let mut command = Command::new(binary);
        command.arg("-p").arg(folder.path()).arg("-c").arg(settings);
        command.arg("-e").arg(folder.path().join("error.log"));
        Ok(Some(Self { server: Server::start(command, address)?, folder }))
    }

    /// Serves `content` at `/{name}`.
    pub(crate) fn add(&self, name: &str, content: &[u8]) -> Outcome<()> {
        Ok(fs::write(self.folder.path().join(FILES).join(name), content)?)
    }
}

impl AsRef<Server> for Nginx {
    fn as_ref(&self) -> &Server {
        &self.server
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // The workers outlive a main process that is killed.
        drop(self.server.terminate());
    }
}

/// Name of the folder with the served files.
const FILES: &str = "files";

/// Debian's settings, without compression and access log, and with connections that are never closed.
fn configuration(folder: &Path, address: &str) -> String {
    let folder = folder.display();
    format!(
        "daemon off;
        user root;
        worker_processes auto;
        pid {folder}/nginx.pid;
        events {{ worker_connections 1024; }}
        http {{
            sendfile on;
            tcp_nopush on;
            access_log off;
            default_type application/pdf;
            keepalive_requests 1000000000;
            client_body_temp_path {folder}/body;
            proxy_temp_path {folder}/proxy;
            fastcgi_temp_path {folder}/fastcgi;
            uwsgi_temp_path {folder}/uwsgi;
            scgi_temp_path {folder}/scgi;
            server {{ listen {address}; root {folder}/{FILES}; }}
        }}
        "
    )
}

/// Finds nginx. Debian installs it outside the PATH of ordinary users.
fn find() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .chain([PathBuf::from("/usr/sbin")])
        .map(|folder| folder.join("nginx"))
        .find(|binary| binary.is_file())
}
