//! A server in a process of its own, so that its processor time and memory can be told from the load's.

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
    dataset::{Office, SECRET},
};

/// The kernel counts processor time in these, on every Linux that Rust runs on.
const TICK: Duration = Duration::from_millis(10);
const START: Duration = Duration::from_mins(1);
/// An orderly end, with uploads under way, takes no longer.
const STOP: Duration = Duration::from_secs(90);

/// A running server; it is stopped when this value goes.
pub(crate) struct Server {
    command: Command,
    child: Child,
    pub(crate) address: SocketAddr,
    /// From the start of the process to the first connection that it took.
    pub(crate) started_in: Duration,
}

impl Server {
    /// The portal over an office's data, without its limits on how often one visitor may ask.
    pub(crate) fn portal(binary: &Path, office: &Office) -> Outcome<Self> {
        let address = free_address()?;
        Self::start(portal(binary, office, address), address)
    }

    /// As [`Server::portal`], but what it logs goes to a file: a crowd is refused by the thousand.
    pub(crate) fn quiet_portal(binary: &Path, office: &Office, log: &Path) -> Outcome<Self> {
        let address = free_address()?;
        let mut command = portal(binary, office, address);
        command.stderr(File::create(log)?);
        Self::start(command, address)
    }

    /// A server that only answers: the ceiling.
    pub(crate) fn ceiling() -> Outcome<Self> {
        let address = free_address()?;
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(baseline::WORD).arg(address.to_string());
        Self::start(command, address)
    }

    fn start(mut command: Command, address: SocketAddr) -> Outcome<Self> {
        let begin = Instant::now();
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).spawn()?;
        let mut server = Self { command, child, address, started_in: Duration::ZERO };
        server.answers(begin)?;
        Ok(server)
    }

    /// Waits until it takes connections.
    fn answers(&mut self, begin: Instant) -> Outcome<()> {
        while TcpStream::connect(self.address).is_err() {
            if self.child.try_wait()?.is_some() || begin.elapsed() > START {
                return Err(format!("{:?} did not start", self.command).into());
            }
            thread::sleep(Duration::from_millis(2));
        }
        self.started_in = begin.elapsed();
        Ok(())
    }

    /// Tells it to stop, waits for its orderly end, and starts it anew at the same address; how long the end took.
    pub(crate) fn restart(&mut self) -> Outcome<Duration> {
        let begin = Instant::now();
        let process = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        kill_process(process.ok_or("no process id")?, Signal::TERM)?;
        let status = loop {
            if let Some(status) = self.child.try_wait()? {
                break status;
            }
            if begin.elapsed() > STOP {
                return Err("the server does not stop".into());
            }
            thread::sleep(Duration::from_millis(2));
        };
        if !status.success() {
            return Err(format!("told to stop, the server ended with {status}").into());
        }
        let stopped = begin.elapsed();
        let begin = Instant::now();
        self.child = self.command.spawn()?;
        self.answers(begin)?;
        Ok(stopped)
    }

    /// How many descriptors the process has open.
    pub(crate) fn descriptors(&self) -> Outcome<usize> {
        Ok(fs::read_dir(format!("/proc/{}/fd", self.child.id()))?.count())
    }

    /// Processor time that the process has taken so far.
    pub(crate) fn processor_time(&self) -> Outcome<Duration> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        // The name before it is the only field that may hold a space, and it ends with the last bracket.
        let fields = stat.rsplit_once(')').ok_or("no name in stat")?.1;
        let mut ticks = fields.split_whitespace().skip(11).take(2);
        let sum = ticks.try_fold(0, |sum, field| field.parse::<u32>().map(|ticks| sum + ticks))?;
        Ok(TICK * sum)
    }

    /// The memory that is the process's own, in MiB. The database file, which it maps, can go at any time.
    pub(crate) fn memory(&self) -> Outcome<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let own = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        let kib = own.and_then(|own| own.split_whitespace().next()).ok_or("no RssAnon")?;
        Ok(kib.parse::<f64>()? / 1024.0)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn portal(binary: &Path, office: &Office, address: SocketAddr) -> Command {
    let mut command = command(binary, office, office.folder());
    command.arg("serve").env("PORTARIA_LISTEN", address.to_string());
    command.env("PORTARIA_SIGNUP", "true");
    for limit in ["SIGN_IN", "REFRESH", "ACCOUNT", "WRONG_PASSWORD"] {
        command.env(format!("PORTARIA_RATE_{limit}"), "");
    }
    command
}

/// The program with an office's settings, and its data in this folder.
pub(crate) fn command(binary: &Path, office: &Office, data: &Path) -> Command {
    let mut command = Command::new(binary);
    command.env_clear().env("PORTARIA_DATA_DIR", data);
    command.env("PORTARIA_JWT_SECRET", SECRET).env("RUST_LOG", "warn");
    if let Some(url) = office.database() {
        command.env("PORTARIA_DATABASE_URL", url);
    }
    command
}

fn free_address() -> Outcome<SocketAddr> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}
