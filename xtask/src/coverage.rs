//! `cargo xtask coverage`: which lines of the program the tests run, measured by the compiler, and whether they are enough.

use std::{collections::BTreeMap, fs};

use crate::{
    machine,
    postgres::Postgres,
    process::{self, root},
    tally::Tally,
    tools,
};

/// How many lines of a hundred must be run: of everything, and of what decides who may do what.
const FLOORS: [(&str, f64); 4] = [
    ("", 90.0),
    ("crates/portaria/src/policy", 95.0),
    ("crates/portaria/src/auth/", 95.0),
    ("crates/query/src/", 95.0),
];

/// Arguments, if any, choose server tests; then nothing is demanded of the figures.
pub(crate) fn run(names: &[&str]) -> Result<(), String> {
    machine::check_disk("target/llvm-cov-target", 10)?;
    let test_tools = machine::test_tools()?;
    let postgres = Postgres::start(&test_tools.postgres)?;
    let url = postgres.url();
    let measure = |words: &[&str]| {
        let mut command = tools::cargo("llvm-cov", "0.9.1")?;
        command.args(words).env("PORTARIA_TEST_POSTGRES", &url).env("CARGO_INCREMENTAL", "0");
        process::run(command, &mut Tally::default())
    };
    measure(&["clean", "--workspace", "--profraw-only"])?;
    let program = ["--no-report", "--package", "portaria"];
    if names.is_empty() {
        measure(&["--no-report", "--package", "query"])?;
        measure(&[&program[..], &["--lib"]].concat())?;
    }
    measure(&[&program[..], &["--test", "it", "--"], names].concat())?;
    if names.is_empty() {
        measure(&[&program[..], &["--test", "faults"]].concat())?;
    }
    let told = root().join("target/coverage.lcov");
    let shown = told.display().to_string();
    measure(&["report", "--lcov", "--output-path", &shown])?;
    let text = fs::read_to_string(&told).map_err(|e| format!("{shown}: {e}."))?;
    judge(&lines(&text), names.is_empty())
}

/// For each file of the program how many lines there are, and how many were run.
fn lines(lcov: &str) -> BTreeMap<String, (u64, u64)> {
    let (mut files, mut file) = (BTreeMap::new(), "");
    let from = format!("{}/", root().display());
    for line in lcov.lines() {
        let (word, value) = line.split_once(':').unwrap_or((line, ""));
        let number = value.parse().unwrap_or(0);
        match word {
            "SF" => file = value.strip_prefix(&from).unwrap_or(value),
            _ if !file.contains("/src/") || file.contains("/bench/") => {}
            "LF" => files.entry(file.to_owned()).or_insert((0, 0)).0 = number,
            "LH" => files.entry(file.to_owned()).or_insert((0, 0)).1 = number,
            _ => {}
        }
    }
    files
}

fn judge(files: &BTreeMap<String, (u64, u64)>, must: bool) -> Result<(), String> {
    println!("\nlines run  of all");
    for (file, (all, run)) in files.iter().filter(|(_, (all, run))| run < all) {
        println!("{:>8.1} % {all:>7}  {file}", share(*all, *run));
    }
    println!();
    let mut low = Vec::new();
    for (place, least) in FLOORS {
        let of = files.iter().filter(|(file, _)| file.starts_with(place));
        let (all, run) = of.fold((0, 0), |sum, (_, lines)| (sum.0 + lines.0, sum.1 + lines.1));
        let (share, name) = (share(all, run), if place.is_empty() { "all" } else { place });
        println!("{share:>8.1} % {all:>7}  {name} (at least {least} %)");
        if share < least {
            low.push(name);
        }
    }
    if low.is_empty() || !must {
        return Ok(());
    }
    Err(format!("Too few lines are run by tests: {}.", low.join(", ")))
}

#[expect(clippy::cast_precision_loss, reason = "nobody writes so many lines")]
fn share(all: u64, run: u64) -> f64 {
    if all == 0 { 0.0 } else { run as f64 * 100.0 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::{judge, lines};

    #[test]
    fn lines_are_counted_by_file_and_too_few_are_a_failure() {
        let root = super::root().display();
        let text = format!(
            "SF:{root}/crates/query/src/a.rs\nDA:1,0\nLF:100\nLH:96\nend_of_record\n\
             SF:{root}/crates/portaria/src/policy.rs\nLF:10\nLH:10\nend_of_record\n\
             SF:{root}/crates/portaria/src/auth/b.rs\nLF:10\nLH:10\nend_of_record\n\
             SF:{root}/crates/portaria/tests/it/main.rs\nLF:500\nLH:0\nend_of_record\n"
        );
        let mut files = lines(&text);
        assert_eq!(files.len(), 3);
        assert_eq!(files["crates/query/src/a.rs"], (100, 96));
        assert_eq!(judge(&files, true), Ok(()));
        files.insert("crates/query/src/c.rs".to_owned(), (10, 5));
        let failure = judge(&files, true).expect_err("query is below its floor");
        assert_eq!(failure, "Too few lines are run by tests: crates/query/src/.");
        assert_eq!(judge(&files, false), Ok(()));
    }
}
