//! `cargo xtask coverage`: which lines of the program the tests run, counted by the compiler's own instruments, and whether they
//! are enough. Lines of tests are not counted.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    path::{Path, PathBuf},
    process::Command,
};

use llvm_profparser::{CoverageMapping, CoverageResult, merge_profiles};

use crate::{
    machine,
    postgres::Postgres,
    process::{self, Running, root, tool},
    tally::Tally,
};

/// How many lines of a hundred must be run: of everything, and of what decides who may do what.
const FLOORS: [(&str, f64); 4] = [
    ("", 90.0),
    ("crates/portaria/src/policy", 95.0),
    ("crates/portaria/src/auth/", 95.0),
    ("crates/query/src/", 95.0),
];
const ALL_TESTS: &[&str] = &[
    "--package",
    "query",
    "--package",
    "portaria",
    "--lib",
    "--bins",
    "--test",
    "it",
    "--test",
    "faults",
];

/// For each file of the program its lines with code in them, and whether each was run.
type Lines = BTreeMap<PathBuf, BTreeMap<usize, bool>>;

/// Arguments, if any, choose server tests; then nothing is demanded of the figures.
pub(crate) fn run(names: &[&str]) -> Result<(), String> {
    machine::check_disk("target/debug", 10)?;
    let test_tools = machine::test_tools()?;
    machine::fault_tools()?;
    let postgres = Postgres::start(&test_tools.postgres)?;
    let tests =
        if names.is_empty() { ALL_TESTS } else { &["--package", "portaria", "--test", "it"] };

    let folder = root().join("target/coverage");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}.", folder.display()))?;
    let test = |words: &[&str], counts: &Path| {
        let mut command = tool("cargo", &["test"]);
        command
            .args(tests)
            .args(words)
            .env("RUSTC_WORKSPACE_WRAPPER", root().join("xtask/instrument.sh"));
        command.env("LLVM_PROFILE_FILE", counts).env("PORTARIA_TEST_POSTGRES", postgres.url());
        command
    };
    // What is run while it is built, macros for one, counts too, and nobody asks for it.
    let build = test(&["--no-run", "--message-format=json"], Path::new("/dev/null"));
    let programs = programs(build, &folder.join("build.json"))?;
    // Those that a test starts add to one file for each program, a few at a time.
    process::run(
        test(&[&["--"], names].concat(), &folder.join("%4m.profraw")),
        &mut Tally::default(),
    )?;
    judge(&lines(&programs, &folder)?, names.is_empty())
}

