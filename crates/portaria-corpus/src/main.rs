//! Measures the recognition of the corpus in child processes, two at a time: `portaria-corpus [--errors] [folder]`. With a
//! folder it writes the corpus there too.

#![expect(clippy::print_stdout, reason = "portaria-corpus is a command-line program")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use nix::sys::resource::{UsageWho, getrusage};
use portaria_corpus::measure::{self, Score, Scores, percent};
use portaria_corpus::{Case, Corpus, TODAY};
use portaria_recognize::Findings;
use portaria_recognize::child::{self, Limits, Reader};
use tokio::sync::Semaphore;

const SEED: u64 = 2026;
/// Number of documents for each kind and layout, and of documents with difficulties.
const ROUNDS: usize = 4;
const DIFFICULT: usize = 180;
/// Number of children that run at once.
const CHILDREN: usize = 2;
/// The argument that makes this program a child.
const CHILD: &str = "read-document";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments == [CHILD] {
        return child::main();
    }
    match measure(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("\n{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn measure(arguments: &[String]) -> Result<()> {
    let lists_errors = arguments.iter().any(|argument| argument == "--errors");
    let corpus = portaria_corpus::generate(SEED, ROUNDS, DIFFICULT);
    if let Some(folder) = arguments.iter().find(|argument| !argument.starts_with("--")) {
        write(&corpus, Path::new(folder))?;
    }
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let reader = Reader {
        program: std::env::current_exe()?,
        arguments: vec![CHILD.into()],
        limits: Limits::default(),
        kinds: Vec::new(),
    };
    let directory = measure::directory(&corpus.office);
    let mut is_good = true;
    let mut rate = Duration::ZERO;
    for (name, cases) in [("tuned", corpus.tuned), ("held aside", corpus.independent)] {
        let start = Instant::now();
        let count = u32::try_from(cases.len()).context("the corpus is small")?;
        let results = runtime.block_on(read_all(&reader, cases))?;
        rate = rate.max(start.elapsed() / count);
        let mut scores = Scores::new();
        for (case, findings) in &results {
            for error in measure::add(&mut scores, &directory, case, findings) {
                if lists_errors {
                    println!("{} {} {error}", case.layout, case.name);
                }
            }
        }
        print(name, &scores);
        is_good &= meets_goals(&measure::total(&scores));
    }
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    println!("\n300 files in {:.1} s, {CHILDREN} children at a time", (rate * 300).as_secs_f64());
    println!("most memory of a child: {} MiB", usage.max_rss() / 1024);
    if !is_good {
        bail!("a goal was missed");
    }
    Ok(())
}

/// Reads all documents. A document whose child fails has the findings of its name.
async fn read_all(reader: &Reader, cases: Vec<Case>) -> Result<Vec<(Case, Findings)>> {
    let places = Arc::new(Semaphore::new(CHILDREN));
    let mut tasks = Vec::new();
    for case in cases {
        let place = Arc::clone(&places).acquire_owned().await?;
        let reader = reader.clone();
        tasks.push(tokio::spawn(async move {
            let findings = match reader
                .read(&case.name, case.bytes.len() as u64, &case.bytes[..], TODAY)
                .await
            {
                Ok(report) => report.findings,
                Err(error) => match error.problem() {
                    Some(problem) => reader.unreadable(&case.name, problem, TODAY),
                    None => return Err(error),
                },
            };
            drop(place);
            Ok((case, findings))
        }));
    }
    let mut results = Vec::new();
    for task in tasks {
        results.push(task.await??);
    }
    Ok(results)
}

fn write(corpus: &Corpus, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut truths = BTreeMap::new();
    for (index, case) in corpus.tuned.iter().chain(&corpus.independent).enumerate() {
        let name = format!("{index:04} {}", case.name);
        std::fs::write(folder.join(&name), &case.bytes)?;
        truths.insert(name, format!("{} {:?}", case.layout, case.truth));
    }
    std::fs::write(folder.join("truth.json"), serde_json::to_vec_pretty(&truths)?)?;
    Ok(())
}

/// Owners are never wrong without a question, and nearly all facts on paper are right.
fn meets_goals(total: &Score) -> bool {
    total.wrong_unflagged == 0
        && percent(total.owners_found, total.owners) >= 97.0
        && total.due.percent() >= 98.0
        && total.amounts.percent() >= 98.0
        && total.wrong_payments == 0
}

fn print(name: &str, scores: &Scores) {
    println!(
        "\n{name:18} {:>5} {:>9} {:>7} {:>5} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
        "files",
        "owner",
        "flagged",
        "wrong",
        "kind",
        "month",
        "due",
        "amount",
        "validity",
        "lines",
        "pix"
    );
    let total = ("total".to_owned(), measure::total(scores));
    for (name, score) in scores.iter().chain([(&total.0, &total.1)]) {
        println!(
            "{name:18} {:>5} {:>9} {:>7} {:>5} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}",
            score.documents,
            format!("{}/{}", score.owners_found, score.owners),
            score.flagged,
            score.wrong_unflagged,
            score.kinds_right,
            score.periods,
            score.due,
            score.amounts,
            score.validity,
            score.payment_lines,
            score.pix,
        );
    }
    let total = total.1;
    println!(
        "owner found {:.1} %, due date {:.1} %, amount {:.1} %, wrong payment codes {}, values that are on no paper {}",
        percent(total.owners_found, total.owners),
        total.due.percent(),
        total.amounts.percent(),
        total.wrong_payments,
        total.invented
    );
}
