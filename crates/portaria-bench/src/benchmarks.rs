//! The benchmarks: each measures an operation of the portal next to its baseline.

use std::{
    thread,
    time::{Duration, Instant},
};

use argon2::{Algorithm, Argon2, Block, Params, Version};
use bytes::Bytes;
use hyper::Method;
use serde_json::{Value, json};

use crate::{
    Outcome,
    dataset::{Dataset, PASSWORD},
    files,
    load::{Measurement, Request, request, run_load},
    report::{Baseline, Figure, Report},
    server::Server,
};

/// Duration of a measurement.
pub(crate) const RUN_TIME: Duration = Duration::from_secs(4);
/// Number of connections for small responses.
pub(crate) const SMALL_CONNECTIONS: usize = 32;
/// Number of connections for requests that occupy a core, and for files.
pub(crate) const HEAVY_CONNECTIONS: usize = 8;
/// The request of a client's document list.
pub(crate) const LIST: &str = "/rest/v1/documents?select=id,name,created_at,expires_at,status,folders(name)\
    &order=uploaded_at.desc.nullslast&limit=20";

/// The body of a request that inserts a document.
pub(crate) const INSERT: &str = r#"{"name": "Balancete de novembro.pdf", "type": "application/pdf",
    "folder_id_supabase": "faturas", "status": "active", "expires_at": "2027-01-31"}"#;

/// The servers of a run and the report.
pub(crate) struct Bench<'a> {
    pub(crate) office: &'a Dataset,
    pub(crate) portal: &'a Server,
    pub(crate) ceiling: &'a Server,
    report: &'a mut Report,
}

/// Runs all benchmarks, or only the one named `only`.
pub(crate) async fn all(
    office: &Dataset,
    portal: &Server,
    ceiling: &Server,
    report: &mut Report,
    only: Option<&str>,
) -> Outcome<()> {
    let mut bench = Bench { office, portal, ceiling, report };
    for run in ["list", "insert", "sign-in", "refresh", "files"] {
        if only.is_some_and(|only| only != run) {
            continue;
        }
        match run {
            "list" => bench.list().await?,
            "insert" => bench.insert().await?,
            "sign-in" => bench.sign_in().await?,
            "refresh" => bench.refresh().await?,
            _ => files::all(&mut bench).await?,
        }
    }
    bench.report.server(office, portal);
    Ok(())
}