/// What was built, the tests and the program itself, as cargo names it: `…,"executable":"/path",…`.
fn programs(mut build: Command, told: &Path) -> Result<Vec<PathBuf>, String> {
    let failed = |e: std::io::Error| format!("{}: {e}.", told.display());
    Running::start(build.stdout(File::create(told).map_err(failed)?))?.wait()?;
    let told = fs::read_to_string(told).map_err(failed)?;
    let paths =
        told.lines().filter_map(|line| line.split_once(r#""executable":""#)?.1.split('"').next());
    Ok(paths.map(PathBuf::from).collect())
}

fn lines(programs: &[PathBuf], folder: &Path) -> Result<Lines, String> {
    let failed = |e: &dyn std::fmt::Display| format!("What was counted could not be read: {e}.");
    let files = fs::read_dir(folder).map_err(|e| failed(&e))?.flatten().map(|file| file.path());
    let counts: Vec<PathBuf> =
        files.filter(|file| file.extension().is_some_and(|name| name == "profraw")).collect();
    let counts = merge_profiles(&counts).map_err(|e| failed(&e))?;
    let mapping = CoverageMapping::new(programs, &counts, false).map_err(|e| failed(&e))?;
    let ours = |file: &Path| {
        file.starts_with(root().join("crates"))
            && file.components().any(|part| part.as_os_str() == "src")
    };
    let report = mapping.generate_subreport(|files| files.iter().any(|file| ours(file)));
    let mut lines = Lines::new();
    for (file, counted) in report.map_err(|e| failed(&e))?.files {
        let Some(name) = file.strip_prefix(root()).ok().filter(|_| ours(&file)) else { continue };
        let source = fs::read_to_string(&file).map_err(|e| failed(&e))?;
        let code = source.lines().take_while(|line| *line != "#[cfg(test)]").count();
        let run = lines_of(&counted).into_iter().filter(|(line, _)| *line <= code);
        lines.insert(name.to_owned(), run.collect());
    }
    Ok(lines)
}

/// A line was run if a part that begins on it was, or the innermost of those that go on from the line before.
fn lines_of(counted: &CoverageResult) -> BTreeMap<usize, bool> {
    let mut parts: Vec<_> = counted.hits.iter().collect();
    // Whatever holds another comes before it.
    parts.sort_by_key(|(at, _)| {
        (at.line_start, at.column_start, std::cmp::Reverse((at.line_end, at.column_end)))
    });
    let (mut begun, mut going_on) = (BTreeMap::new(), BTreeMap::new());
    for (at, times) in parts {
        *begun.entry(at.line_start).or_insert(false) |= *times > 0;
        going_on.extend((at.line_start + 1..=at.line_end).map(|line| (line, *times > 0)));
    }
    for (line, run) in begun {
        *going_on.entry(line).or_insert(false) |= run;
    }
    going_on
}

fn judge(files: &Lines, must: bool) -> Result<(), String> {
    println!("\nlines run  of all");
    for (file, lines) in files {
        let missed: Vec<usize> =
            lines.iter().filter(|(_, run)| !**run).map(|(line, _)| *line).collect();
        if !missed.is_empty() {
            let share = share(lines.len(), lines.len() - missed.len());
            println!(
                "{share:>8.1} % {:>7}  {}: not {}",
                lines.len(),
                file.display(),
                ranges(&missed)
            );
        }
    }
    println!();
    let mut low = Vec::new();
    for (place, least) in FLOORS {
        let of = files.iter().filter(|(file, _)| file.to_string_lossy().starts_with(place));
        let (all, run) = of.fold((0, 0), |(all, run), (_, lines)| {
            (all + lines.len(), run + lines.values().filter(|run| **run).count())
        });
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

/// `3–5, 9`.
fn ranges(numbers: &[usize]) -> String {
    let runs = numbers.chunk_by(|before, after| before + 1 == *after);
    let told = runs.filter_map(|run| match run {
        [] => None,
        [one] => Some(one.to_string()),
        [first, .., last] => Some(format!("{first}–{last}")),
    });
    told.collect::<Vec<_>>().join(", ")
}

#[expect(clippy::cast_precision_loss, reason = "nobody writes so many lines")]
fn share(all: usize, run: usize) -> f64 {
    if all == 0 { 0.0 } else { run as f64 * 100.0 / all as f64 }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, path::PathBuf};

    use llvm_profparser::{CoverageResult, SourceLocation};

    use super::{judge, lines_of, ranges};

    #[test]
    fn a_line_is_judged_by_what_begins_on_it_and_by_the_innermost_that_goes_on() {
        let mut counted = CoverageResult::default();
        // A function, a branch in it that nobody took, and one on a single line.
        for (from, to, times) in [((1, 1), (9, 2), 3), ((3, 8), (5, 6), 0), ((7, 4), (7, 20), 0)] {
            let at = SourceLocation {
                line_start: from.0,
                column_start: from.1,
                line_end: to.0,
                column_end: to.1,
            };
            counted.insert("function", at, times);
        }
        let missed = lines_of(&counted).into_iter().filter(|(_, run)| !run).map(|(line, _)| line);
        assert_eq!(missed.collect::<Vec<_>>(), [4, 5]);
    }

    #[test]
    fn too_few_lines_in_a_place_that_needs_more_are_a_failure() {
        let lines = |all: usize, run: usize| (1..=all).map(|line| (line, line <= run)).collect();
        let mut files = BTreeMap::from([
            (PathBuf::from("crates/query/src/a.rs"), lines(100, 96)),
            (PathBuf::from("crates/portaria/src/policy.rs"), lines(10, 10)),
            (PathBuf::from("crates/portaria/src/auth/b.rs"), lines(10, 10)),
        ]);
        assert_eq!(judge(&files, true), Ok(()));
        files.insert("crates/query/src/c.rs".into(), lines(10, 5));
        let failure = judge(&files, true).expect_err("query is below its floor");
        assert_eq!(failure, "Too few lines are run by tests: crates/query/src/.");
        assert_eq!(judge(&files, false), Ok(()));
    }

    #[test]
    fn lines_in_a_row_are_told_as_one() {
        assert_eq!(ranges(&[3, 4, 5, 9, 11, 12]), "3–5, 9, 11–12");
    }
}
