//! The sample configurations of reverse proxies (`packaging/proxy/`), run by the real programs in front of a portal.

use std::{
    fs,
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use reqwest::{Client, Response, StatusCode};

use crate::cluster::nginx;
use crate::harness::{TestPortal, run_on_sqlite, served, skipped, wait::wait_until};

const NGINX: &str = include_str!("../../../../packaging/proxy/nginx.conf");
const CADDY: &str = include_str!("../../../../packaging/proxy/Caddyfile");
/// The folder of the page in the samples.
const PAGE_FOLDER: &str = "/usr/share/portaria";
const LONG: Duration = Duration::from_secs(30);

/// A running proxy. Dropping the value stops it.
struct Proxy {
    child: Child,
    address: SocketAddr,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Proxy {
    fn start(command: &mut Command, address: SocketAddr) -> Self {
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        Self { child: child.spawn().unwrap(), address }
    }

    async fn get(&self, path: &str) -> Option<Response> {
        let client = Client::builder().no_proxy().build().unwrap();
        client.get(format!("http://{}{path}", self.address)).send().await.ok()
    }

    /// Waits for a status, and returns the response.
    async fn expect(&self, path: &str, status: StatusCode) -> Response {
        let mut found = None;
        wait_until(LONG, &format!("{path} answers {status}"), async || {
            found = self.get(path).await.filter(|response| response.status() == status);
            found.is_some()
        })
        .await;
        found.unwrap()
    }
}

fn free_address() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

fn page_folder() -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/proxy").display().to_string()
}

/// Checks that the proxy passes requests to the portal, and shows the page while there is none.
async fn check_proxy(portal: &TestPortal, start: impl Fn(&Path, SocketAddr, SocketAddr) -> Proxy) {
    let folder = tempfile::tempdir().unwrap();
    let served = served::serve(portal);
    let proxy = start(folder.path(), free_address(), served.address);
    let health = proxy.expect("/health", StatusCode::OK).await;
    assert_eq!(health.text().await.unwrap(), r#"{"status":"ok"}"#);
    // The portal refuses a request itself, and its answer passes unchanged.
    let refused = proxy.expect("/rest/v1/tickets", StatusCode::UNAUTHORIZED).await;
    assert!(refused.text().await.unwrap().contains("message"));
    drop(proxy);

    let proxy = start(folder.path(), free_address(), free_address());
    let down = proxy.expect("/login", StatusCode::BAD_GATEWAY).await;
    assert_eq!(down.headers()["retry-after"], "15");
    assert!(down.headers()["content-type"].to_str().unwrap().starts_with("text/html"));
    assert!(down.text().await.unwrap().contains("O portal está indisponível no momento"));
}

fn start_nginx(folder: &Path, door: SocketAddr, portal: SocketAddr) -> Proxy {
    // Without the redirect to HTTPS and without TLS, for which the machine has no certificate.
    let server = NGINX.split_once("server {\n    listen 443 ssl;").unwrap().1;
    let server: String = server
        .lines()
        .filter(|line| !line.contains("ssl_certificate"))
        .fold(String::new(), |text, line| text + line + "\n");
    let server = server.replace("http://127.0.0.1:8080", &format!("http://{portal}"));
    let server = server.replace(PAGE_FOLDER, &page_folder());
    let shown = folder.display();
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|name| format!("{name}_temp_path {shown}/{name};"))
        .concat();
    let config = format!(
        "daemon off; pid {shown}/pid; error_log {shown}/error.log warn; worker_processes 1;
         events {{ worker_connections 64; }}
         http {{ types {{ text/html html; }} access_log off; {temporary}
         server {{ listen {door}; {server} }}"
    );
    let file = folder.join("nginx.conf");
    fs::write(&file, config).unwrap();
    let mut command = Command::new(nginx().unwrap());
    Proxy::start(command.arg("-c").arg(&file).arg("-p").arg(folder), door)
}

#[test]
fn nginx_passes_requests_and_shows_a_page_without_the_portal() {
    if nginx().is_none() {
        return skipped("there is no nginx on this machine");
    }
    run_on_sqlite(async |portal| check_proxy(portal, start_nginx).await);
}

fn caddy() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join("caddy")).find(|file| file.exists())
}

fn start_caddy(folder: &Path, door: SocketAddr, portal: SocketAddr) -> Proxy {
    let config = CADDY.replace("portal.escritorio.com.br", &format!("http://{door}"));
    let config = config.replace("127.0.0.1:8080", &portal.to_string());
    let config = config.replace(PAGE_FOLDER, &page_folder());
    let file = folder.join("Caddyfile");
    fs::write(&file, format!("{{\n\tadmin off\n}}\n{config}")).unwrap();
    let mut command = Command::new(caddy().unwrap());
    command.args(["run", "--adapter", "caddyfile", "--config"]).arg(&file).env("HOME", folder);
    Proxy::start(&mut command, door)
}

#[test]
fn caddy_passes_requests_and_shows_a_page_without_the_portal() {
    if caddy().is_none() {
        return skipped("there is no caddy on this machine");
    }
    run_on_sqlite(async |portal| check_proxy(portal, start_caddy).await);
}