impl Bench<'_> {
    /// The 20 newest documents of a client with the names of their folders. The baseline is a static response of
    /// equal length.
    async fn list(&mut self) -> Outcome<()> {
        let tokens: Vec<String> = (0..2000.min(self.office.clients.len()))
            .map(|_| {
                self.office.token(self.office.clients[fastrand::usize(..self.office.clients.len())])
            })
            .collect();
        let sample = request(Method::GET, LIST, Some(&tokens[0]), Bytes::new());
        let length = send_once(self.portal, sample).await?.len();
        let static_path = format!("/{length}");
        let ceiling = run_load(self.ceiling, SMALL_CONNECTIONS, RUN_TIME, |_| {
            let (static_path, token) = (static_path.clone(), tokens[0].clone());
            move |_: &[u8]| request(Method::GET, &static_path, Some(&token), Bytes::new())
        });
        let ceiling = ceiling.await?;
        let measured = run_load(self.portal, SMALL_CONNECTIONS, RUN_TIME, |_| {
            let tokens = tokens.clone();
            move |_: &[u8]| {
                let token = &tokens[fastrand::usize(..tokens.len())];
                request(Method::GET, LIST, Some(token), Bytes::new())
            }
        });
        let measured = measured.await?;
        self.record("list of 20 documents", measured, "static answer", ceiling.rate);
        Ok(())
    }

    /// Inserts a document, durable at the response. The baseline parses the same body.
    async fn insert(&mut self) -> Outcome<()> {
        let body = Bytes::from_static(INSERT.as_bytes());
        let token = self.office.token(self.office.admin);
        let script = |path: &'static str| {
            let (body, token) = (body.clone(), token.clone());
            move |_: &[u8]| request(Method::POST, path, Some(&token), body.clone())
        };
        let ceiling =
            run_load(self.ceiling, SMALL_CONNECTIONS, RUN_TIME, |_| script("/json")).await?;
        let measured =
            run_load(self.portal, SMALL_CONNECTIONS, RUN_TIME, |_| script("/rest/v1/documents"))
                .await?;
        self.record("insert a document", measured, "parse the body", ceiling.rate);
        Ok(())
    }

    /// Signs in with a password. The baseline is the password hash on every core.
    async fn sign_in(&mut self) -> Outcome<()> {
        let ceiling = tokio::task::spawn_blocking(hashes_per_second).await?;
        let measured = run_load(self.portal, HEAVY_CONNECTIONS, RUN_TIME, |number| {
            let sign_in = self.sign_in_request(number);
            move |_: &[u8]| sign_in()
        });
        let measured = measured.await?;
        self.record("sign in", measured, "argon2id on every core", ceiling);
        Ok(())
    }

    /// Refreshes a session, durable at the response. The baseline parses a body.
    async fn refresh(&mut self) -> Outcome<()> {
        let ceiling = run_load(self.ceiling, SMALL_CONNECTIONS, RUN_TIME, |_| {
            |_: &[u8]| {
                request(
                    Method::POST,
                    "/json",
                    None,
                    Bytes::from_static(b"{\"refresh_token\":\"\"}"),
                )
            }
        });
        let ceiling = ceiling.await?;
        let key = self.office.anon_key().to_owned();
        let measured = run_load(self.portal, SMALL_CONNECTIONS, RUN_TIME, |number| {
            let (key, sign_in) = (key.clone(), self.sign_in_request(number));
            move |last: &[u8]| match serde_json::from_slice::<Value>(last) {
                Ok(session) => {
                    let body = json!({"refresh_token": session["refresh_token"]}).to_string();
                    let path = "/auth/v1/token?grant_type=refresh_token";
                    request(Method::POST, path, Some(&key), body.into())
                }
                Err(_) => sign_in(),
            }
        });
        let measured = measured.await?;
        self.record("refresh a session", measured, "parse a body", ceiling.rate);
        Ok(())
    }

    fn sign_in_request(&self, number: usize) -> impl Fn() -> Request + Send + 'static {
        let email = Dataset::email(self.office.clients[number % self.office.clients.len()]);
        let body = Bytes::from(json!({"email": email, "password": PASSWORD}).to_string());
        let key = self.office.anon_key().to_owned();
        move || {
            request(Method::POST, "/auth/v1/token?grant_type=password", Some(&key), body.clone())
        }
    }

    pub(crate) fn record(
        &mut self,
        name: &str,
        measured: Measurement,
        ceiling: &'static str,
        rate: f64,
    ) {
        self.record_beside(name, measured, ceiling, Baseline { rate, cost: None });
    }

    /// Records a figure beside that of another server.
    pub(crate) fn record_beside(
        &mut self,
        name: &str,
        measured: Measurement,
        ceiling: &'static str,
        baseline: Baseline,
    ) {
        self.report.add(Figure::new(self.office, name, measured, ceiling, baseline));
    }
}

/// Sends one request and returns the body of the response.
pub(crate) async fn send_once(server: &Server, request: Request) -> Outcome<Vec<u8>> {
    use http_body_util::BodyExt;
    let socket = tokio::net::TcpStream::connect(server.address).await?;
    let socket = hyper_util::rt::TokioIo::new(socket);
    let (mut sender, connection) = hyper::client::conn::http1::handshake(socket).await?;
    tokio::spawn(connection);
    let response = sender.send_request(request).await?;
    let status = response.status();
    let body = response.into_body().collect().await?.to_bytes();
    if !status.is_success() {
        return Err(format!("{status}: {}", String::from_utf8_lossy(&body)).into());
    }
    Ok(body.to_vec())
}

/// Returns the number of password hashes per second on all cores.
fn hashes_per_second() -> f64 {
    let params = Params::new(19 * 1024, 2, 1, Some(32)).expect("the constants are within range");
    let threads = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let hash_on_one_core = || {
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params.clone());
        let mut memory = vec![Block::default(); params.block_count()];
        let mut count = 0_u32;
        let start = Instant::now();
        while start.elapsed() < RUN_TIME {
            argon2
                .hash_password_into_with_memory(
                    b"a password",
                    b"salt of the bench",
                    &mut [0; 32],
                    &mut memory,
                )
                .expect("salt and output have valid lengths");
            count += 1;
        }
        f64::from(count) / start.elapsed().as_secs_f64()
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(hash_on_one_core)).collect();
        threads.into_iter().map(|thread| thread.join().expect("hashing does not panic")).sum()
    })
}
