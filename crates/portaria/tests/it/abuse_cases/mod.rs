//! Abuse cases: attacks and malformed input. `rows.txt` numbers the cases and cites the test of each. This module
//! contains the tests that belong to no other file.

mod accounts;
mod tables;

use std::{collections::BTreeSet, fs, path::Path};

#[test]
fn cited_tests_exist() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it");
    let mut seen = BTreeSet::new();
    for line in include_str!("rows.txt").lines().filter(|line| !line.starts_with('#')) {
        let [row, _, tests] = line.split(" | ").collect::<Vec<_>>()[..] else { panic!("{line}") };
        assert!(seen.insert(row), "{row} occurs twice");
        for test in tests.split(", ") {
            let (file, name) = test.split_once(' ').unwrap();
            let source = fs::read_to_string(folder.join(file)).unwrap();
            let is_there = [format!(" {name},"), format!("({name},"), format!("fn {name}(")];
            let is_there = is_there.iter().any(|text| source.contains(text.as_str()));
            assert!(is_there, "{row}: {file} contains no test {name}");
        }
    }
}
