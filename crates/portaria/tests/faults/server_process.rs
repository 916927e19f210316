//! The server program: start, kill, restart.

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
/// Timeout for a start on a busy machine. The documented limit is three seconds on an idle one.
const START: Duration = Duration::from_secs(20);

/// A portal on a data folder.
pub(crate) struct Portal {
    pub(crate) data: PathBuf,
    log: PathBuf,
    address: SocketAddr,
    settings: Vec<(String, String)>,
    pub(crate) service_key: String,
    running: Option<Child>,
    /// Duration of the slowest start.
    pub(crate) slowest: Duration,
    _folder: TempDir,
}

/// Duration of the slowest start of all tests, for the report.
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
    /// A new portal, started.
    pub(crate) fn start() -> Self {
        let mut portal = Self::new();
        portal.up();
        portal
    }

    /// A new portal in its own folder.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        Self::at(folder, data)
    }

    /// A new portal whose data folder is elsewhere, on a failing disk.
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
        // The minimum of free space has its own test.
        portal.set("min_free_space", "1 KiB");
        // All clients of these tests have one address.
        portal.set("connections_per_address", "10000");
        portal.set("uploads_at_once", "400");
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

    /// A command of the program, run by another program.
    pub(crate) fn wrapped(&self, wrapper: &[&str], words: &[&str]) -> Command {
        let line = [wrapper, &[BINARY], words].concat();
        let mut command = Command::new(line[0]);
        command
            .args(&line[1..])
            .args(["--config", "/dev/null"])
            .env_clear()
            .envs(self.settings.iter().cloned());
        // One worker thread, so that the system calls of a request have one order.
        command.env("TOKIO_WORKER_THREADS", "1").env("PATH", std::env::var_os("PATH").unwrap());
        command.env("PORTARIA_DATA_DIR", &self.data);
        command.env("PORTARIA_LISTEN", self.address.to_string());
        command.current_dir(self.log.parent().unwrap()).stdin(Stdio::null());
        command
    }

    /// Creates an administrator, so that the start issues no set-up link.
    pub(crate) fn add_admin(&self) {
        assert!(self.command(&["init"]).output().unwrap().status.success());
        let words = ["admin", "add", "--email", "ana@exemplo.com.br", "--password-stdin"];
        let mut command = self.command(&words);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(b"senha-de-ana").unwrap();
        assert!(child.wait().unwrap().success());
    }

    /// Starts the program and captures its output.
    pub(crate) fn launch(&self, mut command: Command) -> Child {
        let log = File::options().create(true).append(true).open(&self.log).unwrap();
        command.stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap()
    }

    /// Starts the program and waits until it is ready.
    pub(crate) fn up(&mut self) {
        self.up_with(&[]);
    }

    /// [`start`](Self::start), run by another program.
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

    /// Sends SIGKILL, like a crash.
    pub(crate) fn kill(&mut self) {
        if let Some(mut child) = self.running.take() {
            drop(child.kill());
            child.wait().unwrap();
        }
    }

    /// Sends SIGKILL while other processes are attached.
    pub(crate) fn end_now(&self) {
        self.signal(Signal::KILL);
    }

    /// Stops all threads with SIGSTOP, so that the program sends nothing more.
    pub(crate) fn freeze(&self) {
        self.signal(Signal::STOP);
        let stopped = waitpid(Some(self.pid()), WaitOptions::UNTRACED).unwrap();
        assert!(stopped.is_some_and(|(_, status)| status.stopped()), "it continues");
    }

    /// Ends a program started by `launch`.
    pub(crate) fn end(mut child: Child) {
        // The program run by another one ends with it.
        drop(child.kill());
        child.wait().unwrap();
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).unwrap();
    }

    /// Waits for the end; `None` after the timeout.
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

    /// Sends SIGTERM and waits for the end.
    pub(crate) fn stop(&mut self) -> ExitStatus {
        self.signal(Signal::TERM);
        self.ends_within(Duration::from_secs(90)).expect("the program ends after SIGTERM")
    }

    /// Runs a command to its end.
    pub(crate) fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap()
    }

    /// Checks that the program reports its data as intact, and that the start removed partial files.
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

    /// Length of the write-ahead log that a start would find, in bytes.
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

    /// Waits until the program has written nothing to its database for half a second. The first jobs after a start
    /// write for some time, and a call of theirs must not be the one that an injection counts.
    pub(crate) fn wait_until_idle(&self) {
        let log = self.data.join("portaria.db-wal");
        let written = || fs::metadata(&log).map(|log| (log.len(), log.modified().unwrap())).ok();
        let started = Instant::now();
        let (mut last, mut since) = (written(), Instant::now());
        while since.elapsed() < Duration::from_millis(500) {
            assert!(started.elapsed() < START, "the program does not stop writing");
            sleep(Duration::from_millis(20));
            let now = written();
            if now != last {
                (last, since) = (now, Instant::now());
            }
        }
    }

    /// The number of open file descriptors.
    pub(crate) fn descriptors(&self) -> usize {
        fs::read_dir(format!("/proc/{}/fd", self.pid().as_raw_nonzero())).unwrap().count()
    }

    /// Sends a request without an API key.
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

/// A data folder with the required permissions.
pub(crate) fn private(folder: &Path) {
    fs::DirBuilder::new().mode(0o700).create(folder).unwrap();
}
