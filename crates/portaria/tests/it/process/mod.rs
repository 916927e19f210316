//! Tests of the real program: processes, settings, log, metrics, sockets.

mod admin_command;
mod answer_memory;
mod concurrency;
mod disk_full;
mod doctor;
mod egress;
mod import;
mod log_privacy;
mod logs;
mod manual;
mod metrics;
mod office;
mod reload;
mod settings;
mod sockets;
mod system_status;
mod tls;
mod traces;

use std::{
    fs::{self, File},
    net::{SocketAddr, TcpListener},
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
    time::Duration,
};

use tempfile::TempDir;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};

use crate::harness::{SECRET, TestPortal, wait};

/// Timeout for anything in these tests, on a busy machine.
const LONG: Duration = Duration::from_mins(1);

/// The running program. Dropping the value stops it.
struct Program {
    child: Child,
    address: SocketAddr,
    folder: TempDir,
}

/// A command that starts the program with its own folder and without inherited settings.
struct Start {
    command: Command,
    address: SocketAddr,
    folder: TempDir,
}

impl Start {
    fn new() -> Self {
        Self::of(Command::new(env!("CARGO_BIN_EXE_portaria")))
    }

    /// The program under strace, which writes these system calls to the file `trace`.
    fn traced(calls: &str) -> Self {
        let mut command = Command::new("strace");
        // strace runs as a grandchild (`-D`), so that the program is the child process and both end together.
        command.args(["-D", "-f", "-o", "trace", "-e"]).arg(format!("trace={calls}"));
        command.arg(env!("CARGO_BIN_EXE_portaria"));
        Self::of(command)
    }

    fn of(mut command: Command) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let address = free_address();
        // Without the file, the program would read the settings of the machine's own office.
        fs::write(folder.path().join("portaria.toml"), "").unwrap();
        command
            .args(["serve", "--config", "portaria.toml"])
            .env_clear()
            .current_dir(folder.path())
            .stdin(Stdio::null());
        let write = |name: &str| File::create(folder.path().join(name)).unwrap();
        command.stdout(write("out")).stderr(write("log"));
        Self { command, address, folder }
            .with("PORTARIA_DATA_DIR", "data")
            .with("PORTARIA_LISTEN", &address.to_string())
            .with("PORTARIA_JWT_SECRET", SECRET)
    }

    /// The program on the database of a test portal.
    fn over(portal: &TestPortal) -> Self {
        Self::new().with("PORTARIA_DATABASE_URL", portal.database_url())
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts the program and waits until it accepts connections.
    async fn serve(mut self) -> Program {
        let child = self.command.spawn().unwrap();
        let mut program = Program { child, address: self.address, folder: self.folder };
        wait_until("the server accepts connections", async || {
            let ended = program.child.try_wait().unwrap();
            assert!(ended.is_none(), "{ended:?}: {}", program.log());
            program.log().contains("serving")
        })
        .await;
        program
    }

    /// Runs the program until it fails to start. Returns the exit status and the output.
    async fn expect_failure(mut self) -> (ExitStatus, String) {
        let child = self.command.spawn().unwrap();
        let mut program = Program { child, address: self.address, folder: self.folder };
        let mut status = None;
        wait_until("the start fails", async || {
            status = program.child.try_wait().unwrap();
            status.is_some()
        })
        .await;
        (status.unwrap(), program.log())
    }
}

impl Program {
    fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap()
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    /// Sends a request on its own connection.
    async fn ask(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> Answered {
        ask(self.connect().await, method, path, headers, body).await
    }

    async fn get(&self, path: &str) -> Answered {
        self.ask("GET", path, "", b"").await
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Waits until a condition holds.
async fn wait_until(what: &str, holds: impl AsyncFnMut() -> bool) {
    wait::wait_until(LONG, what, holds).await;
}

fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

/// A raw response.
#[derive(Debug)]
struct Answered {
    status: u16,
    head: String,
    body: String,
}

impl Answered {
    fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

async fn ask(
    line: impl AsyncRead + AsyncWrite + Unpin,
    method: &str,
    path: &str,
    headers: &str,
    body: &[u8],
) -> Answered {
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: portal\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n",
        body.len()
    );
    let text = exchange(line, &[head.as_bytes(), body].concat()).await;
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{path}: {text:?}"));
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answered { status, head: head.to_owned(), body: body.to_owned() }
}

/// Sends bytes and reads the response until the connection closes.
async fn exchange(mut line: impl AsyncRead + AsyncWrite + Unpin, sent: &[u8]) -> String {
    let talk = async {
        // A write may fail if the server refuses early.
        drop(line.write_all(sent).await);
        let mut answer = Vec::new();
        drop(line.read_to_end(&mut answer).await);
        String::from_utf8_lossy(&answer).into_owned()
    };
    timeout(LONG, talk).await.expect("the connection closes")
}
