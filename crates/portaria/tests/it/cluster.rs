//! Three nodes of one portal behind nginx, with one PostgreSQL and one bucket: any node answers any request, one node
//! can die, and all nodes can be replaced one after the other.

use std::{
    fs::{self, File},
    io::Write,
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::Duration,
};

use reqwest::{Client, Method, RequestBuilder, Response, StatusCode};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, waitid};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{task::JoinHandle, time::sleep};

use crate::harness::{
    Database, PASSWORD, PDF, PROCESSORS, SECRET, pg_permits, runtime, s3::Bucket, wait::wait_until,
};

/// nginx measures `fail_timeout` in whole seconds: with a value of one it avoids a failed node for at most two seconds.
/// Replacing the next nodes sooner would leave nginx without an upstream.
const SHUNNED: Duration = Duration::from_millis(2500);
/// Timeout for the start of a node on a busy machine.
const START: Duration = Duration::from_secs(30);
const ADMIN: &str = "ana@escritorio.com.br";

/// A server process that ends when the value is dropped.
struct Node {
    address: SocketAddr,
    running: Child,
}

impl Drop for Node {
    fn drop(&mut self) {
        drop(self.running.kill());
        drop(self.running.wait());
    }
}

/// Several nodes behind nginx.
struct Fleet {
    folder: TempDir,
    nodes: Vec<Node>,
    settings: Vec<(&'static str, String)>,
    nginx: Option<Child>,
    door: String,
    http: Client,
    anon: String,
    service: String,
}

impl Drop for Fleet {
    fn drop(&mut self) {
        // After SIGKILL the nginx worker would survive with the inherited file descriptors.
        if let Some(nginx) = &mut self.nginx {
            kill_process(Pid::from_child(nginx), Signal::TERM).unwrap();
            nginx.wait().unwrap();
        }
    }
}

fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

pub(crate) fn nginx() -> Option<PathBuf> {
    ["/usr/sbin/nginx", "/usr/bin/nginx", "/usr/local/sbin/nginx"]
        .map(PathBuf::from)
        .into_iter()
        .find(|path| path.exists())
}

impl Fleet {
    async fn start(database: &Database, bucket: &Bucket, nginx: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let addresses = [free_address(), free_address(), free_address()];
        let door = free_address();
        let keys = portaria::security::keys::Keys::from_secret(SECRET);
        let mut fleet = Self {
            folder,
            nodes: Vec::new(),
            settings: vec![
                ("PORTARIA_JWT_SECRET", SECRET.to_owned()),
                ("PORTARIA_DATABASE_URL", database.url.clone()),
                ("PORTARIA_STORAGE_URL", bucket.url.clone()),
                ("PORTARIA_SITE_URL", format!("http://{door}")),
                ("PORTARIA_TRUSTED_PROXIES", "127.0.0.1".to_owned()),
                ("PORTARIA_RATE_SIGN_IN", String::new()),
            ],
            nginx: None,
            door: format!("http://{door}"),
            http: Client::builder().no_proxy().timeout(Duration::from_secs(30)).build().unwrap(),
            anon: keys.anon,
            service: keys.service_role,
        };
        fleet.add_admin(addresses[0]);
        for address in addresses {
            let node = fleet.launch(address);
            fleet.nodes.push(node);
            fleet.ready(address).await;
        }
        fleet.nginx = Some(fleet.open_door(nginx, door));
        fleet.ready(door).await;
        fleet
    }

    fn command(&self, address: SocketAddr, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_portaria"));
        command
            .args(words)
            .args(["--config", "/dev/null"])
            .env_clear()
            .envs(self.settings.iter().cloned());
        let data = self.folder.path().join(address.port().to_string());
        command.env("PORTARIA_DATA_DIR", data).env("PORTARIA_LISTEN", address.to_string());
        command.current_dir(self.folder.path()).stdin(Stdio::null());
        command
    }

    fn add_admin(&self, address: SocketAddr) {
        assert!(self.command(address, &["init"]).output().unwrap().status.success());
        let words = ["admin", "add", "--email", ADMIN, "--password-stdin"];
        let mut child = self
            .command(address, &words)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(PASSWORD.as_bytes()).unwrap();
        assert!(child.wait().unwrap().success());
    }

