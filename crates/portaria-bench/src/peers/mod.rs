//! `--peers`: the same office and the same requests in other products, in alternating rounds on the same machine.
//!
//! A product is left out, with the reason, where its runtime or its registry is missing. Directus is not compared,
//! because it needs a newer Node.js and compiles against headers that no package registry has.

mod parse_server;
mod pocketbase;

use std::{fs, path::Path, process::Command, sync::Arc, time::Duration};

use bytes::Bytes;
use hyper::Method;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    Outcome,
    benchmarks::{INSERT, LIST, RUN_TIME, SMALL_CONNECTIONS, send_once},
    dataset::{DOCUMENTS_PER_CLIENT, Dataset},
    load::{Measurement, Request, request, run_load},
    nginx::Nginx,
    postgres,
    report::{machine, shown},
    server::Server,
};

/// Number of rounds in which each product is measured once.
const ROUNDS: usize = 3;
/// Number of clients of a product who have an account. Documents of others have only an owner.
const ACCOUNTS: usize = 100;

/// Makes the next request of a connection.
type Script = Arc<dyn Fn() -> Request + Send + Sync>;

/// A server under comparison.
struct Product {
    name: String,
    database: &'static str,
    server: Box<dyn AsRef<Server>>,
    /// The 20 newest documents of a random client, with the names of their folders.
    list: Script,
    /// A new document, by a member of staff.
    insert: Option<Script>,
    /// Data folder, removed at the end.
    _folder: Option<TempDir>,
}

/// Measures all products with `documents` documents. The programs are installed in a folder beside `output`.
pub(crate) async fn compare(
    portaria: &Path,
    output: &Path,
    postgres_url: &str,
    documents: usize,
) -> Outcome<()> {
    let parent = output.parent().unwrap_or(Path::new("."));
    let (mut sqlite, mut postgres) = (
        Dataset::new(parent, None)?,
        Dataset::new(parent, Some(postgres::create_database(postgres_url, "portaria").await?))?,
    );
    sqlite.grow_to(documents).await?;
    postgres.grow_to(documents).await?;
    let programs = std::path::absolute(parent)?.join("peers");
    fs::create_dir_all(&programs)?;
    let mut products = vec![portal(portaria, &sqlite)?, portal(portaria, &postgres)?];
    for product in [
        pocketbase::start(&programs, documents).await,
        parse_server::start(&programs, postgres_url, documents).await,
    ] {
        match product {
            Ok(product) => products.push(product),
            Err(error) => eprintln!("left out: {error}"),
        }
    }
    let answer = send_once((*products[0].server).as_ref(), (products[0].list)()).await?;
    products.extend(baselines(&answer)?);

    let mut results = Vec::new();
    for (operation, script) in [
        (
            "list of 20 documents",
            (|product| Some(&product.list)) as fn(&Product) -> Option<&Script>,
        ),
        ("insert a document", |product| product.insert.as_ref()),
    ] {
        let taking: Vec<_> =
            products.iter().filter_map(|product| Some((product, script(product)?))).collect();
        let mut rounds = vec![Vec::new(); taking.len()];
        for _ in 0..ROUNDS {
            for ((product, script), measured) in taking.iter().zip(&mut rounds) {
                let load =
                    run_load((*product.server).as_ref(), SMALL_CONNECTIONS, RUN_TIME, |_| {
                        let script = Arc::clone(script);
                        move |_: &[u8]| script()
                    });
                measured.push(load.await?);
            }
        }
        let means = rounds.iter().map(|rounds| Measurement::mean(rounds));
        let figures: Vec<_> = taking.iter().map(|(product, _)| *product).zip(means).collect();
        print(operation, &figures);
        results.extend(figures.iter().map(|(product, figure)| to_json(operation, product, figure)));
    }
    let all = json!({"machine": machine(), "documents": documents, "figures": results});
    Ok(fs::write(output, serde_json::to_string_pretty(&all)?)?)
}

