//! Dovecot, the mail server of Debian, with mailboxes in a folder of the test.

use std::{
    fs::{self, File, OpenOptions},
    io::Read,
    net::TcpStream,
    os::unix::fs::chown,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    thread::sleep,
    time::{Duration, Instant},
};

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustix::process::{Pid, Signal, geteuid, kill_process};
use tempfile::TempDir;

/// Password of all mailboxes.
const PASSWORD: &str = "senha/da-caixa";
/// Time within which the server accepts connections.
const START: Duration = Duration::from_secs(30);

/// A running server. It is stopped when the value is dropped.
pub(crate) struct Dovecot {
    folder: TempDir,
    server: Child,
    plain: u16,
    tls: u16,
    delivered: AtomicU32,
}

impl Drop for Dovecot {
    fn drop(&mut self) {
        kill_process(Pid::from_child(&self.server), Signal::TERM).unwrap();
        self.server.wait().unwrap();
    }
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// The ids of an account of this machine.
fn account(name: &str) -> (u32, u32) {
    let accounts = fs::read_to_string("/etc/passwd").unwrap();
    let line = accounts.lines().find(|line| line.starts_with(&format!("{name}:"))).unwrap();
    let mut ids = line.split(':').skip(2).map(|id| id.parse().unwrap());
    (ids.next().unwrap(), ids.next().unwrap())
}

fn own_name() -> String {
    let name = Command::new("id").arg("-un").output().unwrap().stdout;
    String::from_utf8(name).unwrap().trim().to_owned()
}

impl Dovecot {
    pub(crate) fn start() -> Self {
        // Its sockets need a short path.
        let folder = tempfile::Builder::new().prefix("imap").tempdir_in("/tmp").unwrap();
        let (plain, tls) = (free_port(), free_port());
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(vec!["localhost".into()]).unwrap();
        fs::write(folder.path().join("cert.pem"), cert.pem()).unwrap();
        fs::write(folder.path().join("key.pem"), signing_key.serialize_pem()).unwrap();
        let is_root = geteuid().is_root();
        let (user, login) =
            if is_root { ("dovecot".into(), "dovenull".into()) } else { (own_name(), own_name()) };
        let config = format!(
            "base_dir = {0}/run\nlog_path = {0}/log\nprotocols = imap\nlisten = 127.0.0.1\n\
             ssl = yes\nssl_cert = <{0}/cert.pem\nssl_key = <{0}/key.pem\n\
             disable_plaintext_auth = no\nmail_location = maildir:{0}/mail/%u\n\
             passdb {{\n driver = static\n args = password={PASSWORD}\n}}\n\
             userdb {{\n driver = static\n args = uid={user} gid={user} home={0}/mail/%u\n}}\n\
             first_valid_uid = 1\nfirst_valid_gid = 1\ndefault_internal_user = {user}\n\
             default_internal_group = {user}\ndefault_login_user = {login}\n\
             service anvil {{\n chroot =\n}}\n\
             service imap-login {{\n chroot =\n inet_listener imap {{\n  port = {plain}\n }}\n \
             inet_listener imaps {{\n  port = {tls}\n }}\n}}\n",
            folder.path().display(),
        );
        let path = folder.path().join("dovecot.conf");
        fs::write(&path, config).unwrap();
        if is_root {
            // The processes of the mailboxes run as their own user.
            let mode = Command::new("chmod").arg("755").arg(folder.path()).status().unwrap();
            assert!(mode.success());
        }
        let output = File::create(folder.path().join("output")).unwrap();
        let program = ["/usr/sbin/dovecot", "/usr/bin/dovecot", "/usr/local/sbin/dovecot"];
        let program = program.iter().find(|program| Path::new(program).exists());
        let server = Command::new(program.expect("dovecot is installed with the test tools"))
            .arg("-F")
            .arg("-c")
            .arg(&path)
            .stdout(output.try_clone().unwrap())
            .stderr(output)
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let server = Self { folder, server, plain, tls, delivered: AtomicU32::new(0) };
        server.wait_until_ready();
        server
    }

    fn wait_until_ready(&self) {
        let start = Instant::now();
        loop {
            let greeted = TcpStream::connect(("127.0.0.1", self.plain)).is_ok_and(|mut stream| {
                stream.set_read_timeout(Some(START)).unwrap();
                stream.read(&mut [0; 16]).is_ok_and(|read| read > 0)
            });
            if greeted {
                return;
            }
            let read = |name| fs::read_to_string(self.folder.path().join(name)).unwrap_or_default();
            assert!(start.elapsed() < START, "{}{}", read("output"), read("log"));
            sleep(Duration::from_millis(50));
        }
    }

    /// The address of a mailbox by TLS.
    pub(crate) fn url(&self, user: &str) -> String {
        let (user, password) = (user.replace('@', "%40"), PASSWORD.replace('/', "%2F"));
        format!("imaps://{user}:{password}@localhost:{}", self.tls)
    }

    /// The address of a mailbox without TLS.
    pub(crate) fn plain_url(&self, user: &str) -> String {
        self.url(user)
            .replace("imaps:", "imap:")
            .replace(&self.tls.to_string(), &self.plain.to_string())
    }

    /// The certificate of the server.
    pub(crate) fn certificate(&self) -> PathBuf {
        self.folder.path().join("cert.pem")
    }

    /// The folder of the messages that no program has marked as seen.
    pub(crate) fn new_messages(&self, user: &str) -> PathBuf {
        self.folder.path().join("mail").join(user).join("new")
    }

    /// Delivers a message to a mailbox, as a mail server does.
    pub(crate) fn deliver(&self, user: &str, message: &[u8]) {
        let number = self.delivered.fetch_add(1, Ordering::Relaxed);
        let mailbox = self.folder.path().join("mail").join(user);
        let owner = geteuid().is_root().then(|| account("dovecot"));
        for part in ["", "tmp", "cur", "new"] {
            let folder = mailbox.join(part);
            if !folder.exists() {
                fs::create_dir_all(&folder).unwrap();
            }
            own(&folder, owner);
        }
        own(&self.folder.path().join("mail"), owner);
        let (written, new) =
            (mailbox.join(format!("tmp/{number}")), mailbox.join(format!("new/{number}")));
        let mut options = OpenOptions::new();
        let mut file = options.write(true).create_new(true).open(&written).unwrap();
        std::io::Write::write_all(&mut file, message).unwrap();
        own(&written, owner);
        fs::rename(written, new).unwrap();
    }
}

fn own(path: &Path, owner: Option<(u32, u32)>) {
    if let Some((user, group)) = owner {
        chown(path, Some(user), Some(group)).unwrap();
    }
}