    fn launch(&self, address: SocketAddr) -> Node {
        let log = self.folder.path().join(format!("{}.log", address.port()));
        let log = File::options().create(true).append(true).open(log).unwrap();
        let mut command = self.command(address, &["serve"]);
        let running = command.stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap();
        Node { address, running }
    }

    async fn ready(&self, address: SocketAddr) {
        let url = format!("http://{address}/ready");
        wait_until(START, &format!("{address} becomes ready"), async || {
            self.http.get(&url).send().await.is_ok_and(|answer| answer.status().is_success())
        })
        .await;
    }

    /// The configuration from `docs/operacao.md`: nginx retries a failed request on the next node, unless the request
    /// may have been processed.
    fn open_door(&self, nginx: &Path, door: SocketAddr) -> Child {
        let nodes = self.nodes.iter().map(|node| node.address.to_string());
        let nodes: String = nodes
            .map(|node| ["server ", &node, " max_fails=1 fail_timeout=1s;"].concat())
            .collect();
        let folder = self.folder.path().join("nginx");
        fs::create_dir(&folder).unwrap();
        let shown = folder.display();
        let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|name| format!("{name}_temp_path {shown}/{name};"))
            .concat();
        let config = format!(
            "daemon off; pid {shown}/pid; error_log {shown}/error.log warn; worker_processes 1;
             events {{ worker_connections 1024; }}
             http {{
                 access_log off; {temporary}
                 upstream portaria {{ {nodes} keepalive 16; }}
                 server {{
                     listen {door};
                     client_max_body_size 20m;
                     location / {{
                         proxy_pass http://portaria;
                         proxy_http_version 1.1;
                         proxy_set_header Connection '';
                         proxy_set_header Host $host;
                         proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
                         proxy_next_upstream error timeout http_503;
                     }}
                 }}
             }}"
        );
        let file = folder.join("nginx.conf");
        fs::write(&file, config).unwrap();
        let mut command = Command::new(nginx);
        command.arg("-c").arg(&file).arg("-p").arg(&folder).stdin(Stdio::null());
        command.stdout(Stdio::null());
        command.stderr(File::create(folder.join("said")).unwrap()).spawn().unwrap()
    }

    /// A request through nginx.
    fn ask(&self, method: Method, path: &str, token: &str) -> RequestBuilder {
        self.ask_at(&self.door, method, path, token)
    }

    /// A request directly to one node.
    fn ask_node(&self, node: usize, method: Method, path: &str, token: &str) -> RequestBuilder {
        self.ask_at(&format!("http://{}", self.nodes[node].address), method, path, token)
    }

    fn ask_at(&self, server: &str, method: Method, path: &str, token: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{server}{path}"));
        let token = if token.is_empty() { &self.anon } else { token };
        request.header("apikey", &self.anon).bearer_auth(token)
    }

    async fn sign_in_at(&self, node: usize, email: &str) -> Value {
        let path = "/auth/v1/token?grant_type=password";
        let body = json!({"email": email, "password": PASSWORD});
        json_of(self.ask_node(node, Method::POST, path, "").json(&body)).await
    }

    async fn client(&self, email: &str) -> String {
        let body = json!({"email": email, "password": PASSWORD, "email_confirm": true});
        let path = "/auth/v1/admin/users";
        let made = json_of(self.ask(Method::POST, path, &self.service).json(&body)).await;
        text(&made["id"])
    }

    fn signal(&self, node: usize, signal: Signal) {
        let id = Pid::from_child(&self.nodes[node].running);
        kill_process(id, signal).unwrap();
    }

    /// Returns whether a node has ended. Its exit status remains for the drop of the `Node`.
    fn has_ended(&self, node: usize) -> bool {
        let id = WaitId::Pid(Pid::from_child(&self.nodes[node].running));
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        waitid(id, options).unwrap().is_some()
    }
}

