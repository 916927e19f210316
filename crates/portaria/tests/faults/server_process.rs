//! The program, started, killed and started again.

use std::{
    fs::{self, File},
    io::{self, Write},
    net::{SocketAddr, TcpListener},
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Output, Stdio},
    sync::Mutex,
    thread::sleep,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use tempfile::TempDir;

use crate::{
    capabilities::say,
    http::{self, Answer},
};

const BINARY: &str = env!("CARGO_BIN_EXE_portaria");
const SECRET: &str = "a secret of thirty-two bytes or more";
/// What a start may take here, where much else may be going on; the promise is three seconds on a machine for itself.
const START: Duration = Duration::from_secs(20);

/// A portal on a data folder.
pub(crate) struct Portal {
    pub(crate) data: PathBuf,
    log: PathBuf,
    address: SocketAddr,
    settings: Vec<(String, String)>,
    pub(crate) service_key: String,
    running: Option<Child>,
    /// What the slowest start took.
    pub(crate) slowest: Duration,
    _folder: TempDir,
}

/// The slowest start of all, to be told once.
static SLOWEST: Mutex<Duration> = Mutex::new(Duration::ZERO);

impl Drop for Portal {
    fn drop(&mut self) {
        self.kill();
        if std::thread::panicking() {
            say(&format!("The portal said:\n{}", self.said()));
        }
    }
}

impl Portal {
    /// A new portal, which runs.
    pub(crate) fn start() -> Self {
        let mut portal = Self::new();
        portal.up();
        portal
    }

