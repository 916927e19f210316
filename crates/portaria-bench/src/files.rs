//! Uploads and downloads of files, beside the same bytes from memory and from nginx.

use std::{
    fs::{self, File},
    io::Write,
    path::Path,
    time::Instant,
};

use bytes::Bytes;
use hyper::{Method, header};

use crate::{
    Outcome,
    benchmarks::{Bench, HEAVY_CONNECTIONS, RUN_TIME, send_once},
    load::{Measurement, Request, request, run_load},
    nginx::Nginx,
    server::Server,
};

/// Number of connections for uploads of large files, which use much memory.
const UPLOAD_CONNECTIONS: usize = 64;
const SMALL_FILE: usize = 200_000;
const LARGE_FILE: usize = 10_000_000;
/// Bytes of a range that a viewer of documents requests.
const RANGE: &str = "bytes=65536-131071";
const RANGE_LENGTH: usize = 65_536;
/// Number of rounds of a comparison. The servers take turns, because the machine's speed changes within seconds.
const ROUNDS: u32 = 3;

/// A file that the portal stores and nginx serves.
struct StoredFile {
    size: usize,
    /// Path in the portal.
    path: String,
    token: String,
}

/// One of the servers that send a file, and the request for it.
struct Sender<'a> {
    name: &'static str,
    server: &'a Server,
    request: Request,
}

/// Runs the benchmarks of files.
pub(crate) async fn all(bench: &mut Bench<'_>) -> Outcome<()> {
    let nginx = Nginx::start()?;
    if nginx.is_none() {
        println!(
            "nginx is not installed: no comparison with it (on Debian: apt-get install nginx-light)"
        );
    }
    for (shown, size) in [("200 kB", SMALL_FILE), ("10 MB", LARGE_FILE)] {
        let file = upload(bench, shown, size, nginx.as_ref()).await?;
        let ceiling_path = format!("/{size}");
        compare(bench, &format!("download {shown}"), &file, &ceiling_path, nginx.as_ref(), |it| it)
            .await?;
        if size == SMALL_FILE {
            let (range, length) = (header::HeaderValue::from_static(RANGE), RANGE_LENGTH);
            let of_range = |mut it: Request| {
                it.headers_mut().insert(header::RANGE, range.clone());
                it
            };
            let what = "a range of 64 KiB";
            compare(bench, what, &file, &format!("/{length}"), nginx.as_ref(), of_range).await?;
            let as_head = |mut it: Request| {
                *it.method_mut() = Method::HEAD;
                it
            };
            compare(bench, "HEAD", &file, "/0", nginx.as_ref(), as_head).await?;
            let if_changed = |mut it: Request| {
                it.headers_mut()
                    .insert(header::IF_NONE_MATCH, header::HeaderValue::from_static("*"));
                it
            };
            compare(bench, "304 Not Modified", &file, "/0", nginx.as_ref(), if_changed).await?;
        }
    }
    Ok(())
}

/// Uploads a file many times. The baseline writes and syncs the same bytes. Returns the first upload, which nginx
/// serves too.
async fn upload(
    bench: &mut Bench<'_>,
    shown: &str,
    size: usize,
    nginx: Option<&Nginx>,
) -> Outcome<StoredFile> {
    let content: Bytes =
        b"%PDF-1.7\n".iter().copied().chain((9..size).map(|_| fastrand::u8(..))).collect();
    if let Some(nginx) = nginx {
        nginx.add(&size.to_string(), &content)?;
    }
    let folder = bench.office.folder().to_owned();
    let source = content.clone();
    let writes_per_second =
        tokio::task::spawn_blocking(move || writes_per_second(&folder.join("bench.bin"), &source))
            .await??;
    let token = bench.office.token(bench.office.admin);
    let client = bench.office.clients[0];
    let path = move |number: usize| {
        let name = fastrand::u64(..);
        format!("/storage/v1/object/client-documents/public/{client}/contratos/{number}-{name}.pdf")
    };
    let first = request(Method::POST, &path(0), Some(&token), content.clone());
    let stored = first.uri().path().to_owned();
    send_once(bench.portal, first).await?;
    let connections = if size == LARGE_FILE { UPLOAD_CONNECTIONS } else { HEAVY_CONNECTIONS };
    let measured = run_load(bench.portal, connections, RUN_TIME, |number| {
        let (token, content) = (token.clone(), content.clone());
        move |_: &[u8]| request(Method::POST, &path(number), Some(&token), content.clone())
    });
    let measured = measured.await?;
    bench.record(
        &format!("upload {shown}, {connections} at once"),
        measured,
        "write and fsync",
        writes_per_second,
    );
    Ok(StoredFile { size, path: stored, token })
}

/// Measures a request for a file beside a response of equal length from memory, and beside nginx. `change` makes the
/// request from one for the whole file.
async fn compare(
    bench: &mut Bench<'_>,
    what: &str,
    file: &StoredFile,
    ceiling_path: &str,
    nginx: Option<&Nginx>,
    change: impl Fn(Request) -> Request,
) -> Outcome<()> {
    let get = |path: &str| request(Method::GET, path, Some(&file.token), Bytes::new());
    let mut senders = vec![
        Sender { name: "portal", server: bench.portal, request: change(get(&file.path)) },
        Sender { name: "the same from memory", server: bench.ceiling, request: get(ceiling_path) },
    ];
    if let Some(nginx) = nginx {
        let request = change(get(&format!("/{}", file.size)));
        senders.push(Sender { name: "nginx", server: &nginx.server, request });
    }
    let mut rounds = vec![Vec::new(); senders.len()];
    for _ in 0..ROUNDS {
        for (sender, rounds) in senders.iter().zip(&mut rounds) {
            let request = &sender.request;
            let measured = run_load(sender.server, HEAVY_CONNECTIONS, RUN_TIME / 2, |_| {
                let request = request.clone();
                move |_: &[u8]| request.clone()
            });
            rounds.push(measured.await?);
        }
    }
    let baselines: Vec<_> = senders.iter().map(|sender| sender.name).zip(&rounds).collect();
    let measured = Measurement::mean(&rounds[0]);
    for (name, rounds) in baselines.into_iter().skip(1) {
        bench.record_beside(what, measured, name, Measurement::mean(rounds).into());
    }
    Ok(())
}

/// Returns the number of files per second that one thread writes and syncs.
fn writes_per_second(path: &Path, content: &[u8]) -> std::io::Result<f64> {
    let start = Instant::now();
    let mut count = 0_u32;
    while start.elapsed() < RUN_TIME {
        let mut file = File::create(path)?;
        file.write_all(content)?;
        file.sync_all()?;
        drop(file);
        fs::remove_file(path)?;
        count += 1;
    }
    Ok(f64::from(count) / start.elapsed().as_secs_f64())
}