async fn json_of(request: RequestBuilder) -> Value {
    let answer = request.send().await.unwrap();
    let status = answer.status();
    let text = answer.text().await.unwrap();
    assert!(status.is_success(), "{status}: {text}");
    serde_json::from_str(&text).unwrap_or_default()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// Runs a test on three nodes, if nginx is installed.
fn run(test: impl AsyncFnOnce(Fleet)) {
    let Some(nginx) = nginx() else {
        crate::harness::skipped("there is no nginx on this machine");
        return;
    };
    let _processors = PROCESSORS.blocking_read();
    let _places = pg_permits(3);
    let (database, bucket) = (Database::empty(), Bucket::create());
    runtime().block_on(async { test(Fleet::start(&database, &bucket, &nginx).await).await });
}

#[test]
fn any_node_serves_sessions_files_and_uploads() {
    run(async |fleet| {
        let joao = fleet.client("joao@cliente.com.br").await;
        let session = fleet.sign_in_at(0, "joao@cliente.com.br").await;
        let token = text(&session["access_token"]);
        // Uploaded to the second node, read from the third.
        let path = format!("public/{joao}/contratos/contrato.pdf");
        let object = format!("/storage/v1/object/client-documents/{path}");
        let upload = fleet.ask_node(1, Method::POST, &object, &fleet.service);
        json_of(upload.header("content-type", "application/pdf").body(PDF)).await;
        let row = json!({
            "name": "Contrato", "folder_id_supabase": "contratos", "type": "pdf", "file_url": path,
            "uploaded_at": "2026-11-21T12:00:00Z",
        });
        json_of(fleet.ask_node(1, Method::POST, "/rest/v1/documents", &fleet.service).json(&row))
            .await;
        let seen =
            json_of(fleet.ask_node(2, Method::GET, "/rest/v1/documents?select=name", &token)).await;
        assert_eq!(seen, json!([{"name": "Contrato"}]));
        let read = fleet.ask_node(2, Method::GET, &object, &token).send().await.unwrap();
        assert_eq!(read.bytes().await.unwrap(), PDF);
        // Refreshed on one node, signed out on another, invalid on the third.
        let body = json!({"refresh_token": session["refresh_token"]});
        let path = "/auth/v1/token?grant_type=refresh_token";
        let renewed = json_of(fleet.ask_node(1, Method::POST, path, "").json(&body)).await;
        let token = text(&renewed["access_token"]);
        json_of(fleet.ask_node(0, Method::POST, "/auth/v1/logout", &token)).await;
        let over = fleet.ask_node(2, Method::GET, "/auth/v1/user", &token).send().await.unwrap();
        assert_eq!(over.status(), StatusCode::FORBIDDEN);
    });
}

/// Clients that read and write without a pause, like the app: repeatable requests are retried up to three times.
struct Load {
    stop: Arc<AtomicBool>,
    asked: Arc<AtomicU32>,
    working: Vec<JoinHandle<Vec<String>>>,
}

const CLIENTS: usize = 8;

impl Load {
    async fn begin(fleet: &Arc<Fleet>) -> Self {
        let (stop, asked) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU32::new(0)));
        let mut tokens = Vec::new();
        for client in 0..CLIENTS {
            let email = format!("cliente-{client}@cliente.com.br");
            fleet.client(&email).await;
            let session = fleet.sign_in_at(client % fleet.nodes.len(), &email).await;
            tokens.push(text(&session["access_token"]));
        }
        let working = tokens
            .into_iter()
            .map(|token| {
                let fleet = Arc::clone(fleet);
                let (stop, asked) = (Arc::clone(&stop), Arc::clone(&asked));
                tokio::spawn(async move {
                    let mut written = Vec::new();
                    while !stop.load(Ordering::Relaxed) {
                        let read = fleet.ask(Method::GET, "/rest/v1/folders", &token).send().await;
                        let status = read.expect("nginx did not answer").status();
                        assert_eq!(status, StatusCode::OK, "reading");
                        let number = asked.fetch_add(1, Ordering::Relaxed);
                        // The rate limit is twenty tickets per client and minute.
                        if number % 4 == 0 && written.len() < 15 {
                            written.push(write(&fleet, &token, number).await);
                        }
                    }
                    written
                })
            })
            .collect();
        Self { stop, asked, working }
    }

    fn asked(&self) -> u32 {
        self.asked.load(Ordering::Relaxed)
    }

    /// Waits until `count` more requests were answered.
    async fn go_on(&self, more: u32) {
        let before = self.asked();
        wait_until(START, "requests are answered", async || {
            assert!(!self.working.iter().any(JoinHandle::is_finished), "a request failed");
            self.asked() >= before + more
        })
        .await;
    }

    /// Stops the clients and returns every acknowledged ticket.
    async fn end(self) -> Vec<String> {
        self.stop.store(true, Ordering::Relaxed);
        let mut written = Vec::new();
        for client in self.working {
            written.extend(client.await.expect("requests failed"));
        }
        written
    }
}