    /// A new portal in a folder of its own.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        Self::at(folder, data)
    }

    /// A new portal whose data lie elsewhere: on a disk that fails.
    pub(crate) fn at(folder: TempDir, data: PathBuf) -> Self {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = free.local_addr().unwrap();
        drop(free);
        let mut portal = Self {
            data,
            log: folder.path().join("log"),
            address,
            settings: Vec::new(),
            service_key: String::new(),
            running: None,
            slowest: Duration::ZERO,
            _folder: folder,
        };
        portal.set("jwt_secret", SECRET);
        // The floor of free space is a test of its own.
        portal.set("min_free_space", "1 KiB");
        let keys = portaria::security::keys::Keys::from_secret(SECRET);
        portal.service_key = keys.service_role;
        portal
    }

    /// Changes a setting for the next start.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.settings.push((format!("PORTARIA_{}", name.to_uppercase()), value.to_owned()));
    }

    /// A command of the program.
    pub(crate) fn command(&self, words: &[&str]) -> Command {
        self.wrapped(&[], words)
    }

    /// The same, run by another program.
    pub(crate) fn wrapped(&self, wrapper: &[&str], words: &[&str]) -> Command {
        let line = [wrapper, &[BINARY], words].concat();
        let mut command = Command::new(line[0]);
        command.args(&line[1..]).env_clear().envs(self.settings.iter().cloned());
        // One worker: what happens in one request happens in one order.
        command.env("TOKIO_WORKER_THREADS", "1").env("PATH", std::env::var_os("PATH").unwrap());
        command.env("PORTARIA_DATA_DIR", &self.data);
        command.env("PORTARIA_LISTEN", self.address.to_string());
        command.current_dir(self.log.parent().unwrap()).stdin(Stdio::null());
        command
    }

    /// Makes an administrator, so that the start has nobody to wait for.
    pub(crate) fn add_admin(&self) {
        let words = ["admin", "add", "--email", "ana@exemplo.com.br", "--password-stdin"];
        let mut command = self.command(&words);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(b"senha-de-ana").unwrap();
        assert!(child.wait().unwrap().success());
    }

    /// Begins to run, with what it says kept.
    pub(crate) fn launch(&self, mut command: Command) -> Child {
        let log = File::options().create(true).append(true).open(&self.log).unwrap();
        command.stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap()
    }

    /// Starts it and waits until it is ready.
    pub(crate) fn up(&mut self) {
        self.up_with(&[]);
    }

    /// The same, run by another program.
    pub(crate) fn up_with(&mut self, wrapper: &[&str]) {
        let begun = Instant::now();
        self.running = Some(self.launch(self.wrapped(wrapper, &["serve"])));
        while !self.ask("GET", "/ready", &[], b"").is_ok_and(|answer| answer.is_success()) {
            let ended = self.running.as_mut().unwrap().try_wait().unwrap();
            assert!(ended.is_none(), "it ended with {ended:?}");
            assert!(begun.elapsed() < START, "it does not become ready");
            sleep(Duration::from_millis(5));
        }
        self.slowest = self.slowest.max(begun.elapsed());
        let mut slowest = SLOWEST.lock().unwrap();
        if self.slowest > *slowest {
            *slowest = self.slowest;
            drop(slowest);
            say(&format!("slowest start so far: {:?}", self.slowest));
        }
    }

    /// Ends it at once, as a crash would.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.running.take() {
            drop(child.kill());
            child.wait().unwrap();
        }
    }

    /// The same, while others still hold on to it.
    pub(crate) fn end_now(&self) {
        self.signal(Signal::KILL);
    }

    /// Stops it in the middle of whatever it does, so that from here on it says nothing.
    pub(crate) fn freeze(&self) {
        self.signal(Signal::STOP);
        let stopped = waitpid(Some(self.pid()), WaitOptions::UNTRACED).unwrap();
        assert!(stopped.is_some_and(|(_, status)| status.stopped()), "it goes on");
    }

    /// Ends a program that was launched.
    pub(crate) fn end(mut child: Child) {
        // What it runs ends with what it holds on to.
        drop(child.kill());
        child.wait().unwrap();
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    /// Waits for its end; `None` if it goes on for longer than that.
    pub(crate) fn ends_within(&mut self, time: Duration) -> Option<ExitStatus> {
        let begun = Instant::now();
        loop {
            let ended = self.running.as_mut().unwrap().try_wait().unwrap();
            if ended.is_some() {
                self.running = None;
                return ended;
            }
            if begun.elapsed() > time {
                return None;
            }
            sleep(Duration::from_millis(2));
        }
    }

    /// Asks it to end, and waits until it has.
    pub(crate) fn stop(&mut self) -> ExitStatus {
        self.signal(Signal::TERM);
        self.ends_within(Duration::from_secs(90)).expect("it ends when it is asked to")
    }

    /// Runs a command to its end.
    pub(crate) fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap()
    }

    /// Everything is as it was written, says the program itself; and a start has cleared away what was half written.
    pub(crate) fn is_whole(&self) {
        let looked = self.run(&["fsck"]);
        assert!(looked.status.success(), "{looked:?}");
        let log = self.run(&["audit", "verify"]);
        assert!(log.status.success(), "{log:?}");
        assert_eq!(self.files_in("tmp"), Vec::<PathBuf>::new());
    }

    /// The files below a folder of the data folder.
    pub(crate) fn files_in(&self, folder: &str) -> Vec<PathBuf> {
        fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() { collect(&path, found) } else { found.push(path) }
            }
        }
        let mut found = Vec::new();
        collect(&self.data.join(folder), &mut found);
        found
    }

    /// How long the log of changes is that a start would find.
    pub(crate) fn log_size(&self) -> u64 {
        fs::metadata(self.data.join("portaria.db-wal")).map_or(0, |file| file.size())
    }

    pub(crate) fn said(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(self.running.as_ref().unwrap())
    }

    /// The threads: id and name.
    pub(crate) fn threads(&self) -> Vec<(String, String)> {
        let folder = format!("/proc/{}/task", self.pid().as_raw_nonzero());
        let read = |entry: io::Result<fs::DirEntry>| {
            let entry = entry.ok()?;
            let name = fs::read_to_string(entry.path().join("comm")).ok()?;
            Some((entry.file_name().into_string().unwrap(), name.trim().to_owned()))
        };
        fs::read_dir(folder).unwrap().filter_map(read).collect()
    }

    /// How many descriptors are open.
    pub(crate) fn descriptors(&self) -> usize {
        fs::read_dir(format!("/proc/{}/fd", self.pid().as_raw_nonzero())).unwrap().count()
    }

    /// Asks something of it, without a key.
    pub(crate) fn ask(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> io::Result<Answer> {
        http::ask(self.address, method, path, headers, body)
    }
}

/// A folder for a portal's data, as the program wants it.
pub(crate) fn private(folder: &Path) {
    fs::DirBuilder::new().mode(0o700).create(folder).unwrap();
}