fn portal(binary: &Path, office: &Dataset) -> Outcome<Product> {
    let clients = office.clients.iter().take(ACCOUNTS);
    let tokens: Vec<String> = clients.map(|client| office.token(*client)).collect();
    let staff = office.token(office.admin);
    Ok(Product {
        name: "Portaria".to_owned(),
        database: office.engine(),
        server: Box::new(Server::portal(binary, office)?),
        list: Arc::new(move || request(Method::GET, LIST, Some(one_of(&tokens)), Bytes::new())),
        insert: Some(Arc::new(move || {
            request(Method::POST, "/rest/v1/documents", Some(&staff), INSERT.into())
        })),
        _folder: None,
    })
}

/// The static answer of the portal's web server, and nginx with a file, both as long as a list.
fn baselines(answer: &[u8]) -> Outcome<Vec<Product>> {
    let get = |path: String| -> Script {
        Arc::new(move || request(Method::GET, &path, None, Bytes::new()))
    };
    let baseline = |name: &str, server: Box<dyn AsRef<Server>>, path| Product {
        name: name.to_owned(),
        database: "",
        server,
        list: get(path),
        insert: None,
        _folder: None,
    };
    let length = answer.len();
    let ceiling = Box::new(Server::baseline()?);
    let mut all = vec![baseline("static answer", ceiling, format!("/{length}"))];
    if let Some(nginx) = Nginx::start()? {
        nginx.add("list", answer)?;
        all.push(baseline("nginx", Box::new(nginx), "/list".to_owned()));
    }
    Ok(all)
}

fn print(operation: &str, figures: &[(&Product, Measurement)]) {
    println!(
        "\n{operation:<36}{:>12}{:>12}{:>10}{:>10}{:>12}{:>24}",
        "per second", "CPU each", "median", "p99", "memory", "Portaria is faster by"
    );
    for (product, Measurement { rate, cost, median, p99, memory }) in figures {
        let portal = figures
            .iter()
            .find(|(other, _)| other.name == "Portaria" && other.database == product.database);
        let ratio = portal
            .filter(|_| product.name != "Portaria")
            .map_or_else(String::new, |it| format!("{:.1}", it.1.rate / rate));
        println!(
            "{:<36}{rate:>12.0}{:>12}{:>10}{:>10}{memory:>8.0} MiB{ratio:>24}",
            format!("{} {}", product.name, product.database),
            shown(*cost),
            shown(*median),
            shown(*p99),
        );
    }
}

fn to_json(operation: &str, product: &Product, figure: &Measurement) -> Value {
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    json!({
        "what": operation, "product": product.name, "database": product.database, "rate": figure.rate,
        "cpu_us": micros(figure.cost), "median_us": micros(figure.median), "p99_us": micros(figure.p99),
        "memory_mib": figure.memory,
    })
}

fn one_of(tokens: &[String]) -> &str {
    &tokens[fastrand::usize(..tokens.len())]
}

/// Number of clients of an office with `documents` documents.
fn clients_of(documents: usize) -> usize {
    (documents / DOCUMENTS_PER_CLIENT).max(ACCOUNTS)
}

/// Runs a command of an installation. An error names the program.
fn install(command: &mut Command) -> Outcome<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{program}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(())
}

/// Sends JSON with headers, and returns the answer.
async fn call(
    server: &Server,
    method: Method,
    path: &str,
    headers: &[(&str, &str)],
    body: &Value,
) -> Outcome<Value> {
    let request = with_headers(request(method, path, None, body.to_string().into()), headers);
    Ok(serde_json::from_slice(&send_once(server, request).await?)?)
}

fn with_headers(mut request: Request, headers: &[(&str, &str)]) -> Request {
    for (name, value) in headers {
        let name = hyper::header::HeaderName::from_bytes(name.as_bytes());
        request.headers_mut().insert(
            name.expect("the names are constants"),
            value.parse().expect("tokens are valid header values"),
        );
    }
    request
}

/// A text of an answer.
fn text(answer: &Value, name: &str) -> Outcome<String> {
    let text = answer[name].as_str().ok_or_else(|| format!("no {name} in {answer}"))?;
    Ok(text.to_owned())
}