/// Creates a ticket with its own idempotency key, and retries while the outcome is unknown.
async fn write(fleet: &Fleet, token: &str, number: u32) -> String {
    let key = format!("ticket {number}");
    let row = json!({
        "subject": key, "message": "Uma mensagem longa o bastante.",
        "idempotency_key": uuid::Uuid::from_u128(0x8000_4000_8000_8000_0000_0000_0000_0000 | u128::from(number)),
    });
    for attempt in 0..4 {
        let sent = fleet.ask(Method::POST, "/rest/v1/tickets", token).json(&row).send().await;
        match sent.as_ref().map(Response::status) {
            Ok(StatusCode::CREATED) => return key,
            Ok(
                StatusCode::BAD_GATEWAY
                | StatusCode::SERVICE_UNAVAILABLE
                | StatusCode::GATEWAY_TIMEOUT,
            )
            | Err(_) => sleep(Duration::from_millis(100 << attempt)).await,
            Ok(StatusCode::TOO_MANY_REQUESTS) => panic!("the rate limit for tickets was hit"),
            Ok(other) => panic!("{other}: {}", sent.unwrap().text().await.unwrap()),
        }
    }
    panic!("{key} could not be written");
}

/// Each acknowledged ticket exists exactly once.
async fn check(fleet: &Fleet, written: Vec<String>) {
    let path = "/rest/v1/tickets?select=subject&limit=1000";
    let rows = json_of(fleet.ask(Method::GET, path, &fleet.service)).await;
    let mut found: Vec<String> =
        rows.as_array().unwrap().iter().map(|row| text(&row["subject"])).collect();
    let mut written = written;
    found.sort();
    written.sort();
    assert!(written.len() > 10, "{}", written.len());
    assert_eq!(found, written);
}

#[test]
fn killed_node_causes_no_failed_requests() {
    run(async |fleet| {
        let mut fleet = Arc::new(fleet);
        let load = Load::begin(&fleet).await;
        load.go_on(40).await;
        fleet.signal(1, Signal::KILL);
        load.go_on(80).await;
        let written = load.end().await;
        check(&fleet, written).await;
        // The node restarts and receives requests again.
        let all = Arc::get_mut(&mut fleet).unwrap();
        drop(all.nodes[1].running.wait());
        let address = all.nodes[1].address;
        all.nodes[1] = all.launch(address);
        fleet.ready(address).await;
    });
}

#[test]
fn rolling_restart_causes_no_failed_requests() {
    run(async |fleet| {
        let fleet = Arc::new(fleet);
        let load = Load::begin(&fleet).await;
        let mut replaced = Vec::new();
        for node in 0..fleet.nodes.len() {
            load.go_on(30).await;
            fleet.signal(node, Signal::TERM);
            // The address and the data folder become free when the node has drained its requests and ended.
            wait_until(START, "the node ends", async || fleet.has_ended(node)).await;
            let address = fleet.nodes[node].address;
            replaced.push(fleet.launch(address));
            fleet.ready(address).await;
            sleep(SHUNNED).await;
        }
        load.go_on(30).await;
        let written = load.end().await;
        check(&fleet, written).await;
    });
}
