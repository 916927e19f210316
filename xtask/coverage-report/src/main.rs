//! Prints the line coverage of the server, computed from the profiles that instrumented tests wrote. Lines of unit
//! tests do not count. `cargo xtask coverage` runs it in the root of the repository. It is a package of its own because
//! its dependencies take longer to compile than the rest of xtask.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context, Result, bail};
use llvm_profparser::{CoverageMapping, CoverageResult, merge_profiles};

/// Minimum coverage in percent of all files whose path has this prefix.
const MINIMUM_COVERAGE: [(&str, f64); 5] = [
    ("", 90.0),
    ("crates/portaria/src/policy", 95.0),
    ("crates/portaria/src/accounts/", 95.0),
    ("crates/portaria/src/api/auth/", 95.0),
    ("crates/portaria-query/src/", 95.0),
];

/// The lines with code of each file, and whether each was executed.
type CoveredLines = BTreeMap<PathBuf, BTreeMap<usize, bool>>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [profiles, messages] => run(Path::new(profiles), Path::new(messages), false),
        [profiles, messages, "--check"] => run(Path::new(profiles), Path::new(messages), true),
        _ => Err(anyhow::anyhow!(
            "Usage: coverage-report <directory of profiles> <messages of cargo> [--check]"
        )),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\n{error:#}");
            ExitCode::FAILURE
        }
    }
}

/// `messages` is the JSON output of the cargo command that built the tests. With `check` a coverage below the minimum is an
/// error.
fn run(profiles: &Path, messages: &Path, check: bool) -> Result<()> {
    let root = std::env::current_dir().context("cannot read the working directory")?;
    let messages = fs::read_to_string(messages)
        .with_context(|| format!("cannot read {}", messages.display()))?;
    let lines = read_coverage(&root, &executables(&messages), profiles)?;
    print_report(&lines);
    if check { check_minimum(&lines) } else { Ok(()) }
}

