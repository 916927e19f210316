//! What is measured: each thing that people wait for, beside its ceiling.

use std::{
    fs::{self, File},
    io::Write,
    thread,
    time::{Duration, Instant},
};

use argon2::{Algorithm, Argon2, Block, Params, Version};
use bytes::Bytes;
use hyper::Method;
use serde_json::{Value, json};

use crate::{
    Outcome,
    dataset::{Office, PASSWORD},
    load::{Done, Request, press, request},
    report::{Figure, Report},
    server::Server,
};

/// How long a run counts.
const TIME: Duration = Duration::from_secs(4);
/// Connections for small answers.
const MANY: usize = 32;
/// Connections for work that fills a core by itself, and for files.
const FEW: usize = 8;
/// Connections for large files on their way up: what memory must bear.
const CROWD: usize = 64;
const SMALL_FILE: usize = 200_000;
const LARGE_FILE: usize = 10_000_000;
/// What a client's page of documents asks for.
pub(crate) const LIST: &str = "/rest/v1/documents?select=id,name,created_at,expires_at,status,folders(name)\
    &order=uploaded_at.desc.nullslast&limit=20";

/// One office's server, its ceiling, and where the figures go.
struct Bench<'a> {
    office: &'a Office,
    portal: &'a Server,
    ceiling: &'a Server,
    report: &'a mut Report,
}

/// Everything, one after the other, or `only` one thing.
pub(crate) async fn all(
    office: &Office,
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
            _ => {
                bench.files(SMALL_FILE).await?;
                bench.files(LARGE_FILE).await?;
            }
        }
    }
    bench.report.server(office, portal);
    Ok(())
}

