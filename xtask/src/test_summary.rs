//! Counts of passed and failed tests, parsed from the summary lines of cargo, Vitest and Playwright.

/// Number of tests by outcome.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TestCounts {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
}

impl TestCounts {
    pub(crate) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }

    /// Adds the counts of a summary line. Ignores every other line.
    pub(crate) fn add_line(&mut self, line: &str) {
        let plain = strip_colors(line);
        let words: Vec<&str> = plain.split_whitespace().collect();
        let summary = match words[..] {
            ["test", "result:", _, ref rest @ ..] | ["Tests", ref rest @ ..] => rest,
            // Playwright: `  12 passed (30.1s)`, `  1 failed`.
            [number, "passed", time] if time.starts_with('(') && is_number(number) => &words[..],
            [number, "failed"] if is_number(number) => &words[..],
            _ => return,
        };
        for pair in summary.windows(2) {
            let Ok(number) = pair[0].parse::<u64>() else { continue };
            match pair[1].trim_end_matches(';') {
                "passed" => self.passed += number,
                "failed" => self.failed += number,
                _ => {}
            }
        }
    }
}

fn is_number(word: &str) -> bool {
    word.parse::<u64>().is_ok()
}

/// Removes ANSI color sequences: `ESC [ 3 2 m`.
fn strip_colors(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        if character == '\u{1b}' {
            // The first letter ends the sequence.
            characters.by_ref().find(char::is_ascii_alphabetic);
        } else {
            plain.push(character);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::TestCounts;

    #[test]
    fn add_line_counts_summary_lines_only() {
        #[rustfmt::skip]
        let lines = [
            ("test result: ok. 12 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out; finished in 0.01s", 12, 0),
            ("test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out", 3, 2),
            ("test result: \u{1b}[32mok\u{1b}[m. 4 passed; 0 failed; 0 ignored", 4, 0),
            ("      Tests  5 passed (5)", 5, 0),
            ("      Tests  1 failed | 4 passed (5)", 4, 1),
            ("\u{1b}[2m      Tests \u{1b}[22m \u{1b}[1m\u{1b}[32m7 passed\u{1b}[39m\u{1b}[22m (7)", 7, 0),
            (" Test Files  1 passed (1)", 0, 0),
            ("  12 passed (30.1s)", 12, 0),
            ("  1 failed", 0, 1),
            ("running 5 tests", 0, 0),
            ("the first one failed", 0, 0),
        ];
        for (line, passed, failed) in lines {
            let mut counts = TestCounts::default();
            counts.add_line(line);
            assert_eq!(counts, TestCounts { passed, failed }, "{line}");
        }
    }
}