/// The paths of the tests and the server in cargo's messages: `…,"executable":"/path",…`.
fn executables(messages: &str) -> Vec<PathBuf> {
    let paths = messages
        .lines()
        .filter_map(|line| line.split_once(r#""executable":""#)?.1.split('"').next());
    paths.map(PathBuf::from).collect()
}

/// Merges the profiles in a directory and maps them to the lines of the source files.
fn read_coverage(root: &Path, executables: &[PathBuf], directory: &Path) -> Result<CoveredLines> {
    let files = fs::read_dir(directory).context("cannot list the profiles")?;
    let profiles: Vec<PathBuf> = files
        .flatten()
        .map(|file| file.path())
        .filter(|file| file.extension().is_some_and(|extension| extension == "profraw"))
        .collect();
    let profile = merge_profiles(&profiles).context("cannot merge the profiles")?;
    let mapping = CoverageMapping::new(executables, &profile, false)
        .context("cannot read the coverage mapping of the executables")?;
    let is_source = |file: &Path| {
        file.starts_with(root.join("crates"))
            && file.components().any(|part| part.as_os_str() == "src")
    };
    let coverage = mapping
        .generate_subreport(|files| files.iter().any(|file| is_source(file)))
        .context("cannot compute the coverage")?;

    let mut lines = CoveredLines::new();
    for (file, result) in coverage.files {
        let Some(name) = file.strip_prefix(root).ok().filter(|_| is_source(&file)) else {
            continue;
        };
        let source =
            fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let tests_begin = source.lines().take_while(|line| *line != "#[cfg(test)]").count();
        let covered = line_coverage(&result).into_iter().filter(|(line, _)| *line <= tests_begin);
        lines.insert(name.to_owned(), covered.collect());
    }
    Ok(lines)
}

/// Maps regions to lines. A line counts as executed if a region that begins on it was executed, or the innermost region
/// that continues from the line before.
fn line_coverage(result: &CoverageResult) -> BTreeMap<usize, bool> {
    let mut regions: Vec<_> = result.hits.iter().collect();
    // Outer regions precede the inner ones.
    regions.sort_by_key(|(at, _)| {
        (at.line_start, at.column_start, std::cmp::Reverse((at.line_end, at.column_end)))
    });
    let (mut beginning, mut lines) = (BTreeMap::new(), BTreeMap::new());
    for (at, executions) in regions {
        let is_executed = *executions > 0;
        *beginning.entry(at.line_start).or_insert(false) |= is_executed;
        lines.extend((at.line_start + 1..=at.line_end).map(|line| (line, is_executed)));
    }
    for (line, is_executed) in beginning {
        *lines.entry(line).or_insert(false) |= is_executed;
    }
    lines
}

/// Prints the coverage of each file that has lines without coverage, and these lines.
fn print_report(files: &CoveredLines) {
    println!("\ncoverage     lines");
    for (file, lines) in files {
        let missed: Vec<usize> =
            lines.iter().filter(|(_, is_executed)| !**is_executed).map(|(line, _)| *line).collect();
        if !missed.is_empty() {
            let percent = percent(lines.len() - missed.len(), lines.len());
            let (file, missed) = (file.display(), format_ranges(&missed));
            println!("{percent:>8.1} % {:>7}  {file}: missing {missed}", lines.len());
        }
    }
    println!();
}

/// Prints the totals and fails if one is below its minimum.
fn check_minimum(files: &CoveredLines) -> Result<()> {
    let mut too_low = Vec::new();
    for (prefix, minimum) in MINIMUM_COVERAGE {
        let selected = files.iter().filter(|(file, _)| file.to_string_lossy().starts_with(prefix));
        let (executed, all) = selected.fold((0, 0), |(executed, all), (_, lines)| {
            (executed + lines.values().filter(|line| **line).count(), all + lines.len())
        });
        let percent = percent(executed, all);
        let name = if prefix.is_empty() { "all" } else { prefix };
        println!("{percent:>8.1} % {all:>7}  {name} (minimum {minimum} %)");
        if percent < minimum {
            too_low.push(name);
        }
    }
    if !too_low.is_empty() {
        bail!("The test coverage is too low: {}.", too_low.join(", "));
    }
    Ok(())
}

/// `3–5, 9`.
fn format_ranges(numbers: &[usize]) -> String {
    let ranges = numbers.chunk_by(|before, after| before + 1 == *after);
    let formatted = ranges.filter_map(|range| match range {
        [] => None,
        [number] => Some(number.to_string()),
        [first, .., last] => Some(format!("{first}–{last}")),
    });
    formatted.collect::<Vec<_>>().join(", ")
}

#[expect(clippy::cast_precision_loss, reason = "numbers of lines are far below 2^52")]
fn percent(executed: usize, all: usize) -> f64 {
    if all == 0 { 0.0 } else { executed as f64 * 100.0 / all as f64 }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeMap, path::PathBuf};

    use llvm_profparser::{CoverageResult, SourceLocation};

    use super::{check_minimum, executables, format_ranges, line_coverage};

    #[test]
    fn executables_are_read_from_the_messages_of_cargo() {
        let messages = r#"{"reason":"compiler-artifact","executable":"/target/it-1","fresh":false}
{"reason":"compiler-artifact","executable":null}
{"reason":"build-finished","success":true}"#;
        assert_eq!(executables(messages), [PathBuf::from("/target/it-1")]);
    }

    #[test]
    fn line_coverage_uses_regions_that_begin_and_the_innermost_that_continues() {
        let mut result = CoverageResult::default();
        // A function that was executed, a branch in it that was not, and a part of a line that was not.
        for (from, to, executions) in
            [((1, 1), (9, 2), 3), ((3, 8), (5, 6), 0), ((7, 4), (7, 20), 0)]
        {
            let at = SourceLocation {
                line_start: from.0,
                column_start: from.1,
                line_end: to.0,
                column_end: to.1,
            };
            result.insert("function", at, executions);
        }
        let missed = line_coverage(&result).into_iter().filter(|(_, is_executed)| !is_executed);
        assert_eq!(missed.map(|(line, _)| line).collect::<Vec<_>>(), [4, 5]);
    }

    #[test]
    fn coverage_below_the_minimum_of_a_directory_fails() {
        let lines =
            |all: usize, executed: usize| (1..=all).map(|line| (line, line <= executed)).collect();
        let mut files = BTreeMap::from([
            (PathBuf::from("crates/portaria-query/src/a.rs"), lines(100, 96)),
            (PathBuf::from("crates/portaria/src/policy/"), lines(10, 10)),
            (PathBuf::from("crates/portaria/src/accounts/user.rs"), lines(10, 10)),
            (PathBuf::from("crates/portaria/src/api/auth/b.rs"), lines(10, 10)),
        ]);
        check_minimum(&files).unwrap();
        files.insert("crates/portaria-query/src/c.rs".into(), lines(10, 5));
        let error = check_minimum(&files).unwrap_err();
        assert_eq!(error.to_string(), "The test coverage is too low: crates/portaria-query/src/.");
    }

    #[test]
    fn consecutive_lines_are_formatted_as_a_range() {
        assert_eq!(format_ranges(&[3, 4, 5, 9, 11, 12]), "3–5, 9, 11–12");
    }
}