impl Bench<'_> {
    /// A client's 20 newest documents with the names of their folders, against a fixed answer of the same length.
    async fn list(&mut self) -> Outcome<()> {
        let tokens: Vec<String> = (0..2000.min(self.office.clients.len()))
            .map(|_| {
                self.office.token(self.office.clients[fastrand::usize(..self.office.clients.len())])
            })
            .collect();
        let one = request(Method::GET, LIST, Some(&tokens[0]), Bytes::new());
        let length = answer(self.portal, one).await?.len();
        let fixed = format!("/{length}");
        let ceiling = press(self.ceiling, MANY, TIME, |_| {
            let (fixed, token) = (fixed.clone(), tokens[0].clone());
            move |_: &[u8]| request(Method::GET, &fixed, Some(&token), Bytes::new())
        });
        let ceiling = ceiling.await?;
        let done = press(self.portal, MANY, TIME, |_| {
            let tokens = tokens.clone();
            move |_: &[u8]| {
                let token = &tokens[fastrand::usize(..tokens.len())];
                request(Method::GET, LIST, Some(token), Bytes::new())
            }
        });
        let done = done.await?;
        self.tell("list of 20 documents", done, "static answer", ceiling.rate);
        Ok(())
    }

    /// One more document, durable when it is answered, against reading the same body.
    async fn insert(&mut self) -> Outcome<()> {
        let body = json!({
            "name": "Balancete de novembro.pdf", "type": "application/pdf", "folder_id_supabase": "faturas",
            "status": "active", "expires_at": "2027-01-31",
        });
        let body = Bytes::from(body.to_string());
        let token = self.office.token(self.office.admin);
        let script = |path: &'static str| {
            let (body, token) = (body.clone(), token.clone());
            move |_: &[u8]| request(Method::POST, path, Some(&token), body.clone())
        };
        let ceiling = press(self.ceiling, MANY, TIME, |_| script("/json")).await?;
        let done = press(self.portal, MANY, TIME, |_| script("/rest/v1/documents")).await?;
        self.tell("insert a document", done, "parse the body", ceiling.rate);
        Ok(())
    }

    /// Signing in with a password, against the bare hash on every core.
    async fn sign_in(&mut self) -> Outcome<()> {
        let ceiling = tokio::task::spawn_blocking(hashes).await?;
        let done = press(self.portal, FEW, TIME, |number| {
            let sign_in = self.sign_in_of(number);
            move |_: &[u8]| sign_in()
        });
        let done = done.await?;
        self.tell("sign in", done, "argon2id on every core", ceiling);
        Ok(())
    }

    /// A new pair of tokens, durable when it is answered, against reading a body.
    async fn refresh(&mut self) -> Outcome<()> {
        let ceiling = press(self.ceiling, MANY, TIME, |_| {
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
        let done = press(self.portal, MANY, TIME, |number| {
            let (key, sign_in) = (key.clone(), self.sign_in_of(number));
            move |last: &[u8]| match serde_json::from_slice::<Value>(last) {
                Ok(session) => {
                    let body = json!({"refresh_token": session["refresh_token"]}).to_string();
                    let path = "/auth/v1/token?grant_type=refresh_token";
                    request(Method::POST, path, Some(&key), body.into())
                }
                Err(_) => sign_in(),
            }
        });
        let done = done.await?;
        self.tell("refresh a session", done, "parse a body", ceiling.rate);
        Ok(())
    }

    /// A file up and down, against writing it to the disk by hand and against the same bytes from memory.
    async fn files(&mut self, size: usize) -> Outcome<()> {
        let shown = if size < 1_000_000 { "200 kB" } else { "10 MB" };
        let content: Bytes =
            b"%PDF-1.7\n".iter().copied().chain((9..size).map(|_| fastrand::u8(..))).collect();
        let folder = self.office.folder().to_owned();
        let source = content.clone();
        let copies =
            tokio::task::spawn_blocking(move || copies(&folder.join("bench.bin"), &source))
                .await??;
        let token = self.office.token(self.office.admin);
        let client = self.office.clients[0];
        let path = move |number: usize| {
            let name = fastrand::u64(..);
            format!(
                "/storage/v1/object/client-documents/public/{client}/contratos/{number}-{name}.pdf"
            )
        };
        let upload = |number, token: &str| {
            request(Method::POST, &path(number), Some(token), content.clone())
        };
        let first = upload(0, &token);
        let stored = first.uri().path().to_owned();
        answer(self.portal, first).await?;
        let crowd = if size == LARGE_FILE { CROWD } else { FEW };
        let done = press(self.portal, crowd, TIME, |number| {
            let (token, content) = (token.clone(), content.clone());
            move |_: &[u8]| request(Method::POST, &path(number), Some(&token), content.clone())
        });
        let done = done.await?;
        self.tell(&format!("upload {shown}, {crowd} at once"), done, "write and fsync", copies);

        let script = |path: String| {
            let token = token.clone();
            move |_: &[u8]| request(Method::GET, &path, Some(&token), Bytes::new())
        };
        let ceiling = press(self.ceiling, FEW, TIME, |_| script(format!("/{size}"))).await?;
        let done = press(self.portal, FEW, TIME, |_| script(stored.clone())).await?;
        self.tell(&format!("download {shown}"), done, "the same from memory", ceiling.rate);
        Ok(())
    }

    fn sign_in_of(&self, number: usize) -> impl Fn() -> Request + Send + 'static {
        let email = Office::email(self.office.clients[number % self.office.clients.len()]);
        let body = Bytes::from(json!({"email": email, "password": PASSWORD}).to_string());
        let key = self.office.anon_key().to_owned();
        move || {
            request(Method::POST, "/auth/v1/token?grant_type=password", Some(&key), body.clone())
        }
    }

    fn tell(&mut self, what: &str, done: Done, ceiling: &'static str, rate: f64) {
        self.report.add(Figure::new(self.office, what, done, ceiling, rate));
    }
}

/// One answer, once.
async fn answer(server: &Server, request: Request) -> Outcome<Vec<u8>> {
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

/// Password hashes per second that the machine's cores manage when they do nothing else.
fn hashes() -> f64 {
    let params = Params::new(19 * 1024, 2, 1, Some(32)).expect("the constants are in range");
    let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let one = || {
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params.clone());
        let mut memory = vec![Block::default(); params.block_count()];
        let mut done = 0_u32;
        let begin = Instant::now();
        while begin.elapsed() < TIME {
            argon2
                .hash_password_into_with_memory(
                    b"a password",
                    b"salt of the bench",
                    &mut [0; 32],
                    &mut memory,
                )
                .expect("salt and output have legal lengths");
            done += 1;
        }
        f64::from(done) / begin.elapsed().as_secs_f64()
    };
    thread::scope(|scope| {
        let cores: Vec<_> = (0..cores).map(|_| scope.spawn(one)).collect();
        cores.into_iter().map(|core| core.join().expect("hashing does not panic")).sum()
    })
}

/// Files per second that one thread writes and makes durable, one after the other.
fn copies(path: &std::path::Path, content: &[u8]) -> std::io::Result<f64> {
    let begin = Instant::now();
    let mut done = 0_u32;
    while begin.elapsed() < TIME {
        let mut file = File::create(path)?;
        file.write_all(content)?;
        file.sync_all()?;
        drop(file);
        fs::remove_file(path)?;
        done += 1;
    }
    Ok(f64::from(done) / begin.elapsed().as_secs_f64())
}
