//! A server in its own process, so that its processor time and memory are separate from those of the load generator.

use std::{
    fs::{self, File},
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

use crate::{
    Outcome, baseline,
    dataset::{Dataset, SECRET},
};

/// Unit of processor times in `/proc`, on every Linux that Rust supports.
const TICK: Duration = Duration::from_millis(10);
/// Timeout for the start of a server.
const START_TIMEOUT: Duration = Duration::from_mins(1);
/// Timeout for a graceful shutdown with running uploads.
const STOP_TIMEOUT: Duration = Duration::from_secs(90);

/// A running server, which is killed when the value is dropped.
pub(crate) struct Server {
    command: Command,
    child: Child,
    /// The main process of the PostgreSQL server that it uses.
    pub(crate) database: Option<u32>,
    pub(crate) address: SocketAddr,
    /// Time from the start of the process to the first accepted connection.
    pub(crate) started_in: Duration,
}

impl Server {
    /// Starts the portal with an office's data, without rate limits per visitor.
    pub(crate) fn portal(binary: &Path, office: &Dataset) -> Outcome<Self> {
        let address = free_address()?;
        let mut server = Self::start(portal(binary, office, address), address)?;
        server.database = office.database_process();
        Ok(server)
    }

    /// As [`Server::portal`], with the log in a file, because an overload logs thousands of refusals.
    pub(crate) fn portal_with_log_file(
        binary: &Path,
        office: &Dataset,
        log: &Path,
    ) -> Outcome<Self> {
        let address = free_address()?;
        let mut command = portal(binary, office, address);
        command.stderr(File::create(log)?);
        Self::start(command, address)
    }

    /// Starts the baseline server.
    pub(crate) fn baseline() -> Outcome<Self> {
        let address = free_address()?;
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(baseline::COMMAND).arg(address.to_string());
        Self::start(command, address)
    }

    /// Starts a server that will listen on `address`.
    pub(crate) fn start(mut command: Command, address: SocketAddr) -> Outcome<Self> {
        let begin = Instant::now();
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn()?;
        let mut server =
            Self { command, child, database: None, address, started_in: Duration::ZERO };
        server.wait_until_ready(begin)?;
        Ok(server)
    }

    /// Waits until the server accepts connections.
    fn wait_until_ready(&mut self, begin: Instant) -> Outcome<()> {
        while TcpStream::connect(self.address).is_err() {
            if self.child.try_wait()?.is_some() || begin.elapsed() > START_TIMEOUT {
                return Err(format!("{:?} did not start", self.command).into());
            }
            thread::sleep(Duration::from_millis(2));
        }
        self.started_in = begin.elapsed();
        Ok(())
    }

    /// Sends SIGTERM, waits for the end, and starts the server again at the same address. Returns the time until the
    /// end.
    pub(crate) fn restart(&mut self) -> Outcome<Duration> {
        let stopped = self.terminate()?;
        let begin = Instant::now();
        self.child = self.command.spawn()?;
        self.wait_until_ready(begin)?;
        Ok(stopped)
    }

    /// Sends SIGTERM and waits for the end. Returns the time until then.
    pub(crate) fn terminate(&mut self) -> Outcome<Duration> {
        let begin = Instant::now();
        let process = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        kill_process(process.ok_or("no process id")?, Signal::TERM)?;
        let status = loop {
            if let Some(status) = self.child.try_wait()? {
                break status;
            }
            if begin.elapsed() > STOP_TIMEOUT {
                return Err("the server does not stop".into());
            }
            thread::sleep(Duration::from_millis(2));
        };
        if !status.success() {
            return Err(format!("after SIGTERM the server ended with {status}").into());
        }
        Ok(begin.elapsed())
    }

    /// Number of open descriptors of the process.
    pub(crate) fn descriptors(&self) -> Outcome<usize> {
        Ok(fs::read_dir(format!("/proc/{}/fd", self.child.id()))?.count())
    }

    /// Processor time of the process, of its children, and of the PostgreSQL server that it uses, since their start.
    pub(crate) fn processor_time(&self) -> Outcome<Duration> {
        let processes = [Some(self.child.id()), self.database];
        processes
            .into_iter()
            .flatten()
            .try_fold(Duration::ZERO, |sum, process| Ok(sum + time_with_children(process)?))
    }

    /// Anonymous memory of the process, in MiB. It excludes the mapped database file, which the kernel can drop at
    /// any time.
    pub(crate) fn memory(&self) -> Outcome<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let rss_anon = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        let kib =
            rss_anon.and_then(|rss_anon| rss_anon.split_whitespace().next()).ok_or("no RssAnon")?;
        Ok(kib.parse::<f64>()? / 1024.0)
    }
}

impl AsRef<Self> for Server {
    fn as_ref(&self) -> &Self {
        self
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Processor time of a process and of its children, also of those that have ended.
fn time_with_children(process: u32) -> Outcome<Duration> {
    let children = fs::read_to_string(format!("/proc/{process}/task/{process}/children"))?;
    // A child that ends meanwhile counts as ended.
    let running = children.split_whitespace().filter_map(|child| ticks_of(child, 2).ok());
    Ok(TICK * (running.sum::<u32>() + ticks_of(&process.to_string(), 4)?))
}

/// The sum of the first of a process's times: user and system time, then both of its ended children.
fn ticks_of(process: &str, times: usize) -> Outcome<u32> {
    let fields = stat_fields(process)?;
    let mut ticks = fields.iter().skip(11).take(times);
    Ok(ticks.try_fold(0, |sum, field| field.parse::<u32>().map(|ticks| sum + ticks))?)
}

/// The fields of a process in `/proc`, from its state on.
pub(crate) fn stat_fields(process: &str) -> Outcome<Vec<String>> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The process name is the only field that can contain a space. It ends with the last parenthesis.
    let fields = stat.rsplit_once(')').ok_or("no name in stat")?.1;
    Ok(fields.split_whitespace().map(str::to_owned).collect())
}

fn portal(binary: &Path, office: &Dataset, address: SocketAddr) -> Command {
    let mut command = command(binary, office, office.folder());
    command.args(["serve", "--config", "/dev/null"]).env("PORTARIA_LISTEN", address.to_string());
    command.env("PORTARIA_SIGNUP", "true");
    // All clients of a measurement have one address.
    command.env("PORTARIA_CONNECTIONS_PER_ADDRESS", "100000");
    command.env("PORTARIA_UPLOADS_AT_ONCE", "1000");
    for limit in ["SIGN_IN", "REFRESH", "ACCOUNT", "WRONG_PASSWORD"] {
        command.env(format!("PORTARIA_RATE_{limit}"), "");
    }
    command
}

/// Builds a command with an office's settings and `data` as the data folder.
pub(crate) fn command(binary: &Path, office: &Dataset, data: &Path) -> Command {
    let mut command = Command::new(binary);
    command.env_clear().env("PORTARIA_DATA_DIR", data);
    command.env("PORTARIA_JWT_SECRET", SECRET).env("RUST_LOG", "warn");
    if let Some(url) = office.database() {
        command.env("PORTARIA_DATABASE_URL", url);
    }
    command
}

/// Returns a free address of this machine.
pub(crate) fn free_address() -> Outcome<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}
